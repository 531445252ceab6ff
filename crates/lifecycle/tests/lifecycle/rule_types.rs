//! Rules that look at entities of one type and act on those of another with the same ids.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use waypost_lifecycle::{Manager, MemoryBuckets, Rules};

use crate::site::{Fate, Fateful};

/// Orders, and parcels that are sent once the order of the same id is paid.
async fn shop(buckets: &Fateful) -> (Manager, Rules) {
    let manager = Manager::builder(buckets.clone()).create_buckets(16).build();
    let typed = |workflow: &str, transitions: Value| {
        json!({
            "workflow": workflow, "bucket": workflow, "transitions": transitions,
            "fields": [
                {"name": "id", "tags": "id"},
                {"name": "phase", "tags": "phase"},
                {"name": "n", "kind": "u32", "tags": "operator_writable"}
            ]
        })
    };
    let parcels = json!({"packed": ["sent"], "sent": ["sent", "gone"], "gone": [], "paid": []});
    for described in
        [typed("order", json!({"open": ["paid"], "paid": []})), typed("parcel", parcels)]
    {
        manager.register_described(serde_json::from_value(described).unwrap()).await.unwrap();
    }
    let rules = json!([{
        "name": "send", "workflow": "order",
        "when": [{"field": "$entity.lifecycle.phase", "value": "paid"}],
        "then": [
            {
                "type": "lifecycle_transition", "workflow": "parcel", "phase": "sent",
                "reason": "paid", "set": {"n": {"op": "increment"}}
            },
            {"type": "lifecycle_transition", "workflow": "parcel", "phase": "gone"}
        ]
    }]);
    let rules = serde_json::from_value(rules).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    (manager, rules)
}

async fn create(manager: &Manager, workflow: &str, phase: &str) {
    manager.create(workflow, &json!({"id": "x", "phase": phase, "n": 0})).await.unwrap();
}

async fn parcel(manager: &Manager) -> (String, Value) {
    let found = manager.get("parcel", "x").await.unwrap();
    (found.phase, found.value["n"].clone())
}

#[tokio::test]
async fn conditions_are_about_the_entity_that_the_rule_looks_at() {
    for (order, fires) in [("paid", true), ("open", false)] {
        let (manager, rules) = shop(&Fateful::over(Arc::new(MemoryBuckets::new()))).await;
        create(&manager, "order", order).await;
        create(&manager, "parcel", "packed").await;
        assert_eq!(rules.fire("send", "x").await.unwrap(), fires, "{order}");
        let expected = if fires { ("gone", json!(1)) } else { ("packed", json!(0)) };
        assert_eq!(parcel(&manager).await, (expected.0.to_owned(), expected.1));
        assert_eq!(manager.get("order", "x").await.unwrap().phase, order);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_done_is_looked_for_where_it_was_done() {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let (manager, rules) = shop(&buckets).await;
    create(&manager, "parcel", "packed").await;
    buckets.next([Fate::LandsUnsaid]);
    create(&manager, "order", "paid").await;
    let running = tokio::spawn(async move { rules.run().await.unwrap() });
    let gone = async {
        while parcel(&manager).await.0 != "gone" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3_600), gone).await.unwrap();
    assert_eq!(parcel(&manager).await.1, 1, "it was sent once");
    running.abort();
}
