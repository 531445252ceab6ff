//! What watches leave behind that are dropped, on every store: nothing, and soon.

use std::time::Duration;

use futures_util::future::join_all;
use waypost_lifecycle::Bucket;

use crate::{
    bucket_watch::take,
    site::{Site, on_every_store},
};

on_every_store![
    ten_thousand_watches_that_are_dropped_leave_nothing_behind,
    watches_that_are_dropped_are_gone_within_a_second,
];

async fn pass_by(bucket: &dyn Bucket, watches: usize) {
    join_all((0..watches).map(async |_| {
        let mut watch = bucket.watch().await.unwrap();
        assert_eq!(take(&mut watch, 1).await, ["a=1"]);
    }))
    .await;
}

async fn ten_thousand_watches_that_are_dropped_leave_nothing_behind(site: Site) {
    let bucket = site.bucket().await;
    bucket.create("a", "1".into()).await.unwrap();
    let n_held = &*site.n_held;
    let before = n_held().await;
    for _ in 0..100 {
        pass_by(&*bucket, 100).await;
    }
    while n_held().await > before {
        tokio::task::yield_now().await;
    }
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(take(&mut watch, 2).await, ["a=1", "."]);
    assert!(n_held().await > before, "it is counted");
}

async fn watches_that_are_dropped_are_gone_within_a_second(site: Site) {
    const WATCHES: usize = 20;
    const ROUNDS: u32 = 5;
    let bucket = site.bucket().await;
    bucket.create("a", "1".into()).await.unwrap();
    let n_held = &*site.n_held;
    let before = n_held().await;
    // A machine that is busy may be slow now and then, and is not most of the time.
    let mut n_soon = 0;
    for round in 0..ROUNDS {
        let mut watches = Vec::new();
        for _ in 0..WATCHES {
            let mut watch = bucket.watch().await.unwrap();
            assert_eq!(take(&mut watch, 2).await, ["a=1", "."]);
            watches.push(watch);
        }
        assert!(n_held().await >= before + WATCHES, "in round {round}");
        drop(watches);
        let gone = async || {
            while n_held().await > before {
                tokio::task::yield_now().await;
            }
        };
        n_soon += u32::from(tokio::time::timeout(Duration::from_secs(1), gone()).await.is_ok());
        gone().await;
    }
    assert!(n_soon > ROUNDS / 2, "in {n_soon} of {ROUNDS} rounds");
}
