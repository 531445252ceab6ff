//! What every watch of a bucket promises.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::StreamExt as _;
use waypost_lifecycle::{BucketEvent, BucketWatch, Revision};

use crate::site::{Site, on_every_store};

on_every_store![
    a_watch_of_nothing_says_so,
    a_watch_shows_what_is_there_and_then_what_comes,
    a_deletion_is_shown_and_what_was_deleted_is_not,
    watches_do_not_disturb_each_other,
    a_bucket_is_not_taken_for_one_with_a_longer_name,
    a_watch_during_writes_misses_nothing,
    watches_that_begin_during_writes_repeat_nothing,
    many_keys_are_all_shown,
    watches_that_are_dropped_leave_nothing_behind,
];

/// `key=value`, `-key` or `.`, in the order they come.
async fn take(watch: &mut BucketWatch, count: usize) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..count {
        seen.push(match watch.next().await.unwrap().unwrap() {
            BucketEvent::Put(entry) => {
                format!("{}={}", entry.key, String::from_utf8_lossy(&entry.value))
            }
            BucketEvent::Deleted { key, .. } => format!("-{key}"),
            BucketEvent::CaughtUp => ".".to_owned(),
        });
    }
    seen
}

async fn a_watch_of_nothing_says_so(site: Site) {
    let bucket = site.bucket().await;
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(take(&mut watch, 1).await, ["."]);
    bucket.create("a", "1".into()).await.unwrap();
    assert_eq!(take(&mut watch, 1).await, ["a=1"]);
}

async fn a_watch_shows_what_is_there_and_then_what_comes(site: Site) {
    let bucket = site.bucket().await;
    let first = bucket.create("a", "1".into()).await.unwrap();
    let second = bucket.update("a", "2".into(), first).await.unwrap();
    bucket.create("b", "1".into()).await.unwrap();
    let mut watch = bucket.watch().await.unwrap();
    let mut present = take(&mut watch, 3).await;
    present.sort();
    assert_eq!(present, [".", "a=2", "b=1"]);
    let third = bucket.update("a", "3".into(), second).await.unwrap();
    bucket.update("a", "4".into(), third).await.unwrap();
    bucket.create("c", "1".into()).await.unwrap();
    let mut later = take(&mut watch, 3).await;
    // The writes to one key come in order; those to different ones need not.
    later.sort_by_key(|it| it.starts_with('c'));
    assert_eq!(later, ["a=3", "a=4", "c=1"]);
}

async fn a_deletion_is_shown_and_what_was_deleted_is_not(site: Site) {
    let bucket = site.bucket().await;
    bucket.create("gone", "1".into()).await.unwrap();
    bucket.delete("gone").await.unwrap();
    bucket.create("a", "1".into()).await.unwrap();
    let mut watch = bucket.watch().await.unwrap();
    let mut present = Vec::new();
    while present.last().is_none_or(|it| it != ".") {
        present.extend(take(&mut watch, 1).await);
    }
    // Some stores show the mark of the deletion; none shows the value.
    present.retain(|it| it != "-gone");
    assert_eq!(present, ["a=1", "."]);
    bucket.delete("a").await.unwrap();
    bucket.create("a", "2".into()).await.unwrap();
    assert_eq!(take(&mut watch, 2).await, ["-a", "a=2"]);
}

async fn watches_do_not_disturb_each_other(site: Site) {
    let bucket = site.bucket().await;
    let other = site.buckets.create("OTHERS", 4).await.unwrap();
    let mut watches = Vec::new();
    for _ in 0..10 {
        let mut watch = bucket.watch().await.unwrap();
        assert_eq!(take(&mut watch, 1).await, ["."]);
        watches.push(watch);
    }
    other.create("x", "1".into()).await.unwrap();
    bucket.create("a", "1".into()).await.unwrap();
    for watch in &mut watches {
        assert_eq!(take(watch, 1).await, ["a=1"]);
    }
}

