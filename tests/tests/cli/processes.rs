//! The verbs of processes, once in words and once in JSON.

use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{World, text};

const CLAIM: &str = r##"{"id": "T::claim", "name": "Claim", "steps": [
  {"id": "assess", "name": "Assess", "type": "USER_TASK", "nextStep": "route"},
  {"id": "route", "name": "Route", "type": "DECISION", "conditionalNextSteps": {
    "#amount > 100": "wait", "#amount <= 100": "end"}},
  {"id": "wait", "name": "Wait", "type": "WAIT", "nextStep": "end"},
  {"id": "end", "name": "End", "type": "END"}]}"##;

impl World {
    fn with_claim() -> Self {
        let world = Self::new();
        std::fs::write(world.folder.path().join("claim.json"), CLAIM).unwrap();
        assert_eq!(world.run(&["deploy", "claim.json"]).code, Some(0));
        world
    }

    /// Starts a claim; says its id.
    fn claim(&self, args: &[&str]) -> String {
        text(&self.json(&[&["start", "process", "T::claim"], args].concat()), "id")
    }
}

#[test]
fn a_process_from_its_definition_to_its_end() {
    let world = World::with_claim();
    let id = world.claim(&["--business-key", "c-1", "--variables", "{\"amount\": 500}"]);
    expect![[""]].assert_eq(&world.squeezed(&[
        "deploy claim.json order.json",
        "list definitions",
        "list processes --business-key c-1 --status waiting --step assess",
        "list processes --definition T::other",
        "list tasks",
        &format!("show {id}"),
        &format!("complete {id} assess --variables '{{\"note\": \"fine\"}}'"),
        "list tasks",
        &format!("signal process {id} wait"),
        &format!("show process {id}"),
        &format!("history {id}"),
    ]));
}

#[test]
fn a_failed_step_is_tried_again_and_a_process_cancelled() {
    let world = World::with_claim();
    let id = world.claim(&[]);
    expect![[""]].assert_eq(&world.squeezed(&[
        &format!("complete {id} assess"),
        &format!("show {id}"),
        &format!("retry {id} route --variables '{{\"amount\": 101}}'"),
        &format!("cancel {id} --reason 'changed my mind'"),
        &format!("show {id}"),
    ]));
}

#[test]
fn refusals_of_processes_say_what_why_and_what_to_do() {
    let world = World::with_claim();
    let unsound = r#"{"id":"x y","name":"","steps":[{"id":"a","name":"A","type":"FOO"}]}"#;
    std::fs::write(world.folder.path().join("unsound.json"), unsound).unwrap();
    let id = world.claim(&["--business-key", "c-1"]);
    let none = "01K9ZZZZZZZZZZZZZZZZZ00000";
    expect![[""]].assert_eq(&world.session(&[
        "deploy unsound.json",
        "start process T::unknown",
        "start process T::claim --business-key c-1",
        "start process T::claim --variables '[1]'",
        &format!("show {none}"),
        &format!("complete {id} wait"),
        &format!("complete {id} nowhere"),
        &format!("signal {id} wait"),
        &format!("retry {id} assess"),
    ]));
}

#[test]
fn machines_get_the_documents_of_the_server() {
    let world = World::with_claim();
    let deployed = world.json(&["deploy", "claim.json"]);
    let expected =
        json!([{ "file": "claim.json", "id": "T::claim", "version": 1, "outcome": "DEPLOYED" }]);
    assert_eq!(deployed, expected);
    let start = ["start", "process", "T::claim", "--idempotency-key", "k"];
    let id = text(&world.json(&start), "id");
    assert_eq!(text(&world.json(&start), "id"), id);
    let listed = world.json(&["list", "processes"]);
    assert_eq!(listed.pointer("/total"), Some(&json!(1)));
    let tasks = world.json(&["list", "tasks"]);
    assert_eq!(tasks.pointer("/items/0/stepId"), Some(&json!("assess")));
    let shown = world.json(&["show", &id]);
    assert_eq!(text(&shown, "status"), "WAITING");
    assert_eq!(shown.pointer("/history/0/stepId"), Some(&json!("assess")));
    let amount = ["--variables", "{\"amount\": 1}"];
    let done = world.json(&[&["complete", &id, "assess"], &amount[..]].concat());
    assert_eq!(text(&done, "status"), "COMPLETED");
    let history = world.json(&["history", &id]);
    assert_eq!(history.as_array().map(Vec::len), Some(3));
}

#[test]
fn processes_come_in_pages() {
    let world = World::with_claim();
    let ids: Vec<_> = (0..3).map(|_| world.claim(&[])).collect();
    let second = world.json(&["list", "processes", "--limit", "2", "--page", "1"]);
    assert_eq!(second.pointer("/items/0/id").and_then(Value::as_str), Some(ids[0].as_str()));
    let shown = world.run(&["list", "processes", "--limit", "2"]).out;
    assert!(shown.ends_with("there are more: add --page 1\n"), "{shown}");
    let shown = world.run(&["list", "processes", "--limit", "3"]).out;
    assert!(!shown.contains("there are more"), "{shown}");
}
