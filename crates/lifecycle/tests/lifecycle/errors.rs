//! Every error can be met, has its status, and tells strangers no more than it should.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use waypost_lifecycle::{
    Bucket as _, Buckets as _, Error, FieldMeta, ListOptions, Manager, MemoryBucket, MemoryBuckets,
    Source, Transitions, TypeDescription, Workflow,
};

use crate::{
    mission::{Mission, in_phase, mission},
    site::{Fate, Fateful, Site, on_every_store},
};

on_every_store![every_error_has_its_status];

async fn flying() -> (Manager, Workflow<Mission>, Arc<MemoryBucket>) {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(4).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    missions.create(&in_phase("done", "completed")).await.unwrap();
    (manager, missions, buckets.bucket("MISSIONS").unwrap())
}

async fn every_error_has_its_status(site: Site) {
    let buckets = Fateful::over(site.buckets.clone());
    let manager = Manager::builder(buckets.clone()).create_buckets(4).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    missions.create(&in_phase("done", "completed")).await.unwrap();
    let patch = async |patch: serde_json::Value| {
        let patch = patch.as_object().cloned().unwrap();
        manager.update_from_operator("drone-survey", "m-1", &patch).await.unwrap_err()
    };
    let go = async |id: &str, to: &str| {
        missions.transition(id, to, Source::Operator, "").await.unwrap_err()
    };
    let wings = ListOptions::default().matching("wings", 2_u8);
    let mut met = vec![
        (manager.get("unknown", "x").await.unwrap_err(), 404),
        (missions.get("nobody").await.unwrap_err(), 404),
        (missions.get("").await.unwrap_err(), 400),
        (missions.get("a b").await.unwrap_err(), 400),
        (go("m-1", "moon").await, 400),
        (go("m-1", "completed").await, 400),
        (go("done", "flying").await, 400),
        (missions.create(&in_phase("m-2", "moon")).await.unwrap_err(), 400),
        (missions.fail("m-1", "", Source::Operator).await.unwrap_err(), 400),
        (missions.fail("m-1", "why", Source::Operator).await.unwrap_err(), 400),
        (patch(json!({"serial": "x"})).await, 400),
        (patch(json!({"wings": 2})).await, 400),
        (patch(json!({"photos": "x"})).await, 400),
        (missions.list(&wings).await.unwrap_err(), 400),
        (manager.match_of_text("drone-survey", "photos", "x").unwrap_err(), 400),
        (manager.match_of_text("drone-survey", "wings", "x").unwrap_err(), 400),
        (missions.create(&mission("m-1")).await.unwrap_err(), 409),
        (missions.update("m-1", |_| Err("no".into())).await.unwrap_err(), 500),
        (manager.register::<Mission>().await.err().unwrap(), 500),
    ];
    buckets.next([Fate::Conflicts; 5]);
    met.push((go("m-1", "aborted").await, 409));
    buckets.next([Fate::Fails]);
    met.push((go("m-1", "aborted").await, 500));
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    bucket.create("mission.broken", "secret".into()).await.unwrap();
    met.push((missions.get("broken").await.unwrap_err(), 500));
    let elsewhere = Manager::builder(site.buckets.clone()).build();
    let missing: TypeDescription = serde_json::from_value(json!({
        "workflow": "w", "bucket": "MISSING", "transitions": {"a": []},
        "fields": [{"name": "id", "tags": "id"}, {"name": "phase", "tags": "phase"}]
    }))
    .unwrap();
    met.push((elsewhere.register_described(missing).await.unwrap_err(), 500));
    for (error, status) in met {
        assert_eq!(error.http_status(), status, "{error:?}");
        let public = error.public_message();
        match status {
            500 => assert_eq!(public, "internal error (operator details in server log)"),
            _ => assert_eq!(public, error.to_string()),
        }
    }
    assert_eq!(missions.get("m-1").await.unwrap().phase, "flying", "nothing has happened");
}

#[tokio::test]
async fn a_write_is_tried_five_times_and_no_more() {
    let (manager, missions, bucket) = flying().await;
    let before = bucket.n_updates();
    bucket.inject_conflicts(100);
    let mut n_calls = 0;
    let counted = missions.update("m-1", |_| {
        n_calls += 1;
        Ok(())
    });
    let exhausted = counted.await.unwrap_err();
    assert!(matches!(exhausted, Error::UpdateRetriesExhausted { attempts: 5, .. }));
    assert_eq!((n_calls, bucket.n_updates() - before), (5, 5));
    assert_eq!((manager.figures().conflicts, manager.figures().exhausted), (5, 1));
    bucket.inject_conflicts(4);
    missions.update("m-1", |_| Ok(())).await.unwrap();
}

#[tokio::test]
async fn only_a_conflict_is_tried_again() {
    let (_, missions, bucket) = flying().await;
    let before = bucket.n_updates();
    bucket.inject_failures(1);
    let failed = missions.update("m-1", |_| Ok(())).await.unwrap_err();
    assert!(matches!(failed, Error::Store { .. }), "{failed:?}");
    assert_eq!(bucket.n_updates() - before, 1);
}

#[tokio::test]
async fn the_number_of_attempts_can_be_chosen() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone())
        .create_buckets(1)
        .attempts(7, Duration::from_millis(1))
        .build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let bucket = buckets.bucket("MISSIONS").unwrap();
    bucket.inject_conflicts(6);
    missions.update("m-1", |_| Ok(())).await.unwrap();
    assert_eq!(bucket.n_updates(), 7);
}

#[tokio::test]
async fn ids_are_strict_if_wanted() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).strict_ids().build();
    let missions = manager.register::<Mission>().await.unwrap();
    let short = missions.create(&mission("m-1")).await.unwrap_err();
    assert!(matches!(short, Error::InvalidEntityId { .. }), "{short:?}");
    missions.create(&mission("acme.ops.air.survey.mission.m-1")).await.unwrap();
}

#[tokio::test]
async fn what_is_gone_in_the_middle_of_a_change_is_not_found() {
    let (_, missions, bucket) = flying().await;
    let mut deleted = false;
    let change = |_: &mut Mission| {
        if !std::mem::replace(&mut deleted, true) {
            futures_util::FutureExt::now_or_never(bucket.delete("mission.m-1")).unwrap().unwrap();
        }
        Ok(())
    };
    let gone = missions.update("m-1", change).await.unwrap_err();
    assert!(matches!(gone, Error::EntityNotFound { .. }), "{gone:?}");
}

#[test]
fn descriptions_with_mistakes_are_refused() {
    let described = |tags: &str| TypeDescription {
        workflow: "w".to_owned(),
        bucket: "B".to_owned(),
        key_prefix: String::new(),
        transitions: Transitions::new().phase("a", []),
        fields: vec![waypost_lifecycle::FieldDescription {
            name: "id".to_owned(),
            kind: waypost_lifecycle::FieldKind::Text,
            tags: tags.to_owned(),
        }],
    };
    assert!(FieldMeta::new("id", waypost_lifecycle::FieldKind::Text).tagged("typo").is_err());
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    let register = |it| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(manager.register_described(it)).unwrap_err()
    };
    assert!(matches!(register(described("typo")), Error::InvalidRegistration { .. }));
    assert!(matches!(register(described("phase")), Error::MissingIdField { .. }));
    assert!(matches!(register(described("id")), Error::MissingPhaseField { .. }));
}
