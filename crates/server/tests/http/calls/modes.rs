//! Processors in each of their modes: what they see, what becomes of the write when they fail, and
//! how often they are asked.

use std::sync::{Arc, Mutex};

use expect_test::expect;
use serde_json::{Value, json};

use super::{
    hall::{Hall, hall},
    member::Asked,
};
use crate::entity::play::Answer;

/// What is no mode is `SYNC`.
const MODES: [&str; 4] = ["SYNC", "ASYNC_SAME_TX", "WHENEVER", ""];

const APART: &str = "ASYNC_NEW_TX";

impl Hall {
    /// From `NEW` there is a way to `END` for each mode, with the processor `p` on it.
    async fn by_mode(&self, config: Value) {
        let way = |mode: &str| {
            let processor = json!({"name": "p", "executionMode": mode, "config": config});
            json!({"name": format!("GO{mode}"), "next": "END", "manual": true, "processors": [processor]})
        };
        let ways: Vec<_> = MODES.into_iter().chain([APART]).map(way).collect();
        self.with_states(json!({"NEW": {"transitions": ways}, "END": {}})).await;
    }

    async fn go(&self, id: &str, mode: &str) -> Answer {
        self.world.say(&format!(r#"PUT /api/entity/JSON/{id}/GO{mode} {{"n":1}}"#), &[]).await
    }

    /// What happened to an entity, the oldest first.
    async fn told(&self, id: &str) -> String {
        format!("told\n{}", self.world.shown(&format!("tell {id}"), &[]).await)
    }

    /// The value of an entity, and where it is.
    async fn rests(&self, id: &str) -> (Value, Value) {
        let shown = self.show(id).await;
        (shown["data"].clone(), shown["meta"]["state"].clone())
    }
}

#[tokio::test]
pub(crate) async fn a_processor_that_fails_keeps_an_entity_where_it_is_in_every_mode_but_one() {
    let hall = hall().await;
    hall.by_mode(json!({})).await;
    let _member =
        hall.member(&[], |_| json!({"success": false, "error": {"message": "out of stock"}})).await;
    let id = hall.create(json!({"n": 0})).await;
    for mode in MODES {
        let refused = hall.go(&id, mode).await;
        let problem = refused.json();
        let detail = "WORKFLOW_FAILED: processor p failed: out of stock";
        assert_eq!((refused.status, &problem["detail"]), (400, &json!(detail)), "{mode}");
        assert!(problem["properties"]["retryable"].is_null(), "{problem}");
        assert_eq!(hall.rests(&id).await, (json!({"n": 0}), json!("NEW")), "{mode}");
    }
    let done = hall.go(&id, APART).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(done.shown().contains("processor p: out of stock"), "{}", done.shown());
    assert_eq!(hall.rests(&id).await, (json!({"n": 1}), json!("END")));
    // Of what came to nothing there is no trace.
    let told = hall.told(&id).await;
    expect![[r#"
        told
          #1 - STATE_MACHINE_START
          #1 - WORKFLOW_FOUND
          #1 NEW STATE_MACHINE_FINISH {"success":true,"stopReason":{"type":"COMPLETED_NO_AUTO_TRANSITIONS","description":"the state has no automated transitions"}}
          #1 - CREATED
          #7 NEW STATE_MACHINE_START
          #7 NEW PAUSE_FOR_PROCESSING
          #7 NEW STATE_PROCESS_RESULT {"success":false,"mode":"ASYNC_NEW_TX","error":"out of stock"}
          #7 NEW TRANSITION_MAKE
          #7 END STATE_MACHINE_FINISH {"success":true,"stopReason":{"type":"COMPLETED_NO_AUTO_TRANSITIONS","description":"the state has no automated transitions"}}
          #7 - UPDATED
    "#]].assert_eq(&told);
}

#[tokio::test]
pub(crate) async fn a_processor_that_is_silent_has_failed_in_every_mode_but_one() {
    let hall = hall().await;
    hall.by_mode(json!({"responseTimeoutMs": 50})).await;
    let mut silent = hall.join(&[]).await;
    let id = hall.create(json!({"n": 0})).await;
    for mode in MODES {
        let (_, refused) = tokio::join!(silent.asked(), hall.go(&id, mode));
        assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"), "{mode}");
        assert_eq!(hall.rests(&id).await, (json!({"n": 0}), json!("NEW")), "{mode}");
    }
    let (_, done) = tokio::join!(silent.asked(), hall.go(&id, APART));
    assert_eq!(done.status, 200, "{}", done.text);
    assert_eq!(hall.rests(&id).await, (json!({"n": 1}), json!("END")));
}

#[tokio::test]
pub(crate) async fn each_processor_sees_what_those_before_it_left() {
    let hall = hall().await;
    let attached = |name: &str, mode: &str| json!({"name": name, "executionMode": mode, "config": {"attachEntity": true}});
    hall.through(json!([
        attached("one", "SYNC"),
        attached("apart", APART),
        attached("two", "ASYNC_SAME_TX"),
        {"name": "blind"},
        attached("last", ""),
    ]))
    .await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let _member = hall
        .member(&[], move |asked: Asked| {
            kept.lock().unwrap().push((asked.name.clone(), asked.value()));
            match asked.name.as_str() {
                "blind" => json!({"success": true}),
                name => asked.with(name, true),
            }
        })
        .await;
    let made = hall.made(r#"{"n":1}"#).await;
    let expected = [
        ("one", json!({"n": 1})),
        ("apart", json!({"n": 1, "one": true})),
        ("two", json!({"n": 1, "one": true})),
        // Unless it is said otherwise, a processor is not shown the entity.
        ("blind", Value::Null),
        ("last", json!({"n": 1, "one": true, "two": true})),
    ];
    assert_eq!(*seen.lock().unwrap(), expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(made["data"], json!({"n": 1, "one": true, "two": true, "last": true}));
}

#[tokio::test]
pub(crate) async fn a_run_with_a_processor_is_told_step_by_step() {
    let hall = hall().await;
    hall.through(json!([{"name": "one", "executionMode": "SYNC"}, {"name": "two"}])).await;
    let _member = hall.member(&[], |_| json!({})).await;
    let made = hall.made(r#"{"n":1}"#).await;
    let id = made["meta"]["id"].as_str().unwrap();
    let told = hall.told(id).await;
    expect![[r#"
        told
          #1 - STATE_MACHINE_START
          #1 - WORKFLOW_FOUND
          #1 NEW PAUSE_FOR_PROCESSING
          #1 NEW STATE_PROCESS_RESULT {"success":true,"mode":"SYNC"}
          #1 NEW STATE_PROCESS_RESULT {"success":true,"mode":""}
          #1 NEW TRANSITION_MAKE
          #1 END STATE_MACHINE_FINISH {"success":true,"stopReason":{"type":"COMPLETED_NO_AUTO_TRANSITIONS","description":"the state has no automated transitions"}}
          #1 - CREATED
    "#]].assert_eq(&told);
    let line = format!("GET /api/audit/entity/{id}");
    let items = hall.world.say(&line, &[]).await.json()["items"].clone();
    let items = items.as_array().unwrap().iter().rev();
    let details: Vec<_> = items.filter_map(|it| it["details"].as_str()).collect();
    assert_eq!(details[2], "processors: one, two");
}

#[tokio::test]
pub(crate) async fn what_a_processor_has_added_is_moved_on_though_the_model_does_not_know_it() {
    let hall = hall().await;
    let processor = json!({"name": "p", "config": {"attachEntity": true}});
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "MID", "processors": [processor]}]},
        "MID": {"transitions": [{"name": "GO", "next": "END", "manual": true}]},
        "END": {},
    }))
    .await;
    let _member = hall.member(&[], |asked| asked.with("by", "p")).await;
    let id = hall.create(json!({"n": 1})).await;
    hall.done("EntityTransitionRequest", json!({"entityId": id, "transition": "GO"})).await;
    assert_eq!(hall.rests(&id).await, (json!({"n": 1, "by": "p"}), json!("END")));
}

#[tokio::test]
pub(crate) async fn what_a_processor_adds_the_model_does_not_learn() {
    let hall = hall().await;
    hall.through(json!([{"name": "p", "config": {"attachEntity": true}}])).await;
    hall.world.prepare(&["POST /api/model/m/1/changeLevel/STRUCTURAL"]).await;
    let _member = hall.member(&[], |asked: Asked| asked.with("more", json!({"deep": 1}))).await;
    let made = hall.made(r#"{"n":1,"own":1}"#).await;
    assert_eq!(made["data"], json!({"n": 1, "own": 1, "more": {"deep": 1}}));
    let model = hall.world.say("GET /api/model/export/SIMPLE_VIEW/m/1", &[]).await.json();
    let known = json!({".n": "INTEGER", ".s": "STRING", ".own": "INTEGER"});
    assert_eq!(model["model"], json!({ "$": known }));
}

#[tokio::test]
pub(crate) async fn without_a_policy_that_says_so_nobody_is_asked_again() {
    let hall = hall().await;
    let policies = ["", "NONE", "TWICE", "fixed"];
    let way = |policy: &str| {
        let processor = json!({"name": policy, "config": {"retryPolicy": policy}});
        let processor = if policy.is_empty() { json!({"name": "none"}) } else { processor };
        json!({"name": format!("GO{policy}"), "next": "END", "manual": true, "processors": [processor]})
    };
    let ways: Vec<_> = policies.into_iter().map(way).collect();
    hall.with_states(json!({"NEW": {"transitions": ways}, "END": {}})).await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let _member = hall
        .member(&[], move |question: Asked| {
            kept.lock().unwrap().push(question.name);
            json!({"success": false, "error": {"message": "no", "retryable": true}})
        })
        .await;
    let id = hall.create(json!({"n": 0})).await;
    for policy in policies {
        assert_eq!(hall.go(&id, policy).await.code(), "WORKFLOW_FAILED", "{policy}");
    }
    assert_eq!(*asked.lock().unwrap(), ["none", "NONE", "TWICE", "fixed"]);
}

#[tokio::test]
pub(crate) async fn a_policy_has_another_member_take_the_place_of_one_that_died() {
    let hall = hall().await;
    let config = json!({"retryPolicy": "FIXED", "attachEntity": true});
    hall.through(json!([{"name": "p", "config": config}])).await;
    let mut mortal = hall.join(&[]).await;
    let dying = async {
        let asked = mortal.asked().await;
        let heir = hall
            .member(&[], |asked: Asked| asked.with("by", asked.payload["requestId"].clone()))
            .await;
        drop(mortal);
        (asked["requestId"].clone(), heir)
    };
    let ((first, _heir), made) = tokio::join!(dying, hall.made(r#"{"n":1}"#));
    assert_eq!(made["meta"]["state"], "END");
    assert!(made["data"]["by"].is_string(), "{made}");
    assert_ne!(made["data"]["by"], first);
}
