//! Entities under a server that is killed: what it acknowledged, and whether that is so.
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::load::{Answer, text};

/// What the outside was told.
#[derive(Default)]
pub struct Ledger {
    /// The transactions of each entity that were acknowledged, in their order, with what they wrote.
    pub entities: BTreeMap<String, Vec<(String, u64)>>,
    /// Pairs that were acknowledged: two entities of one transaction.
    pub pairs: Vec<u64>,
    /// All pairs that were asked for.
    pub asked: Vec<u64>,
}

/// A client of the entities of one server.
#[derive(Clone)]
pub struct Client {
    url: String,
    http: reqwest::Client,
}

impl Client {
    /// A client of the server at `url`.
    ///
    /// # Panics
    /// When there can be none.
    #[must_use]
    pub fn new(url: &str) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(60)).build();
        Self { url: format!("{url}/api"), http: http.expect("a client can be made") }
    }

    /// Sends a request with a body.
    pub async fn send(&self, method: reqwest::Method, path: &str, body: &Value) -> Answer {
        let request = self.http.request(method, format!("{}{path}", self.url));
        let request = if body.is_null() { request } else { request.json(body) };
        let Ok(response) = request.send().await else { return Answer::Unknown };
        let status = response.status();
        let Ok(text) = response.text().await else { return Answer::Unknown };
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        match status {
            _ if status.is_success() => Answer::Yes(body),
            _ if status.is_client_error() => Answer::No(status.as_u16(), body),
            _ => Answer::Unknown,
        }
    }

    /// Does it.
    ///
    /// # Panics
    /// When the server does not.
    pub async fn must(&self, method: reqwest::Method, path: &str, body: &Value) -> Value {
        match self.send(method, path, body).await {
            Answer::Yes(value) => value,
            Answer::No(status, problem) => unreachable!("{path}: {status} {problem}"),
            Answer::Unknown => unreachable!("{path}: no answer"),
        }
    }

    /// Reads a document.
    pub async fn get(&self, path: &str) -> Value {
        self.must(reqwest::Method::GET, path, &Value::Null).await
    }

    /// The model everybody works on: new entities go on by themselves twice, then they are moved.
    pub async fn prepare(&self) {
        let sample = json!({"n": 1, "pair": 1, "who": "x"});
        self.must(reqwest::Method::POST, "/model/import/JSON/SAMPLE_DATA/crash/1", &sample).await;
        let guard = json!({"type": "simple", "jsonPath": "$.n", "operatorType": "GREATER_OR_EQUAL",
            "value": 0});
        let workflows = json!({"workflows": [{"name": "crash", "initialState": "NEW", "states": {
            "NEW": {"transitions": [{"name": "CHECK", "next": "CHECKED", "criterion": guard}]},
            "CHECKED": {"transitions": [{"name": "OPEN", "next": "OPEN"}]},
            "OPEN": {"transitions": [{"name": "MOVE", "next": "MOVING", "manual": true},
                {"name": "CLOSE", "next": "CLOSED", "manual": true}]},
            "CLOSED": {},
            "MOVING": {"transitions": [{"name": "LAND", "next": "AWAY"}]},
            "AWAY": {"transitions": [{"name": "MOVE", "next": "BACK", "manual": true}]},
            "BACK": {"transitions": [{"name": "LAND", "next": "OPEN"}]},
        }}]});
        self.must(reqwest::Method::POST, "/model/crash/1/workflow/import", &workflows).await;
        self.must(reqwest::Method::PUT, "/model/crash/1/lock", &Value::Null).await;
    }

    async fn create(&self, n: u64) -> Answer {
        let body = json!({"n": n, "who": "single"});
        self.send(reqwest::Method::POST, "/entity/JSON/crash/1", &body).await
    }

    async fn create_pair(&self, pair: u64) -> Answer {
        let body = json!([{"n": 0, "pair": pair}, {"n": 1, "pair": pair}]);
        self.send(reqwest::Method::POST, "/entity/JSON/crash/1", &body).await
    }

    async fn move_on(&self, id: &str, n: u64) -> Answer {
        let body = json!({"n": n, "who": "single"});
        self.send(reqwest::Method::PUT, &format!("/entity/JSON/{id}/MOVE"), &body).await
    }

    /// How many entities of a pair there are.
    pub async fn pair(&self, pair: u64) -> usize {
        let condition = json!({"type": "simple", "jsonPath": "$.pair", "operatorType": "EQUALS",
            "value": pair});
        let path = "/search/direct/crash/1";
        match self.must(reqwest::Method::POST, path, &condition).await {
            // Lines of JSON; a single one is a document by itself.
            Value::String(lines) => lines.lines().count(),
            Value::Null => 0,
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => 1,
        }
    }
}

/// Clients at work.
pub struct Press {
    stop: CancellationToken,
    actors: JoinSet<()>,
}

