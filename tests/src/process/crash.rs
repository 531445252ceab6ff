//! Processes under a server that is killed: what it acknowledged, and whether that is so.
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Rest;
use crate::load::text;

/// Leases are as short as the wire allows, so that those of a killed server come back soon.
const LEASE_SECONDS: u32 = 5;
const JOB_TYPES: [&str; 6] = ["a1", "a2", "b", "c", "late", "q"];

/// What the outside was told.
#[derive(Default)]
pub struct Ledger {
    /// Requests that were answered with the instance they started.
    pub started: BTreeMap<String, String>,
    /// Jobs whose completion was acknowledged: instance and step, and the job.
    pub completed: BTreeMap<(String, String), String>,
}

/// Two branches that meet, a wait that a signal or a timer ends, and a process that follows.
fn definitions() -> [Value; 2] {
    let task = |id: &str, next: &str| {
        json!({"id": id, "name": id, "type": "SERVICE_TASK", "jobType": id, "nextStep": next,
               "retryCount": 100})
    };
    let end = json!({"id": "end", "name": "End", "type": "END"});
    let wait = json!({"id": "wait", "name": "Wait", "type": "WAIT", "nextStep": "c",
        "boundaryEvents": [{"type": "TIMER", "duration": "PT1S", "interrupting": true,
                            "targetStepId": "late"}]});
    [
        json!({"id": "crash-q", "name": "Q", "steps": [task("q", "end"), end]}),
        json!({"id": "crash-p", "name": "P", "autoStartNextWorkflow": true,
            "nextWorkflowId": "crash-q", "steps": [
                {"id": "fork", "name": "Fork", "type": "PARALLEL_GATEWAY",
                 "parallelNextSteps": ["a1", "b"], "joinStep": "join"},
                task("a1", "a2"), task("a2", "join"), task("b", "join"),
                {"id": "join", "name": "Join", "type": "JOIN_GATEWAY", "nextStep": "wait"},
                wait, task("late", "c"), task("c", "end"), end]}),
    ]
}

/// Clients and workers at work.
pub struct Press {
    stop: CancellationToken,
    actors: JoinSet<()>,
}

impl Press {
    /// Uploads what everybody works on.
    pub async fn upload(url: &str) {
        for definition in definitions() {
            super::Wire::upload(&Rest::new(url), &definition).await;
        }
    }

