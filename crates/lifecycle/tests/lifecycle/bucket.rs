//! What every bucket promises.

use std::sync::Arc;

use waypost_lifecycle::{Bucket, BucketError, Retained, RetainedValue, Revision};

use crate::site::{Site, on_every_store};

on_every_store![
    a_bucket_that_was_not_made_is_missing,
    a_name_that_makes_no_sense_is_refused,
    what_is_created_is_there,
    what_is_there_cannot_be_created,
    an_update_needs_the_last_revision,
    an_update_of_nothing_finds_nothing,
    revisions_go_up_across_the_bucket,
    what_is_deleted_is_gone_and_may_be_created_again,
    history_tells_what_is_retained,
    keys_and_entries_are_those_that_are_there,
    several_keys_are_read_at_once,
    any_bytes_are_kept,
    buckets_do_not_see_each_other,
    one_of_many_writers_wins,
    one_of_many_creators_wins,
];

async fn value(bucket: &dyn Bucket, key: &str) -> Option<String> {
    let entry = bucket.get(key).await.unwrap()?;
    Some(String::from_utf8(entry.value.to_vec()).unwrap())
}

async fn a_bucket_that_was_not_made_is_missing(site: Site) {
    let missing = site.buckets.open("THINGS").await.err().unwrap();
    assert!(matches!(missing, BucketError::Missing(_)), "{missing:?}");
    site.buckets.create("THINGS", 3).await.unwrap();
    let first = site.buckets.open("THINGS").await.unwrap();
    first.create("a", "1".into()).await.unwrap();
    let again = site.buckets.create("THINGS", 3).await.unwrap();
    assert_eq!(value(&*again, "a").await.as_deref(), Some("1"), "making it again keeps it");
}

async fn a_name_that_makes_no_sense_is_refused(site: Site) {
    for name in ["", "a b", "a.b", "a/b", "a*"] {
        let refused = site.unprefixed().create(name, 1).await.err();
        let is_invalid = matches!(refused, Some(BucketError::InvalidName(_)));
        assert!(is_invalid, "{name:?}: {refused:?}");
    }
    let bucket = site.bucket().await;
    for key in ["", ".a", "a.", "a..b", "a b", "a*", ">", "\u{e9}"] {
        let refused = bucket.create(key, "1".into()).await;
        assert_eq!(refused, Err(BucketError::InvalidName(key.to_owned())));
        assert_eq!(bucket.get(key).await, Err(BucketError::InvalidName(key.to_owned())));
    }
    for key in ["a", "a.b-c/d_e=f", "A.1"] {
        bucket.create(key, "1".into()).await.unwrap();
    }
}

async fn what_is_created_is_there(site: Site) {
    let bucket = site.bucket().await;
    assert_eq!(bucket.get("a").await, Ok(None));
    let revision = bucket.create("a", "{\"x\":1}".into()).await.unwrap();
    let entry = bucket.get("a").await.unwrap().unwrap();
    assert_eq!((entry.key.as_str(), entry.revision), ("a", revision));
    assert_eq!(&*entry.value, b"{\"x\":1}");
    assert!(entry.at.as_micros() > 1_700_000_000_000_000, "the store says when it was");
}

async fn what_is_there_cannot_be_created(site: Site) {
    let bucket = site.bucket().await;
    bucket.create("a", "1".into()).await.unwrap();
    let refused = bucket.create("a", "2".into()).await;
    assert_eq!(refused, Err(BucketError::Exists("a".to_owned())));
    assert_eq!(value(&*bucket, "a").await.as_deref(), Some("1"));
}

