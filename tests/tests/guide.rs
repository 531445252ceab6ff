//! The guides tell the truth: what they say to type is typed, and what they show to compile is a
//! program that compiles.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use e2e::guide::{Reader, blocks, commands, seen};
use waypost_testkit::services;

const GUIDE: &str = include_str!("../../docs/guides/process.md");
const WORKER: &str = include_str!("../../crates/client/examples/price_worker.rs");

/// The block of commands with that command in it.
fn commands_with(command: &str) -> &'static str {
    blocks(GUIDE, "sh").into_iter().find(|it| it.contains(command)).unwrap()
}

#[test]
fn every_command_of_the_process_guide_does_what_it_says() {
    let script = commands(GUIDE);
    assert!(script.matches("waypost ").count() > 15, "{script}");
    let told = [
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
    ];
    seen(&Reader::new().types(&script), &told);
}

#[test]
fn the_python_worker_of_the_process_guide_does_its_jobs() {
    let packages = services::python_worker().unwrap();
    let shown = blocks(GUIDE, "python");
    let [worker] = shown.as_slice() else { unreachable!("there is one worker in Python") };
    let script = [
        commands_with("cat > order.json"),
        commands_with("waypost start process SHOP::order --business-key"),
        &format!("cat > worker.py <<'END'\n{worker}END\n"),
        &format!("PYTHONPATH={} python3 worker.py &\n", packages.display()),
        "trap 'kill $!; wait' EXIT\n",
        "until waypost list tasks | grep approve; do sleep 0.1; done\n",
        commands_with("waypost complete $ID approve"),
        commands_with("waypost signal $ID paid"),
        "until waypost show $ID | grep end-shipped; do sleep 0.1; done\n",
        "waypost show $ID\n",
    ];
    let out = Reader::new().types(&script.concat());
    assert!(out.contains("1350"), "what the worker has computed is not in\n{out}");
}

#[test]
fn the_worker_of_the_process_guide_is_one_that_compiles() {
    let shown = blocks(GUIDE, "rust,ignore");
    let [program] = shown.as_slice() else { unreachable!("there is one worker in Rust") };
    let (_, compiled) = WORKER.split_once("\n\n").unwrap();
    assert_eq!(*program, compiled);
}
