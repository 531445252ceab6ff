//! The guide of pictures, explanations and the past tells the truth: what it says to type is typed.

use std::{path::Path, process::Command};

use e2e::binary::{Ran, Running, waypost};
use tempfile::TempDir;

const GUIDE: &str = include_str!("../../docs/guides/explain.md");

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let folder = TempDir::new().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    std::os::unix::fs::symlink(examples, folder.path().join("examples")).unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let blocks = GUIDE.split("```sh\n").skip(1).map(|it| it.split("```").next().unwrap());
    let script = blocks.collect::<Vec<_>>().join("\n");
    assert!(script.matches("waypost ").count() > 10, "{script}");
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", waypost().parent().unwrap().display()))
        .env("WAYPOST_SERVER", &server.url)
        .env("NO_COLOR", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    for told in [
        "flowchart",
        "digraph",
        "capturing",
        "● here",
        "nobody has asked for validate-application since the server started",
        "cancel",
        "~ /status  \"ACTIVE\" → \"CANCELLED\"",
        "+ /failureReason  \"only looking\"",
    ] {
        assert!(ran.out.contains(told), "{told} is not in\n{}", ran.out);
    }
    let drawn = std::fs::read_to_string(folder.path().join("loan.svg")).unwrap();
    assert!(drawn.starts_with("<svg "), "{drawn}");
}
