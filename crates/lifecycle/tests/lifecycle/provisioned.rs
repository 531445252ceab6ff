//! Buckets that somebody else made in NATS, their way, and what they do to them.

use std::time::Duration;

use async_nats::jetstream::{self, stream::Config};
use futures_util::StreamExt as _;
use waypost_lifecycle::{
    BucketError, Buckets as _, Error, ListOptions, Manager, NatsBuckets, RetainedValue, Source,
};
use waypost_testkit::services;

use crate::{
    bucket_watch::take,
    mission::{Mission, mission},
    site::in_time,
};

/// A bucket as an operator makes it with other tools: of another depth, and without direct reads.
fn bucket(name: &str, depth: i64) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: depth,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: false,
        ..Config::default()
    }
}

/// A server that nobody else uses.
fn server() -> services::Server {
    let tools = || std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tools");
    let server = services::start_nats(None).or_else(|_| services::start_nats(Some(&tools())));
    server.unwrap()
}

/// A server of this test alone: the name of the bucket is the type's.
async fn used_as_it_is(url: &str) {
    let client = async_nats::connect(url).await.unwrap();
    let context = jetstream::new(client.clone());
    for depth in [1, 5] {
        // One that is left over from another test of the same server is not in the way.
        drop(context.delete_stream("KV_MISSIONS").await);
        let manager = Manager::builder(NatsBuckets::new(client.clone())).build();
        let missing = manager.register::<Mission>().await.err().unwrap();
        assert!(matches!(missing, Error::Store { .. }), "none is made unasked: {missing:?}");
        context.create_stream(bucket("MISSIONS", depth)).await.unwrap();
        let missions = manager.register::<Mission>().await.unwrap();
        missions.create(&mission("m-1")).await.unwrap();
        let mut watch = missions.watch().await.unwrap();
        assert_eq!(watch.next().await.unwrap().phase, "planning");
        for to in ["flying", "capturing", "flying", "landing"] {
            missions.transition("m-1", to, Source::Component, to).await.unwrap();
            assert_eq!(in_time(watch.next()).await.unwrap().phase, to);
        }
        let moves = missions.history("m-1").await.unwrap();
        let notes: Vec<_> = moves.iter().map(|it| it.note.as_str()).collect();
        assert_eq!(notes, ["", "flying", "capturing", "flying", "landing"], "at depth {depth}");
        let landing = ListOptions::default().in_phase("landing").fresh();
        assert_eq!(missions.list(&landing).await.unwrap().len(), 1);
        let info = context.get_stream("KV_MISSIONS").await.unwrap().cached_info().config.clone();
        assert_eq!((info.max_messages_per_subject, info.allow_direct), (depth, false));
    }
}

/// Servers that nobody else makes a bucket `MISSIONS` on.
#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_an_operator_made_is_used_as_it_is() {
    in_time(used_as_it_is(&server().url)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_an_operator_made_on_an_old_server_is_used_as_it_is() {
    in_time(used_as_it_is(&services::old_nats().unwrap())).await;
}

/// What other tools do to a key, beside values and deletions.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_somebody_purged_is_gone_and_may_come_back() {
    let client = async_nats::connect(services::nats().unwrap()).await.unwrap();
    let context = jetstream::new(client.clone());
    let name = format!("PURGED_{}", std::process::id());
    context.create_stream(bucket(&name, 5)).await.unwrap();
    let opened = NatsBuckets::new(client).open(&name).await.unwrap();
    let made = opened.create("a", "1".into()).await.unwrap();
    opened.update("a", "2".into(), made).await.unwrap();
    let mut watch = opened.watch().await.unwrap();
    assert_eq!(take(&mut watch, 2).await, ["a=2", "."]);
    context.get_key_value(&name).await.unwrap().purge("a").await.unwrap();
    assert_eq!(in_time(take(&mut watch, 1)).await, ["-a"]);
    assert_eq!(opened.get("a").await.unwrap(), None);
    assert_eq!(opened.keys().await.unwrap(), [""; 0]);
    let past: Vec<_> = opened.history("a").await.unwrap().into_iter().map(|it| it.value).collect();
    assert_eq!(past, [RetainedValue::Purged]);
    let late = opened.update("a", "3".into(), made).await;
    assert_eq!(late, Err(BucketError::NotFound("a".to_owned())));
    opened.delete("a").await.unwrap();
    assert_eq!(opened.history("a").await.unwrap().len(), 1, "nothing was there to be deleted");
    opened.create("a", "4".into()).await.unwrap();
    assert_eq!(in_time(take(&mut watch, 1)).await, ["a=4"]);
}

/// What grows too old goes without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_forgets_is_read_and_not_remembered() {
    let server = server();
    let client = async_nats::connect(&server.url).await.unwrap();
    let old = Duration::from_millis(100);
    let config = Config { max_age: old, ..bucket("MISSIONS", 1) };
    jetstream::new(client.clone()).create_stream(config).await.unwrap();
    let buckets = NatsBuckets::new(client);
    assert!(buckets.open("MISSIONS").await.unwrap().forgets());
    assert!(!buckets.create("THINGS", 5).await.unwrap().forgets());
    let manager = Manager::builder(buckets).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let all_gone = async {
        while !manager.counts_by_phase("drone-survey").await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    in_time(all_gone).await;
    assert_eq!(missions.list(&ListOptions::default()).await.unwrap(), []);
    assert!(!manager.is_indexed("drone-survey").unwrap());
}

/// The numbers of a bucket begin again when it is made anew, and may be ahead of the old ones by
/// the time anybody looks.
#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_made_anew_is_noticed_however_much_it_holds() {
    let server = server();
    let client = async_nats::connect(&server.url).await.unwrap();
    let context = jetstream::new(client.clone());
    context.create_stream(bucket("THINGS", 5)).await.unwrap();
    let opened = NatsBuckets::new(client).open("THINGS").await.unwrap();
    opened.create("a", "1".into()).await.unwrap();
    let mut watch = opened.watch().await.unwrap();
    assert_eq!(take(&mut watch, 2).await, ["a=1", "."]);
    context.delete_stream("KV_THINGS").await.unwrap();
    context.create_stream(bucket("THINGS", 5)).await.unwrap();
    for key in ["b", "c", "d"] {
        opened.create(key, "1".into()).await.unwrap();
    }
    let ended = in_time(watch.next()).await.unwrap();
    assert_eq!(ended, Err(BucketError::Failed("the bucket was made anew".to_owned())));
}
