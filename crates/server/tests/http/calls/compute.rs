//! Compute members on the way of a write: what they see, what becomes of what they say, and what
//! happens when they fail or are not there.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    hall::{Hall, hall, together},
    member::Asked,
};

/// A processor.
pub(crate) fn processor(name: &str, mode: &str, tags: &str) -> Value {
    json!({
        "type": "EXTERNAL", "name": name, "executionMode": mode,
        "config": {"attachEntity": true, "calculationNodesTags": tags},
    })
}

/// A criterion that a member decides about.
pub(crate) fn function(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

impl Hall {
    /// A model with a workflow of these states, the first of which is `NEW`.
    pub(crate) async fn with_states(&self, states: Value) {
        let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
        let workflows = json!({"importMode": "REPLACE", "workflows": [workflow]});
        self.world
            .prepare(&[
                r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1,"s":"x"}"#,
                "PUT /api/model/m/1/lock",
                &format!("POST /api/model/m/1/workflow/import {workflows}"),
            ])
            .await;
    }

    pub(crate) async fn create(&self, value: Value) -> String {
        let answer = self.done("EntityCreateRequest", new(value)).await;
        answer["transactionInfo"]["entityIds"][0].as_str().unwrap().to_owned()
    }

    pub(crate) async fn show(&self, id: &str) -> Value {
        self.done("EntityGetRequest", json!({"entityId": id})).await["payload"].clone()
    }

    pub(crate) async fn count(&self) -> u64 {
        let answer = self.done("EntityStatsGetRequest", json!({})).await;
        answer["count"].as_u64().unwrap()
    }
}

pub(crate) fn new(value: Value) -> Value {
    json!({"dataFormat": "JSON", "payload": {"model": {"name": "m", "version": 1}, "data": value}})
}

fn take(id: &str, value: Value, transition: &str) -> Value {
    let payload = json!({"entityId": id, "data": value, "transition": transition});
    json!({"dataFormat": "JSON", "payload": payload})
}

pub(crate) fn message(error: &Value) -> &str {
    error["message"].as_str().unwrap()
}

#[tokio::test]
pub(crate) async fn a_cascade_takes_what_every_processor_adds_and_is_one_version() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "MID", "processors": [processor("one", "SYNC", "")]}]},
        "MID": {"transitions": [{"name": "B", "next": "END", "processors": [processor("two", "ASYNC_SAME_TX", "")]}]},
        "END": {},
    }))
    .await;
    let _member = hall
        .member(&[], |asked| {
            let transition = &asked.payload["transition"];
            let way = format!("{} {}", transition["stateFrom"], transition["stateTo"]);
            asked.with(&asked.name, way)
        })
        .await;
    let id = hall.create(json!({"n": 1})).await;
    let shown = hall.show(&id).await;
    // Nobody has told the model of these members.
    let expected = json!({"n": 1, "one": "\"NEW\" \"MID\"", "two": "\"MID\" \"END\""});
    assert_eq!(shown["data"], expected);
    assert_eq!(shown["meta"]["state"], "END");
    assert_eq!(shown["meta"]["transitionForLatestSave"], "loopback");
    let changes =
        hall.ask("EntityChangesMetadataGetRequest", json!({"entityId": id})).await.unwrap();
    assert_eq!(changes.len(), 1);
}

#[tokio::test]
pub(crate) async fn a_list_of_nothing_needs_a_model_that_takes_entities() {
    let hall = hall().await;
    let error = hall.refused("EntityCreateRequest", new(json!([]))).await;
    assert!(message(&error).starts_with("MODEL_NOT_FOUND: "), "{error}");
    hall.world.prepare(&[r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1}"#]).await;
    let error = hall.refused("EntityCreateRequest", new(json!([]))).await;
    assert!(message(&error).starts_with("MODEL_NOT_LOCKED: "), "{error}");
    hall.world.prepare(&["PUT /api/model/m/1/lock"]).await;
    let done = hall.done("EntityCreateRequest", new(json!([]))).await;
    assert_eq!(done["transactionInfo"]["entityIds"], json!([]));
}

#[tokio::test]
pub(crate) async fn a_processor_that_fails_leaves_nothing_behind() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [
            {"name": "A", "next": "OK", "criterion": {"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": 1}},
            {"name": "B", "next": "OK", "processors": [processor("no", "SYNC", "")]},
        ]},
        "OK": {"transitions": [{"name": "GO", "next": "END", "manual": true, "processors": [processor("no", "SYNC", "")]}]},
        "END": {},
    }))
    .await;
    let _member = hall
        .member(&[], |_| json!({"success": false, "error": {"code": "X", "message": "out of stock"}, "warnings": ["low"]}))
        .await;
    let error = hall.refused("EntityCreateRequest", new(json!({"n": 2}))).await;
    assert_eq!(error["code"], "CLIENT_ERROR");
    assert!(message(&error).starts_with("WORKFLOW_FAILED: "), "{error}");
    assert!(message(&error).contains("out of stock"), "{error}");
    assert_eq!(hall.count().await, 0);

    let id = hall.create(json!({"n": 1})).await;
    let answers = hall.ask("EntityUpdateRequest", take(&id, json!({"n": 5}), "GO")).await.unwrap();
    assert_eq!(answers[0].1["success"], false);
    assert_eq!(answers[0].1["warnings"], json!(["processor no: low"]));
    assert_eq!(answers[0].1["transactionInfo"], json!({"entityIds": []}));
    let shown = hall.show(&id).await;
    assert_eq!((&shown["data"], &shown["meta"]["state"]), (&json!({"n": 1}), &json!("OK")));
}

