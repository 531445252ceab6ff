//! Criteria that a member decides about: of workflows and transitions, alone and among others.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{
    hall::{Hall, hall},
    member::Asked,
};

fn function(name: &str, config: Value) -> Value {
    json!({"type": "function", "function": {"name": name, "config": config}})
}

fn any(conditions: Value) -> Value {
    json!({"type": "group", "operator": "OR", "conditions": conditions})
}

impl Hall {
    /// A model whose workflows are these.
    async fn with_workflows(&self, workflows: Value) {
        let import = json!({"importMode": "REPLACE", "workflows": workflows});
        self.world
            .prepare(&[
                r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1,"s":"x"}"#,
                "PUT /api/model/m/1/lock",
                &format!("POST /api/model/m/1/workflow/import {import}"),
            ])
            .await;
    }

    /// A model whose entities may go to `END` if that is so.
    async fn guarded(&self, criterion: Value) {
        let go = json!({"name": "GO", "next": "END", "manual": true, "criterion": criterion});
        self.with_states(json!({"NEW": {"transitions": [go]}, "END": {}})).await;
    }
}

#[tokio::test]
pub(crate) async fn a_function_chooses_a_workflow_before_there_is_a_transition() {
    let hall = hall().await;
    let config = json!({
        "calculationNodesTags": "rules", "context": "v2", "responseTimeoutMs": 5_000,
    });
    hall.with_workflows(json!([
        {"name": "a", "initialState": "A", "criterion": function("is-a", config), "states": {"A": {}}},
        {"name": "b", "initialState": "B", "criterion": function("is-b", json!({"attachEntity": false})), "states": {"B": {}}},
    ]))
    .await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&told);
    let _member = hall
        .member(&["rules"], move |asked: Asked| {
            let matches = asked.name == "is-b" || asked.value()["n"] == 1;
            kept.lock().unwrap().push(asked.payload);
            json!({"success": true, "matches": matches})
        })
        .await;
    assert_eq!(hall.made(r#"{"n":1}"#).await["meta"]["state"], "A");
    let first = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(first.len(), 1, "the second is not asked in vain");
    assert_eq!(first[0]["target"], "WORKFLOW");
    assert_eq!(first[0]["workflow"], json!({"id": "a", "name": "a"}));
    assert_eq!(first[0]["criteriaId"], "is-a");
    assert_eq!(first[0]["parameters"], "v2");
    assert!(first[0].get("transition").is_none(), "{}", first[0]);
    assert!(first[0].get("processor").is_none(), "{}", first[0]);
    // A workflow is chosen before there is a state.
    assert_eq!(first[0]["payload"]["meta"]["state"], "");
    assert_eq!(hall.made(r#"{"n":2}"#).await["meta"]["state"], "B");
    let both = std::mem::take(&mut *told.lock().unwrap());
    let names: Vec<_> = both.iter().map(|it| it["criteriaName"].clone()).collect();
    assert_eq!(names, ["is-a", "is-b"]);
    assert!(both[1].get("payload").is_none(), "{}", both[1]);
    assert!(both[1].get("parameters").is_none(), "{}", both[1]);
}

#[tokio::test]
pub(crate) async fn functions_are_asked_in_order_until_it_is_clear() {
    let hall = hall().await;
    let one = function("one", json!({}));
    let two = function("two", json!({}));
    let cheap = json!({"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": 7});
    hall.guarded(any(json!([cheap, one, two]))).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&told);
    let _member = hall
        .member(&[], move |asked: Asked| {
            let matches = asked.value()["s"] == asked.name.as_str();
            assert_eq!(asked.payload["transition"]["name"], "GO");
            kept.lock().unwrap().push(asked.name);
            json!({"success": true, "matches": matches})
        })
        .await;
    for (value, status, expected) in [
        (r#"{"n":7,"s":"x"}"#, 200, &[][..]),
        (r#"{"n":1,"s":"one"}"#, 200, &["one"][..]),
        (r#"{"n":1,"s":"two"}"#, 200, &["one", "two"][..]),
        (r#"{"n":1,"s":"none"}"#, 400, &["one", "two"][..]),
    ] {
        let id = hall.create(json!({"n": 0})).await;
        let answer = hall.world.say(&format!("PUT /api/entity/JSON/{id}/GO {value}"), &[]).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert_eq!(std::mem::take(&mut *told.lock().unwrap()), expected, "{value}");
    }
}

#[tokio::test]
pub(crate) async fn a_function_that_fails_to_choose_leaves_the_choice_to_nobody() {
    let hall = hall().await;
    hall.with_workflows(json!([
        {"name": "a", "initialState": "A", "criterion": function("is-a", json!({})), "states": {"A": {}}},
        {"name": "b", "initialState": "B", "states": {"B": {}}},
    ]))
    .await;
    let said = |_| json!({"success": false, "error": {"message": "no idea"}});
    let _member = hall.member(&[], said).await;
    let refused = hall.post(r#"{"n":1}"#).await;
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(refused.status, 400, "{detail}");
    assert!(detail.starts_with("WORKFLOW_FAILED: ") && detail.contains("no idea"), "{detail}");
    assert_eq!(hall.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_function_that_cannot_tell_is_not_a_no() {
    let hall = hall().await;
    let config = json!({"responseTimeoutMs": 50});
    hall.guarded(function("judge", config)).await;
    let id = hall.create(json!({"n": 0})).await;
    let line = format!(r#"PUT /api/entity/JSON/{id}/GO {{"n":1}}"#);
    let none = hall.world.say(&line, &[]).await;
    assert_eq!((none.status, none.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
    let mut silent = hall.join(&[]).await;
    let (_, late) = tokio::join!(silent.asked(), hall.world.say(&line, &[]));
    assert_eq!((late.status, late.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert!(!late.text.contains("did not match"), "{}", late.text);
    let dying = async {
        silent.asked().await;
        drop(silent);
    };
    let ((), dead) = tokio::join!(dying, hall.world.say(&line, &[]));
    assert_eq!((dead.status, dead.code().as_str()), (503, "COMPUTE_MEMBER_DISCONNECTED"));
    assert_eq!(dead.json()["properties"]["retryable"], true);
    let shown = hall.show(&id).await;
    assert_eq!((&shown["data"], &shown["meta"]["state"]), (&json!({"n": 0}), &json!("NEW")));
}

#[tokio::test]
pub(crate) async fn the_audit_says_which_function_did_not_match_and_why() {
    let hall = hall().await;
    let go = json!({"name": "GO", "next": "B", "criterion": function("judge", json!({}))});
    hall.with_workflows(json!([
        {"name": "a", "initialState": "A", "criterion": function("choose", json!({})), "states": {"A": {}}},
        {"name": "b", "initialState": "A", "states": {"A": {"transitions": [go]}, "B": {}}},
    ]))
    .await;
    let _member = hall
        .member(
            &[],
            |asked| json!({"matches": false, "reason": format!("{} is tired", asked.name)}),
        )
        .await;
    let made = hall.made(r#"{"n":1}"#).await;
    let audit = format!("GET /api/audit/entity/{}", made["meta"]["id"].as_str().unwrap());
    let audit = hall.world.say(&audit, &[]).await.json();
    let data_of = |kind: &str| {
        let events = audit["items"].as_array().unwrap();
        let event = events.iter().find(|it| it["eventType"] == kind);
        event.unwrap_or_else(|| panic!("{audit}"))["data"].clone()
    };
    let skipped = json!({"workflowName": "a", "reason": "choose is tired"});
    assert_eq!(data_of("WORKFLOW_SKIP"), skipped);
    let refused = json!({
        "workflowName": "b", "transition": "GO", "criterion": "judge", "reason": "judge is tired",
    });
    assert_eq!(data_of("TRANSITION_NOT_MATCH_CRITERION"), refused);
}

#[tokio::test]
pub(crate) async fn why_not_is_told_to_whoever_asked_for_it() {
    let hall = hall().await;
    hall.guarded(function("judge", json!({}))).await;
    let _member = hall
        .member(&[], |asked| match asked.value()["n"].as_u64() {
            Some(1) => json!({"matches": false, "reason": "the moon is full"}),
            Some(2) => json!({"matches": false, "reason": "ü".repeat(2_000)}),
            _ => json!({}),
        })
        .await;
    let id = hall.create(json!({"n": 0})).await;
    let take = async |n: u64| {
        let line = format!(r#"PUT /api/entity/JSON/{id}/GO {{"n":{n}}}"#);
        let answer = hall.world.say(&line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "WORKFLOW_FAILED"));
        answer.json()["detail"].as_str().unwrap().to_owned()
    };
    assert!(take(1).await.ends_with("the moon is full"));
    let long = take(2).await;
    assert_eq!(long.matches('ü').count(), 1_024, "a reason has 2048 bytes at the most");
    // What does not say that it matches does not.
    assert!(take(3).await.contains("did not match"));
}
