//! Something to look at in seconds, and nothing left behind.

use e2e::binary::Running;
use serde_json::Value;
use tempfile::TempDir;

use crate::world::World;

/// How often is looked. A look starts the program, so these are many seconds on any machine.
const LOOKS_MAX: usize = 1000;

fn demo() -> World {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &["dev", "--json", "--http", "127.0.0.1:0"]);
    World { folder, server }
}

/// Looks until `holds`.
fn until(what: &str, holds: impl Fn() -> bool) {
    assert!((0..LOOKS_MAX).any(|_| holds()), "never: {what}");
}

fn items<'a>(listed: &'a Value, pointer: &str) -> &'a [Value] {
    listed.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn the_demo_shows_all_four_faces_and_leaves_nothing_behind() {
    let world = demo();
    let definitions = world.json(&["list", "definitions"]);
    for face in ["/chains/items", "/processes/items"] {
        assert_eq!(items(&definitions, face).len(), 2, "{definitions}");
    }
    until("a chain waits for its payment", || {
        let listed = world.json(&["list", "chains", "--awaits", "PAID"]);
        !items(&listed, "/items").is_empty()
    });
    until("a loan leaves its first step", || {
        let listed = world.json(&["list", "processes"]);
        let id = listed.pointer("/items/0/id").and_then(Value::as_str).map(str::to_owned);
        let shown = id.map(|it| world.json(&["show", &it]));
        shown.is_some_and(|it| it.pointer("/history/1/stepId").is_some())
    });
    until("a mission flies", || {
        let listed = world.json(&["list", "lifecycles", "drone-survey"]);
        let photos = |it: &Value| it.pointer("/value/photos").and_then(Value::as_u64);
        items(&listed, "").iter().any(|it| photos(it).is_some_and(|n| n > 0))
    });
    until("the compute node has booked a carrier", || {
        let listed = world.json(&["list", "entities", "order", "1"]);
        let booking = |it: &Value| it.pointer("/data/booking").is_some();
        items(&listed, "").iter().any(booking)
    });
    let World { folder, server } = world;
    let (status, err) = server.stop();
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_loan_with_a_wrong_account_is_repaired_by_a_retry_with_the_right_one() {
    let world = demo();
    let failed = || world.json(&["list", "processes", "--status", "failed"]);
    until("money could not be sent", || !items(&failed(), "/items").is_empty());
    let listed = failed();
    let loan = items(&listed, "/items").last().unwrap();
    let text = |name: &str| loan.get(name).and_then(Value::as_str).unwrap_or_default();
    assert!(text("failureReason").contains("retry"), "{loan}");
    let account = r#"{"account": "DE89370400440532013000"}"#;
    let retry = || world.json(&["retry", text("id"), "transfer-funds", "--variables", account]);
    retry();
    until("the loan is paid out", || {
        let shown = world.json(&["show", text("id")]);
        let status = shown.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
        // The bank may be closed for the moment.
        if status == "FAILED" {
            retry();
        }
        status == "COMPLETED"
    });
    assert_eq!(world.server.stop().0.code(), Some(0));
}