#[tokio::test]
pub(crate) async fn what_a_processor_apart_says_is_dropped_and_so_is_its_failure() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [
            processor("add", "SYNC", ""), processor("drop", "ASYNC_NEW_TX", ""),
            processor("fail", "ASYNC_NEW_TX", ""),
        ]}]},
        "END": {},
    }))
    .await;
    let _member = hall
        .member(&[], |asked| match asked.name.as_str() {
            "fail" => json!({"success": false, "error": {"message": "no"}}),
            name => asked.with(name, asked.value()["add"].clone()),
        })
        .await;
    let answer = hall.done("EntityCreateRequest", new(json!({"n": 1}))).await;
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("fail"), "{warnings}");
    let id = answer["transactionInfo"]["entityIds"][0].as_str().unwrap();
    let shown = hall.show(id).await;
    assert_eq!(
        (&shown["data"], &shown["meta"]["state"]),
        (&json!({"n": 1, "add": null}), &json!("END"))
    );
}

#[tokio::test]
pub(crate) async fn only_a_member_with_every_tag_is_asked() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor("p", "SYNC", " a , ,b ")]}]},
        "END": {},
    }))
    .await;
    let error = hall.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert!(message(&error).starts_with("NO_COMPUTE_MEMBER_FOR_TAG: "), "{error}");
    assert_eq!((&error["code"], &error["retryable"]), (&json!("CLIENT_ERROR"), &json!(true)));
    let _less = hall.member(&["a"], |asked| asked.with("by", "less")).await;
    let error = hall.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert!(message(&error).starts_with("NO_COMPUTE_MEMBER_FOR_TAG: "), "{error}");
    let more = hall.member(&["c", "b", "a"], |asked| asked.with("by", "more")).await;
    for _ in 0..5 {
        let id = hall.create(json!({"n": 1})).await;
        assert_eq!(hall.show(&id).await["data"]["by"], "more");
    }
    drop(more);
}

#[tokio::test]
pub(crate) async fn a_member_that_dies_is_missed_at_once() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor("p", "SYNC", "")]}]},
        "END": {},
    }))
    .await;
    let mut line = hall.join(&[]).await;
    let dying = async {
        line.asked().await;
        drop(line);
        Instant::now()
    };
    let creating = async {
        let error = hall.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
        (error, Instant::now())
    };
    let (died_at, (error, told_at)) = tokio::join!(dying, creating);
    assert!(message(&error).starts_with("COMPUTE_MEMBER_DISCONNECTED: "), "{error}");
    assert_eq!(error["retryable"], true);
    assert!(told_at - died_at < Duration::from_secs(2), "{:?}", told_at - died_at);
    let shown = hall.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &[]).await;
    assert_eq!((shown.status, shown.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
}

#[tokio::test]
pub(crate) async fn an_answer_to_another_question_is_nobodys() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor("p", "SYNC", "")]}]},
        "END": {},
    }))
    .await;
    let mut line = hall.join(&[]).await;
    let answering = async {
        let asked = line.asked().await;
        let kind = "EntityProcessorCalculationResponse";
        let data = |by| json!({"data": {"by": by}});
        line.send(kind, json!({"id": "a", "requestId": "another", "payload": data("wrong")}));
        line.send(
            kind,
            json!({"id": "a", "requestId": asked["requestId"], "payload": data("right")}),
        );
    };
    let ((), id) = tokio::join!(answering, hall.create(json!({"n": 1})));
    assert_eq!(hall.show(&id).await["data"], json!({"by": "right"}));
}

