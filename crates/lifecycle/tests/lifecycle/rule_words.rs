//! Words in rules that stand for something, and how often somebody looks what that is.

use std::sync::Arc;

use serde_json::{Value, json};
use waypost_lifecycle::{Action, Error, Manager, MemoryBuckets, RuleError, Rules, Workflow};

use crate::{
    mission::{Mission, in_phase, mission},
    site::Fateful,
};

async fn site(rules: Value) -> (Fateful, Workflow<Mission>, Rules) {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let manager = Manager::builder(buckets.clone()).create_buckets(8).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let rules = serde_json::from_value(rules).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    (buckets, missions, rules)
}

fn action(json: Value) -> Action {
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn the_type_may_be_a_word() {
    let (_, missions, rules) = site(json!([])).await;
    let named = Mission { owner: "drone-survey".into(), ..in_phase("m-1", "landing") };
    missions.create(&named).await.unwrap();
    for (workflow, refusal) in [("$entity.serial", "empty"), ("$entity.wings", "unresolved")] {
        let complete = action(json!({"type": "lifecycle_complete", "workflow": workflow}));
        let refused = rules.execute(&complete, Some("m-1")).await.unwrap_err();
        assert!(refused.to_string().contains(refusal), "{refused}");
    }
    let complete = action(json!({"type": "lifecycle_complete", "workflow": " $entity.owner "}));
    rules.execute(&complete, Some("m-1")).await.unwrap();
    assert_eq!(missions.get("m-1").await.unwrap().phase, "completed");
}

#[tokio::test]
async fn a_word_that_is_left_over_is_refused_and_nothing_is_done() {
    let (buckets, missions, rules) = site(json!([])).await;
    missions.create(&in_phase("m-1", "landing")).await.unwrap();
    for word in ["$related.a", "$state.a", "$schedule.a", "$caller.a", "$message.a"] {
        for left_over in [
            json!({"type": "lifecycle_fail", "reason": format!("because of {word}")}),
            json!({"type": "lifecycle_fail", "reason": "wind", "workflow": word}),
            json!({"type": "lifecycle_complete", "workflow": word}),
            json!({"type": "lifecycle_transition", "phase": "failed", "workflow": word}),
        ] {
            let before = buckets.n_gets();
            let refused = rules.execute(&action(left_over), Some("m-1")).await.unwrap_err();
            assert!(matches!(refused, RuleError::Unresolved(_)), "{refused}");
            assert_eq!(buckets.n_gets(), before, "there was nothing to look up");
        }
    }
    let reason = json!({"type": "lifecycle_fail", "reason": "in $entity.wings"});
    let refused = rules.execute(&action(reason), Some("m-1")).await.unwrap_err();
    assert!(matches!(refused, RuleError::Unresolved(_)), "{refused}");
    assert_eq!(missions.get("m-1").await.unwrap().phase, "landing");
}

#[tokio::test]
async fn an_action_without_words_looks_nothing_up() {
    let (buckets, missions, rules) = site(json!([])).await;
    missions.create(&mission("m-1")).await.unwrap();
    let fly = json!({
        "type": "lifecycle_transition", "workflow": "drone-survey", "phase": "flying",
        "set": {"owner": "bob", "photos": {"op": "increment"}}
    });
    let before = buckets.n_gets();
    rules.execute(&action(fly), Some("m-1")).await.unwrap();
    assert_eq!(buckets.n_gets() - before, 1, "the move itself reads what it changes");
}

#[tokio::test]
async fn a_firing_looks_up_once_until_something_was_done() {
    let fly = json!({
        "type": "lifecycle_transition", "workflow": "$entity.lifecycle.workflow",
        "phase": "$entity.serial",
        "set": {"owner": "$entity.owner of $entity.lifecycle.workflow"}
    });
    let land = json!({"type": "lifecycle_transition", "phase": "landing", "reason": "done",
        "set": {"owner": "$entity.lifecycle.phase/$entity.owner"}});
    let rules = json!([{
        "name": "fly", "workflow": "drone-survey", "then": [fly, land],
        "when": [{"field": "$entity.lifecycle.phase", "value": "planning"},
                 {"field": "serial", "value": "flying"}]
    }]);
    let (buckets, missions, rules) = site(rules).await;
    missions.create(&Mission { serial: "flying".into(), ..mission("m-1") }).await.unwrap();
    let before = buckets.n_gets();
    assert!(rules.fire("fly", "m-1").await.unwrap());
    assert_eq!(buckets.n_gets() - before, 4, "each action: one to look, one to move");
    let owner = missions.get("m-1").await.unwrap().owner;
    assert_eq!(owner, "flying/ann of drone-survey");
    let before = buckets.n_gets();
    assert!(!rules.fire("fly", "nobody").await.unwrap());
    assert_eq!(buckets.n_gets() - before, 1);
    let missing = action(json!({"type": "lifecycle_complete"}));
    let missing = rules.execute(&missing, Some("nobody")).await.unwrap_err();
    assert!(matches!(missing, RuleError::Lifecycle(Error::EntityNotFound { .. })), "{missing}");
}

#[tokio::test]
async fn words_stand_for_something_inside_of_values_too() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let ward = json!({
        "workflow": "ward", "bucket": "WARDS", "transitions": {"open": ["shut"], "shut": ["open"]},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "doors", "kind": "nested", "tags": "operator_writable"}
        ]
    });
    manager.register_described(serde_json::from_value(ward).unwrap()).await.unwrap();
    manager.create("ward", &json!({"id": "w-1", "phase": "open", "doors": []})).await.unwrap();
    let rules = Rules::new(manager.dynamic().clone(), Vec::new()).unwrap();
    let shut = async |doors: Value| {
        let set = json!({"doors": doors});
        let shut = json!({"type": "lifecycle_transition", "phase": "shut", "set": set});
        rules.execute(&action(shut), Some("w-1")).await
    };
    for doors in [
        json!(["$message.user"]),
        json!({"north": [{"by": "$state.x"}]}),
        json!({"op": "set", "value": [["$entity.wings"]]}),
    ] {
        let refused = shut(doors).await.unwrap_err();
        assert!(matches!(refused, RuleError::Unresolved(_)), "{refused}");
        assert_eq!(manager.get("ward", "w-1").await.unwrap().value["doors"], json!([]));
    }
    shut(json!([{"was": "$entity.lifecycle.phase", "n": 2}, "of $entity.id"])).await.unwrap();
    let doors = &manager.get("ward", "w-1").await.unwrap().value["doors"];
    assert_eq!(*doors, json!([{"was": "open", "n": 2}, "of w-1"]));
}
