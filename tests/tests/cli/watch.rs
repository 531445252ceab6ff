//! Following what happens.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
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

/// Takes a request and answers it with a stream that breaks off; says what was asked for.
fn break_off(listener: &TcpListener, events: &str) -> String {
    let (stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(stream);
    let mut asked = String::new();
    lines.read_line(&mut asked).unwrap();
    let mut line = asked.clone();
    while line.trim() != "" {
        line.clear();
        lines.read_line(&mut line).unwrap();
    }
    let mut stream: TcpStream = lines.into_inner();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999";
    write!(stream, "{head}\r\n\r\n{events}").unwrap();
    asked.trim().to_owned()
}

#[test]
fn a_connection_that_breaks_before_the_first_change_is_gone_on_with_from_where_it_began() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut watching = command(folder.path()).args(["watch", "--server", &url]).spawn().unwrap();
    let asked = ["id: 3:7\n\n", ""].map(|events| break_off(&listener, events));
    watching.kill().unwrap();
    watching.wait().unwrap();
    expect![[r#"
        GET /v1/chains/events HTTP/1.1
        GET /v1/chains/events?cursor=3%3A7 HTTP/1.1"#]]
    .assert_eq(&asked.join("\n"));
}
