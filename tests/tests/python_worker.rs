//! A worker that knows nothing of Waypost: the published Python package, unchanged, works off a
//! process of three steps, with a failure, a retry and heartbeats.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    time::Duration,
};

use e2e::{binary::Running, load::text, process::Rest};
use serde_json::{Value, json};
use waypost_testkit::services;

/// Uploads, starts and works with nothing but the package.
const WORKER: &str = r#"
import sys, threading
from workflow_sdk.client.rest import RestEngineClient
from workflow_sdk.handler.registry import HandlerRegistry
from workflow_sdk.runner.runner import Runner

client = RestEngineClient(sys.argv[1])
registry = HandlerRegistry()
attempts = []

def validate(ctx):
    return {"validated": ctx["variables"]["order"]}

def charge(ctx):
    attempts.append(ctx["id"])
    if len(attempts) == 1:
        raise RuntimeError("the bank is away")
    return {"charged": {"attempts": len(attempts), "retriesLeft": ctx["retriesRemaining"]}}

def ship(ctx):
    return {"shipped": True}

for job_type, function in [("validate", validate), ("charge", charge), ("ship", ship)]:
    registry.register(job_type, function)

stop = threading.Event()
runner = Runner(client=client, registry=registry, worker_id="python", poll_interval=0.05)
thread = threading.Thread(target=runner.run, args=(stop,), daemon=True)
thread.start()
print("ready", flush=True)
sys.stdin.readline()
stop.set()
thread.join(10)
print("stopped" if not thread.is_alive() else "stuck", flush=True)
"#;

fn definition() -> Value {
    let task = |id: &str, next: &str| {
        json!({"id": id, "name": id, "type": "SERVICE_TASK", "jobType": id, "nextStep": next,
               "retryCount": 2})
    };
    let end = json!({"id": "end", "name": "End", "type": "END"});
    let steps = [task("validate", "charge"), task("charge", "ship"), task("ship", "end"), end];
    json!({"id": "python-order", "name": "Order", "steps": steps})
}

fn worker(url: &str, packages: &str) -> Child {
    let mut child = Command::new("python3")
        .args(["-c", WORKER, url])
        .env("PYTHONPATH", packages)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "ready");
    child
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_published_python_worker_runs_unchanged() {
    let packages = services::python_worker().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server =
        Running::serve(folder.path(), &["--store", "sqlite:python.db", "--grpc", "127.0.0.1:0"]);
    let rest = Rest::new(&server.url);
    let (status, ..) = rest.post("/v1/definitions", &definition(), None).await.unwrap();
    assert_eq!(status, 201);
    let mut python = worker(&server.url, &packages.display().to_string());
    let body = json!({"definitionId": "python-order", "variables": {"order": "o-1"}});
    let (_, _, instance) = rest.post("/v1/instances", &body, None).await.unwrap();
    let path = format!("/v1/instances/{}", text(&instance["id"]));
    let mut seen = Value::Null;
    // It polls now and then; there is nothing to wait for but its answer.
    for _ in 0..600 {
        seen = rest.get(&path).await;
        if seen["status"] != "ACTIVE" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let expected = json!({"order": "o-1", "validated": "o-1",
        "charged": {"attempts": 2, "retriesLeft": 1}, "shipped": true});
    assert_eq!((&seen["status"], &seen["variables"]), (&json!("COMPLETED"), &expected));
    python.stdin.take().unwrap().write_all(b"\n").unwrap();
    let ended = python.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stdout).trim(), "stopped");
}