#[tokio::test]
pub(crate) async fn a_function_decides_and_is_not_asked_in_vain() {
    let hall = hall().await;
    let cheap =
        json!({"type": "simple", "jsonPath": "$.s", "operatorType": "EQUALS", "value": "ask"});
    hall.with_states(json!({
        "NEW": {"transitions": [
            {"name": "A", "next": "BOTH", "criterion":
                {"type": "group", "operator": "AND", "conditions": [cheap, function("judge")]}},
            {"name": "B", "next": "REST", "criterion":
                {"type": "simple", "jsonPath": "$.n", "operatorType": "NOT_NULL"}},
        ]},
        "BOTH": {}, "REST": {},
    }))
    .await;
    let n_asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&n_asked);
    let _member = hall
        .member(&[], move |asked| {
            count.fetch_add(1, Ordering::SeqCst);
            assert_eq!(asked.payload["target"], "TRANSITION");
            match asked.value()["n"].as_u64() {
                Some(1) => json!({"success": true, "matches": true}),
                Some(2) => json!({"success": true, "matches": false, "reason": "too many"}),
                _ => json!({"success": false, "error": {"message": "cannot tell"}}),
            }
        })
        .await;
    for (value, state, n_expected) in [
        (json!({"n": 1, "s": "ask"}), "BOTH", 1),
        (json!({"n": 2, "s": "ask"}), "REST", 2),
        (json!({"n": 1, "s": "do not"}), "REST", 2),
    ] {
        let id = hall.create(value).await;
        assert_eq!(hall.show(&id).await["meta"]["state"], state);
        assert_eq!(n_asked.load(Ordering::SeqCst), n_expected);
    }
    let error = hall.refused("EntityCreateRequest", new(json!({"n": 3, "s": "ask"}))).await;
    assert!(message(&error).starts_with("WORKFLOW_FAILED: "), "{error}");
    assert!(message(&error).contains("cannot tell"), "{error}");
    assert_eq!(hall.count().await, 3);
}

#[tokio::test]
pub(crate) async fn ten_writes_wait_for_one_member_at_the_same_time() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor("p", "SYNC", "")]}]},
        "END": {},
    }))
    .await;
    // Nobody is answered before all have asked.
    let barrier = Arc::new(tokio::sync::Barrier::new(10));
    let _member = hall
        .member_calling(&[], move |asked| {
            let barrier = Arc::clone(&barrier);
            Box::pin(async move {
                barrier.wait().await;
                asked.with("by", "one")
            })
        })
        .await;
    let creating = together((0..10).map(|n| hall.create(json!({"n": n}))));
    let ids = timeout(Duration::from_secs(60), creating).await.unwrap();
    assert_eq!(ids.len(), 10);
    assert_eq!(hall.count().await, 10);
}

#[tokio::test]
pub(crate) async fn of_two_writes_of_one_entity_at_least_one_lands() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "GO", "next": "NEW", "manual": true, "processors": [processor("p", "SYNC", "")]}]},
    }))
    .await;
    let id = hall.create(json!({"n": 0})).await;
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let _member = hall
        .member_calling(&[], move |asked: Asked| {
            let barrier = Arc::clone(&barrier);
            Box::pin(async move {
                barrier.wait().await;
                asked.with("by", "p")
            })
        })
        .await;
    let update = |n: u64| hall.ask("EntityUpdateRequest", take(&id, json!({"n": n}), "GO"));
    let answers = timeout(Duration::from_secs(60), together([update(1), update(2)])).await.unwrap();
    let answers: Vec<_> = answers.into_iter().map(|it| it.unwrap()[0].1.clone()).collect();
    let (done, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it["success"] == true);
    assert_eq!(done.len(), 1, "{answers:?}");
    assert!(message(&lost[0]["error"]).starts_with("CONFLICT: "), "{lost:?}");
    assert_eq!(lost[0]["error"]["retryable"], true);
    let n = hall.show(&id).await["data"]["n"].as_u64().unwrap();
    assert!(n == 1 || n == 2, "{n}");
}

#[tokio::test]
pub(crate) async fn a_server_that_stops_lets_a_member_finish_and_then_go() {
    let hall = hall().await;
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor("p", "SYNC", "")]}]},
        "END": {},
    }))
    .await;
    let mut line = hall.join(&[]).await;
    let stop = hall.world.stop.clone();
    let answering = async {
        let asked = line.asked().await;
        stop.cancel();
        let payload = json!({"id": "a", "requestId": asked["requestId"]});
        line.send("EntityProcessorCalculationResponse", payload);
        loop {
            match line.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the stream ended without a word"),
                Err(status) => return status.code(),
            }
        }
    };
    let (ending, _) = tokio::join!(answering, hall.create(json!({"n": 1})));
    assert_eq!(ending, tonic::Code::Unavailable);
    timeout(Duration::from_secs(60), hall.world.running).await.unwrap().unwrap().unwrap();
}
