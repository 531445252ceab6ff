//! The guide of pictures, explanations and the past tells the truth: what it says to type is typed.

use e2e::guide::{Reader, commands, seen};

const GUIDE: &str = include_str!("../../docs/guides/explain.md");

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let reader = Reader::new().having("examples");
    let script = commands(GUIDE);
    assert!(script.matches("waypost ").count() > 10, "{script}");
    let told = [
        "flowchart",
        "digraph",
        "capturing",
        "● here",
        "nobody has asked for validate-application since the server started",
        "cancel",
        "~ /status  \"ACTIVE\" → \"CANCELLED\"",
        "+ /failureReason  \"only looking\"",
    ];
    seen(&reader.types(&script), &told);
    let drawn = std::fs::read_to_string(reader.folder.path().join("loan.svg")).unwrap();
    assert!(drawn.starts_with("<svg "), "{drawn}");
}
