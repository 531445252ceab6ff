//! Why instances are where they are, how they were, and what would become of them: the verbs that
//! every face has.

use serde_json::{Value, json};

use crate::{lifecycles, world::World};

fn write(world: &World, name: &str, text: &str) {
    std::fs::write(world.folder.path().join(name), text).unwrap();
}

/// What the program says, which must contain all of `expected`.
fn says(world: &World, args: &[&str], expected: &[&str]) {
    let ran = world.run(args);
    assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
    for it in expected {
        assert!(ran.out.contains(it), "{args:?}: {it:?} is not in\n{}", ran.out);
    }
}

#[test]
fn a_chain_is_explained_shown_as_it_was_compared_and_forked() {
    let world = World::with_order();
    let id = world.start();
    let why = world.json(&["explain", "chain", &id]);
    assert_eq!(why["waits"][0]["cause"], "worker");
    assert!(why["waits"][0]["since"].is_string(), "{why}");
    says(&world, &["explain", "chain", &id], &["WAITS AT", "VALIDATE", "NEXT", "cancel"]);
    write(&world, "done.yaml", "workers: {VALIDATE: complete, PAY: {complete: {paid: true}}}\n");
    says(
        &world,
        &["what-if", "chain", &id, "--file", "done.yaml"],
        &["it would be COMPLETED", "what if: nothing has changed"],
    );
    assert_eq!(world.json(&["show", "chain", &id])["status"], "RUNNING");
    says(&world, &["cancel", "chain", &id], &[]);
    let now = world.json(&["show", "chain", &id])["status"].clone();
    assert_ne!(now, "RUNNING");
    let then = world.json(&["show", "chain", &id, "--version", "1"]);
    assert_eq!(then["status"], "RUNNING", "{then}");
    let later = world.json(&["show", "chain", &id, "--at", "2100-01-01"]);
    assert_eq!(later["status"], now);
    let change = format!("~ /status  \"RUNNING\" → {now}");
    says(&world, &["diff", "chain", &id, "--from", "1"], &[&change]);
}

#[test]
fn an_entity_is_explained_shown_as_it_was_compared_and_forked() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    let why = world.json(&["explain", "entity", &id]);
    assert_eq!(why["status"], "NEW");
    assert!(why["waits"][0]["since"].is_string(), "{why}");
    says(&world, &["explain", "entity", &id], &["items > 100", "transition \"SHIP\""]);
    write(&world, "large.yaml", "do: [{update: {items: 500}}]\nexpect: {state: LARGE}\n");
    says(&world, &["what-if", "entity", &id, "--file", "large.yaml"], &["it would be LARGE"]);
    says(
        &world,
        &["signal", "entity", &id, "SHIP", "--dry-run"],
        &["the entity would be", "at SHIPPED", "dry run: nothing has changed"],
    );
    says(&world, &["delete", "entity", &id, "--dry-run"], &["dry run: nothing has changed"]);
    let new = r#"{"items": 200}"#;
    says(&world, &["start", "entity", "parcel", "1", "--value", new, "--dry-run"], &["at LARGE"]);
    assert_eq!(world.json(&["show", "entity", &id])["meta"]["state"], "NEW");
    says(&world, &["signal", "entity", &id, "SHIP"], &["SHIPPED"]);
    let then = world.json(&["show", "entity", &id, "--version", "1"]);
    assert_eq!(then["meta"]["state"], "NEW");
    let change = "~ /meta/state  \"NEW\" → \"SHIPPED\"";
    says(&world, &["diff", "entity", &id, "--from", "1", "--to", "2"], &[change]);
}

#[tokio::test]
async fn an_entity_of_a_lifecycle_is_explained_and_tried() {
    let world = lifecycles::world().await;
    let mission = ["lifecycle", "drone-survey", "m-1"];
    let with =
        |verb: &'static str, rest: &[&'static str]| [&[verb][..], &mission[..], rest].concat();
    says(&world, &with("signal", &["flying"]), &["m-1 is flying"]);
    let why: Value = world.json(&with("explain", &[]));
    assert_eq!((&why["status"], &why["waits"][0]["cause"]), (&json!("flying"), &json!("program")));
    assert!(why["waits"][0]["since"].is_string(), "{why}");
    says(&world, &with("explain", &[]), &["move to \"capturing\"", "flying"]);
    says(
        &world,
        &with("signal", &["landing", "--dry-run"]),
        &["the lifecycle would be landing", "dry run: nothing has changed"],
    );
    says(&world, &with("patch", &["{\"battery\": 7}", "--dry-run"]), &["would be flying"]);
    let shown = world.json(&with("show", &[]));
    assert_eq!((&shown["phase"], &shown["value"]["battery"]), (&json!("flying"), &json!(0)));
    let ran = world.run(&with("signal", &["completed", "--dry-run"]));
    assert_ne!(ran.code, Some(0), "{ran:?}");
}
