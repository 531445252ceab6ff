//! Others who write faster than anybody reads.

use futures_util::StreamExt as _;
use waypost_lifecycle::BucketEvent;

use crate::site::{Site, in_time};

/// Keys, and bytes of a value: together more than a server sends ahead to somebody who reads slowly.
const KEYS: usize = 40;
const BYTES: usize = 1_000_000;

/// How many events may come before the mark: what was there, what replaced it while it was shown, and
/// that some of that was missed.
const EVENTS_MAX: usize = 6 * KEYS;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_there_has_been_shown_although_others_keep_writing() {
    in_time(caught_up(Site::nats().await)).await;
}

async fn caught_up(site: Site) {
    let bucket = site.buckets.create("THINGS", 1).await.unwrap();
    let value = bytes::Bytes::from(vec![b'x'; BYTES]);
    let mut revisions = Vec::new();
    for key in 0..KEYS {
        revisions.push(bucket.create(&format!("k{key}"), value.clone()).await.unwrap());
    }
    let mut watch = bucket.watch().await.unwrap();
    let (mut seen, mut n_written) = (std::collections::BTreeSet::new(), 0);
    for n_events in 1.. {
        match watch.next().await.unwrap().unwrap() {
            BucketEvent::Put(entry) => drop(seen.insert(entry.key)),
            BucketEvent::Missed { .. } => {}
            BucketEvent::CaughtUp => break,
            other @ BucketEvent::Deleted { .. } => panic!("{other:?}"),
        }
        assert!(n_events < EVENTS_MAX, "the mark does not come");
        // For each that is read there are two more.
        for _ in 0..2 {
            let key = n_written % KEYS;
            let written = bucket.update(&format!("k{key}"), value.clone(), revisions[key]).await;
            revisions[key] = written.unwrap();
            n_written += 1;
        }
    }
    assert_eq!(seen.len(), KEYS, "all that was there all the time was shown before the mark");
}