async fn an_update_needs_the_last_revision(site: Site) {
    let bucket = site.bucket().await;
    let first = bucket.create("a", "1".into()).await.unwrap();
    let second = bucket.update("a", "2".into(), first).await.unwrap();
    let conflict = Err(BucketError::Conflict("a".to_owned()));
    assert_eq!(bucket.update("a", "3".into(), first).await, conflict);
    assert_eq!(bucket.update("a", "3".into(), Revision(second.0 + 1)).await, conflict);
    assert_eq!(value(&*bucket, "a").await.as_deref(), Some("2"));
    bucket.update("a", "3".into(), second).await.unwrap();
    // Another handle has not seen any of it.
    let other = site.buckets.open("THINGS").await.unwrap();
    assert_eq!(other.update("a", "4".into(), second).await, conflict);
    let last = other.get("a").await.unwrap().unwrap().revision;
    let fourth = other.update("a", "4".into(), last).await.unwrap();
    assert_eq!(bucket.update("a", "5".into(), last).await, conflict, "what is remembered is old");
    bucket.update("a", "5".into(), fourth).await.unwrap();
}

async fn an_update_of_nothing_finds_nothing(site: Site) {
    let bucket = site.bucket().await;
    let nothing = Err(BucketError::NotFound("a".to_owned()));
    assert_eq!(bucket.update("a", "1".into(), Revision(1)).await, nothing);
    let revision = bucket.create("a", "1".into()).await.unwrap();
    bucket.delete("a").await.unwrap();
    assert_eq!(bucket.update("a", "2".into(), revision).await, nothing);
    assert_eq!(bucket.get("a").await, Ok(None));
}

async fn revisions_go_up_across_the_bucket(site: Site) {
    let bucket = site.bucket().await;
    let mut last = Revision(0);
    for key in ["a", "b", "c", "d"] {
        let revision = bucket.create(key, "1".into()).await.unwrap();
        assert!(revision > last, "{revision} is not after {last}");
        last = bucket.update(key, "2".into(), revision).await.unwrap();
        assert!(last > revision);
    }
}

async fn what_is_deleted_is_gone_and_may_be_created_again(site: Site) {
    let bucket = site.bucket().await;
    bucket.delete("a").await.unwrap();
    assert_eq!(
        bucket.history("a").await,
        Err(BucketError::NotFound("a".to_owned())),
        "deleting nothing leaves nothing"
    );
    let first = bucket.create("a", "1".into()).await.unwrap();
    bucket.delete("a").await.unwrap();
    bucket.delete("a").await.unwrap();
    assert_eq!(bucket.get("a").await, Ok(None));
    let second = bucket.create("a", "2".into()).await.unwrap();
    assert!(second > first);
    assert_eq!(value(&*bucket, "a").await.as_deref(), Some("2"));
    let third = bucket.update("a", "3".into(), second).await.unwrap();
    assert_eq!(bucket.get("a").await.unwrap().unwrap().revision, third);
}

async fn history_tells_what_is_retained(site: Site) {
    let bucket = site.bucket().await;
    assert_eq!(bucket.history("a").await, Err(BucketError::NotFound("a".to_owned())));
    let first = bucket.create("a", "1".into()).await.unwrap();
    let second = bucket.update("a", "2".into(), first).await.unwrap();
    bucket.delete("a").await.unwrap();
    bucket.create("b", "x".into()).await.unwrap();
    let history = bucket.history("a").await.unwrap();
    let values: Vec<_> = history.iter().map(|it| it.value.clone()).collect();
    let put = |text: &'static str| RetainedValue::Put(text.into());
    assert_eq!(values, [put("1"), put("2"), RetainedValue::Deleted]);
    assert_eq!([history[0].revision, history[1].revision], [first, second]);
    let is_sorted = |pair: &[Retained]| {
        let [a, b] = pair else { return false };
        a.revision < b.revision && a.at <= b.at
    };
    assert!(history.windows(2).all(is_sorted));
}

