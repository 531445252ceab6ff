//! Rules that have not seen everything, or could not tell what they saw.

use std::sync::Arc;

use serde_json::{Value, json};
use waypost_lifecycle::{Manager, MemoryBucket, MemoryBuckets, RuleError, Rules, Source};

use crate::{
    mission::{Mission, in_phase},
    rules::photographers,
    site::{Fate, Fateful, in_time},
};

#[tokio::test]
async fn a_rule_that_has_missed_how_it_ceased_to_be_so_acts_when_it_is_so_again() {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let manager = Manager::builder(buckets.clone()).create_buckets(16).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let rules = photographers(&manager);
    let running = tokio::spawn(async move { rules.run().await });
    for photos in 1..=3 {
        // That it flies again is not shown to the rule that has it do so.
        buckets.next([Fate::Lands, Fate::LandsUnseen]);
        if photos == 1 {
            missions.create(&in_phase("m-1", "flying")).await.unwrap();
        }
        missions.transition("m-1", "capturing", Source::Component, "").await.unwrap();
        let taken = async {
            while missions.get("m-1").await.unwrap().photos < photos {
                tokio::task::yield_now().await;
            }
        };
        in_time(taken).await;
    }
    running.abort();
}

/// A lamp that flashes whenever it comes to be bright, and how bright that is must be known.
async fn lamp() -> (Manager, Arc<MemoryBucket>, Rules) {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(8).build();
    let lamp = json!({
        "workflow": "lamp", "bucket": "LAMPS", "transitions": {"on": ["on"]},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "flashes", "kind": "u32", "tags": "operator_writable"}
        ]
    });
    manager.register_described(serde_json::from_value(lamp).unwrap()).await.unwrap();
    let flash = json!([{
        "name": "flash", "workflow": "lamp",
        "when": [{"field": "watts", "operator": "gt", "value": 50, "required": true}],
        "then": [{
            "type": "lifecycle_transition", "phase": "on",
            "set": {"flashes": {"op": "increment"}}
        }]
    }]);
    let rules = serde_json::from_value(flash).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    (manager, buckets.bucket("LAMPS").unwrap(), rules)
}

#[tokio::test]
async fn a_condition_that_could_not_be_told_does_not_hold_for_ever() {
    let (manager, bucket, rules) = lamp().await;
    let running = tokio::spawn(async move { rules.run().await });
    let written = |lamp: &Value| bucket.put("l-1", lamp.to_string());
    for flashes in 0..3 {
        written(&json!({"id": "l-1", "phase": "on", "flashes": flashes}));
        written(&json!({"id": "l-1", "phase": "on", "flashes": flashes, "watts": 60}));
        let flashed = async {
            while manager.get("lamp", "l-1").await.unwrap().value["flashes"] == flashes {
                tokio::task::yield_now().await;
            }
        };
        in_time(flashed).await;
    }
    running.abort();
}

#[tokio::test]
async fn rules_do_not_run_where_nobody_could_tell_what_they_have_done() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets).create_buckets(8).without_trail().build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "capturing")).await.unwrap();
    let rules = photographers(&manager);
    let refused = in_time(rules.run()).await.unwrap_err();
    assert!(matches!(refused, RuleError::Invalid { .. }), "{refused}");
    assert!(refused.to_string().contains("trail"), "{refused}");
    // Once, and told at once how it went: that is for the caller to judge.
    assert!(rules.fire("photo", "m-1").await.unwrap());
}
