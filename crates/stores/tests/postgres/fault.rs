//! Connections break. What was acknowledged stays, and the store recovers by itself.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;
use waypost_kernel::{Commit, Key, Store as _, StoreError, Version};
use waypost_stores::{PostgresStore, StoreClock};

use crate::site::{Site, bump, claim, commit_when_back, key, load, schedule, task};

/// Moves an instance on until it is told to stop; returns the last version acknowledged and the
/// number of commits whose outcome nobody knows.
async fn drive(
    store: Arc<PostgresStore>,
    key: Key,
    stop: tokio::sync::watch::Receiver<bool>,
) -> (u64, u64) {
    let (mut acknowledged, mut n_unknown) = (0, 0);
    while !*stop.borrow() {
        match store.commit(bump(&key, acknowledged + 1)).await {
            Ok(_) => acknowledged += 1,
            // The one before it landed after all.
            Err(StoreError::Conflict(_)) => acknowledged += 1,
            Err(StoreError::Unknown(_)) => n_unknown += 1,
            Err(StoreError::Unavailable(_) | StoreError::Busy) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
    (acknowledged, n_unknown)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_the_end_of_its_connections() {
    let site = Site::new();
    let store = Arc::new(site.node(StoreClock::Database).await);
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut drivers = JoinSet::new();
    for number in 0..16 {
        let key = key(&format!("driven-{number}"));
        let (store, stopped) = (Arc::clone(&store), stopped.clone());
        drivers.spawn(async move { (key.clone(), drive(store, key, stopped).await) });
    }
    for round in 0..12 {
        // Some progress between two blows.
        commit_when_back(&store, &bump(&key(&format!("between-{round}")), 1)).await;
        site.end_connections().await;
    }
    commit_when_back(&store, &bump(&key("after"), 1)).await;
    stop.send(true).unwrap();
    for (key, (acknowledged, n_unknown)) in drivers.join_all().await {
        let found = load(&store, &key).await.map_or(Version::ABSENT, |it| it.version);
        assert!(found >= Version(acknowledged), "{key}: {found} < {acknowledged}");
        assert!(found <= Version(acknowledged + n_unknown.min(1)), "{key}: {found}");
    }
    // One event for each version: nothing is half there.
    let n_versions = site.number("select sum(version)::bigint from instances").await;
    assert_eq!(site.number("select count(*) from events").await, n_versions);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_broke_while_idle_costs_nobody_anything() {
    let site = Site::new();
    let store = site.node(StoreClock::Database).await;
    let key = key("calm");
    store.commit(schedule([task(&key, "pack")])).await.unwrap();
    for version in 1..=5 {
        site.end_connections().await;
        store.commit(bump(&key, version)).await.unwrap();
        assert_eq!(load(&store, &key).await.unwrap().version, Version(version));
    }
    site.end_connections().await;
    let claimed = store.claim(claim("token", 1, Duration::from_secs(60))).await.unwrap();
    assert_eq!(claimed.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_store_has_landed_what_it_took_and_takes_no_more() {
    let site = Site::new();
    let store = Arc::new(site.node(StoreClock::Database).await);
    let mut callers = JoinSet::new();
    for number in 0..50 {
        let (store, commit) = (Arc::clone(&store), bump(&key(&format!("last-{number}")), 1));
        callers.spawn(async move { store.commit(commit).await });
    }
    store.close().await;
    for outcome in callers.join_all().await {
        assert!(matches!(outcome, Ok(_) | Err(StoreError::Unavailable(_))), "{outcome:?}");
    }
    let refused = store.commit(Commit::default()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}