impl Press {
    /// Puts six clients to work on the server at `url`.
    #[must_use]
    pub fn begin(url: &str, ledger: &Arc<Mutex<Ledger>>, round: u32) -> Self {
        let (stop, mut actors) = (CancellationToken::new(), JoinSet::new());
        for actor in 0..6 {
            let (client, ledger, stop) = (Client::new(url), Arc::clone(ledger), stop.clone());
            actors.spawn(async move {
                for number in 0.. {
                    if stop.is_cancelled() {
                        return;
                    }
                    if actor == 0 {
                        pair(&client, &ledger, u64::from(round) * 1_000_000 + number).await;
                    } else {
                        live(&client, &ledger, &stop).await;
                    }
                }
            });
        }
        Self { stop, actors }
    }

    /// Ends the work and waits for the ledger to be complete.
    pub async fn end(mut self) {
        self.stop.cancel();
        while self.actors.join_next().await.is_some() {}
    }
}

async fn pair(client: &Client, ledger: &Mutex<Ledger>, pair: u64) {
    lock(ledger).asked.push(pair);
    match client.create_pair(pair).await {
        Answer::Yes(_) => lock(ledger).pairs.push(pair),
        Answer::No(..) | Answer::Unknown => breathe().await,
    }
}

/// The life of one entity, as far as it gets. Only this client writes it.
async fn live(client: &Client, ledger: &Mutex<Ledger>, stop: &CancellationToken) {
    let Answer::Yes(created) = client.create(0).await else { return breathe().await };
    let id = text(&created[0]["entityIds"][0]);
    let first = (text(&created[0]["transactionId"]), 0);
    lock(ledger).entities.insert(id.clone(), vec![first]);
    for n in 1..20 {
        if stop.is_cancelled() {
            return;
        }
        let Answer::Yes(moved) = client.move_on(&id, n).await else { return breathe().await };
        let done = (text(&moved["transactionId"]), n);
        lock(ledger).entities.entry(id.clone()).or_default().push(done);
    }
}

/// A server that is gone is not asked a thousand times a second.
async fn breathe() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an entity is as it was acknowledged: every version is there, no cascade is half made,
/// and the audit tells of all of it.
///
/// # Panics
/// When it is not so.
pub async fn check(client: &Client, id: &str, told: &[(String, u64)]) {
    let changes = client.get(&format!("/entity/{id}/changes")).await;
    let changes: Vec<String> = changes
        .as_array()
        .map(|it| it.iter().rev().map(|it| text(&it["transactionId"])).collect())
        .unwrap_or_default();
    let known: Vec<&String> = told.iter().map(|(transaction, _)| transaction).collect();
    let begins_so = changes.iter().zip(&known).all(|(one, another)| one == *another);
    assert!(begins_so && changes.len() >= known.len(), "{id}: {changes:?} {known:?}");
    assert!(changes.len() <= known.len() + 1, "{id}: {changes:?} {known:?}");
    for (version, transaction) in changes.iter().enumerate() {
        let entity = client.get(&format!("/entity/{id}?transactionId={transaction}")).await;
        let state = if version % 2 == 0 { "OPEN" } else { "AWAY" };
        assert_eq!(entity["meta"]["state"], state, "{entity}");
        assert_eq!(entity["data"]["n"], json!(version), "{entity}");
        let path = format!("/audit/entity/{id}/workflow/{transaction}/finished");
        assert_eq!(client.get(&path).await["state"], state, "{id} {transaction}");
        check_run(client, id, transaction, version == 0).await;
    }
}

/// Whether the audit tells every step of a run: two transitions between its beginning and its end.
async fn check_run(client: &Client, id: &str, transaction: &str, is_first: bool) {
    let path = format!("/audit/entity/{id}?transactionId={transaction}&limit=1000");
    let told = client.get(&path).await;
    let events = told["items"].as_array().into_iter().flatten().rev();
    let events: Vec<String> = events
        .filter(|it| it["auditEventType"] == "StateMachine")
        .map(|it| text(&it["eventType"]))
        .collect();
    let begun: &[&str] = if is_first {
        &["STATE_MACHINE_START", "WORKFLOW_FOUND"]
    } else {
        &["STATE_MACHINE_START"]
    };
    let steps = ["TRANSITION_MAKE", "TRANSITION_MAKE", "STATE_MACHINE_FINISH"];
    let expected = [begun, &steps].concat();
    assert_eq!(events, expected, "{id} {transaction}");
}

/// Whether every entity there is has come to rest, acknowledged or not.
///
/// # Panics
/// When one is in a state that a cascade only passes through.
pub async fn check_states(client: &Client) {
    let counted = client.get("/entity/stats/states/crash/1").await;
    let counted = counted.as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(!counted.is_empty(), "nothing is counted");
    for it in counted {
        assert!(it["state"] == "OPEN" || it["state"] == "AWAY", "{it}");
    }
}
