//! Dry runs touch nobody: compute members are not asked, nothing is sent, and nothing changes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};
use waypost_engine::{
    Settings, Transport,
    entity::{Answer, Caller, Compute, Question},
};
use waypost_kernel::Posted;
use waypost_machines::entity::cascade::Reply;
use waypost_server::Options;

use crate::{
    lifecycle::field,
    world::{ORDER, World, world_with},
};

/// Everybody outside: a compute member that does whatever it is asked, and who gets messages.
#[derive(Default)]
struct Outside {
    asked: AtomicUsize,
    sent: AtomicUsize,
}

impl Outside {
    fn touched(&self) -> (usize, usize) {
        (self.asked.load(Ordering::SeqCst), self.sent.load(Ordering::SeqCst))
    }
}

#[async_trait]
impl Compute for Outside {
    async fn ask(&self, _: Question<'_>) -> Answer {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let reply = Reply::Processed { value: None, warnings: Vec::new() };
        Answer { reply, member: Some("m".to_owned()) }
    }

    async fn serves(&self, _: &Caller, _: &[String]) -> Option<bool> {
        Some(true)
    }
}

#[async_trait]
impl Transport for Outside {
    async fn send(&self, _: &Posted) -> Result<(), String> {
        self.sent.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

async fn world() -> (World, Arc<Outside>) {
    let outside = Arc::new(Outside::default());
    let settings = Settings {
        compute: Arc::clone(&outside) as _,
        transport: Some(Arc::clone(&outside) as _),
        ..Settings::default()
    };
    (world_with(Options::default(), settings).await, outside)
}

async fn sent(world: &World, (method, path): (Method, &str), body: &Value) -> Value {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let response = world.send(method, path, &text).await;
    let status = response.status();
    let text = response.text().await.unwrap();
    assert!(status.is_success(), "{path}: {status} {text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// What would come of a command.
async fn tried(world: &World, (method, path): (Method, &str), body: &Value) -> Value {
    let foreseen = sent(world, (method, &format!("{path}?dryRun=true")), body).await;
    assert_eq!(foreseen["dryRun"], json!(true), "{path}: {foreseen}");
    foreseen
}

const FLOW: &str = r#"{"importMode":"REPLACE","workflows":[{"version":"1","name":"orders","initialState":"NEW","states":{"NEW":{"transitions":[{"name":"ship","next":"SHIPPED","manual":true,"processors":[{"type":"EXTERNAL","name":"book","executionMode":"SYNC","config":{"calculationNodesTags":"carrier"}}]}]},"SHIPPED":{"transitions":[]}}}]}"#;

#[tokio::test]
async fn every_write_of_entities_can_be_tried_and_nobody_is_asked() {
    let (world, outside) = world().await;
    let value = json!({"amount": 1});
    sent(&world, (Method::POST, "/api/model/import/JSON/SAMPLE_DATA/order/1"), &value).await;
    sent(&world, (Method::PUT, "/api/model/order/1/lock"), &Value::Null).await;
    let flow: Value = serde_json::from_str(FLOW).unwrap();
    sent(&world, (Method::POST, "/api/model/order/1/workflow/import"), &flow).await;
    let created = sent(&world, (Method::POST, "/api/entity/JSON/order/1"), &value).await;
    let id = created[0]["entityIds"][0].as_str().unwrap();
    let shown = format!("/api/entity/{id}");
    let before = sent(&world, (Method::GET, &shown), &Value::Null).await;
    let (one, ship) = (format!("/api/entity/JSON/{id}"), format!("/api/entity/JSON/{id}/ship"));
    let new = json!([{"model": {"name": "order", "version": 1}, "payload": "{\"amount\": 2}"}]);
    let updates = json!([{"id": id, "payload": "{\"amount\": 3}", "transition": "ship"}]);
    for (method, path, body, asked) in [
        (Method::POST, "/api/entity/JSON/order/1", &value, json!([])),
        (Method::PUT, one.as_str(), &value, json!([])),
        (Method::PUT, ship.as_str(), &value, json!(["book"])),
        (Method::POST, "/api/entity/JSON", &new, json!([])),
        (Method::PUT, "/api/entity/JSON", &updates, json!(["book"])),
        (Method::DELETE, shown.as_str(), &Value::Null, json!([])),
        (Method::DELETE, "/api/entity/order/1", &Value::Null, json!([])),
    ] {
        let foreseen = tried(&world, (method, path), body).await;
        assert_eq!(foreseen["instances"].as_array().unwrap().len(), 1, "{path}: {foreseen}");
        assert_eq!(foreseen["asked"], asked, "{path}");
        let after = sent(&world, (Method::GET, &shown), &Value::Null).await;
        assert_eq!(after, before, "{path}");
    }
    let listed = sent(&world, (Method::GET, "/api/entity/order/1"), &Value::Null).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(outside.touched(), (0, 0));
    sent(&world, (Method::PUT, &ship), &value).await;
    assert_eq!(outside.touched(), (1, 0), "in earnest it is asked");
}

#[tokio::test]
async fn nothing_is_sent_for_what_is_only_tried() {
    let (world, outside) = world().await;
    let plan: Value = serde_json::from_str(ORDER).unwrap();
    sent(&world, (Method::POST, "/v1/chains/definitions"), &plan).await;
    let start = json!({"workflowType": "order"});
    sent(&world, (Method::POST, "/v1/chains/instances"), &start).await;
    let claim = json!({"workerId": "w"});
    let claimed = sent(&world, (Method::POST, "/v1/chains/claim"), &claim).await;
    let token = claimed["tasks"][0]["leaseToken"].as_str().unwrap();
    let path = format!("/v1/chains/tasks/{token}/result");
    let event = json!({"eventId": "01890a5d-ac96-774b-bcce-b302099a8057", "eventType": "ASKED",
        "occurredAt": "2026-05-28T20:00:00Z", "payload": {"n": 1}});
    let report = json!({"workerId": "w", "result": {"kind": "COMPLETED"},
        "outboundEvents": [event]});
    let foreseen = tried(&world, (Method::POST, &path), &report).await;
    assert_eq!(foreseen["messages"], json!(["ASKED"]));
    let sweep = || async { world.engine.sweeps().outbox(world.engine.store().now()).await };
    sweep().await.unwrap();
    assert_eq!(outside.touched(), (0, 0));
    sent(&world, (Method::POST, &path), &report).await;
    sweep().await.unwrap();
    assert_eq!(outside.touched(), (0, 1), "in earnest it is sent");
}

#[tokio::test]
async fn several_jobs_can_be_tried_at_once() {
    let (world, _) = world().await;
    let definition = json!({"id": "line", "name": "Line", "steps": [
        {"id": "pack", "name": "Pack", "type": "SERVICE_TASK", "jobType": "pack", "nextStep": "end"},
        {"id": "end", "name": "End", "type": "END"}]});
    sent(&world, (Method::POST, "/v1/definitions"), &definition).await;
    for _ in 0..2 {
        let start = json!({"definitionId": "line"});
        sent(&world, (Method::POST, "/v1/instances"), &start).await;
    }
    let poll = json!({"workerId": "w", "jobTypes": ["pack"]});
    let polled = sent(&world, (Method::POST, "/v1/jobs/poll"), &poll).await;
    let jobs: Vec<Value> =
        polled["jobs"].as_array().unwrap().iter().map(|it| json!({"id": it["id"]})).collect();
    let done = json!({"workerId": "w", "jobs": jobs});
    let foreseen = tried(&world, (Method::POST, "/v1/jobs/complete"), &done).await;
    let statuses: Vec<&Value> =
        foreseen["instances"].as_array().unwrap().iter().map(|it| &it["status"]).collect();
    assert_eq!(statuses, ["COMPLETED", "COMPLETED"]);
    let listed = sent(&world, (Method::GET, "/v1/instances?status=COMPLETED"), &Value::Null).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn what_operators_do_to_lifecycles_can_be_tried() {
    let field = field().await;
    let world = &field.world;
    let mission = "/workflows/drone-survey/m-1";
    let shown = format!("{mission}?snapshot=true");
    let before = sent(world, (Method::GET, &shown), &Value::Null).await;
    let path = format!("{mission}/transition");
    let foreseen = tried(world, (Method::POST, &path), &json!({"phase": "flying"})).await;
    let foretold = &foreseen["instances"][0];
    assert_eq!((&foretold["status"], &foretold["face"]), (&json!("flying"), &json!("lifecycle")));
    assert_eq!(foretold["state"]["phase"], "flying");
    let path = format!("{mission}/state");
    let foreseen = tried(world, (Method::POST, &path), &json!({"battery": 12})).await;
    assert_eq!(foreseen["instances"][0]["state"]["battery"], 12);
    for (path, body) in [
        (format!("{mission}/transition?dryRun=true"), r#"{"phase":"completed"}"#),
        (format!("{mission}/transition?dryRun=maybe"), r#"{"phase":"flying"}"#),
        (format!("{mission}/state?dryRun=true"), r#"{"entity_id":"m-9"}"#),
        ("/workflows/drone-survey/m-9/transition?dryRun=true".to_owned(), r#"{"phase":"flying"}"#),
    ] {
        let response = world.post(&path, body).await;
        assert!(response.status().is_client_error(), "{path}: {}", response.status());
    }
    assert_eq!(sent(world, (Method::GET, &shown), &Value::Null).await, before);
    let history = sent(world, (Method::GET, &format!("{mission}/history")), &Value::Null).await;
    assert_eq!(history.as_array().unwrap().len(), 1, "{history}");
}

/// Judged by a function, and worked on by a processor.
const CLAIMS: &str = include_str!("../../../../examples/claims.json");

#[tokio::test]
async fn what_would_become_of_an_entity_is_told_and_nobody_is_asked() {
    let (world, outside) = world().await;
    let value = json!({"amount": 250});
    sent(&world, (Method::POST, "/api/model/import/JSON/SAMPLE_DATA/claim/1"), &value).await;
    sent(&world, (Method::PUT, "/api/model/claim/1/lock"), &Value::Null).await;
    let flow: Value = serde_json::from_str(CLAIMS).unwrap();
    sent(&world, (Method::POST, "/api/model/claim/1/workflow/import"), &flow).await;
    let created = sent(&world, (Method::POST, "/api/entity/JSON/claim/1"), &value).await;
    let id = created[0]["entityIds"][0].as_str().unwrap();
    let shown = format!("/api/entity/{id}");
    let before = sent(&world, (Method::GET, &shown), &Value::Null).await;
    let path = format!("{shown}/what-if");
    let what = |is_suspicious: bool| {
        json!({"processors": {"enrich": {"complete": {"customer": "c"}}},
            "criteria": {"is-suspicious": is_suspicious},
            "do": [{"transition": "submit"}], "expect": {"state": "PAID"}})
    };
    let tried = sent(&world, (Method::POST, &path), &what(false)).await;
    let fork = &tried["instances"][0];
    assert_eq!((&fork["status"], &tried["mismatches"]), (&json!("PAID"), &json!([])), "{tried}");
    assert_eq!(fork["visits"], json!(["NEW", "OPEN", "PAID"]));
    assert_eq!(fork["variables"], json!({"amount": 250, "customer": "c"}));
    let tried = sent(&world, (Method::POST, &path), &what(true)).await;
    assert_eq!(tried["instances"][0]["status"], "REVIEW");
    assert_eq!(tried["mismatches"][0]["place"], "expect.status");
    for (path, body, status) in [
        (&path, r#"{"workers":{"a":"complete"}}"#, 400),
        (&path, r#"{"do":[{"cancel":"x"}]}"#, 400),
        (&path, r#"{"procesors":{}}"#, 400),
        (&path.replace(id, "00000000-0000-1000-8000-000000000009"), "{}", 404),
    ] {
        assert_eq!(world.post(path, body).await.status(), status, "{body}");
    }
    assert_eq!(sent(&world, (Method::GET, &shown), &Value::Null).await, before);
    assert_eq!(outside.touched(), (0, 0));
}
