//! The environment of another server of these formats, and what becomes of it here.

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

#[test]
fn names_of_the_entity_format_are_read_alone_and_together() {
    let ran = print_config(
        "",
        &[
            ("CYODA_STORAGE_BACKEND", "sqlite"),
            ("CYODA_SQLITE_PATH", "/d/cyoda.db"),
            ("CYODA_POSTGRES_URL", "postgres://me:secret@db/w"),
            ("CYODA_ADMIN_PORT", "7"),
            ("CYODA_ADMIN_BIND_ADDRESS", "::1"),
            ("CYODA_METRICS_BEARER", "secret"),
            ("CYODA_METRICS_REQUIRE_AUTH", "true"),
            ("CYODA_STARTUP_TIMEOUT", "90s"),
            ("CYODA_SQLITE_AUTO_MIGRATE", "false"),
            ("CYODA_POSTGRES_MAX_CONNS", "25"),
        ],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    for (key, value, origin) in [
        ("store", "sqlite:/d/cyoda.db", "CYODA_SQLITE_PATH"),
        ("metrics", "[::1]:7", "CYODA_ADMIN_PORT"),
        ("metrics_bearer", "***", "CYODA_METRICS_BEARER"),
        ("metrics_require_bearer", "true", "CYODA_METRICS_REQUIRE_AUTH"),
        ("startup_timeout_ms", "90000", "CYODA_STARTUP_TIMEOUT"),
        ("sqlite.auto_migrate", "false", "CYODA_SQLITE_AUTO_MIGRATE"),
        ("postgres.connections_max", "25", "CYODA_POSTGRES_MAX_CONNS"),
    ] {
        let expected = json!({ "value": value, "origin": origin });
        assert_eq!(shown.get(key), Some(&expected), "{key}");
    }
}

const KEY: &str = include_str!("../../../crates/server/tests/auth/signing.pem");
const SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Every name that means something here, what it may be, and what becomes of it. Those that only
/// count together have tests of their own.
const NAMES: [(&str, &str, &str, &str); 32] = [
    ("CYODA_HTTP_PORT", "8081", "http", "127.0.0.1:8081"),
    ("CYODA_GRPC_PORT", "9091", "grpc", "127.0.0.1:9091"),
    ("CYODA_CONTEXT_PATH", "/x", "entity.context_path", "/x"),
    ("CYODA_ERROR_RESPONSE_MODE", "verbose", "entity.errors", "verbose"),
    ("CYODA_LOG_LEVEL", "error", "log.filter", "error"),
    ("CYODA_OTEL_ENABLED", "true", "telemetry.otlp", "http://localhost:4317"),
    ("OTEL_SERVICE_NAME", "w", "telemetry.service", "w"),
    ("CYODA_STARTUP_TIMEOUT", "1m", "startup_timeout_ms", "60000"),
    ("CYODA_MAX_STATE_VISITS", "5", "entity.state_visits_max", "5"),
    ("CYODA_METRICS_BEARER", "secret", "metrics_bearer", "***"),
    ("CYODA_SEARCH_SNAPSHOT_TTL", "2h", "entity.searches_kept_ms", "7200000"),
    ("CYODA_SCHEDULER_EXPIRY_GRACE", "250ms", "entity.expiry_grace_ms", "250"),
    ("CYODA_IAM_MODE", "jwt", "auth.mode", "jwt"),
    ("CYODA_IAM_MOCK_ROLES", "ROLE_X", "auth.mock_roles", "ROLE_X"),
    ("CYODA_REQUIRE_JWT", "true", "auth.require_jwt", "true"),
    ("CYODA_JWT_SIGNING_KEY", KEY, "auth.signing_key", "***"),
    ("CYODA_JWT_ISSUER", "us", "auth.issuer", "us"),
    ("CYODA_JWT_AUDIENCE", "you", "auth.audience", "you"),
    ("CYODA_JWT_EXPIRY_SECONDS", "60", "auth.expiry_ms", "60000"),
    ("CYODA_BOOTSTRAP_CLIENT_ID", "c", "auth.client.id", "c"),
    ("CYODA_BOOTSTRAP_CLIENT_SECRET", "secret", "auth.client.secret", "***"),
    ("CYODA_BOOTSTRAP_TENANT_ID", "t", "auth.client.tenant", "t"),
    ("CYODA_BOOTSTRAP_USER_ID", "u", "auth.client.user", "u"),
    ("CYODA_BOOTSTRAP_ROLES", "ROLE_Y", "auth.client.roles", "ROLE_Y"),
    ("CYODA_NODE_ID", "n-1", "compute.node", "n-1"),
    ("CYODA_HMAC_SECRET", SECRET, "compute.secret", "***"),
    ("CYODA_TX_TOKEN_TTL", "2m", "compute.ticket_life_ms", "120000"),
    ("CYODA_KEEPALIVE_INTERVAL", "7", "compute.keep_alive_every_ms", "7000"),
    ("CYODA_KEEPALIVE_TIMEOUT", "8", "compute.keep_alive_timeout_ms", "8000"),
    ("CYODA_NODE_ADDR", "http://h:1", "cluster.address", "http://h:1"),
    ("CYODA_DISPATCH_WAIT_TIMEOUT", "1s", "cluster.wait_ms", "1000"),
    ("CYODA_PROXY_TIMEOUT", "500ms", "cluster.proxy_timeout_ms", "500"),
];

#[test]
fn every_name_of_the_entity_format_is_read() {
    // Some need each other.
    let ran = print_config("", &NAMES.map(|(name, given, ..)| (name, given)));
    let shown: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    for (name, _, key, value) in NAMES {
        let expected = json!({ "value": value, "origin": name });
        assert_eq!(shown.get(key), Some(&expected), "{name} {}", ran.err);
    }
}

#[test]
fn names_that_mean_nothing_here_are_in_nobodys_way() {
    let given = [
        "CYODA_PROFILES",
        "CYODA_SUPPRESS_BANNER",
        "CYODA_MODEL_CACHE_LEASE",
        "CYODA_SEARCH_REAP_INTERVAL",
        "CYODA_TX_TTL",
        "CYODA_TX_REAP_INTERVAL",
        "CYODA_TX_OUTCOME_TTL",
        "CYODA_SQLITE_BUSY_TIMEOUT",
        "CYODA_POSTGRES_MIN_CONNS",
        "CYODA_SCHEMA_EXTEND_MAX_RETRIES",
        "CYODA_GOSSIP_ADDR",
        "CYODA_SEED_NODES",
        "CYODA_DISPATCH_FORWARD_TIMEOUT",
    ];
    let with = print_config("", &given.map(|it| (it, "whatever")));
    let without = print_config("", &[]);
    assert_eq!((with.code, with.out), (Some(0), without.out), "{}", with.err);
}

#[test]
fn a_secret_of_the_other_server_may_be_in_a_file() {
    let folder = TempDir::new().unwrap();
    let secrets = [
        ("CYODA_POSTGRES_URL", "postgres://me:secret@db/of-file", "store"),
        ("CYODA_METRICS_BEARER", "secret", "metrics_bearer"),
        ("CYODA_JWT_SIGNING_KEY", KEY, "auth.signing_key"),
        ("CYODA_BOOTSTRAP_CLIENT_SECRET", "secret", "auth.client.secret"),
        ("CYODA_HMAC_SECRET", SECRET, "compute.secret"),
    ];
    let files = secrets.map(|(name, secret, _)| {
        let file = folder.path().join(name);
        std::fs::write(&file, format!("{secret}\n")).unwrap();
        (format!("{name}_FILE"), file.to_str().unwrap().to_owned())
    });
    let mut given = vec![
        ("CYODA_POSTGRES_URL", "postgres://db/w"),
        ("CYODA_BOOTSTRAP_CLIENT_ID", "c"),
        ("CYODA_IAM_MODE", "jwt"),
    ];
    given.extend(files.iter().map(|(name, path)| (name.as_str(), path.as_str())));
    let ran = print_config("", &given);
    let shown: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    for ((name, _, key), (of_file, _)) in secrets.iter().zip(&files) {
        let hidden = if *key == "store" { "postgres://***@db/of-file" } else { "***" };
        let expected = json!({ "value": hidden, "origin": of_file });
        assert_eq!(shown.get(*key), Some(&expected), "{name} {}", ran.err);
        let missing = print_config("", &[(of_file, "/nowhere/at/all")]);
        assert_eq!(missing.code, Some(2));
        let expected = format!("/nowhere/at/all (from {of_file}) cannot be read");
        assert!(missing.err.contains(&expected), "{missing:?}");
    }
}

#[test]
fn what_the_entity_format_cannot_read_it_does_not_go_by_and_says_so() {
    let given = [
        ("CYODA_HTTP_PORT", "http"),
        ("CYODA_MAX_STATE_VISITS", "many"),
        ("CYODA_REQUIRE_JWT", "perhaps"),
        ("CYODA_SEARCH_SNAPSHOT_TTL", "soon"),
    ];
    let shown: Value = serde_json::from_str(&print_config("", &given).out).unwrap();
    for (key, value) in [
        ("http", "127.0.0.1:8080"),
        ("entity.state_visits_max", "10"),
        ("auth.require_jwt", "false"),
        ("entity.searches_kept_ms", "3600000"),
    ] {
        assert_eq!(shown.get(key), Some(&json!({ "value": value, "origin": "default" })), "{key}");
    }
    let folder = TempDir::new().unwrap();
    let doctor = command(folder.path()).args(["doctor", "--json"]).envs(given).output();
    let told = Ran::from(doctor.unwrap()).out;
    for (name, _) in given {
        assert!(told.contains(&format!("{name} is ")), "{name}: {told}");
    }
    for backend in ["cassandra", "postgres"] {
        let refused = print_config("", &[("CYODA_STORAGE_BACKEND", backend)]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
    }
}

#[test]
fn a_server_that_would_let_in_nobody_or_everybody_does_not_start() {
    let jwt = ("CYODA_IAM_MODE", "jwt");
    let key = ("CYODA_JWT_SIGNING_KEY", KEY);
    for (environment, expected) in [
        (&[jwt][..], "the mode jwt needs a signing key"),
        (&[jwt, key, ("CYODA_BOOTSTRAP_CLIENT_ID", "c")], "has an id, but no secret"),
        (&[("CYODA_REQUIRE_JWT", "true")], "signing in is required, but the mode is mock"),
        (&[("CYODA_METRICS_REQUIRE_AUTH", "true")], "there is no metrics_bearer"),
    ] {
        let folder = TempDir::new().unwrap();
        let mut serve = command(folder.path());
        serve.args(["serve", "--http", "127.0.0.1:0", "--store", "sqlite::memory:"]);
        let output = serve.envs(environment.iter().copied()).output();
        let told = told(&output.unwrap().into());
        assert!(told.contains(expected) && told.contains("[exit 2]"), "{told}");
    }
}

#[test]
fn a_server_may_be_told_not_to_change_the_schema_and_not_to_wait_for_ever() {
    let folder = TempDir::new().unwrap();
    let serve = |args: &[&str], environment: &[(&str, &str)]| {
        let listeners = ["serve", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--log=error"];
        let mut command = command(folder.path());
        let output = command.args(listeners).args(args).envs(environment.iter().copied()).output();
        told(&output.unwrap().into())
    };
    let refused = serve(&["--store", "sqlite:w.db"], &[("CYODA_SQLITE_AUTO_MIGRATE", "false")]);
    assert!(refused.contains("changes of the store's schema are pending"), "{refused}");
    assert!(refused.contains("run `waypost migrate up`"), "{refused}");
    assert!(!folder.path().join("w.db").exists());
    // Takes connections and says nothing.
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://{}/w", deaf.local_addr().unwrap());
    let refused = serve(&["--store", &url], &[("CYODA_STARTUP_TIMEOUT", "100ms")]);
    assert!(refused.contains("the store could not be opened within 100ms"), "{refused}");
}
