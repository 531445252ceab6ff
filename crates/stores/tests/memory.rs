//! The store in memory keeps every promise.

use std::sync::Arc;

use waypost_stores::MemoryStore;
use waypost_testkit::{clock::SimClock, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_store_keeps_every_promise() {
    conformance::store(async || {
        let clock = Arc::new(SimClock::default());
        (MemoryStore::new(clock.clone()), clock)
    })
    .await;
}
