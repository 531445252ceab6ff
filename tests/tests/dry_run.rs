//! Dry runs and what-if: they tell what would come of it, and the store is the same afterwards, row
//! by row.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::{fmt::Write as _, path::Path};

use e2e::binary::Running;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server on a SQLite file, and the way to both.
struct World {
    folder: TempDir,
    server: Running,
    client: reqwest::Client,
}

impl World {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
        Self { folder, server, client: reqwest::Client::new() }
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}{path}", self.server.url);
        let response = self.client.request(method, url).json(body).send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    }

    /// Tries a command; whatever comes of it, the store is as before.
    async fn tried(&self, (method, path): (Method, &str), body: &Value) -> (u16, Value) {
        let before = dump(self.folder.path());
        let mark = if path.contains('?') { '&' } else { '?' };
        let answer = self.send(method, &format!("{path}{mark}dryRun=true"), body).await;
        assert_eq!(dump(self.folder.path()), before, "{path} has changed the store");
        answer
    }

    /// Tries a command that would succeed; where the first instance would stand then.
    async fn foreseen(&self, method: Method, path: &str, body: &Value) -> Value {
        let (status, answer) = self.tried((method, path), body).await;
        assert_eq!((status, &answer["dryRun"]), (200, &json!(true)), "{path}: {answer}");
        answer
    }

    /// Tries a command, gives it, and holds what it came to against what was foreseen.
    async fn agree(&self, path: &str, body: &Value, shown: &str) -> Value {
        let foreseen = self.foreseen(Method::POST, path, body).await;
        let done = self.post(path, body).await;
        let (_, instance) =
            self.send(Method::GET, &shown.replace("{id}", id_of(&done)), &json!({})).await;
        assert_eq!(foreseen["instances"][0]["status"], instance["status"], "{path}: {foreseen}");
        foreseen
    }
}

fn id_of(answer: &Value) -> &str {
    let id = answer.get("id").or_else(|| answer.get("instanceId"));
    id.and_then(Value::as_str).unwrap_or_default()
}

/// Every row of every table.
fn dump(folder: &Path) -> String {
    let file = rusqlite::Connection::open(folder.join("w.db")).unwrap();
    let names = "select name from sqlite_master where type = 'table' order by name";
    let mut names = file.prepare(names).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut text = String::new();
    for name in names.map(Result::unwrap).filter(|it| !it.starts_with("sqlite_")) {
        let mut rows = file.prepare(&format!("select * from {name}")).unwrap();
        let n_columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..n_columns).map(|it| row.get_ref(it).unwrap());
            writeln!(text, "{name} {:?}", values.collect::<Vec<_>>()).unwrap();
        }
    }
    text
}

fn review() -> Value {
    json!({ "id": "review", "name": "Review", "steps": [
        { "id": "check", "name": "Check", "type": "SERVICE_TASK", "jobType": "check",
          "nextStep": "look" },
        { "id": "look", "name": "Look", "type": "USER_TASK", "nextStep": "ask",
          "boundaryEvents": [{ "type": "TIMER", "duration": "PT48H", "interrupting": true,
                               "targetStepId": "ask" }] },
        { "id": "ask", "name": "Ask", "type": "WAIT", "nextStep": "done" },
        { "id": "done", "name": "Done", "type": "END" },
    ] })
}

