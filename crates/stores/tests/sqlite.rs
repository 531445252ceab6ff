//! The SQLite store keeps every promise, and some of its own.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::Arc;

use waypost_stores::{SqliteOptions, SqliteStore};
use waypost_testkit::{clock::SimClock, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_store_keeps_every_promise() {
    conformance::store(async || {
        let clock = Arc::new(SimClock::default());
        (SqliteStore::temporary(SqliteOptions::default(), clock.clone()).unwrap(), clock)
    })
    .await;
}
