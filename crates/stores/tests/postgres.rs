//! PostgreSQL keeps every promise, also when several nodes share it.
#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "postgres/fault.rs"]
mod fault;
#[path = "postgres/landing.rs"]
mod landing;
#[path = "postgres/lease.rs"]
mod lease;
#[path = "postgres/nodes.rs"]
mod nodes;
#[path = "postgres/opening.rs"]
mod opening;
#[path = "postgres/plans.rs"]
mod plans;
#[path = "postgres/site.rs"]
mod site;
#[path = "postgres/watch.rs"]
mod watch;

use std::sync::Arc;

use site::Site;
use waypost_stores::StoreClock;
use waypost_testkit::{clock::SimClock, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn the_postgres_store_keeps_every_promise() {
    conformance::store(async || {
        let clock = Arc::new(SimClock::default());
        (Site::new().node(StoreClock::Given(clock.clone())).await, clock)
    })
    .await;
}