async fn keys_and_entries_are_those_that_are_there(site: Site) {
    let bucket = site.bucket().await;
    assert_eq!(bucket.keys().await.unwrap(), [""; 0]);
    for key in ["b", "a", "c.d", "gone"] {
        bucket.create(key, format!("\"{key}\"").into()).await.unwrap();
    }
    bucket.delete("gone").await.unwrap();
    assert_eq!(bucket.keys().await.unwrap(), ["a", "b", "c.d"]);
    let entries = bucket.entries().await.unwrap();
    let entries: Vec<_> = entries.iter().map(|it| (it.key.as_str(), &*it.value)).collect();
    assert_eq!(entries, [("a", &b"\"a\""[..]), ("b", b"\"b\""), ("c.d", b"\"c.d\"")]);
}

async fn several_keys_are_read_at_once(site: Site) {
    let bucket = site.bucket().await;
    for key in ["a", "b", "gone"] {
        bucket.create(key, key.into()).await.unwrap();
    }
    bucket.delete("gone").await.unwrap();
    let keys = ["b", "missing", "gone", "a", "b"].map(str::to_owned);
    let found = bucket.get_many(&keys).await.unwrap();
    let found: Vec<_> = found.iter().map(|it| it.as_ref().map(|it| it.key.as_str())).collect();
    assert_eq!(found, [Some("b"), None, None, Some("a"), Some("b")]);
}

async fn any_bytes_are_kept(site: Site) {
    let bucket = site.bucket().await;
    let values: [&'static [u8]; 6] =
        [b"", b"not json", b" {\"a\": 1} ", b"{\"b\":\"\\u0000\"}", b"\xff\x00\xfe", b"{}"];
    for (index, value) in values.into_iter().enumerate() {
        let key = format!("k{index}");
        bucket.create(&key, value.into()).await.unwrap();
        assert_eq!(&*bucket.get(&key).await.unwrap().unwrap().value, value, "{key}");
        let history = bucket.history(&key).await.unwrap();
        assert_eq!(history[0].value, RetainedValue::Put(value.into()), "{key}");
    }
}

async fn buckets_do_not_see_each_other(site: Site) {
    let first = site.buckets.create("A", 2).await.unwrap();
    let second = site.buckets.create("AB", 2).await.unwrap();
    first.create("B", "1".into()).await.unwrap();
    first.create("x", "1".into()).await.unwrap();
    assert_eq!(second.keys().await.unwrap(), [""; 0]);
    assert_eq!(second.get("x").await, Ok(None));
    second.create("x", "2".into()).await.unwrap();
    assert_eq!(value(&*first, "x").await.as_deref(), Some("1"));
    assert_eq!(first.keys().await.unwrap(), ["B", "x"]);
}

/// Lets `n` do the same at once, and counts who got through and who was refused.
async fn race<F>(n: usize, run: impl Fn(usize) -> F) -> (usize, Vec<BucketError>)
where
    F: Future<Output = Result<Revision, BucketError>> + Send + 'static,
{
    let running: Vec<_> = (0..n).map(|index| tokio::spawn(run(index))).collect();
    let (mut won, mut refused) = (0, Vec::new());
    for one in running {
        match one.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => refused.push(error),
        }
    }
    (won, refused)
}

async fn one_of_many_writers_wins(site: Site) {
    let bucket = site.bucket().await;
    let first = bucket.create("a", "0".into()).await.unwrap();
    let (won, refused) = race(8, |index| {
        let bucket = Arc::clone(&bucket);
        async move { bucket.update("a", index.to_string().into(), first).await }
    })
    .await;
    assert_eq!(won, 1);
    assert!(refused.iter().all(|it| *it == BucketError::Conflict("a".to_owned())), "{refused:?}");
}

async fn one_of_many_creators_wins(site: Site) {
    let bucket = site.bucket().await;
    bucket.create("a", "0".into()).await.unwrap();
    bucket.delete("a").await.unwrap();
    for key in ["a", "b"] {
        let (won, refused) = race(8, |index| {
            let bucket = Arc::clone(&bucket);
            async move { bucket.create(key, index.to_string().into()).await }
        })
        .await;
        assert_eq!(won, 1, "{key}");
        assert!(refused.iter().all(|it| *it == BucketError::Exists(key.to_owned())), "{refused:?}");
    }
}
