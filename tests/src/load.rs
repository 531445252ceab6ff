//! Clients and workers that press a server over HTTP and keep a ledger of what it acknowledged.
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What the outside was told.
#[derive(Default)]
pub struct Ledger {
    /// Requests that were answered with the chain they started.
    pub started: BTreeMap<String, String>,
    /// Steps whose completion was acknowledged, by chain.
    pub completed: BTreeMap<String, BTreeSet<u64>>,
    /// Late reports that were refused.
    pub refused: u64,
}

/// How long the workers hold a step: short, so that those of a killed server come back soon.
const LEASE_MS: u64 = 1_000;

/// A client of one server.
#[derive(Clone)]
pub struct Client {
    url: String,
    http: reqwest::Client,
}

/// What became of a call.
pub enum Answer {
    /// The server said yes.
    Yes(Value),
    /// The server said no.
    No(u16, Value),
    /// Nobody knows.
    Unknown,
}

impl Client {
    /// A client of the server at `url`.
    #[must_use]
    pub fn new(url: &str) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(30)).build();
        Self { url: url.to_owned(), http: http.expect("a client can be made") }
    }

    /// Posts a body, with an idempotency key if there is one.
    pub async fn post(&self, path: &str, key: Option<&str>, body: &Value) -> Answer {
        let mut request = self.http.post(format!("{}{path}", self.url)).json(body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        answer(request.send().await).await
    }

    /// Reads a document.
    ///
    /// # Panics
    /// When the server does not give it.
    pub async fn get(&self, path: &str) -> Value {
        match answer(self.http.get(format!("{}{path}", self.url)).send().await).await {
            Answer::Yes(value) => value,
            Answer::No(status, problem) => unreachable!("{path}: {status} {problem}"),
            Answer::Unknown => unreachable!("{path}: no answer"),
        }
    }

    /// Deploys the chain everybody works on.
    pub async fn deploy(&self) -> bool {
        let body = json!({"workflowType": "crash", "workflowVersion": 1,
            "steps": [{"stepType": "A"}, {"stepType": "B"}, {"stepType": "C"}]});
        matches!(self.post("/v1/chains/definitions", None, &body).await, Answer::Yes(_))
    }

    /// Starts the chain of a request, or finds it.
    pub async fn start(&self, request: &str) -> Answer {
        let body = json!({"workflowType": "crash", "context": {"request": request}});
        self.post("/v1/chains/instances", Some(request), &body).await
    }

    /// Tells a chain to go on.
    pub async fn signal(&self, id: &str, event: &str) -> Answer {
        let body = json!({"eventType": "go", "eventId": event});
        self.post(&format!("/v1/chains/instances/{id}/signals"), None, &body).await
    }

    /// Asks for work, waiting a little.
    pub async fn claim(&self, worker: &str, max: u32) -> Vec<Value> {
        let body = json!({"workerId": worker, "max": max, "leaseMs": LEASE_MS, "waitMs": 100});
        match self.post("/v1/chains/claim", None, &body).await {
            Answer::Yes(answer) => answer["tasks"].as_array().cloned().unwrap_or_default(),
            Answer::No(..) | Answer::Unknown => Vec::new(),
        }
    }

    /// Reports on a task. B waits for an event before it completes.
    pub async fn report(&self, worker: &str, task: &Value) -> (Answer, bool) {
        let waits = task["stepType"] == "B" && task["wake"].is_null();
        let result = if waits {
            json!({"kind": "WAITING", "waitingEventType": "go"})
        } else {
            json!({"kind": "COMPLETED"})
        };
        let path = format!("/v1/chains/tasks/{}/result", text(&task["leaseToken"]));
        let body = json!({"workerId": worker, "result": result});
        (self.post(&path, None, &body).await, !waits)
    }

    /// Works until no chain runs any more.
    ///
    /// # Panics
    /// When that does not happen.
    pub async fn finish_all(&self) {
        for round in 0..600 {
            let running = self.get("/v1/chains/instances?status=RUNNING&pageSize=1000").await;
            let items = running["items"].as_array().cloned().unwrap_or_default();
            if items.is_empty() {
                return;
            }
            if round % 20 == 0 {
                for item in &items {
                    self.signal(&text(&item["instanceId"]), "final").await;
                }
            }
            for task in self.claim("finisher", 500).await {
                self.report("finisher", &task).await;
            }
        }
        unreachable!("chains still run");
    }
}

async fn answer(response: Result<reqwest::Response, reqwest::Error>) -> Answer {
    let Ok(response) = response else { return Answer::Unknown };
    let status = response.status();
    match response.json().await {
        Ok(body) if status.is_success() => Answer::Yes(body),
        Ok(body) if status.is_client_error() => Answer::No(status.as_u16(), body),
        Ok(_) | Err(_) => Answer::Unknown,
    }
}

/// The text of a member.
#[must_use]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Clients and workers at work.
pub struct Pressure {
    stop: CancellationToken,
    actors: JoinSet<()>,
}

impl Pressure {
    /// Ends the work and waits for the ledger to be complete.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.actors.join_next().await.is_some() {}
    }
}

/// Puts two clients and four workers to work on the server at `url`.
#[must_use]
pub fn press(url: &str, ledger: &Arc<Mutex<Ledger>>, round: u32) -> Pressure {
    let (stop, mut actors) = (CancellationToken::new(), JoinSet::new());
    for actor in 0..2 {
        let (client, ledger, stop) = (Client::new(url), Arc::clone(ledger), stop.clone());
        actors.spawn(async move {
            let mut number = 0;
            while !stop.is_cancelled() {
                number += 1;
                begin(&client, &ledger, format!("r{round}-{actor}-{number}")).await;
            }
        });
    }
    for actor in 0..4 {
        let (client, ledger, stop) = (Client::new(url), Arc::clone(ledger), stop.clone());
        let worker = format!("w{actor}");
        actors.spawn(async move {
            while !stop.is_cancelled() {
                work(&client, &ledger, &worker).await;
            }
        });
    }
    Pressure { stop, actors }
}

async fn begin(client: &Client, ledger: &Mutex<Ledger>, request: String) {
    let Answer::Yes(chain) = client.start(&request).await else { return breathe().await };
    let id = text(&chain["instanceId"]);
    lock(ledger).started.insert(request, id.clone());
    // Some events come before their step waits, some never: the finisher sends those.
    if id.as_bytes().last().is_some_and(|it| it % 2 == 0) {
        client.signal(&id, "first").await;
    }
}

async fn work(client: &Client, ledger: &Mutex<Ledger>, worker: &str) {
    let tasks = client.claim(worker, 4).await;
    if tasks.is_empty() {
        breathe().await;
    }
    for task in tasks {
        let (id, step) = (text(&task["instanceId"]), task["stepSeq"].as_u64().unwrap_or(0));
        match client.report(worker, &task).await {
            (Answer::Yes(_), true) => {
                lock(ledger).completed.entry(id).or_default().insert(step);
            }
            (Answer::No(409, _), _) => lock(ledger).refused += 1,
            (Answer::Yes(_) | Answer::No(..) | Answer::Unknown, _) => {}
        }
    }
}

/// A server that is gone is not asked a thousand times a second.
async fn breathe() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

fn lock(ledger: &Mutex<Ledger>) -> std::sync::MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
