//! The server is killed under load, again and again. Everything it acknowledged is there, and every
//! chain ends exactly once.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use e2e::{
    binary::Running,
    load::{Answer, Client, Ledger, press, text},
};
use serde_json::Value;
use waypost_testkit::services;

/// How often the server is killed on each database. `WAYPOST_KILLS` asks for more.
fn kills() -> u32 {
    std::env::var("WAYPOST_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(200)
}

/// Less than this would prove little: about one for each life.
fn enough() -> usize {
    kills() as usize
}

async fn kill_again_and_again(store: &str) {
    let folder = tempfile::tempdir().unwrap();
    let serve = || Running::serve(folder.path(), &["--store", store]);
    let first = serve();
    assert!(Client::new(&first.url).deploy().await);
    first.kill();
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    for round in 0..kills() {
        let server = serve();
        let pressure = press(&server.url, &ledger, round);
        // Lives of different length, so that every moment has its turn.
        tokio::time::sleep(Duration::from_millis(u64::from(20 + round * 37 % 280))).await;
        server.kill();
        pressure.stop().await;
    }
    let server = serve();
    let client = Client::new(&server.url);
    client.finish_all().await;
    let Ledger { started, completed, .. } = std::mem::take(&mut *ledger.lock().unwrap());
    check(&client, &started).await;
    assert!(completed.len() > enough() / 2, "only {} chains were worked on", completed.len());
    for (id, steps) in completed {
        let done = happened(&client, &id, "STEP_DONE").await;
        let steps_done: Vec<u64> = done.iter().filter_map(|it| it["stepSeq"].as_u64()).collect();
        for step in steps {
            let times = steps_done.iter().filter(|it| **it == step).count();
            assert_eq!(times, 1, "step {step} of {id}: {done:?}");
        }
    }
    assert!(server.stop().0.success());
}

async fn check(client: &Client, started: &std::collections::BTreeMap<String, String>) {
    assert!(started.len() > enough(), "only {} chains were started", started.len());
    for (request, id) in started {
        let chain = client.get(&format!("/v1/chains/instances/{id}")).await;
        assert_eq!(chain["status"], "COMPLETED", "{request}: {chain}");
        assert_eq!(happened(client, id, "COMPLETED").await.len(), 1, "{id} ended more than once");
        match client.start(request).await {
            Answer::Yes(again) => assert_eq!(text(&again["instanceId"]), *id, "{request}"),
            Answer::No(status, problem) => panic!("{request}: {status} {problem}"),
            Answer::Unknown => panic!("{request}: no answer"),
        }
    }
}

/// The events of that name in a chain's history.
async fn happened(client: &Client, id: &str, name: &str) -> Vec<Value> {
    let history = client.get(&format!("/v1/chains/instances/{id}/events?pageSize=1000")).await;
    let commits = history["items"].as_array().cloned().unwrap_or_default();
    let events = commits.iter().flat_map(|it| it["events"].as_array().cloned().unwrap_or_default());
    events.filter(|it| it["type"] == name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crash.db");
    kill_again_and_again(&format!("sqlite:{}", path.display())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_on_postgresql() {
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    kill_again_and_again(&database).await;
}
