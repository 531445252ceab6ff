//! The database's clock judges leases, whatever the nodes' clocks show.

use std::time::Duration;

use waypost_kernel::{
    Commit, Conflict, Expectation, Store as _, StoreError, TaskChange, Timestamp,
};
use waypost_stores::StoreClock;

use crate::site::{Site, claim, key, schedule, task};

const NOW: &str = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint";

#[tokio::test(flavor = "multi_thread")]
async fn the_database_judges_leases() {
    let [first, second] = Site::new().two_nodes().await;
    let work = task(&key("leased"), "pack");
    let finish = |token: &str| Commit {
        expect: vec![Expectation::Lease {
            task: work.at.clone(),
            token: token.into(),
            worker: "ann".into(),
        }],
        tasks: vec![TaskChange::Withdraw(work.at.clone())],
        ..Commit::default()
    };
    first.commit(schedule([work.clone()])).await.unwrap();
    // Over before anybody can do anything with it.
    let taken = first.claim(claim("short", 1, Duration::from_micros(1))).await.unwrap();
    assert_eq!(taken.len(), 1);
    let late = second.commit(finish("short")).await;
    assert_eq!(late, Err(StoreError::Conflict(Conflict::Lease(work.at.clone()))));
    let again = Commit {
        expect: vec![Expectation::Lapsed { task: work.at.clone(), token: "short".into() }],
        tasks: vec![TaskChange::Release(work.at.clone())],
        ..Commit::default()
    };
    second.commit(again).await.unwrap();
    let taken = second.claim(claim("long", 1, Duration::from_hours(1))).await.unwrap();
    assert_eq!(taken.len(), 1);
    first.commit(finish("long")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_follows_the_database_and_never_runs_ahead_of_it() {
    let site = Site::new();
    let before = Timestamp::from_micros(site.sql().await.query_one(NOW, &[]).await.unwrap().get(0));
    let store = site.node(StoreClock::Database).await;
    for round in 0..20 {
        store.commit(schedule([task(&key("tick"), &round.to_string())])).await.unwrap();
        let shown = store.now();
        let after = Timestamp::from_micros(site.number(NOW).await);
        assert!(before <= shown && shown <= after, "{before:?} {shown:?} {after:?}");
    }
}
