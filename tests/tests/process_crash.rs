//! The server is killed while processes run: forks and joins, timers, signals, chains of
//! processes. Everything it acknowledged is there, and everything happens exactly once.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use e2e::{
    binary::Running,
    process::{Ledger, Press, Verdict},
};
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
    let serve = || Running::serve(folder.path(), &["--store", store, "--grpc", "127.0.0.1:0"]);
    let first = serve();
    Press::upload(&first.url).await;
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
    let verdict = Verdict::finish(&server.url, &ledger).await;
    let Ledger { started, completed } = std::mem::take(&mut *ledger.lock().unwrap());
    assert!(started.len() > enough(), "only {} instances were started", started.len());
    assert!(completed.len() > 2 * enough(), "only {} jobs were done", completed.len());
    for (request, id) in &started {
        verdict.check_instance(request, id).await;
    }
    for (place, job) in &completed {
        verdict.check_job(place, job).await;
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