    /// Puts two clients and four workers to work on the server at `url`.
    #[must_use]
    pub fn begin(url: &str, ledger: &Arc<Mutex<Ledger>>, round: u32) -> Self {
        let (stop, mut actors) = (CancellationToken::new(), JoinSet::new());
        for actor in 0..2 {
            let (rest, ledger, stop) = (Rest::new(url), Arc::clone(ledger), stop.clone());
            actors.spawn(async move {
                for number in 0.. {
                    if stop.is_cancelled() {
                        return;
                    }
                    start(&rest, &ledger, format!("r{round}-{actor}-{number}")).await;
                }
            });
        }
        for actor in 0..4 {
            let (rest, ledger, stop) = (Rest::new(url), Arc::clone(ledger), stop.clone());
            let worker = format!("w{round}-{actor}");
            actors.spawn(async move {
                while !stop.is_cancelled() {
                    work(&rest, &ledger, &worker).await;
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

async fn start(rest: &Rest, ledger: &Mutex<Ledger>, request: String) {
    let body = json!({"definitionId": "crash-p", "businessKey": request});
    let Ok((201, _, instance)) = rest.post("/v1/instances", &body, Some(&request)).await else {
        return breathe().await;
    };
    lock(ledger).started.insert(request, text(&instance["id"]));
}

/// Does some jobs; says whether there were any.
async fn work(rest: &Rest, ledger: &Mutex<Ledger>, worker: &str) -> bool {
    let body = json!({"workerId": worker, "jobTypes": JOB_TYPES, "maxJobs": 8,
        "leaseSeconds": LEASE_SECONDS, "waitMs": 50});
    let jobs = match rest.post("/v1/jobs/poll", &body, None).await {
        Ok((200, _, answer)) => answer["jobs"].as_array().cloned().unwrap_or_default(),
        Ok(_) | Err(_) => Vec::new(),
    };
    if jobs.is_empty() {
        breathe().await;
        return false;
    }
    for job in jobs {
        let (id, step) = (text(&job["id"]), text(&job["stepId"]));
        let body = json!({"workerId": worker, "variables": {&step: &id}});
        let path = format!("/v1/jobs/{id}/complete");
        if let Ok((204, false, _)) = rest.post(&path, &body, None).await {
            let instance = text(&job["instanceId"]);
            lock(ledger).completed.insert((instance.clone(), step.clone()), id);
            // Of some, the wait is ended by a signal; of the others, by the timer.
            if step == "b" && instance.as_bytes().get(15).is_some_and(|it| it % 2 == 0) {
                let path = format!("/v1/instances/{instance}/signals/wait");
                drop(rest.post(&path, &json!({}), None).await);
            }
        }
    }
    true
}

/// A server that is gone is not asked a thousand times a second.
async fn breathe() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What has become of everything.
pub struct Verdict {
    rest: Rest,
}

impl Verdict {
    /// Works until nothing is under way any more.
    ///
    /// # Panics
    /// When that does not happen.
    pub async fn finish(url: &str, ledger: &Mutex<Ledger>) -> Self {
        let rest = Rest::new(url);
        // Leases of the dead must lapse first; while there is work, nobody loses patience.
        let mut idle_rounds = 0;
        while idle_rounds < 3_000 {
            let worked = tokio::join!(
                work(&rest, ledger, "finisher-1"),
                work(&rest, ledger, "finisher-2"),
                work(&rest, ledger, "finisher-3"),
                work(&rest, ledger, "finisher-4"),
            );
            if worked.0 || worked.1 || worked.2 || worked.3 {
                continue;
            }
            idle_rounds += 1;
            let under_way = |definition: &'static str, status: &'static str| {
                let path = format!("/v1/instances?definitionId={definition}&status={status}");
                let rest = &rest;
                async move { rest.get(&format!("{path}&pageSize=1")).await["total"].as_u64() }
            };
            let mut left = 0;
            for definition in ["crash-p", "crash-q"] {
                for status in ["ACTIVE", "WAITING"] {
                    left += under_way(definition, status).await.unwrap_or(1);
                }
            }
            let children = rest.get("/v1/instances?definitionId=crash-q&pageSize=1").await;
            let parents = rest.get("/v1/instances?definitionId=crash-p&pageSize=1").await;
            if left == 0 && children["total"] == parents["total"] {
                return Self { rest };
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        unreachable!("instances are still under way");
    }

    /// An instance that was started ran exactly once, and so did the one that follows it.
    ///
    /// # Panics
    /// When that is not so.
    pub async fn check_instance(&self, request: &str, id: &str) {
        let instance = self.rest.get(&format!("/v1/instances/{id}")).await;
        assert_eq!(instance["status"], "COMPLETED", "{request}: {instance}");
        let history = self.rest.get(&format!("/v1/instances/{id}/history")).await;
        let visits = |step: &str, status: &str| {
            let items = history["items"].as_array().into_iter().flatten();
            items.filter(|it| it["stepId"] == step && it["status"] == status).count()
        };
        for (step, times) in
            [("fork", 1), ("a1", 1), ("a2", 1), ("b", 1), ("join", 2), ("c", 1), ("end", 1)]
        {
            assert_eq!(visits(step, "COMPLETED"), times, "{step} of {id}: {history}");
        }
        let (signaled, timed_out) = (visits("wait", "COMPLETED"), visits("wait", "FAILED"));
        assert_eq!(signaled + timed_out, 1, "the wait of {id}: {history}");
        assert_eq!(visits("late", "COMPLETED"), timed_out, "the timer of {id}: {history}");
        let path = format!("/v1/instances?definitionId=crash-q&businessKey={request}");
        let children = self.rest.get(&path).await;
        assert_eq!(children["total"], 1, "the children of {id}: {children}");
        assert_eq!(children["items"][0]["status"], "COMPLETED", "{children}");
        let again = json!({"definitionId": "crash-p", "businessKey": request});
        let again = self.rest.post("/v1/instances", &again, Some(request)).await;
        let (status, _, again) = again.expect("the server answers");
        assert_eq!((status, text(&again["id"])), (201, id.to_owned()), "{request}");
    }

    /// What a job brought back is there.
    ///
    /// # Panics
    /// When that is not so.
    pub async fn check_job(&self, (instance, step): &(String, String), job: &str) {
        let seen = self.rest.get(&format!("/v1/instances/{instance}")).await;
        assert_eq!(seen["variables"][step], job, "{step} of {instance}");
    }
}
