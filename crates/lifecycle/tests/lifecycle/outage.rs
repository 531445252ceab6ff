//! A NATS server that is killed and comes back in the middle of everything.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use waypost_lifecycle::{
    Bucket, BucketError, BucketEvent, Buckets as _, Error, ListOptions, Manager, NatsBuckets,
    Source, WatchEvent,
};

use crate::{
    mission::{Mission, in_phase, indexed, mission},
    mortal::{Server, eventually},
    rules::photographers,
    site::in_time,
};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_the_server_is_killed() {
    let mut server = Server::start();
    let client = server.connect().await;
    let buckets = NatsBuckets::new(client.clone());
    let manager = Manager::builder(buckets).create_buckets(8).build();
    let missions = in_time(eventually(|| manager.register::<Mission>())).await;
    missions.create(&mission("m-1")).await.unwrap();
    let mut watch = missions.watch().await.unwrap();
    assert_eq!(watch.next().await.unwrap().phase, "planning");
    in_time(indexed(&manager)).await;
    for (round, to) in ["flying", "capturing", "flying", "landing"].into_iter().enumerate() {
        server.kill();
        let noticed = async {
            while client.connection_state() == async_nats::connection::State::Connected {
                tokio::task::yield_now().await;
            }
        };
        in_time(noticed).await;
        // Refused at once, and not sent later: the history says so below.
        let refused = missions.transition("m-1", "aborted", Source::Component, "").await;
        assert!(matches!(refused, Err(Error::Store { .. })), "{refused:?}");
        // Nor is anything told from memory: what others write meanwhile is not known.
        let counts = manager.counts_by_phase("drone-survey").await;
        assert!(matches!(counts, Err(Error::Store { .. })), "{counts:?}");
        let nobody = missions.list(&ListOptions::default().in_phase("failed")).await;
        assert!(matches!(nobody, Err(Error::Store { .. })), "{nobody:?}");
        let children = manager.children("m-1").await.map(|it| it.len());
        assert!(matches!(children, Err(Error::Store { .. })), "{children:?}");
        server.run();
        let moved = eventually(|| missions.transition("m-1", to, Source::Component, "back"));
        assert_eq!(in_time(moved).await.phase, to);
        let seen = in_time(watch.next()).await.unwrap();
        assert_eq!(seen.phase, to, "the watch goes on after outage {round}");
    }
    let history = missions.history("m-1").await.unwrap();
    let phases: Vec<_> = history.iter().map(|it| it.to.as_str()).collect();
    assert_eq!(phases, ["planning", "flying", "capturing", "flying", "landing"]);
    // The index is fed again, or the bucket is read: the list is right.
    let listed = missions.list(&ListOptions::default().in_phase("landing")).await.unwrap();
    assert_eq!(listed.len(), 1);
}

