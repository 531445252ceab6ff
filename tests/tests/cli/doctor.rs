//! What the doctor finds, and that looking changes nothing.

use std::net::TcpListener;

use e2e::binary::{Running, run};
use serde_json::Value;
use tempfile::TempDir;

/// Level and detail of a check.
fn finding(document: &Value, check: &str) -> String {
    let of = |it: &Value, name: &str| it.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let all = document.as_array().unwrap();
    let found = all.iter().find(|it| of(it, "check") == check);
    found.map_or_else(
        || "none".to_owned(),
        |it| format!("{}: {}", of(it, "level"), of(it, "detail")),
    )
}

fn examine(folder: &TempDir, args: &[&str]) -> (Option<i32>, Value) {
    let ran = run(folder.path(), &[&["doctor", "--json", "--http", "127.0.0.1:0"], args].concat());
    (ran.code, serde_json::from_str(&ran.out).unwrap())
}

#[test]
fn a_fresh_folder_is_fine_and_stays_empty() {
    let folder = TempDir::new().unwrap();
    let (code, found) = examine(&folder, &[]);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(finding(&found, "data folder"), "ok: ./waypost-data will be created");
    assert_eq!(finding(&found, "schema"), "ok: will be created at the first start");
    assert!(finding(&found, "clock").starts_with("ok: shows 2"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_store_in_use_is_looked_at_without_disturbing_it() {
    let folder = TempDir::new().unwrap();
    let store = ["--store", "sqlite:w.db"];
    let server = Running::serve(folder.path(), &store);
    let (code, found) = examine(&folder, &store);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(finding(&found, "store"), "ok: w.db is in use by a running waypost");
    assert_eq!(finding(&found, "schema"), "ok: is up to date, at 2");
    assert!(finding(&found, "free disk").contains("MiB free"));
    drop(server);
    let (_, found) = examine(&folder, &store);
    assert_eq!(finding(&found, "store"), "ok: w.db can be read and is not in use");
}

#[test]
fn what_is_wrong_is_found() {
    let folder = TempDir::new().unwrap();
    let (code, found) = examine(&folder, &["--store", "sqlite:missing/w.db"]);
    assert_eq!(code, Some(1));
    assert_eq!(finding(&found, "data folder"), "fail: missing does not exist");

    std::fs::write(folder.path().join("text.db"), "not a database, certainly not\n".repeat(99))
        .unwrap();
    let (code, found) = examine(&folder, &["--store", "sqlite:text.db"]);
    assert_eq!(code, Some(1));
    assert!(finding(&found, "store").starts_with("fail: "), "{found}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, found) = examine(&folder, &["--metrics", &address]);
    assert_eq!(code, Some(0), "{found}");
    assert!(finding(&found, "metrics port").ends_with("is in use"), "{found}");
    let (code, found) = examine(&folder, &["--grpc", &address]);
    assert_eq!(code, Some(0), "{found}");
    assert!(finding(&found, "grpc port").ends_with("is in use"), "{found}");

    std::fs::write(folder.path().join("waypost.toml"), "stroe = 1").unwrap();
    let (code, found) = examine(&folder, &[]);
    assert_eq!(code, Some(1));
    assert_eq!(finding(&found, "configuration"), "fail: waypost.toml line 1: unknown key stroe");
}
