//! The guide of lifecycles tells the truth: what it says to type is typed beside the program it is
//! about, and the struct it shows is that program's.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use e2e::{
    binary::{Ran, drone_survey, waypost},
    guide::{blocks, commands, seen},
};
use tempfile::TempDir;

const GUIDE: &str = include_str!("../../docs/guides/lifecycle.md");
const PROGRAM: [&str; 2] = [
    include_str!("../../crates/cli/examples/drone_survey/main.rs"),
    include_str!("../../crates/cli/examples/drone_survey/mission.rs"),
];

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/drone-survey.json");

/// Killed with the test.
struct Survey(Child);

impl Drop for Survey {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn every_command_of_the_lifecycle_guide_does_what_it_says() {
    let folder = TempDir::new().unwrap();
    let child = Command::new(drone_survey())
        .args(["--store", "survey.db", "--http", "127.0.0.1:0", "--pace", "100"])
        .args(["--missions", "3", "--rules", RULES])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn();
    let mut survey = Survey(child.unwrap());
    let mut lines = BufReader::new(survey.0.stdout.take().unwrap()).lines();
    let server = lines.next().unwrap().unwrap();
    // By then all are planned.
    assert!(lines.any(|it| it.unwrap().contains("m-3")));
    let script = commands(GUIDE);
    assert!(script.matches("waypost ").count() > 8 && script.matches("curl ").count() > 5);
    let script = script.replace("localhost:8080", server.trim_start_matches("http://"));
    let (path, program) = (std::env::var("PATH").unwrap(), waypost().parent().unwrap().display());
    let output = Command::new("timeout")
        .args(["240", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("WAYPOST_SERVER", &server)
        .env("NO_COLOR", "1")
        .env("no_proxy", "127.0.0.1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    let told = [
        "planning 3",
        "battery, owner_org_id",
        "wrote battery of m-1",
        "phase      completed",
        // Twenty-five, or what is left when the rule gets its turn late.
        "hangar-2",
        "the battery is low",
        "refused, as it should be\nrefused, as it should be",
        r#""counts_by_phase":{"completed":2,"planning":1}"#,
        r#""owner_org_id":"acme""#,
        "event: bootstrap_complete",
        r#""from":"landing","to":"completed""#,
        r#"{"ok":true,"phase":"aborted"}"#,
    ];
    seen(&ran.out, &told);
    assert!(lines.any(|it| it.unwrap() == "every mission has ended"));
    assert!(survey.0.wait().unwrap().success());
}

#[test]
fn what_the_lifecycle_guide_shows_is_in_the_program() {
    let shown = blocks(GUIDE, "rust,ignore");
    assert!(shown.len() > 3 && shown.iter().any(|it| it.contains("struct Mission")));
    // Who may see what is of no interest to readers of a guide.
    let program = PROGRAM.concat().replace("pub(crate) ", "");
    for block in shown {
        assert!(program.contains(block.trim_end()), "{block}");
    }
    let rules = std::fs::read_to_string(RULES).unwrap();
    assert_eq!(blocks(GUIDE, "json"), [rules]);
}
