//! Buckets that somebody else made in NATS, their way, and what watching them leaves behind.

use std::time::Duration;

use async_nats::jetstream::{self, stream::Config};
use futures_util::StreamExt as _;
use waypost_lifecycle::{Error, ListOptions, Manager, NatsBuckets, Source};
use waypost_testkit::services;

use crate::{
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
    let tools = || std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tools");
    let server = services::start_nats(None).or_else(|_| services::start_nats(Some(&tools())));
    let server = server.unwrap();
    in_time(used_as_it_is(&server.url)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_an_operator_made_on_an_old_server_is_used_as_it_is() {
    in_time(used_as_it_is(&services::old_nats().unwrap())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watches_that_are_dropped_leave_no_consumer_behind() {
    let client = async_nats::connect(services::nats().unwrap()).await.unwrap();
    let context = jetstream::new(client.clone());
    let name = format!("DROPPED_{}", std::process::id());
    context.create_stream(bucket(&name, 1)).await.unwrap();
    let opened = waypost_lifecycle::Buckets::open(&NatsBuckets::new(client), &name).await.unwrap();
    opened.create("a", "1".into()).await.unwrap();
    let n_consumers = async || {
        let stream = context.get_stream(format!("KV_{name}")).await.unwrap();
        stream.cached_info().state.consumer_count
    };
    for round in 0..5 {
        let mut watches = Vec::new();
        for _ in 0..20 {
            let mut watch = opened.watch().await.unwrap();
            watch.next().await.unwrap().unwrap();
            watches.push(watch);
        }
        assert_eq!(n_consumers().await, 20, "in round {round}");
        drop(watches);
        let gone = async {
            while n_consumers().await > 0 {
                tokio::task::yield_now().await;
            }
        };
        // The server itself would take longer to notice.
        tokio::time::timeout(Duration::from_secs(1), gone).await.unwrap();
    }
}
