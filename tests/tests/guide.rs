//! The guides tell the truth: what they say to type is typed, and what they show to compile is a
//! program that compiles.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::process::Command;

use e2e::binary::{Ran, Running, waypost};
use tempfile::TempDir;
use waypost_testkit::services;

const GUIDE: &str = include_str!("../../docs/guides/process.md");
const WORKER: &str = include_str!("../../crates/client/examples/price_worker.rs");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    GUIDE.split(&fence).skip(1).map(|it| it.split("```").next().unwrap()).collect()
}

/// The block of commands with that command in it.
fn commands(with: &str) -> &'static str {
    blocks("sh").into_iter().find(|it| it.contains(with)).unwrap()
}

/// Types a script into a shell beside a server of its own; says what is to be seen then. What
/// waits for something that does not come is cut off.
fn typed(script: &str) -> String {
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let address = server.url.trim_start_matches("http://");
    let script = script.replace("localhost:8080", address);
    let path = std::env::var("PATH").unwrap();
    let program = waypost().parent().unwrap().display();
    let output = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("WAYPOST_SERVER", &server.url)
        .env("NO_COLOR", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    ran.out
}

#[test]
fn every_command_of_the_process_guide_does_what_it_says() {
    let script = blocks("sh").join("\n");
    assert!(script.matches("waypost ").count() > 15, "{script}");
    let out = typed(&script);
    for told in [
        "process SHOP::order version 1: deployed",
        "waits for a person",
        "completed approve",
        "is ACTIVE at ship",
        "no such street",
        "retried ship",
        "end-shipped",
        "end-silent",
        "cancelled ",
        "SHOP::invoice",
    ] {
        assert!(out.contains(told), "{told} is not in\n{out}");
    }
}

#[test]
fn the_python_worker_of_the_process_guide_does_its_jobs() {
    let packages = services::python_worker().unwrap();
    let shown = blocks("python");
    let [worker] = shown.as_slice() else { unreachable!("there is one worker in Python") };
    let script = [
        commands("cat > order.json"),
        commands("waypost start process SHOP::order --business-key"),
        &format!("cat > worker.py <<'END'\n{worker}END\n"),
        &format!("PYTHONPATH={} python3 worker.py &\n", packages.display()),
        "trap 'kill $!; wait' EXIT\n",
        "until waypost list tasks | grep approve; do sleep 0.1; done\n",
        commands("waypost complete $ID approve"),
        commands("waypost signal $ID paid"),
        "until waypost show $ID | grep end-shipped; do sleep 0.1; done\n",
        "waypost show $ID\n",
    ];
    let out = typed(&script.concat());
    assert!(out.contains("1350"), "what the worker has computed is not in\n{out}");
}

#[test]
fn the_worker_of_the_process_guide_is_one_that_compiles() {
    let shown = blocks("rust,ignore");
    let [program] = shown.as_slice() else { unreachable!("there is one worker in Rust") };
    let (_, compiled) = WORKER.split_once("\n\n").unwrap();
    assert_eq!(*program, compiled);
}
