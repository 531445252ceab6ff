//! The server is killed while entities are written. Every acknowledged version is there, no cascade
//! and no pair is half made, and the audit is complete. What it searched for in the background has
//! come to nothing.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use e2e::{
    binary::Running,
    entity::{Client, Ledger, Press, check, check_states},
    load::{Answer, text},
};
use reqwest::Method;
use serde_json::{Value, json};
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
    Client::new(&first.url).prepare().await;
    first.kill();
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    for round in 0..kills() {
        let server = serve();
        let press = Press::begin(&server.url, &ledger, round);
        // Lives of different length, so that every moment has its turn.
        tokio::time::sleep(Duration::from_millis(u64::from(20 + round * 37 % 280))).await;
        server.kill();
        press.end().await;
    }
    let server = serve();
    let client = Client::new(&server.url);
    let Ledger { entities, pairs, asked } = std::mem::take(&mut *ledger.lock().unwrap());
    assert!(entities.len() > enough() / 2, "only {} entities were created", entities.len());
    assert!(pairs.len() > enough() / 4, "only {} pairs were created", pairs.len());
    check_states(&client).await;
    for (id, told) in &entities {
        check(&client, id, told).await;
    }
    // Each search goes through all entities, so some of the pairs must do.
    for pair in asked.iter().rev().step_by(asked.len().div_ceil(100)) {
        let n_found = client.pair(*pair).await;
        let is_told = pairs.contains(pair);
        assert!(n_found == 2 || n_found == 0 && !is_told, "pair {pair}: {n_found}");
    }
    assert!(server.stop().0.success());
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

/// Begins a search through everything; says where it is.
async fn begin(client: &Client) -> String {
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    let begun = client.must(Method::POST, "/search/async/crash/1", &all).await;
    format!("/search/async/{}", text(&begun))
}

/// Kills servers that have just begun a search, until one of them did not come to its end: where it
/// is, what the next server says of it, and that server.
async fn left_behind(serve: impl Fn() -> Running) -> (String, Value, Running) {
    let mut server = serve();
    // A search may be faster than a signal.
    for _ in 0..50 {
        let search = begin(&Client::new(&server.url)).await;
        server.kill();
        server = serve();
        let status = Client::new(&server.url).get(&format!("{search}/status")).await;
        if status["searchJobStatus"] != "SUCCESSFUL" {
            return (search, status, server);
        }
    }
    panic!("every search is faster than a signal");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_was_under_way_when_the_server_was_killed_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let serve = || Running::serve(folder.path(), &["--store", "sqlite:search.db"]);
    let first = serve();
    let client = Client::new(&first.url);
    client.prepare().await;
    let many: Value = (0..10_000).map(|n| json!({"n": n})).collect();
    client.must(Method::POST, "/entity/JSON/crash/1?transactionWindow=1000", &many).await;
    assert!(first.stop().0.success());
    let (search, status, server) = left_behind(serve).await;
    assert_eq!(
        (&status["searchJobStatus"], &status["entitiesCount"]),
        (&json!("FAILED"), &json!(0))
    );
    assert!(status["finishTime"].is_string(), "{status}");
    let client = Client::new(&server.url);
    for (method, path) in [(Method::GET, search.clone()), (Method::PUT, format!("{search}/cancel"))]
    {
        let answer = client.send(method, &path, &Value::Null).await;
        assert!(matches!(answer, Answer::No(400, _)), "{path}");
    }
    // Those of this server come to their end.
    let own = begin(&client).await;
    let ended = loop {
        let status = client.get(&format!("{own}/status")).await;
        if status["searchJobStatus"] != "RUNNING" {
            break status;
        }
    };
    assert_eq!(ended["entitiesCount"], 10_000, "{ended}");
}
