//! Stopping politely, impolitely, and coming back.

use std::{io::Write, net::TcpStream};

use e2e::binary::{Running, run};
use serde_json::json;

use crate::world::World;

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
    assert_eq!(definitions.pointer("/items/0/workflowType"), Some(&json!("order")));
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
    let head =
        "POST /v1/chains/instances HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
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
