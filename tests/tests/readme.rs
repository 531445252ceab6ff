//! The first five minutes end well: what the README says to type is typed beside the demo.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use e2e::{
    binary::Running,
    guide::{Reader, commands, seen},
};
use tempfile::TempDir;

const README: &str = include_str!("../../README.md");

/// The part between a heading and the next.
fn part(heading: &str) -> &'static str {
    let (_, rest) = README.split_once(heading).unwrap();
    rest.split("\n## ").next().unwrap()
}

#[test]
fn every_command_of_the_first_five_minutes_does_what_it_says() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &["dev", "--json", "--http", "127.0.0.1:0"]);
    let reader = Reader::beside(folder, server).having("examples");
    let script = commands(part("\n## Five minutes\n"));
    assert!(script.matches("waypost ").count() > 8 && script.matches("curl ").count() > 1);
    // Nobody watches forever, and the demo has begun before anybody looks.
    let begun = "until waypost list processes | grep ACTIVE; do sleep 0.1; done\n";
    let script = script.replace("waypost watch ", "timeout 3 waypost watch || [ $? = 124 ] ");
    let told = [
        "LOS::loan-application-full",
        "validate-application",
        "chain order version 1",
        r#""instanceStatus":"COMPLETED""#,
        "p-1",
    ];
    seen(&reader.types(&format!("{begun}{script}")), &told);
}
