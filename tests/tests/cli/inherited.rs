//! The environment of another server of the process format, and what becomes of it here.

use e2e::binary::{Ran, command};
use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::told;

fn print_config(file: &str, environment: &[(&str, &str)]) -> Ran {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("waypost.toml"), file).unwrap();
    let output = command(folder.path())
        .args(["serve", "--print-config", "--json"])
        .envs(environment.iter().copied())
        .output();
    output.unwrap().into()
}

#[test]
fn names_of_the_other_server_are_the_last_choice_before_the_defaults() {
    let ran = print_config(
        "metrics = \"127.0.0.1:7\"",
        &[
            ("WE_REST_PORT", "8081"),
            ("WE_GRPC_PORT", "9091"),
            ("WAYPOST_GRPC", "127.0.0.1:3"),
            ("WE_METRICS_PORT", "9092"),
            ("WE_POSTGRES_DSN", "host=db user=me password=secret dbname=w"),
            ("WE_LOG_LEVEL", "error"),
            ("WE_EXPRESSION_COERCION_ENABLED", "no"),
            ("WE_DISPATCH_MODE", "polling"),
        ],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    for (key, value, origin) in [
        ("http", "127.0.0.1:8081", "WE_REST_PORT"),
        ("grpc", "127.0.0.1:3", "WAYPOST_GRPC"),
        ("metrics", "127.0.0.1:7", "waypost.toml:1"),
        ("store", "postgres://***@db/w", "WE_POSTGRES_DSN"),
        ("log.filter", "error", "WE_LOG_LEVEL"),
        ("process.coercion", "false", "WE_EXPRESSION_COERCION_ENABLED"),
        ("process.dispatch", "polling", "WE_DISPATCH_MODE"),
    ] {
        let expected = json!({ "value": value, "origin": origin });
        assert_eq!(shown.get(key), Some(&expected), "{key}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_without_giving_secrets_away() {
    let refused = |name: &str, value: &str| {
        let folder = TempDir::new().unwrap();
        let output = command(folder.path()).arg("serve").env(name, value).output();
        told(&output.unwrap().into())
    };
    expect![[r#"
        error: WE_REST_PORT is "http", but must be a port such as 8080
        [exit 2]
    "#]]
    .assert_eq(&refused("WE_REST_PORT", "http"));
    expect![[r#"
        error: WE_LOG_LEVEL is "loud", but must be debug, info, warn or error
        [exit 2]
    "#]]
    .assert_eq(&refused("WE_LOG_LEVEL", "loud"));
    expect![[r#"
        error: WE_POSTGRES_DSN is not readable, but must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or words such as host=db
        [exit 2]
    "#]]
    .assert_eq(&refused("WE_POSTGRES_DSN", "password=secret"));
    expect![[r#"
        error: process.dispatch is "kafka_outbox" (from WE_DISPATCH_MODE), but must be "polling"
          dispatch through Kafka is not built: have workers poll, over HTTP or gRPC
        [exit 2]
    "#]]
    .assert_eq(&refused("WE_DISPATCH_MODE", "kafka_outbox"));
}
