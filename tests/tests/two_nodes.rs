//! Two nodes on one PostgreSQL. One falls asleep past its leases; what it says afterwards is
//! refused, and the other one has gone on.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

use std::time::Duration;

use e2e::{
    binary::Running,
    load::{Answer, Client, text},
};
use serde_json::{Value, json};
use waypost_testkit::services;

async fn claim(client: &Client, worker: &str, lease_ms: u64) -> Vec<Value> {
    let body = json!({"workerId": worker, "max": 100, "leaseMs": lease_ms, "waitMs": 20_000});
    match client.post("/v1/chains/claim", None, &body).await {
        Answer::Yes(answer) => answer["tasks"].as_array().unwrap().clone(),
        Answer::No(status, problem) => panic!("{status} {problem}"),
        Answer::Unknown => panic!("no answer"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_slept_past_its_leases_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let serve = || Running::serve(folder.path(), &["--store", &database]);
    let (sleepy, awake) = (serve(), serve());
    let (first, second) = (Client::new(&sleepy.url), Client::new(&awake.url));
    assert!(first.deploy().await);
    for chain in 0..20 {
        assert!(matches!(first.start(&format!("r{chain}")).await, Answer::Yes(_)));
    }
    let held = claim(&first, "sleeper", 500).await;
    assert_eq!(held.len(), 20);
    sleepy.signal("STOP");
    // The reports are on their way to the node while it sleeps.
    let late: Vec<_> = held
        .iter()
        .map(|task| {
            let (client, task) = (first.clone(), task.clone());
            tokio::spawn(async move { client.report("sleeper", &task).await.0 })
        })
        .collect();
    // The other node's sweep takes the steps back, and its worker does them.
    let mut taken = Vec::new();
    while taken.len() < 20 {
        taken.extend(claim(&second, "worker", 60_000).await);
    }
    assert!(taken.iter().all(|it| it["attempts"] == 1), "each lost one lease");
    for task in &taken {
        assert!(matches!(second.report("worker", task).await.0, Answer::Yes(_)));
    }
    sleepy.signal("CONT");
    for answer in late {
        match answer.await.unwrap() {
            Answer::No(409, problem) => assert_eq!(problem["code"], "LEASE_LOST", "{problem}"),
            Answer::No(status, problem) => panic!("{status} {problem}"),
            Answer::Yes(answer) => panic!("a late report was taken: {answer}"),
            Answer::Unknown => panic!("no answer"),
        }
    }
    for task in &taken {
        let chain =
            second.get(&format!("/v1/chains/instances/{}", text(&task["instanceId"]))).await;
        assert_eq!(chain["steps"][0]["status"], "DONE");
        assert_eq!(chain["currentStepSeq"], 1);
    }
    second.finish_all().await;
    assert!(sleepy.stop().0.success());
    assert!(awake.stop().0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_on_one_node_is_woken_by_a_start_on_another() {
    let folder = tempfile::tempdir().unwrap();
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let serve = || Running::serve(folder.path(), &["--store", &database]);
    let (here, there) = (serve(), serve());
    let (first, second) = (Client::new(&here.url), Client::new(&there.url));
    assert!(first.deploy().await);
    let waiting = tokio::spawn(async move { claim(&second, "w", 30_000).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(matches!(first.start("r").await, Answer::Yes(_)));
    assert_eq!(waiting.await.unwrap().len(), 1);
}
