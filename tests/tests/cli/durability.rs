//! Stopping politely, impolitely, and coming back.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use e2e::binary::{Ran, Running, command, run};
use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{ORDER, World, text, told};

#[test]
fn a_power_failure_loses_nothing_that_was_acknowledged() {
    let World { folder, mut server } = World::with_order();
    let mut ids = Vec::new();
    for round in 0..3 {
        let world = World { folder: tempfile::TempDir::new_in(folder.path()).unwrap(), server };
        ids.extend((0..3).map(|_| world.start()));
        world.json(&["signal", "chain", &ids[round], "PAID"]);
        world.server.kill();
        server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    }
    let world = World { folder, server };
    let listed = world.json(&["list", "chains"]);
    let found: Vec<_> =
        listed.pointer("/items").unwrap().as_array().unwrap().iter().rev().collect();
    assert_eq!(found.len(), ids.len());
    for (instance, id) in found.iter().zip(&ids) {
        assert_eq!(instance.get("instanceId"), Some(&json!(id)));
    }
    let definitions = world.json(&["list", "definitions"]);
    assert_eq!(definitions.pointer("/chains/items/0/workflowType"), Some(&json!("order")));
}

#[test]
fn a_polite_stop_leaves_one_file() {
    let world = World::with_order();
    world.start();
    let World { folder, server } = world;
    let (status, err) = server.stop();
    assert_eq!(status.code(), Some(0), "{err}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["order.json", "w.db", "w.db.lock"]);
}

/// A server whose files cannot grow beyond a megabyte: a write beyond it fails.
fn serve_with_a_failing_disk(folder: &Path) -> Child {
    let inner = command(folder);
    let limited = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(inner.get_program());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
        .args([
            "serve",
            "--json",
            "--http",
            "127.0.0.1:0",
            "--grpc",
            "127.0.0.1:0",
            "--log",
            "off",
            "--store",
            "sqlite:w.db",
        ])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_disk_that_fails_ends_the_server_and_nothing_that_was_acknowledged() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("order.json"), ORDER).unwrap();
    let large = json!({ "x": "x".repeat(700_000) }).to_string();
    std::fs::write(folder.path().join("large.json"), large).unwrap();
    let mut server = serve_with_a_failing_disk(folder.path());
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let url = text(&said, "http");
    let ask = |args: &[&str]| run(folder.path(), &[args, &["--server", &url]].concat());
    assert_eq!(ask(&["deploy", "order.json"]).code, Some(0));
    assert_eq!(ask(&["start", "chain", "order", "--biz-key", "kept"]).code, Some(0));

    // It has to write more than it can.
    let refused = ask(&["start", "chain", "order", "--context", "@large.json"]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    let ended = Ran::from(server.wait_with_output().unwrap());
    expect![[r#"
        {"error":"the store has failed: the commit could not be synced: disk I/O error","code":null,"advice":"what was acknowledged is stored; free or repair the disk, then start again","exit":5}
        [exit 5]
    "#]]
    .assert_eq(&told(&ended));

    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let listed = World { folder, server }.json(&["list", "chains", "--biz-key", "kept"]);
    assert_eq!(listed.pointer("/items/0/status"), Some(&json!("RUNNING")));
}

#[test]
fn the_default_store_has_a_folder_of_its_own() {
    let folder = tempfile::TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &[]);
    assert!(folder.path().join("waypost-data/waypost.db").is_file());
    assert_eq!(run(folder.path(), &["list", "chains", "--server", &server.url]).code, Some(0));
}

#[test]
fn the_second_signal_does_not_ask() {
    let world = World::new();
    let address = world.server.url.trim_start_matches("http://").to_owned();
    // A request that never ends keeps a polite stop waiting.
    let mut hanging = TcpStream::connect(&address).unwrap();
    let head = "POST /v1/chains/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    hanging.write_all(format!("{head}Content-Length: 100\r\n\r\n{{").as_bytes()).unwrap();
    world.json(&["list", "chains"]);
    let World { mut server, .. } = world;
    server.signal("TERM");
    // It listens no more, and still runs.
    while TcpStream::connect(&address).is_ok() {}
    assert!(!server.is_over());
    // The first signal may echo for a moment; then the second one counts.
    while !server.is_over() {
        server.signal("TERM");
    }
    assert_eq!(server.ended().0.code(), Some(1));
}
