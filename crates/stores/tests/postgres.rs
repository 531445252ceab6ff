//! PostgreSQL keeps every promise, also when several nodes share it.
#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::Arc;

use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};
use waypost_testkit::{clock::SimClock, conformance, services};

#[tokio::test(flavor = "multi_thread")]
async fn the_postgres_store_keeps_every_promise() {
    let url = services::postgres().unwrap();
    let number = std::sync::atomic::AtomicU32::new(0);
    conformance::store(async || {
        let clock = Arc::new(SimClock::default());
        let n = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let schema = format!("c{}_{n}", std::process::id());
        let options = PostgresOptions { schema: Some(schema), ..PostgresOptions::default() };
        let store = PostgresStore::connect(&url, options, StoreClock::Given(clock.clone())).await;
        (store.unwrap(), clock)
    })
    .await;
}
