//! Watching what several nodes commit.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use waypost_kernel::{Change, Cursor, Kind, Records as _, Scope, Store as _, StoreError};
use waypost_stores::{PostgresStore, StoreClock};

use crate::site::{Site, bump, key};

const INSTANCES: u64 = 6;
const VERSIONS: u64 = 25;

fn face() -> Scope {
    Scope { tenant: "acme".into(), kind: Kind::Chain, instance: None }
}

/// Takes an instance through all its versions, from whichever node gets there first.
async fn move_on(node: Arc<PostgresStore>, id: String) {
    let key = key(&id);
    for version in 1..=VERSIONS {
        match node.commit(bump(&key, version)).await {
            Ok(_) | Err(StoreError::Conflict(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Follows until everything has been seen, a few changes at a time.
async fn follow(node: Arc<PostgresStore>, scope: Scope, n_changes: u64) -> Vec<Change> {
    let mut seen: Vec<Change> = Vec::new();
    while (seen.len() as u64) < n_changes {
        let cursor = seen.last().map_or_else(Cursor::default, |it| it.cursor.clone());
        seen.extend(node.watch(&scope, &cursor, 7, Duration::from_secs(5)).await.unwrap());
    }
    seen
}

fn assert_in_order(seen: &[Change]) {
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for change in seen {
        let version = last.entry(change.record.key.id.as_str()).or_default();
        assert_eq!(change.record.version.0, *version + 1, "{}", change.record.key);
        *version += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_watcher_sees_every_history_in_order_whichever_node_wrote_it() {
    let nodes = Site::new().two_nodes().await;
    let mut watchers = JoinSet::new();
    for node in &nodes {
        watchers.spawn(follow(Arc::clone(node), face(), INSTANCES * VERSIONS));
        let one = Scope { instance: Some("moved-3".into()), ..face() };
        watchers.spawn(follow(Arc::clone(node), one, VERSIONS));
    }
    let mut writers = JoinSet::new();
    for node in &nodes {
        for number in 0..INSTANCES {
            writers.spawn(move_on(Arc::clone(node), format!("moved-{number}")));
        }
    }
    writers.join_all().await;
    let seen = tokio::time::timeout(Duration::from_secs(60), watchers.join_all()).await.unwrap();
    seen.iter().for_each(|seen| assert_in_order(seen));
    // From the beginning it is the same, and any cursor can be gone on from.
    let all = nodes[0].watch(&face(), &Cursor::default(), 1_000, Duration::ZERO).await.unwrap();
    assert_in_order(&all);
    for (index, change) in all.iter().enumerate() {
        let rest = nodes[1].watch(&face(), &change.cursor, 1_000, Duration::ZERO).await.unwrap();
        assert_eq!(rest, all[index + 1..]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_outlives_the_node_that_gave_it() {
    let site = Site::new();
    let mut cursor = Cursor::default();
    for version in 1..=4 {
        let node = site.node(StoreClock::Database).await;
        node.commit(bump(&key("long-lived"), version)).await.unwrap();
        let seen = node.watch(&face(), &cursor, 10, Duration::ZERO).await.unwrap();
        assert_eq!(seen.iter().map(|it| it.record.version.0).collect::<Vec<_>>(), [version]);
        cursor = seen[0].cursor.to_string().parse().unwrap();
    }
}