async fn job(world: &World) -> String {
    let poll = json!({ "workerId": "w", "jobTypes": ["check"], "maxJobs": 1, "waitMs": 10_000 });
    let polled = world.post("/v1/jobs/poll", &poll).await;
    polled["jobs"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn commands_of_processes_are_tried_without_consequences() {
    let world = World::new();
    world.post("/v1/definitions", &review()).await;
    let shown = "/v1/instances/{id}";
    let start = json!({ "definitionId": "review", "businessKey": "k", "variables": { "n": 1 } });
    let foreseen = world.agree("/v1/instances", &start, shown).await;
    assert_eq!(foreseen["tasks"][0]["queue"], "check");
    let (status, refused) = world.tried((Method::POST, "/v1/instances"), &start).await;
    assert_eq!(status, 409, "{refused}");
    world.agree("/v1/definitions/review/instances", &json!({}), shown).await;

    let done = json!({ "workerId": "w", "variables": { "ok": true } });
    let first = job(&world).await;
    let path = format!("/v1/jobs/{first}/complete");
    let foreseen = world.foreseen(Method::POST, &path, &done).await;
    assert_eq!(foreseen["instances"][0]["steps"], json!(["look"]));
    assert_eq!(foreseen["timers"].as_array().unwrap().len(), 1, "{foreseen}");
    let stranger = json!({ "workerId": "another" });
    let ignored = world.foreseen(Method::POST, &path, &stranger).await;
    assert_eq!(ignored["instances"], json!([]), "somebody else has it: {ignored}");
    world.post(&path, &done).await;

    let second = job(&world).await;
    let failed = json!({ "workerId": "w", "errorMessage": "no", "retryable": false });
    let foreseen = world.foreseen(Method::POST, &format!("/v1/jobs/{second}/fail"), &failed).await;
    assert_eq!(foreseen["instances"][0]["status"], "FAILED");
    world.post(&format!("/v1/jobs/{second}/fail"), &failed).await;

    let (_, list) = world.send(Method::GET, "/v1/instances", &json!({})).await;
    let of = |status: &str| {
        let items = list["items"].as_array().unwrap();
        id_of(items.iter().find(|it| it["status"] == status).unwrap()).to_owned()
    };
    let (waiting, failed) = (of("WAITING"), of("FAILED"));
    world.agree(&format!("/v1/instances/{failed}/steps/check/retry"), &json!({}), shown).await;
    let at = |rest: &str| format!("/v1/instances/{waiting}/{rest}");
    let (status, _) = world.tried((Method::POST, &at("signals/ask")), &json!({})).await;
    assert_eq!(status, 409, "it does not wait yet");
    let done = json!({ "variables": { "by": "ann" } });
    let look = at("user-tasks/look/complete");
    let foreseen = world.foreseen(Method::POST, &look, &done).await;
    assert_eq!(foreseen["instances"][0]["steps"], json!(["ask"]));
    assert_eq!(foreseen["disarmed"].as_array().unwrap().len(), 1, "{foreseen}");
    let (_, tasks) = world.send(Method::GET, "/v1/user-tasks", &json!({})).await;
    let by_id = format!("/v1/user-tasks/{}/complete", id_of(&tasks["items"][0]));
    let same = world.foreseen(Method::POST, &by_id, &done).await;
    assert_eq!(same["instances"][0]["steps"], json!(["ask"]));
    world.post(&look, &done).await;
    let foreseen = world.foreseen(Method::POST, &at("signals/ask"), &json!({ "x": 1 })).await;
    assert_eq!(foreseen["instances"][0]["status"], "COMPLETED");
    world.agree(&at("cancel"), &json!({ "reason": "enough" }), shown).await;
}

#[tokio::test]
async fn commands_of_chains_are_tried_without_consequences() {
    let world = World::new();
    let steps = json!([{ "stepType": "A" }, { "stepType": "B" }]);
    let plan = json!({ "workflowType": "order", "workflowVersion": 1, "steps": steps });
    world.post("/v1/chains/definitions", &plan).await;
    let shown = "/v1/chains/instances/{id}";
    let start = json!({ "workflowType": "order", "bizKey": "k" });
    world.agree("/v1/chains/instances", &start, shown).await;
    let (status, refused) = world.tried((Method::POST, "/v1/chains/instances"), &start).await;
    assert_eq!((status, &refused["code"]), (409, &json!("DUPLICATE_BIZ_KEY")));
    let claim = json!({ "workerId": "w", "waitMs": 10_000 });
    let claimed = world.post("/v1/chains/claim", &claim).await;
    let task = &claimed["tasks"][0];
    let (id, token) = (task["instanceId"].as_str().unwrap(), task["leaseToken"].as_str().unwrap());
    let result = format!("/v1/chains/tasks/{token}/result");
    let waiting = json!({ "workerId": "w",
                          "result": { "kind": "WAITING", "waitingEventType": "PAID" } });
    let dead = json!({ "workerId": "w", "result": { "kind": "DEAD", "error": "e" } });
    let done = json!({ "workerId": "w", "result": { "kind": "COMPLETED" } });
    for (body, status) in [(&dead, "FAILED"), (&done, "RUNNING"), (&waiting, "RUNNING")] {
        let foreseen = world.foreseen(Method::POST, &result, body).await;
        assert_eq!(foreseen["instances"][0]["status"], status);
    }
    let stranger = json!({ "workerId": "x", "result": { "kind": "COMPLETED" } });
    let (status, refused) = world.tried((Method::POST, &result), &stranger).await;
    assert_eq!((status, &refused["code"]), (409, &json!("LEASE_LOST")));
    world.post(&result, &waiting).await;
    let signals = format!("/v1/chains/instances/{id}/signals");
    let foreseen = world.foreseen(Method::POST, &signals, &json!({ "eventType": "PAID" })).await;
    assert_eq!(foreseen["tasks"][0]["queue"], "A");
    world.agree(&format!("/v1/chains/instances/{id}/cancel"), &json!({}), shown).await;
}

#[tokio::test]
async fn writes_of_entities_are_tried_without_consequences() {
    let world = World::new();
    world.post("/api/model/import/JSON/SAMPLE_DATA/claim/1", &json!({ "amount": 1 })).await;
    let lock = world.send(Method::PUT, "/api/model/claim/1/lock", &json!({})).await;
    assert_eq!(lock.0, 200, "{}", lock.1);
    let workflows: Value =
        serde_json::from_str(include_str!("../../examples/claims.json")).unwrap();
    world.post("/api/model/claim/1/workflow/import", &workflows).await;
    let create = "/api/entity/JSON/claim/1";
    let foreseen = world.foreseen(Method::POST, create, &json!({ "amount": 5 })).await;
    assert_eq!(foreseen["instances"][0]["steps"], json!(["NEW"]), "{foreseen}");
    let created = world.post(create, &json!({ "amount": 5 })).await;
    let id = created[0]["entityIds"][0].as_str().unwrap();
    let update = format!("/api/entity/JSON/{id}");
    let foreseen = world.foreseen(Method::PUT, &update, &json!({ "amount": 6 })).await;
    assert_eq!(foreseen["instances"][0]["version"], 2);
    // The processor is not asked; the criterion behind it cannot be judged here.
    let submit = format!("/api/entity/JSON/{id}/submit");
    let (status, refused) = world.tried((Method::PUT, &submit), &json!({ "amount": 6 })).await;
    assert!(status >= 400 && refused.to_string().contains("dry run"), "{status} {refused}");
    let unknown = format!("/api/entity/JSON/{id}/nowhere");
    let (status, _) = world.tried((Method::PUT, &unknown), &json!({ "amount": 6 })).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn what_cannot_be_tried_is_refused_and_not_done() {
    let world = World::new();
    let steps = json!([{ "stepType": "A" }]);
    let plan = json!({ "workflowType": "order", "workflowVersion": 1, "steps": steps });
    for (path, body) in [
        ("/v1/chains/definitions", plan.clone()),
        ("/v1/definitions", review()),
        ("/api/model/import/JSON/SAMPLE_DATA/claim/1", json!({ "amount": 1 })),
        ("/v1/chains/claim", json!({ "workerId": "w" })),
        ("/v1/jobs/poll", json!({ "workerId": "w", "jobTypes": ["check"] })),
    ] {
        let (status, refused) = world.tried((Method::POST, path), &body).await;
        assert!((400..500).contains(&status), "{path}: {status} {refused}");
        assert!(refused.to_string().contains("dryRun"), "{path}: {refused}");
    }
    let (status, _) = world.send(Method::POST, "/v1/instances?dryRun=maybe", &json!({})).await;
    assert!((400..500).contains(&status));
    // What is not asked for is not tried.
    world.post("/v1/chains/definitions?dryRun=false", &plan).await;
}

#[tokio::test]
async fn what_would_become_of_a_process_is_told_and_nothing_comes_of_it() {
    let world = World::new();
    world.post("/v1/definitions", &review()).await;
    let started = world.post("/v1/instances", &json!({ "definitionId": "review" })).await;
    let id = id_of(&started);
    let done = json!({ "workerId": "w" });
    world.post(&format!("/v1/jobs/{}/complete", job(&world).await), &done).await;
    let path = format!("/v1/instances/{id}/what-if");
    let before = dump(world.folder.path());
    let tried = world.post(&path, &json!({})).await;
    let fork = &tried["instances"][0];
    assert_eq!((&fork["status"], &fork["at"]), (&json!("WAITING"), &json!(["ask"])), "{tried}");
    let told: Vec<(&str, bool)> = fork["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["what"].as_str().unwrap(), it["real"].as_bool().unwrap()))
        .collect();
    let real = [("INSTANCE_STARTED", true), ("JOB_COMPLETED", true), ("TIMER_FIRED", false)];
    assert_eq!(told, real);
    let what = json!({
        "people": { "look": { "complete": { "by": "ann" }, "after": "47h" } },
        "do": [{ "until": "ask" }, { "signal": { "step": "ask", "variables": { "x": 1 } } }],
        "expect": { "status": "COMPLETED", "timersFired": 0, "path": ["check"] },
    });
    let tried = world.post(&path, &what).await;
    assert_eq!(tried["instances"][0]["variables"], json!({ "by": "ann", "x": 1 }), "{tried}");
    assert_eq!(tried["mismatches"][0]["place"], "expect.path");
    assert_eq!(dump(world.folder.path()), before);
    for (path, body, wanted) in [
        (path.as_str(), json!({ "do": [{ "move": "x" }] }), "a process has no move"),
        (path.as_str(), json!({ "wokers": {} }), "wokers"),
        ("/v1/instances/01K9ZZZZZZZZZZZZZZZZZ00000/what-if", json!({}), "not found"),
    ] {
        let (status, refused) = world.send(Method::POST, path, &body).await;
        assert!((400..500).contains(&status), "{status} {refused}");
        assert!(refused.to_string().contains(wanted), "{refused}");
    }
}

#[tokio::test]
async fn what_would_become_of_a_chain_is_told_and_nothing_comes_of_it() {
    let world = World::new();
    let steps = json!([{ "stepType": "A" }, { "stepType": "B" }]);
    let plan = json!({ "workflowType": "order", "workflowVersion": 1, "steps": steps });
    world.post("/v1/chains/definitions", &plan).await;
    let started = world.post("/v1/chains/instances", &json!({ "workflowType": "order" })).await;
    let path = format!("/v1/chains/instances/{}/what-if", id_of(&started));
    let before = dump(world.folder.path());
    let what = json!({
        "workers": { "A": [{ "wait": "PAID", "timeout": "24h" }, { "fatal": "not paid" }] },
    });
    let tried = world.post(&path, &what).await;
    let fork = &tried["instances"][0];
    assert_eq!((&fork["status"], &fork["reason"]), (&json!("FAILED"), &json!("not paid")));
    let what = json!({ "workers": { "A": "complete", "B": { "complete": { "b": 1 } } } });
    let tried = world.post(&path, &what).await;
    assert_eq!(tried["instances"][0]["status"], "COMPLETED");
    assert_eq!(dump(world.folder.path()), before);
    let (status, _) =
        world.send(Method::POST, "/v1/chains/instances/nobody/what-if", &json!({})).await;
    assert_eq!(status, 404);
}
