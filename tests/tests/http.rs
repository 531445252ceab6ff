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
    time::{Instant, timeout},
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

/// The model `m`, which has learned from a sample and is locked.
async fn ready(api: &str, sample: &Value) {
    let learn = "/model/import/JSON/SAMPLE_DATA/m/1";
    assert_eq!(ask(api, learn, Some(sample.clone())).await.0, 200);
    let lock = reqwest::Client::new().put(format!("{api}/model/m/1/lock")).send().await.unwrap();
    assert_eq!(lock.status(), 200);
}

/// What a log says under a message, without when; no name is there twice.
fn logged(log: &str, message: &str) -> Vec<String> {
    let told = log.lines().filter_map(|line| {
        let told: Value = serde_json::from_str(line).expect("one event a line");
        assert_eq!(line.matches(r#""message":"#).count(), 1, "{line}");
        (told["message"] == message).then(|| line.split_once(r#","level":"#).unwrap().1.to_owned())
    });
    told.collect()
}

#[tokio::test]
async fn the_log_tells_of_workflows_and_of_work_that_was_dropped() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &[&SERVE[..], &["--log", "info"]].concat());
    let api = format!("{}/api", server.url);
    let sample = json!({ "card": "4111-SECRET" });
    ready(&api, &sample).await;
    let apart = json!({ "name": "notify", "executionMode": "ASYNC_NEW_TX" });
    let go = json!({ "name": "GO", "next": "B", "processors": [apart] });
    let states = json!({ "A": { "transitions": [go] }, "B": {} });
    let one =
        json!({ "name": "one", "desc": "é".repeat(201), "initialState": "A", "states": states });
    let two = json!({ "name": "two", "initialState": "B", "states": { "B": {} } });
    let import = async |workflows: Value| {
        let body = json!({ "importMode": "REPLACE", "workflows": workflows });
        ask(&api, "/model/m/1/workflow/import", Some(body)).await.0
    };
    assert_eq!(import(json!([{ "name": "bad", "initialState": "?", "states": {} }])).await, 400);
    assert_eq!(import(json!([one, two])).await, 200);
    // Nobody is there to be notified, which does not keep the entity back.
    let (status, made) = ask(&api, "/entity/JSON/m/1", Some(sample)).await;
    assert_eq!(status, 200, "{made}");
    let (_, log) = server.stop();
    assert!(!log.contains("SECRET"), "{log}");
    let dropped = logged(&log, "a processor apart has failed").join("\n");
    expect![[r#"
        "WARN","message":"a processor apart has failed","processor":"notify","entity":"<entity>","cause":"no compute member is connected","target":"waypost_engine::entity::run"}"#]]
    .assert_eq(&dropped.replace(made[0]["entityIds"][0].as_str().unwrap(), "<entity>"));
    let imported = logged(&log, "workflows were imported").join("\n");
    expect![[r#"
        "INFO","message":"workflows were imported","tenant":"mock-tenant","user":"mock-user-001","model":"m","version":1,"workflows":"one: <200 letters>; two","target":"waypost_engine::entity::workflows"}"#]]
    .assert_eq(&imported.replace(&"é".repeat(200), "<200 letters>"));
}

#[tokio::test]
async fn how_often_members_are_asked_again_and_how_long_after_can_be_set() {
    let folder = TempDir::new().unwrap();
    let config = "[entity]\nretries_max = 1\nretries_apart_ms = 900\n";
    fs::write(folder.path().join("waypost.toml"), config).unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let api = format!("{}/api", server.url);
    let sample = json!({ "n": 1 });
    ready(&api, &sample).await;
    let again = json!({ "name": "p", "config": { "retryPolicy": "FIXED" } });
    let go = json!({ "name": "GO", "next": "B", "processors": [again] });
    let states = json!({ "A": { "transitions": [go] }, "B": {} });
    let body = json!({ "workflows": [{ "name": "w", "initialState": "A", "states": states }] });
    assert_eq!(ask(&api, "/model/m/1/workflow/import", Some(body)).await.0, 200);
    let began_at = Instant::now();
    let (status, problem) = ask(&api, "/entity/JSON/m/1", Some(sample)).await;
    let code = &problem["properties"]["errorCode"];
    assert_eq!((status, code), (503, &json!("NO_COMPUTE_MEMBER_FOR_TAG")));
    assert!(began_at.elapsed() >= Duration::from_millis(900));
    let (_, metrics) = ask(&server.url, "/metrics", None).await;
    let in_vain = r#"waypost_compute_requests_total{outcome="no_member"} 2"#;
    assert!(metrics.as_str().unwrap().contains(in_vain), "{metrics}");
}
