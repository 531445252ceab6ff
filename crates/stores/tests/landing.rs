//! Stores with one writer never give a time twice, whatever the clock shows.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{sync::Arc, time::Duration};

use waypost_kernel::{
    Commit, Facets, Json, Key, Kind, Records as _, Store, Timestamp, Timing, Version, Write,
};
use waypost_stores::{MemoryStore, SqliteOptions, SqliteStore};
use waypost_testkit::clock::SimClock;

const NOW: Timestamp = Timestamp::from_millis(1_780_000_000_000);

/// Begins an instance when the store says.
fn begin(id: &str) -> Commit {
    let write = Write {
        key: Key::new("acme".into(), Kind::Entity, id.into()),
        version: Version(1),
        facets: Facets::default(),
        state: Json::of(id),
        at: Timestamp::EPOCH,
        keeps_past: true,
        terms: None,
    };
    Commit { writes: vec![write], timing: Timing::Landed, ..Commit::default() }
}

async fn ensure_times_go_up(store: &dyn Store) {
    let mut last = store.now();
    store.settle(last).await.unwrap();
    for number in 0..20 {
        let at = store.commit(begin(&format!("e-{number}"))).await.unwrap().at;
        assert!(at > last, "{at:?} is given after {last:?}");
        last = at;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_two_commits_land_at_one_time() {
    let clock = Arc::new(SimClock::at(NOW));
    ensure_times_go_up(&MemoryStore::new(clock.clone())).await;
    let options = SqliteOptions::default();
    ensure_times_go_up(&SqliteStore::temporary(options, clock).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_opened_again_with_a_slower_clock_goes_on_from_its_last_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.db");
    let mut last = NOW;
    for (number, hours) in [(1, 0_u32), (2, 2), (3, 1), (4, 3)] {
        let clock = Arc::new(SimClock::at(NOW - Duration::from_secs(3_600) * hours));
        let store = SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap();
        let at = store.commit(begin(&format!("e-{number}"))).await.unwrap().at;
        assert!(at > last || number == 1, "{at:?} is given after {last:?}");
        assert!(at >= NOW);
        let key = Key::new("acme".into(), Kind::Entity, format!("e-{number}").as_str().into());
        let stored = store.load(&[key]).await.unwrap().pop().unwrap().unwrap();
        assert_eq!(stored.updated_at, at);
        store.close().await.unwrap();
        last = at;
    }
}
