//! Watches hold little, however much there is to see and whoever does not look. Alone in its process,
//! because it measures it.
#![expect(
    dead_code,
    unused_macros,
    unused_imports,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has failed; the site is shared with other tests"
)]

#[path = "lifecycle/site.rs"]
mod site;

use std::sync::Arc;

use futures_util::StreamExt as _;
use waypost_lifecycle::{Bucket, BucketEvent};

use crate::site::{Site, in_time};

/// A bucket of some 16 MB: a hundred copies of it would be 1600.
const KEYS: usize = 8_000;
const VALUE: usize = 2_048;
const WATCHES: usize = 100;

/// What a hundred watches may take together. NATS sends each of them a few megabytes before it waits.
const MB_MAX: u64 = 120;
const NATS_MB_MAX: u64 = 600;

/// Megabytes that this process has in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}

async fn fill(bucket: &Arc<dyn Bucket>) {
    let text = format!("{{\"text\":\"{}\"}}", "x".repeat(VALUE));
    let creating = (0..KEYS).map(|key| {
        let (bucket, text) = (Arc::clone(bucket), text.clone());
        async move { bucket.create(&format!("k{key:05}"), text.into()).await.unwrap() }
    });
    let mut creating = futures_util::stream::iter(creating).buffer_unordered(64);
    while creating.next().await.is_some() {}
}

async fn measure(name: &str, most: u64, site: Site) {
    let bucket = site.bucket().await;
    fill(&bucket).await;
    // What is needed once, by whoever watches, counts for nothing.
    assert_eq!(bucket.keys().await.unwrap().len(), KEYS);
    let before = resident();
    let mut watches = Vec::new();
    for number in 0..WATCHES {
        let mut watch = bucket.watch().await.unwrap();
        // Some do not look at all, some look at a little, some at everything there is.
        let n_seen = match number {
            _ if number % 20 == 0 => KEYS,
            _ if number % 2 == 0 => 10,
            _ => 0,
        };
        for _ in 0..n_seen {
            assert!(matches!(watch.next().await.unwrap().unwrap(), BucketEvent::Put(_)));
        }
        watches.push(watch);
    }
    let more = resident().saturating_sub(before);
    assert!(more < most, "{WATCHES} watches on {name} take {more} MB");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_watches_of_a_large_bucket_take_little() {
    in_time(measure("memory", MB_MAX, Site::memory().await)).await;
    in_time(measure("sqlite", MB_MAX, Site::sqlite().await)).await;
    in_time(measure("postgres", MB_MAX, Site::postgres().await)).await;
    #[cfg(feature = "nats")]
    in_time(measure("nats", NATS_MB_MAX, Site::nats().await)).await;
}
