//! Following what happens.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use e2e::binary::command;
use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{World, masked};

#[test]
fn a_chain_is_followed_from_its_start_to_its_end() {
    let world = World::with_order();
    let id = world.start();
    world.json(&["signal", "chain", &id, "PAID", "--event-id", "e-1"]);
    world.json(&["cancel", "chain", &id, "--reason", "enough"]);
    let ran = world.run(&["watch", "chain", &id]);
    assert_eq!(ran.code, Some(0));
    let shown: Vec<_> = ran.out.lines().map(|it| it.split_at(14).1).collect();
    expect![[r#"
        ID  STARTED                             order version 1
        ID  STEP_READY        0 VALIDATE
        ID  SIGNAL_BUFFERED                     PAID (e-1)
        ID  CANCELED                            enough"#]]
    .assert_eq(&masked(&shown.join("\n")));
}

#[test]
fn changes_come_as_they_happen_and_can_be_gone_on_from() {
    let world = World::with_order();
    let mut watching = command(world.folder.path())
        .args(["watch", "--all", "--json", "--server", &world.server.url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first = world.start();
    let change = next();
    assert_eq!(change.get("instanceId"), Some(&json!(first)));
    assert_eq!(change.pointer("/events/0/type"), Some(&json!("STARTED")));
    let second = world.start();
    assert_eq!(next().get("instanceId"), Some(&json!(second)));
    watching.kill().unwrap();
    watching.wait().unwrap();

    let cursor = change.get("cursor").and_then(Value::as_str).unwrap().to_owned();
    let mut again = command(world.folder.path())
        .args(["watch", "--json", "--cursor", &cursor, "--server", &world.server.url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = BufReader::new(again.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let change: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(change.get("instanceId"), Some(&json!(second)));
    again.kill().unwrap();
    again.wait().unwrap();
}
