//! What every watch of a bucket promises.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::StreamExt as _;
use waypost_lifecycle::{Bucket, BucketError, BucketEvent, BucketWatch, Revision};

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
    a_large_bucket_is_shown_to_many_of_whom_some_look_late,
    what_is_written_before_its_turn_is_shown_write_by_write,
];

/// `key=value`, `-key` or `.`, in the order they come.
pub(crate) async fn take(watch: &mut BucketWatch, count: usize) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..count {
        seen.push(match watch.next().await.unwrap().unwrap() {
            BucketEvent::Put(entry) => {
                format!("{}={}", entry.key, String::from_utf8_lossy(&entry.value))
            }
            BucketEvent::Deleted { key, .. } => format!("-{key}"),
            BucketEvent::CaughtUp => ".".to_owned(),
            BucketEvent::Missed { count } => format!("?{count}"),
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
            BucketEvent::Missed { count } => panic!("{count} writes were missed"),
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
    /// Far fewer than a watch can hold.
    const WRITES_MAX: u64 = 1_000;
    let bucket = site.bucket().await;
    let mut revision = bucket.create("a", "0".into()).await.unwrap();
    let (look, mut looked) = tokio::sync::mpsc::channel(1);
    let writer = {
        let bucket = Arc::clone(&bucket);
        tokio::spawn(async move {
            for number in 1_u64.. {
                revision = bucket.update("a", number.to_string().into(), revision).await.unwrap();
                // In memory a writer is so fast that a watch that gets no turn for a while would be
                // told that it fell behind. It rests until somebody has looked.
                if number % WRITES_MAX == 0 {
                    looked.recv().await;
                } else {
                    tokio::task::yield_now().await;
                }
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
            // If it does not rest, it will have it easier the next time.
            look.try_send(()).ok();
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

/// So many at once, each of which is looked at and dropped.
/// Makes keys `k0000` and so on, side by side.
async fn fill(bucket: &Arc<dyn Bucket>, keys: usize) -> Vec<Revision> {
    let creating: Vec<_> = (0..keys)
        .map(|key| {
            let bucket = Arc::clone(bucket);
            tokio::spawn(async move { bucket.create(&format!("k{key:04}"), "1".into()).await })
        })
        .collect();
    let mut revisions = Vec::new();
    for one in creating {
        revisions.push(one.await.unwrap().unwrap());
    }
    revisions
}

async fn a_large_bucket_is_shown_to_many_of_whom_some_look_late(site: Site) {
    const KEYS: usize = 700;
    const WATCHES: usize = 100;
    const WRITES: usize = 150;
    let bucket = site.bucket().await;
    let revisions = fill(&bucket, KEYS).await;
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for number in 0..WATCHES {
        let watch = bucket.watch().await.unwrap();
        if number % 2 == 0 { early.push(watch) } else { late.push(watch) }
    }
    let following: Vec<_> =
        early.into_iter().map(|it| tokio::spawn(seen(it, KEYS, WRITES))).collect();
    for (key, revision) in revisions.into_iter().enumerate().take(WRITES) {
        bucket.update(&format!("k{key:04}"), "2".into(), revision).await.unwrap();
    }
    for one in following {
        one.await.unwrap();
    }
    // They come back to what was there when they began, and to all that came since.
    for watch in late {
        seen(watch, KEYS, WRITES).await;
    }
}

/// Follows until every key and every write to one was shown, once and in order.
async fn seen(mut watch: BucketWatch, keys: usize, writes: usize) {
    let mut last: BTreeMap<String, u32> = BTreeMap::new();
    let mut n_writes = 0;
    while last.len() < keys || n_writes < writes {
        if let BucketEvent::Put(entry) = watch.next().await.unwrap().unwrap() {
            let number: u32 = std::str::from_utf8(&entry.value).unwrap().parse().unwrap();
            let before = last.insert(entry.key.clone(), number);
            assert_eq!(before.map_or(1, |it| it + 1), number, "of {}", entry.key);
            n_writes += usize::from(number == 2);
        }
    }
}

async fn what_is_written_before_its_turn_is_shown_write_by_write(site: Site) {
    const KEYS: usize = 300;
    let bucket = site.bucket().await;
    let mut revisions = fill(&bucket, KEYS).await;
    let mut watch = bucket.watch().await.unwrap();
    // Every key is written before the watch comes to most of them, one is deleted, one is new.
    for number in 2..=4 {
        for (key, revision) in revisions.iter_mut().enumerate() {
            let value = number.to_string();
            *revision =
                bucket.update(&format!("k{key:04}"), value.into(), *revision).await.unwrap();
        }
    }
    bucket.delete("k0007").await.unwrap();
    bucket.create("new", "1".into()).await.unwrap();
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while !shown.contains_key("new") || shown.len() <= KEYS {
        for one in take(&mut watch, 1).await {
            let (key, value) = one.split_once('=').unwrap_or((one.trim_start_matches('-'), "-"));
            if key != "." {
                shown.entry(key.to_owned()).or_default().push(value.to_owned());
            }
        }
    }
    for (key, values) in &shown {
        let complete = match key.as_str() {
            "new" => vec!["1"],
            // What is gone by its turn is not shown as it was at the beginning.
            "k0007" => {
                assert!(values.ends_with(&["3", "4", "-"].map(String::from)), "{values:?}");
                continue;
            }
            _ => vec!["1", "2", "3", "4"],
        };
        assert_eq!(*values, complete, "of {key}");
    }
}

#[tokio::test]
async fn a_watch_that_falls_too_far_behind_is_told() {
    let bucket = Site::memory().await.bucket().await;
    let mut watch = bucket.watch().await.unwrap();
    let mut revision = bucket.create("a", "0".into()).await.unwrap();
    for _ in 0..70_000 {
        revision = bucket.update("a", "1".into(), revision).await.unwrap();
    }
    let mut n_seen = 0;
    let end = loop {
        match watch.next().await.unwrap() {
            Ok(_) => n_seen += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(end, BucketError::Lagged);
    assert!(n_seen > 65_000, "what it was told before is shown: {n_seen}");
    assert!(watch.next().await.is_none());
}
