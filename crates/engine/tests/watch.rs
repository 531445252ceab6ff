//! A watch sees everything, in pieces that fit into memory.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{sync::Arc, time::Duration};

use waypost_engine::{
    Engine, Settings,
    chain::{Chains, Plan, PlannedStep, StartRequest},
    limits::{WATCH_BYTES_MAX, WATCH_CHANGES_MAX},
};
use waypost_kernel::{Change, Cursor, Json};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

/// Starts a chain for each size: so large is its context.
async fn chains_of(sizes: &[usize]) -> (Chains, Vec<String>) {
    let store = MemoryStore::new(Arc::new(SimClock::default()));
    let chains = Engine::new(Arc::new(store), Settings::default()).chain();
    let steps = vec![PlannedStep { step_type: "A".into(), max_attempts: None }];
    let plan = Plan { workflow_type: "order".into(), workflow_version: 1, steps };
    chains.deploy(plan).await.unwrap();
    let mut ids = Vec::new();
    for size in sizes {
        let context = Some(Json::parse(&format!("{{\"x\":\"{}\"}}", "x".repeat(*size))).unwrap());
        let request =
            StartRequest { workflow_type: "order".into(), context, ..StartRequest::default() };
        ids.push(chains.start(request).await.unwrap().chain.key.id.to_string());
    }
    (chains, ids)
}

/// Everything there is to see, piece by piece.
async fn pieces(chains: &Chains) -> Vec<Vec<Change>> {
    let mut watch = chains.watch(None, Cursor::default());
    let mut pieces = Vec::new();
    loop {
        let piece = watch.next(Duration::ZERO).await.unwrap();
        if piece.is_empty() {
            return pieces;
        }
        pieces.push(piece);
    }
}

fn ids_of(pieces: &[Vec<Change>]) -> Vec<String> {
    pieces.iter().flatten().map(|it| it.record.key.id.to_string()).collect()
}

fn bytes_of(piece: &[Change]) -> usize {
    piece.iter().map(|it| it.record.events.as_str().len()).sum()
}

#[tokio::test]
async fn a_watch_gives_no_more_bytes_at_a_time_than_it_may() {
    let third = WATCH_BYTES_MAX / 3;
    let mut sizes = vec![1; 20];
    sizes.extend([third; 10]);
    // Larger than it may be, and still not lost.
    sizes.extend([2 * WATCH_BYTES_MAX, 1, third, 2 * WATCH_BYTES_MAX]);
    let (chains, ids) = chains_of(&sizes).await;
    let pieces = pieces(&chains).await;
    for piece in &pieces {
        assert!(piece.len() == 1 || bytes_of(piece) <= WATCH_BYTES_MAX, "{}", bytes_of(piece));
    }
    assert_eq!(ids_of(&pieces), ids);
}

#[tokio::test]
async fn a_watch_takes_more_and_more_small_changes_at_a_time() {
    let (chains, ids) = chains_of(&[1; 1_000]).await;
    let pieces = pieces(&chains).await;
    let largest = pieces.iter().map(Vec::len).max().unwrap();
    assert_eq!(u32::try_from(largest).unwrap(), WATCH_CHANGES_MAX);
    assert_eq!(ids_of(&pieces), ids);
}