/// A bucket that remembers all of a test, on a server that may not be ready yet.
async fn things(server: &Server) -> Arc<dyn Bucket> {
    let buckets = NatsBuckets::new(server.connect().await);
    let created = eventually(|| async {
        let made = buckets.create("THINGS", 64).await;
        made.map_err(|source| Error::Store { bucket: String::new(), source })
    });
    in_time(created).await
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_come_during_an_outage_of_the_watcher_are_all_seen() {
    let mut server = Server::start();
    let bucket = things(&server).await;
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap(), BucketEvent::CaughtUp);
    server.kill();
    server.run();
    // Somebody else is faster to come back.
    let other = NatsBuckets::new(server.connect().await);
    let opened = eventually(|| async {
        let opened = other.open("THINGS").await;
        opened.map_err(|source| Error::Store { bucket: String::new(), source })
    });
    let other = in_time(opened).await;
    let mut revision = other.create("a", "0".into()).await.unwrap();
    for number in 1..20 {
        revision = other.update("a", number.to_string().into(), revision).await.unwrap();
    }
    for number in 0..20 {
        match in_time(watch.next()).await.unwrap().unwrap() {
            BucketEvent::Put(entry) => assert_eq!(entry.value, number.to_string().as_bytes()),
            other @ (BucketEvent::Deleted { .. }
            | BucketEvent::CaughtUp
            | BucketEvent::Missed { .. }) => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_taken_away_ends_its_watches() {
    let server = Server::start();
    let client = server.connect().await;
    let buckets = NatsBuckets::new(client.clone());
    let created = eventually(|| async {
        let made = buckets.create("THINGS", 1).await;
        made.map_err(|source| Error::Store { bucket: String::new(), source })
    });
    let bucket = in_time(created).await;
    let mut watch = bucket.watch().await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap(), BucketEvent::CaughtUp);
    async_nats::jetstream::new(client).delete_stream("KV_THINGS").await.unwrap();
    let failure = in_time(watch.next()).await.unwrap().unwrap_err();
    assert_eq!(failure, BucketError::Missing("THINGS".to_owned()));
    assert!(watch.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_the_bucket_forgot_during_an_outage_are_told_of() {
    const WRITES: u32 = 7;
    let mut server = Server::start();
    let buckets = NatsBuckets::new(server.connect().await);
    let manager = Manager::builder(buckets).create_buckets(1).without_index().build();
    let missions = in_time(eventually(|| manager.register::<Mission>())).await;
    missions.create(&mission("m-1")).await.unwrap();
    let mut watch = missions.watch_events().await.unwrap();
    assert!(matches!(watch.next().await, Some(WatchEvent::Value(_))));
    assert_eq!(watch.next().await, Some(WatchEvent::CaughtUp));
    server.kill();
    server.run();
    let other = NatsBuckets::new(server.connect().await);
    let other = Manager::builder(other).without_index().build();
    let theirs = in_time(eventually(|| other.register::<Mission>())).await;
    for photos in 1..=WRITES {
        let change = |it: &mut Mission| {
            it.photos = photos;
            Ok(())
        };
        theirs.update("m-1", change).await.unwrap();
    }
    // Of each entity the bucket remembers one write.
    let missed = in_time(watch.next()).await;
    assert_eq!(missed, Some(WatchEvent::Missed { count: u64::from(WRITES) - 1 }));
    let Some(WatchEvent::Value(last)) = in_time(watch.next()).await else { panic!("nothing") };
    assert_eq!(last.value.photos, WRITES, "what is there is shown");
    assert_eq!(manager.figures().watch_gaps, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_act_across_outages_and_once() {
    let mut server = Server::start();
    let manager = Manager::builder(NatsBuckets::new(server.connect().await));
    let manager = manager.create_buckets(16).build();
    let missions = in_time(eventually(|| manager.register::<Mission>())).await;
    let rules = photographers(&manager);
    let running = tokio::spawn(async move { rules.run().await });
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    for photos in 1..=4 {
        let capture = || missions.transition("m-1", "capturing", Source::Component, "");
        in_time(eventually(capture)).await;
        // The rule is about to act, is acting, or has acted and was not told.
        server.kill();
        server.run();
        let taken = async {
            loop {
                let found = eventually(|| missions.get("m-1")).await;
                if found.phase == "flying" {
                    return found.photos;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        assert_eq!(in_time(taken).await, photos);
    }
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_across_an_outage_is_what_was_said_and_at_most_what_was_not() {
    const CALLERS: usize = 4;
    let mut server = Server::start();
    let manager = Manager::builder(NatsBuckets::new(server.connect().await));
    let manager = manager.create_buckets(1).attempts(50, Duration::ZERO).build();
    let missions = in_time(eventually(|| manager.register::<Mission>())).await;
    missions.create(&mission("m-1")).await.unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let counting: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (missions, stopped) = (missions.clone(), stopped.clone());
            tokio::spawn(async move {
                let (mut said, mut unsaid) = (0_u32, 0_u32);
                while !*stopped.borrow() {
                    let count = |it: &mut Mission| {
                        it.photos += 1;
                        Ok(())
                    };
                    match missions.update("m-1", count).await {
                        Ok(_) => said += 1,
                        Err(Error::UpdateRetriesExhausted { .. }) => {}
                        Err(Error::Store { .. }) => {
                            unsaid += 1;
                            tokio::time::sleep(Duration::from_millis(5)).await;
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                (said, unsaid)
            })
        })
        .collect();
    let counted = async |least: u32| {
        while eventually(|| missions.get("m-1")).await.photos < least {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    for round in 1..=3 {
        in_time(counted(round * 50)).await;
        server.kill();
        server.run();
    }
    in_time(counted(200)).await;
    stop.send(true).unwrap();
    let (mut said, mut unsaid) = (0, 0);
    for one in counting {
        let (its, not) = in_time(one).await.unwrap();
        (said, unsaid) = (said + its, unsaid + not);
    }
    let found = in_time(eventually(|| missions.get("m-1"))).await.photos;
    assert!((said..=said + unsaid).contains(&found), "{found} of {said} to {}", said + unsaid);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_when_the_server_dies_fails_and_does_not_wait() {
    let mut server = Server::start();
    let bucket = things(&server).await;
    for key in 0..500 {
        bucket.create(&format!("k{key}"), vec![b'x'; 4_096].into()).await.unwrap();
    }
    let other = bucket.clone();
    let scanning = tokio::spawn(async move {
        loop {
            if let Err(error) = other.entries().await {
                return error;
            }
        }
    });
    let looking = tokio::spawn(async move {
        loop {
            if let Err(error) = bucket.history("k7").await {
                return error;
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.kill();
    for asking in [scanning, looking] {
        let failed = tokio::time::timeout(Duration::from_secs(30), asking).await;
        let failed = failed.expect("it waits for a server that is gone").unwrap();
        assert!(matches!(failed, BucketError::Unavailable(_)), "{failed:?}");
    }
}
