//! The guides tell the truth: what they say to type is typed, and what they show to compile is a
//! program that compiles.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::process::Command;

use e2e::binary::{Ran, Running, waypost};
use tempfile::TempDir;

const GUIDE: &str = include_str!("../../docs/guides/process.md");
const WORKER: &str = include_str!("../../crates/client/examples/price_worker.rs");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    GUIDE.split(&fence).skip(1).map(|it| it.split("```").next().unwrap()).collect()
}

#[test]
fn every_command_of_the_process_guide_does_what_it_says() {
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let address = server.url.trim_start_matches("http://");
    let script = blocks("sh").join("\n").replace("localhost:8080", address);
    assert!(script.matches("waypost ").count() > 15, "{script}");
    let path = std::env::var("PATH").unwrap();
    let program = waypost().parent().unwrap().display();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("WAYPOST_SERVER", &server.url)
        .env("NO_COLOR", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    for told in [
        "process SHOP::order version 1: deployed",
        "waits for a person",
        "completed approve",
        "is ACTIVE at ship",
        "no such street",
        "retried ship",
        "end-shipped",
        "end-silent",
        "SHOP::invoice",
    ] {
        assert!(ran.out.contains(told), "{told} is not in\n{}", ran.out);
    }
}

#[test]
fn the_worker_of_the_process_guide_is_one_that_compiles() {
    let shown = blocks("rust,ignore");
    let [program] = shown.as_slice() else { unreachable!("there is one worker in Rust") };
    let (_, compiled) = WORKER.split_once("\n\n").unwrap();
    assert_eq!(*program, compiled);
}
