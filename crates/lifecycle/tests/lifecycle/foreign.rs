//! What others have put into a bucket, by mistake or on purpose.

use std::sync::Arc;

use futures_util::StreamExt as _;
use waypost_kernel::{
    Commit, DefinitionRef, EventRecord, Facets, Json, Key, Kind, Store as _, Timestamp, Timing,
    Version, Write,
};
use waypost_lifecycle::{
    Bucket as _, Error, ListOptions, Manager, MemoryBucket, MemoryBuckets, Source, SqlBuckets,
    SystemClock, WatchEvent, Workflow,
};
use waypost_stores::{SqliteOptions, SqliteStore};

use crate::{
    mission::{Mission, in_phase, mission},
    site::{Site, on_every_store},
};

on_every_store![a_value_in_anothers_place_is_not_taken_for_it];

async fn a_value_in_anothers_place_is_not_taken_for_it(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("a")).await.unwrap();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    let copied = bucket.get("mission.a").await.unwrap().unwrap().value;
    bucket.create("mission.b", copied).await.unwrap();
    let found = missions.get("b").await;
    assert!(matches!(found, Err(Error::Decode { .. })), "{found:?}");
    let moved = missions.transition("b", "flying", Source::Component, "").await;
    assert!(matches!(moved, Err(Error::Decode { .. })), "{moved:?}");
    for options in [ListOptions::default(), ListOptions::default().fresh()] {
        assert_eq!(missions.list(&options).await.unwrap(), [mission("a")]);
    }
    // An operator can make room for the one whose place it is.
    manager.delete("drone-survey", "b").await.unwrap();
    missions.create(&mission("b")).await.unwrap();
    assert_eq!(missions.list(&ListOptions::default()).await.unwrap().len(), 2);
}

/// A mission that has flown and was touched since, in a bucket that remembers one write.
async fn flown() -> (Workflow<Mission>, Arc<MemoryBucket>, String) {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    missions.transition("m-1", "flying", Source::Operator, "go").await.unwrap();
    missions.update("m-1", |_| Ok(())).await.unwrap();
    let bucket = buckets.bucket("MISSIONS").unwrap();
    let stored = bucket.get("mission.m-1").await.unwrap().unwrap().value;
    (missions, bucket, String::from_utf8(stored.to_vec()).unwrap())
}

#[tokio::test]
async fn a_mission_moves_on_whatever_number_its_last_move_has() {
    let (missions, bucket, stored) = flown().await;
    let last = u64::MAX;
    // Where it is read as text, and where it is read as numbers.
    let cut = stored.replace(",2]}}", &format!(",{last}]}}}}"));
    let told = stored.replace("\"seq\":2", &format!("\"seq\":{last}"));
    for text in [cut, told] {
        assert_ne!(text, stored);
        bucket.put("mission.m-1", text);
        for to in ["capturing", "flying"] {
            missions.transition("m-1", to, Source::Component, "on").await.unwrap();
        }
        let moves = missions.history("m-1").await.unwrap();
        let phases: Vec<_> = moves.iter().map(|it| it.to.as_str()).collect();
        assert_eq!(phases, ["planning", "flying", "capturing", "flying"]);
    }
}

#[tokio::test]
async fn a_time_that_is_in_no_calendar_is_not_told() {
    let (missions, bucket, stored) = flown().await;
    let known = missions.history("m-1").await.unwrap();
    for micros in [i64::MAX, i64::MIN] {
        let (before, rest) = stored.split_once("\"at\":").unwrap();
        let (_, after) = rest.split_once(['}', ',']).unwrap();
        bucket.put("mission.m-1", format!("{before}\"at\":{micros}}}{after}"));
        let moves = missions.history("m-1").await.unwrap();
        let phases: Vec<_> = moves.iter().map(|it| it.to.as_str()).collect();
        assert_eq!(phases, ["planning", "flying"]);
        assert!(serde_json::to_string(&moves).is_ok(), "{moves:?}");
        assert!(moves[0].at >= known[0].at, "when it was read is all that is known");
    }
}

/// A row of the bucket whose body is nothing that buckets write.
async fn spoil(store: &SqliteStore, key: &str) {
    let (at, version) = (Timestamp::EPOCH, Version::ABSENT.next());
    let key = Key::new("acme".into(), Kind::Lifecycle, format!("MISSIONS/{key}").into());
    let definition = Some(DefinitionRef { name: "MISSIONS".to_owned(), version: 1 });
    let facets = Facets { definition, status: "present".to_owned(), ..Facets::default() };
    let state = Json::parse(r#"{"bytes":"%%%"}"#).unwrap();
    let events = Json::parse(r#"[{"bytes":"%%%"}]"#).unwrap();
    let events = EventRecord { key: key.clone(), version, at, events };
    let write = Write { key, version, facets, state, at, keeps_past: false, terms: None };
    let (writes, events) = (vec![write], vec![events]);
    let commit = Commit { writes, events, timing: Timing::Landed, ..Commit::default() };
    store.commit(commit).await.unwrap();
}

#[tokio::test]
async fn a_row_that_nobody_can_read_hides_no_other() {
    let store =
        Arc::new(SqliteStore::temporary(SqliteOptions::default(), Arc::new(SystemClock)).unwrap());
    let buckets = SqlBuckets::new(Arc::<SqliteStore>::clone(&store), "acme".into());
    let manager = Manager::builder(buckets).create_buckets(1).without_index().build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("a")).await.unwrap();
    spoil(&store, "mission.b").await;
    missions.create(&in_phase("c", "flying")).await.unwrap();
    let mut watch = missions.watch_events().await.unwrap();
    spoil(&store, "mission.d").await;
    missions.create(&mission("e")).await.unwrap();
    let (mut seen, mut is_caught_up) = (Vec::new(), false);
    while seen.len() < 3 {
        match watch.next().await.unwrap() {
            WatchEvent::Value(it) => seen.push(it.entity_id),
            WatchEvent::CaughtUp => is_caught_up = true,
            other @ (WatchEvent::Deleted { .. }
            | WatchEvent::Missed { .. }
            | WatchEvent::Failed(_)) => panic!("{other:?}"),
        }
    }
    seen.sort();
    assert_eq!((seen.join(" ").as_str(), is_caught_up), ("a c e", true));
    let listed = missions.list(&ListOptions::default()).await.unwrap();
    assert_eq!(listed.iter().map(|it| it.entity_id.as_str()).collect::<String>(), "ace");
    let found = missions.get("b").await;
    assert!(matches!(found, Err(Error::Decode { .. })), "{found:?}");
    assert!(missions.history("b").await.unwrap().is_empty());
    manager.delete("drone-survey", "b").await.unwrap();
    missions.create(&mission("b")).await.unwrap();
}
