//! A compute node that knows nothing of Waypost: plain Python with stubs made from our protocols.
//! It is asked in every mode, calls back into the transaction that asks it, and dies in the middle.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use e2e::binary::Running;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::time::Instant;
use waypost_testkit::services;

/// The node, and what it says.
struct Python {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Python {
    fn join(server: &Running, packages: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("python3")
            .arg(root.join("python/compute_node.py"))
            .args([server.grpc.as_deref().unwrap(), &server.url])
            .arg(root.join("../crates/api/proto"))
            .env("PYTHONPATH", packages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let mut python = Self { child, said };
        let joined = python.line();
        assert!(joined.starts_with("joined "), "{joined}");
        python
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

struct World {
    server: Running,
    http: Client,
}

impl World {
    async fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}/api{path}", self.server.url);
        let mut request = self.http.request(method, url);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
    }

    async fn prepare(&self) {
        let sample = json!({"items": 1, "total": 1, "kind": "x"});
        for (method, path, body) in [
            (Method::POST, "/model/import/JSON/SAMPLE_DATA/order/1", sample),
            (Method::PUT, "/model/order/1/lock", Value::Null),
            (Method::POST, "/model/import/JSON/SAMPLE_DATA/note/1", json!({"text": "x"})),
            (Method::PUT, "/model/note/1/lock", Value::Null),
            (Method::POST, "/model/order/1/workflow/import", workflow()),
        ] {
            let (status, answer) = self.send(method, path, &body).await;
            assert_eq!(status, 200, "{path} {answer}");
        }
    }

    async fn create(&self, kind: &str, items: u64) -> (u16, Value) {
        let body = json!({"items": items, "kind": kind});
        self.send(Method::POST, "/entity/JSON/order/1", &body).await
    }

    async fn entity(&self, created: &Value) -> Value {
        let id = created.pointer("/0/entityIds/0").and_then(Value::as_str).unwrap();
        self.send(Method::GET, &format!("/entity/{id}"), &Value::Null).await.1
    }

    async fn notes(&self) -> Vec<String> {
        let (_, found) = self.send(Method::GET, "/entity/note/1", &Value::Null).await;
        let text = |it: &Value| it.pointer("/data/text").unwrap().as_str().unwrap().to_owned();
        let mut notes: Vec<_> = found.as_array().unwrap().iter().map(text).collect();
        notes.sort();
        notes
    }
}

/// What becomes of an order depends on its kind.
fn workflow() -> Value {
    let processor = |(name, mode): &(&str, &str)| {
        json!({"type": "EXTERNAL", "name": name, "executionMode": mode,
               "config": {"attachEntity": true, "calculationNodesTags": "orders,python"}})
    };
    let way = |kind: &str, processors: &[(&str, &str)]| {
        let criterion = json!({"type": "simple", "jsonPath": "$.kind",
                               "operatorType": "EQUALS", "value": kind});
        let processors: Vec<_> = processors.iter().map(processor).collect();
        json!({"name": kind, "next": "PRICED", "criterion": criterion, "processors": processors})
    };
    let large = json!({"type": "function", "function": {"name": "is-large",
                       "config": {"calculationNodesTags": "orders"}}});
    let states = json!({
        "NEW": {"transitions": [
            way("modes", &[("price", "SYNC"), ("audit", "ASYNC_SAME_TX"),
                           ("notify", "ASYNC_NEW_TX"), ("stumble", "ASYNC_NEW_TX")]),
            way("callbacks", &[("receipt", "SYNC"), ("ledger", "SYNC")]),
            way("failure", &[("receipt", "SYNC"), ("fail", "SYNC")]),
            way("death", &[("die", "SYNC")]),
        ]},
        "PRICED": {"transitions": [{"name": "LARGE", "next": "LARGE", "criterion": large}]},
        "LARGE": {},
    });
    json!({"workflows": [{"name": "order", "initialState": "NEW", "states": states}]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compute_node_in_plain_python_is_asked_and_calls_back_on_sqlite() {
    is_asked_and_calls_back("sqlite:w.db").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compute_node_in_plain_python_is_asked_and_calls_back_on_postgresql() {
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    is_asked_and_calls_back(&database).await;
}

async fn is_asked_and_calls_back(store: &str) {
    let packages = services::python_grpc().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = Running::serve(folder.path(), &["--store", store, "--grpc", "127.0.0.1:0"]);
    let world = World { server, http: Client::new() };
    world.prepare().await;
    let (status, refused) = world.create("modes", 3).await;
    assert_eq!((status, code(&refused)), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
    let mut python = Python::join(&world.server, &packages);

    // Every mode, and a criterion that says no and yes.
    let (_, created) = world.create("modes", 3).await;
    let seen = world.entity(&created).await;
    let data = json!({"items": 3, "kind": "modes", "total": 1350, "audited": true});
    assert_eq!((&seen["data"], &seen["meta"]["state"]), (&data, &json!("PRICED")));
    let (_, created) = world.create("modes", 11).await;
    assert_eq!(world.entity(&created).await["meta"]["state"], "LARGE");
    assert_eq!(world.notes().await, ["sent", "sent"]);

    // Calls back over HTTP and gRPC, in the transaction that asks.
    let (_, created) = world.create("callbacks", 1).await;
    let seen = world.entity(&created).await;
    let transaction = created.pointer("/0/transactionId").unwrap();
    let receipt = json!({"transaction": transaction, "within": 200, "outside": 404});
    let within = json!(["ledger", "receipt", "sent", "sent"]);
    let ledger = json!({"transaction": transaction, "within": within, "outside": 2});
    assert_eq!((&seen["data"]["receipt"], &seen["data"]["ledger"]), (&receipt, &ledger));
    assert_eq!(world.notes().await.len(), 4);

    // What it has written goes with what fails.
    let (status, refused) = world.create("failure", 1).await;
    assert_eq!((status, code(&refused)), (400, "WORKFLOW_FAILED"));
    assert!(refused["detail"].as_str().unwrap().contains("out of stock"), "{refused}");
    assert_eq!(world.notes().await.len(), 4);

    // It dies while it is asked. Nothing has been written, and nobody waits for it.
    let began_at = Instant::now();
    let (status, refused) = world.create("death", 1).await;
    let took = began_at.elapsed();
    assert_eq!((status, code(&refused)), (503, "COMPUTE_MEMBER_DISCONNECTED"));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(python.child.wait().unwrap().code(), Some(3));
    let (_, counted) = world.send(Method::GET, "/entity/stats/order/1", &Value::Null).await;
    assert_eq!(counted["count"], 3);

    // Another takes its place, and leaves in good order.
    let mut python = Python::join(&world.server, &packages);
    let (status, _) = world.create("modes", 1).await;
    assert_eq!(status, 200);
    drop(python.child.stdin.take());
    assert_eq!(python.line(), "left");
    assert_eq!(python.child.wait().unwrap().code(), Some(0));
}

fn code(problem: &Value) -> &str {
    problem.pointer("/properties/errorCode").and_then(Value::as_str).unwrap_or_default()
}
