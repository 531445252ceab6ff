//! What can be wrong with the machine: one message, what to do, and no panic.

use std::{fs, net::TcpListener, path::Path};

use e2e::binary::Running;
use expect_test::expect;
use tempfile::TempDir;

use crate::world::told_in;

fn serve(folder: &Path, store: &str) -> String {
    told_in(folder, &["serve", "--http", "127.0.0.1:0", "--log", "off", "--store", store])
}

#[test]
fn files_that_cannot_be_the_store() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("text.db"), "this is not a database, however long it may be\n".repeat(100))
        .unwrap();
    fs::create_dir(path.join("folder.db")).unwrap();
    expect![[r#"
        error: stored data cannot be read: text.db is not a database; name another file, or restore it from a backup
        [exit 5]
    "#]].assert_eq(&serve(path, "sqlite:text.db"));
    expect![[r#"
        error: the store is unavailable: folder.db is a directory; name a file in it, such as folder.db/waypost.db
        [exit 5]
    "#]].assert_eq(&serve(path, "sqlite:folder.db"));
    expect![[r#"
        error: the store is unavailable: the directory missing does not exist; create it first
        [exit 5]
    "#]]
    .assert_eq(&serve(path, "sqlite:missing/w.db"));
    assert!(!path.join("missing").exists(), "only the default folder is created");
}

#[test]
fn a_damaged_database_is_not_served_from() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let (status, _) = Running::serve(path, &["--store", "sqlite:w.db"]).stop();
    assert!(status.success());
    let mut bytes = fs::read(path.join("w.db")).unwrap();
    let end = bytes.len();
    bytes[100..end].fill(0x5a);
    fs::write(path.join("w.db"), bytes).unwrap();
    expect![[r#"
        error: stored data cannot be read: w.db is damaged; restore it from a backup
        [exit 5]
    "#]]
    .assert_eq(&serve(path, "sqlite:w.db"));
}

#[test]
fn a_database_has_one_server_at_a_time() {
    let folder = TempDir::new().unwrap();
    let _first = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    expect![[r#"
        error: the store is unavailable: w.db is in use by another waypost; stop that one first, or name another file
        [exit 5]
    "#]].assert_eq(&serve(folder.path(), "sqlite:w.db"));
}

#[test]
fn a_port_in_use_is_told_with_its_flag() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let masked = |args: &[&str]| {
        let port = taken.local_addr().unwrap().port().to_string();
        told_in(folder.path(), args).replace(&port, "PORT")
    };
    let store = ["--store", "sqlite::memory:", "--log", "off"];
    let args = [&["serve", "--http", &address], &store[..]].concat();
    expect![[r#"
        error: port PORT of 127.0.0.1 is in use; stop the other program or choose another with --http
        [exit 5]
    "#]].assert_eq(&masked(&args));
    let free = "127.0.0.1:0";
    let args =
        [&["serve", "--http", free, "--grpc", free, "--metrics", &address], &store[..]].concat();
    expect![[r#"
        error: port PORT of 127.0.0.1 is in use; stop the other program or choose another with --metrics
        [exit 5]
    "#]].assert_eq(&masked(&args));
    let args = [&["serve", "--http", free, "--grpc", &address], &store[..]].concat();
    expect![[r#"
        error: port PORT of 127.0.0.1 is in use; stop the other program or choose another with --grpc
        [exit 5]
    "#]].assert_eq(&masked(&args));
    let args = ["dev", "--http", &address];
    expect![[r#"
        error: port PORT of 127.0.0.1 is in use; stop the other program or choose another with --http
        [exit 5]
    "#]].assert_eq(&masked(&args));
}

#[test]
fn a_database_server_that_is_not_there() {
    let folder = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let url = format!("postgres://me:secret@127.0.0.1:{port}/waypost");
    for args in [&["serve", "--log", "off", "--http", "127.0.0.1:0"][..], &["migrate"]] {
        let told = told_in(folder.path(), &[args, &["--store", &url]].concat());
        assert!(told.ends_with("[exit 5]\n"), "{told}");
        assert!(told.starts_with("error: the store is unavailable: no connection"), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = TempDir::new().unwrap();
    let mut child = e2e::binary::command(folder.path())
        .args(["completions", "bash"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert!(ended.status.success());
}
