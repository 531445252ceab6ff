//! The program over HTTP, as its users have it: a SQLite file, a process, signals.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::{fs, time::Duration};

use e2e::binary::Running;
use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::timeout,
};

const SERVE: [&str; 6] = ["serve", "--json", "--http", "127.0.0.1:0", "--store", "sqlite:w.db"];

/// Asks, and returns status and answer.
async fn ask(url: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let client = reqwest::Client::new();
    let request = match body {
        Some(body) => client.post(format!("{url}{path}")).json(&body),
        None => client.get(format!("{url}{path}")),
    };
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

async fn deploy(url: &str) {
    let steps = json!([{ "stepType": "ASK" }, { "stepType": "SHIP" }]);
    let definition = json!({ "workflowType": "order", "workflowVersion": 1, "steps": steps });
    assert_eq!(ask(url, "/v1/chains/definitions", Some(definition)).await.0, 201);
}

async fn start(url: &str) -> String {
    let body = json!({ "workflowType": "order", "context": { "card": "4111-SECRET" } });
    let (status, instance) = ask(url, "/v1/chains/instances", Some(body)).await;
    assert_eq!(status, 201, "{instance}");
    instance["instanceId"].as_str().unwrap().to_owned()
}

async fn claim(url: &str) -> String {
    let body = json!({ "workerId": "w", "waitMs": 10_000 });
    let (_, claimed) = ask(url, "/v1/chains/claim", Some(body)).await;
    claimed["tasks"][0]["leaseToken"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_chain_runs_through_and_the_log_tells_of_requests_without_payloads() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &[&SERVE[..], &["--log", "info"]].concat());
    let url = server.url.clone();
    deploy(&url).await;
    let id = start(&url).await;
    for _ in 0..2 {
        let result = json!({ "workerId": "w", "result": { "kind": "COMPLETED" } });
        let path = format!("/v1/chains/tasks/{}/result", claim(&url).await);
        assert_eq!(ask(&url, &path, Some(result)).await.0, 200);
    }
    let (_, instance) = ask(&url, &format!("/v1/chains/instances/{id}"), None).await;
    assert_eq!(instance["status"], "COMPLETED");
    let (status, problem) = ask(&url, "/v1/chains/instances/nobody", None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("INSTANCE_NOT_FOUND")));
    let (exit, log) = server.stop();
    assert!(exit.success(), "{log}");
    assert!(!log.contains("SECRET"), "{log}");
    let lines = log.lines().map(|it| serde_json::from_str::<Value>(it).expect("one event a line"));
    let requests = lines.filter(|it| it["message"] == "request");
    let seen: Vec<_> =
        requests.map(|it| format!("{} {} {}", it["method"], it["route"], it["status"])).collect();
    expect![[r#"
        "POST" "/v1/chains/definitions" 201
        "POST" "/v1/chains/instances" 201
        "POST" "/v1/chains/claim" 200
        "POST" "/v1/chains/tasks/{leaseToken}/result" 200
        "POST" "/v1/chains/claim" 200
        "POST" "/v1/chains/tasks/{leaseToken}/result" 200
        "GET" "/v1/chains/instances/{instanceId}" 200
        "GET" "/v1/chains/instances/{instanceId}" 404"#]]
    .assert_eq(&seen.join("\n"));
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_lets_a_waiting_claim_return() {
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let url = server.url.clone();
    let waiting = tokio::spawn(async move {
        ask(&url, "/v1/chains/claim", Some(json!({ "workerId": "w", "waitMs": 30_000 }))).await
    });
    let is_waiting = async {
        loop {
            let (_, metrics) = ask(&server.url, "/metrics", None).await;
            if metrics.as_str().unwrap().contains("waypost_http_claims_waiting 1") {
                return;
            }
        }
    };
    timeout(Duration::from_secs(20), is_waiting).await.unwrap();
    server.signal("TERM");
    assert_eq!(waiting.await.unwrap(), (200, json!({ "tasks": [] })));
    assert!(server.ended().0.success());
}

#[tokio::test]
async fn what_a_step_sends_reaches_the_webhook() {
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hook = format!("http://{}/hook", receiver.local_addr().unwrap());
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("waypost.toml"), format!("[outbox]\nwebhook = {hook:?}\n"))
        .unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    deploy(&server.url).await;
    let id = start(&server.url).await;
    let event = json!({
        "eventId": "01890a5d-ac96-774b-bcce-b302099a8057",
        "eventType": "ASKED",
        "occurredAt": "2026-05-28T20:00:00Z",
        "payload": { "n": 1 },
    });
    let result = json!({ "kind": "WAITING", "waitingEventType": "ANSWERED" });
    let report = json!({ "workerId": "w", "result": result, "outboundEvents": [event] });
    let path = format!("/v1/chains/tasks/{}/result", claim(&server.url).await);
    assert_eq!(ask(&server.url, &path, Some(report)).await.0, 200);
    let received = async {
        let (mut stream, _) = receiver.accept().await.unwrap();
        let mut text = String::new();
        while !text.ends_with(r#"{"n":1}"#) {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            text += std::str::from_utf8(&buffer[..length]).unwrap();
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        text
    };
    let received = timeout(Duration::from_secs(20), received).await.unwrap();
    assert!(received.contains("eventtype: ASKED"), "{received}");
    assert!(received.contains(&format!("aggregateid: {id}")), "{received}");
    assert!(received.contains("steptype: ASK"), "{received}");
}

#[tokio::test]
async fn administrators_change_what_is_logged() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &[&SERVE[..], &["--log", "warn"]].concat());
    let (url, path) = (server.url.clone(), "/api/admin/log-level");
    ask(&url, "/version", None).await;
    assert_eq!(ask(&url, path, None).await, (200, json!({ "level": "warn" })));
    for (level, now, before) in
        [("error", "error", "warn"), ("loud", "info", "error"), ("DEBUG", "debug", "info")]
    {
        let changed = ask(&url, path, Some(json!({ "level": level }))).await;
        assert_eq!(changed, (200, json!({ "level": now, "previous": before })), "{level}");
    }
    for wrong in [json!({}), json!({ "level": "" }), json!([1])] {
        let (status, problem) = ask(&url, path, Some(wrong)).await;
        assert_eq!((status, &problem["properties"]["errorCode"]), (400, &json!("BAD_REQUEST")));
    }
    assert_eq!(ask(&url, path, None).await, (200, json!({ "level": "debug" })));
    ask(&url, "/healthz", None).await;
    let (_, log) = server.stop();
    assert!(log.contains("/healthz"), "{log}");
    assert!(!log.contains("/version"), "{log}");
}

#[tokio::test]
async fn nobody_else_changes_what_is_logged() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("waypost.toml"), "auth.mock_roles = \"ROLE_M2M\"").unwrap();
    let server = Running::start(folder.path(), &SERVE);
    for body in [None, Some(json!({ "level": "debug" }))] {
        let (status, problem) = ask(&server.url, "/api/admin/log-level", body).await;
        assert_eq!((status, &problem["properties"]["errorCode"]), (403, &json!("FORBIDDEN")));
    }
}
