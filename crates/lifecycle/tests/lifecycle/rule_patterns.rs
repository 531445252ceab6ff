//! Rules for some entities, and what they remember of them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use waypost_lifecycle::{Manager, MemoryBuckets, Participant, Rule, Rules, Transitions};

use crate::{
    mission::{Mission, mission},
    site::in_time,
};

fn rule(entities: &str) -> Value {
    json!({
        "name": "go", "workflow": "drone-survey", "entities": entities,
        "when": [{"field": "$entity.lifecycle.phase", "value": "planning"}],
        "then": [{"type": "lifecycle_transition", "phase": "flying"}],
    })
}

#[tokio::test]
async fn a_rule_with_a_pattern_leaves_others_alone() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let ids = ["other.ops.air.survey.mission.m-1", "m-1", "acme.ops.air.survey.mission.m-1"];
    for id in ids {
        missions.create(&mission(id)).await.unwrap();
    }
    let go: Rule = serde_json::from_value(rule("acme.*.air.survey.mission.*")).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), vec![go]).unwrap();
    assert!(!rules.fire("go", ids[0]).await.unwrap());
    let running = tokio::spawn(async move { rules.run().await });
    let flying = async {
        while missions.get(ids[2]).await.unwrap().phase != "flying" {
            tokio::task::yield_now().await;
        }
    };
    // What is there is seen in the order of the keys, this one first: so let another one come last.
    in_time(flying).await;
    let last = "acme.ops.air.survey.mission.z";
    missions.create(&mission(last)).await.unwrap();
    let seen = async {
        while missions.get(last).await.unwrap().phase != "flying" {
            tokio::task::yield_now().await;
        }
    };
    in_time(seen).await;
    for id in &ids[..2] {
        assert_eq!(missions.get(id).await.unwrap().phase, "planning", "{id}");
    }
    running.abort();
}

#[test]
fn a_pattern_of_another_shape_is_refused_where_it_is_read() {
    let refused = serde_json::from_value::<Rule>(rule("acme.*")).unwrap_err().to_string();
    assert!(
        refused.contains("\"acme.*\" is not a pattern of ids: expected six parts"),
        "{refused}"
    );
}

/// Another type whose entities may have the same ids.
#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "box", bucket = "BOXES", transitions = boxes)]
struct Crate {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable)]
    n: u32,
}

fn boxes() -> Transitions {
    Transitions::new().phase("open", ["open", "shut"]).phase("shut", [])
}

#[tokio::test]
async fn what_is_deleted_is_forgotten_of_its_own_type_only() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let boxes = manager.register::<Crate>().await.unwrap();
    let count = json!({
        "name": "count", "workflow": "box", "when": [{"field": "$entity.lifecycle.phase", "value": "open"}],
        "then": [{"type": "lifecycle_transition", "phase": "open", "set": {"n": {"op": "increment"}}}],
    });
    let look = json!({
        "name": "look", "workflow": "drone-survey",
        "when": [{"field": "$entity.lifecycle.phase", "value": "planning"}],
        "then": [{"type": "lifecycle_transition", "phase": "flying"}],
    });
    let rules = [count, look].map(|it| serde_json::from_value(it).unwrap());
    let rules = Rules::new(manager.dynamic().clone(), rules.to_vec()).unwrap();
    let running = tokio::spawn(async move { rules.run().await });
    boxes.create(&Crate { id: "x".into(), phase: "open".into(), n: 0 }).await.unwrap();
    let counted = async {
        while boxes.get("x").await.unwrap().n == 0 {
            tokio::task::yield_now().await;
        }
    };
    in_time(counted).await;
    for _ in 0..3 {
        missions.create(&mission("x")).await.unwrap();
        let flying = async {
            while missions.get("x").await.unwrap().phase != "flying" {
                tokio::task::yield_now().await;
            }
        };
        in_time(flying).await;
        manager.delete("drone-survey", "x").await.unwrap();
        // Seen again, and still so: that is no news.
        boxes.update("x", |_| Ok(())).await.unwrap();
    }
    assert_eq!(boxes.get("x").await.unwrap().n, 1);
    running.abort();
}
