//! Where settings come from, and what is said about wrong ones.

use std::path::Path;

use e2e::binary::{Ran, command};
use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::told_in;

const FILE: &str = r#"
store = "postgres://me:secret@db.example/waypost?sslmode=require"
[chain]
strict_signals = true
[chain.retry]
base_backoff_ms = 250
[chain.types."order.process"]
max_attempts = 4
[chain.types."order.process".steps.PAY]
max_attempts = 2
[outbox]
webhook = "https://hook:secret@receiver.example/in?token=secret"
headers = { authorization = "Bearer secret" }
"#;

fn with_file(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("waypost.toml"), text).unwrap();
    folder
}

#[test]
fn every_value_is_shown_with_its_origin_and_without_secrets() {
    let folder = with_file(FILE);
    let shown = expect_test::expect_file!["print_config.txt"];
    shown.assert_eq(&told_in(folder.path(), &["serve", "--print-config"]));
}

#[test]
fn flags_win_over_the_environment_and_the_environment_over_the_file() {
    let folder =
        with_file("http = \"127.0.0.1:1\"\nmetrics = \"127.0.0.1:2\"\nlog.filter = \"warn\"");
    let output = command(folder.path())
        .args(["serve", "--print-config", "--json", "--http", "127.0.0.1:3"])
        .env("WAYPOST_HTTP", "127.0.0.1:4")
        .env("WAYPOST_METRICS_ADDR", "127.0.0.1:5")
        .output();
    let ran = Ran::from(output.unwrap());
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    let of = |key: &str| shown.get(key).cloned().unwrap();
    assert_eq!(of("http"), json!({ "value": "127.0.0.1:3", "origin": "--http" }));
    let metrics = json!({ "value": "127.0.0.1:5", "origin": "WAYPOST_METRICS_ADDR" });
    assert_eq!(of("metrics"), metrics);
    assert_eq!(of("log.filter"), json!({ "value": "warn", "origin": "waypost.toml:3" }));
    assert_eq!(of("shutdown.grace_ms"), json!({ "value": "20000", "origin": "default" }));
    assert_eq!(of("outbox.nats"), json!({ "value": null, "origin": null }));
}

#[test]
fn an_address_that_is_refused_keeps_its_secrets() {
    for line in [
        "outbox.webhook = \"ftp://me:secret@h/x?key=secret\"",
        "outbox = { nats = \"http://me:secret@h\", subject = \"a\" }",
        "store = \"postgres://me:s@secret@127.0.0.1:1/x\"",
        "store = \"postgres://me:secret/secret@127.0.0.1:1/x\"",
    ] {
        let told = refused(&format!("http = \"127.0.0.1:0\"\n{line}"));
        assert!(told.contains("error: ") && !told.contains("secret"), "{told}");
    }
    let folder = TempDir::new().unwrap();
    let server = ["list", "chains", "--server", "http://me:secret@127.0.0.1:1"];
    let told = told_in(folder.path(), &server);
    assert!(told.contains("there is no server at http://***@127.0.0.1:1"), "{told}");
    let help = command(folder.path())
        .args(["list", "chains", "--help"])
        .env("WAYPOST_SERVER", "http://me:secret@h")
        .output();
    let help = Ran::from(help.unwrap()).out;
    assert!(help.contains("WAYPOST_SERVER") && !help.contains("secret"), "{help}");
}

#[test]
fn a_secret_may_be_in_a_file_of_its_own() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("url"), "postgres://me:secret@h/d\n").unwrap();
    let output = command(folder.path())
        .args(["serve", "--print-config"])
        .env("WAYPOST_STORE_FILE", "url")
        .output();
    let out = Ran::from(output.unwrap()).out;
    assert!(out.contains("postgres://***@h/d"), "{out}");
    assert!(out.contains("WAYPOST_STORE_FILE"), "{out}");
}

fn refused(text: &str) -> String {
    told_in(with_file(text).path(), &["serve"])
}

#[test]
fn a_wrong_file_is_refused_with_the_line_and_what_was_meant() {
    expect![[r#"
        error: waypost.toml line 1: unknown key stroe
          did you mean store?
        [exit 2]
    "#]]
    .assert_eq(&refused("stroe = \"sqlite:x.db\""));
    expect![[r#"
        error: waypost.toml line 3: unknown key chain.retry.max_backof_ms
          did you mean chain.retry.max_backoff_ms?
        [exit 2]
    "#]]
    .assert_eq(&refused("\n[chain.retry]\nmax_backof_ms = 1"));
    expect![[r#"
        error: waypost.toml line 1: string values must be quoted, expected literal string
        [exit 2]
    "#]]
    .assert_eq(&refused("http = "));
    expect![[r#"
        error: waypost.toml line 1: http must be a text, a whole number or true/false, and is of type array
        [exit 2]
    "#]]
    .assert_eq(&refused("http = [1]"));
    expect![[r#"
        error: http is "here" (from waypost.toml:1), but must be an address and a port such as 127.0.0.1:8080
        [exit 2]
    "#]].assert_eq(&refused("http = \"here\""));
    expect![[r#"
        error: store is "mysql://***@h/d" (from waypost.toml:1), but must be sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE
        [exit 2]
    "#]].assert_eq(&refused("store = \"mysql://me:secret@h/d\""));
    expect![[r#"
        error: chain.lease_exhaustion is "never" (from waypost.toml:1), but must be "requeue" or "max-attempts"
        [exit 2]
    "#]].assert_eq(&refused("chain.lease_exhaustion = \"never\""));
    expect![[r#"
        error: limits.requests_max is "0" (from waypost.toml:1), but must be a whole number of at least 1
        [exit 2]
    "#]].assert_eq(&refused("limits.requests_max = 0"));
    expect![[r#"
        error: outbox.webhook and outbox.nats are both set
          messages go to one place: keep one of the two
        [exit 2]
    "#]]
    .assert_eq(&refused("outbox.nats = \"nats://h\"\noutbox.webhook = \"http://h\""));
    expect![[r#"
        error: outbox.subject must be set to the subject to publish to
        [exit 2]
    "#]]
    .assert_eq(&refused("outbox.nats = \"nats://127.0.0.1:1\""));
    expect![[r#"
        error: the configuration nowhere.toml cannot be read: No such file or directory (os error 2)
          name another file with --config, or leave it out to use the defaults
        [exit 2]
    "#]]
    .assert_eq(&told_in(Path::new("/"), &["serve", "--config", "nowhere.toml"]));
}

#[test]
fn listening_for_other_machines_needs_consent() {
    let folder = TempDir::new().unwrap();
    let args = ["serve", "--http", "0.0.0.0:0"];
    expect![[r#"
        error: http 0.0.0.0:0 is reachable from other machines, and nobody is asked who they are
          use 127.0.0.1:0, have users sign in with --auth jwt, or add --insecure if everybody who can reach it may do everything
        [exit 2]
    "#]]
    .assert_eq(&told_in(folder.path(), &args));
    assert!(!folder.path().join("waypost-data").exists());
}