async fn a_bucket_is_not_taken_for_one_with_a_longer_name(site: Site) {
    let bucket = site.bucket().await;
    let longer = site.buckets.create("THINGS2", 4).await.unwrap();
    longer.create("before", "1".into()).await.unwrap();
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(take(&mut watch, 1).await, ["."]);
    let first = longer.create("after", "1".into()).await.unwrap();
    longer.update("after", "2".into(), first).await.unwrap();
    longer.delete("before").await.unwrap();
    bucket.create("own", "1".into()).await.unwrap();
    assert_eq!(take(&mut watch, 1).await, ["own=1"]);
    assert_eq!(bucket.keys().await.unwrap(), ["own"]);
}

async fn a_watch_during_writes_misses_nothing(site: Site) {
    const KEYS: usize = 4;
    const WRITES: u32 = 40;
    // What a bucket no longer remembers, a watch that falls behind cannot show.
    let bucket = site.buckets.create("THINGS", 64).await.unwrap();
    let writers: Vec<_> = (0..KEYS)
        .map(|key| {
            let (bucket, key) = (Arc::clone(&bucket), format!("k{key}"));
            tokio::spawn(async move {
                let mut revision = bucket.create(&key, "0".into()).await.unwrap();
                for number in 1..=WRITES {
                    let value = number.to_string();
                    revision = bucket.update(&key, value.into(), revision).await.unwrap();
                }
            })
        })
        .collect();
    let mut watch = bucket.watch().await.unwrap();
    let mut seen: BTreeMap<String, (u32, Revision)> = BTreeMap::new();
    let mut is_caught_up = false;
    while seen.len() < KEYS || seen.values().any(|(number, _)| *number < WRITES) {
        match watch.next().await.unwrap().unwrap() {
            BucketEvent::CaughtUp => is_caught_up = true,
            BucketEvent::Deleted { key, .. } => panic!("{key} was not deleted"),
            BucketEvent::Put(entry) => {
                let number: u32 = std::str::from_utf8(&entry.value).unwrap().parse().unwrap();
                let before = seen.insert(entry.key.clone(), (number, entry.revision));
                if let Some((before, revision)) = before {
                    assert_eq!(number, before + 1, "of {}", entry.key);
                    assert!(entry.revision > revision);
                }
            }
        }
    }
    assert!(is_caught_up || take(&mut watch, 1).await == ["."]);
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn watches_that_begin_during_writes_repeat_nothing(site: Site) {
    let bucket = site.bucket().await;
    let mut revision = bucket.create("a", "0".into()).await.unwrap();
    let writer = {
        let bucket = Arc::clone(&bucket);
        tokio::spawn(async move {
            for number in 1_u64.. {
                revision = bucket.update("a", number.to_string().into(), revision).await.unwrap();
                // In memory nothing else would ever give the others, or the end, a chance.
                tokio::task::yield_now().await;
            }
        })
    };
    for _ in 0..60 {
        let mut watch = bucket.watch().await.unwrap();
        let mut last: Option<u64> = None;
        let mut n_seen = 0;
        while n_seen < 4 {
            if let BucketEvent::Put(entry) = watch.next().await.unwrap().unwrap() {
                let number = std::str::from_utf8(&entry.value).unwrap().parse().unwrap();
                assert!(last.is_none_or(|it| number > it), "{number} after {last:?}");
                (last, n_seen) = (Some(number), n_seen + 1);
            }
        }
    }
    writer.abort();
}

async fn many_keys_are_all_shown(site: Site) {
    const KEYS: usize = 1_200;
    let bucket = site.bucket().await;
    let creating: Vec<_> = (0..KEYS)
        .map(|key| {
            let bucket = Arc::clone(&bucket);
            tokio::spawn(async move { bucket.create(&format!("k{key:04}"), "1".into()).await })
        })
        .collect();
    for one in creating {
        one.await.unwrap().unwrap();
    }
    let keys = bucket.keys().await.unwrap();
    assert_eq!(keys, (0..KEYS).map(|it| format!("k{it:04}")).collect::<Vec<_>>());
}

async fn watches_that_are_dropped_leave_nothing_behind(site: Site) {
    let bucket = site.bucket().await;
    bucket.create("a", "1".into()).await.unwrap();
    for _ in 0..100 {
        let mut watch = bucket.watch().await.unwrap();
        assert_eq!(take(&mut watch, 1).await, ["a=1"]);
    }
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(take(&mut watch, 2).await, ["a=1", "."]);
}
