//! Processors on the way of a write, over HTTP: what they are told, what becomes of what they say,
//! and what happens when they do not say it in time.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;
use waypost_api::grpc::cloudevents::cloud_event::Data;

use super::{
    compute::new,
    hall::{Hall, event, hall},
    member::{Asked, Line},
};
use crate::entity::play::Answer;

const PATIENCE: Duration = Duration::from_secs(60);

const RESPONSE: &str = "EntityProcessorCalculationResponse";

impl Hall {
    /// Entities go from `NEW` to `END` through these processors.
    pub(super) async fn through(&self, processors: Value) {
        let transition = json!({"name": "A", "next": "END", "processors": processors});
        self.with_states(json!({"NEW": {"transitions": [transition]}, "END": {}})).await;
    }

    pub(super) async fn post(&self, value: &str) -> Answer {
        let line = format!("POST /api/entity/JSON/m/1 {value}");
        timeout(PATIENCE, self.world.say(&line, &[])).await.unwrap()
    }

    /// What was made, and is there.
    pub(super) async fn made(&self, value: &str) -> Value {
        let answer = self.post(value).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let id = answer.json()[0]["entityIds"][0].as_str().unwrap().to_owned();
        self.world.say(&format!("GET /api/entity/{id}"), &[]).await.json()
    }

    /// How many questions are open.
    pub(super) async fn pending(&self) -> String {
        let figures = self.world.get("/metrics").await.text().await.unwrap();
        let line = figures.lines().find(|it| it.starts_with("waypost_compute_pending "));
        line.unwrap().rsplit_once(' ').unwrap().1.to_owned()
    }
}

fn processor(name: &str, config: Value) -> Value {
    json!({"name": name, "executionMode": "SYNC", "config": config})
}

#[tokio::test]
pub(crate) async fn every_mode_waits_and_says_in_the_audit_which_it_was() {
    let hall = hall().await;
    let mode = |name: &str, mode: Value| json!({"name": name, "executionMode": mode, "config": {"attachEntity": true}});
    hall.through(json!([
        mode("one", json!("SYNC")),
        mode("two", json!("ASYNC_SAME_TX")),
        mode("three", json!("ASYNC_NEW_TX")),
        mode("four", json!("WHENEVER")),
        mode("five", json!("")),
    ]))
    .await;
    let _member = hall.member(&[], |asked: Asked| asked.with(&asked.name, true)).await;
    let made = hall.made(r#"{"n":1}"#).await;
    assert_eq!(made["data"], json!({"n": 1, "one": true, "two": true, "four": true, "five": true}));
    let id = made["meta"]["id"].as_str().unwrap();
    let line = format!("GET /api/audit/entity/{id}?eventType=StateMachine");
    let events = hall.world.say(&line, &[]).await.json()["items"].as_array().unwrap().clone();
    let mut results: Vec<_> = events
        .iter()
        .filter(|it| it["eventType"] == "STATE_PROCESS_RESULT")
        .map(|it| it["data"].clone())
        .collect();
    results.reverse();
    let expected = ["SYNC", "ASYNC_SAME_TX", "ASYNC_NEW_TX", "WHENEVER", ""]
        .map(|it| json!({"success": true, "mode": it}));
    assert_eq!(results, expected);
}

#[tokio::test]
pub(crate) async fn a_processor_is_told_what_it_is_to_be_told() {
    let hall = hall().await;
    let bare = json!({"name": "bare", "config": {"attachEntity": false, "retryPolicy": "NONE"}});
    let full = processor("full", json!({"attachEntity": true, "context": "warehouse=7"}));
    hall.through(json!([bare, full])).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&told);
    let _member = hall
        .member(&[], move |asked| {
            kept.lock().unwrap().push(asked.payload);
            json!({"success": true})
        })
        .await;
    let made = hall.made(r#"{"n":1}"#).await;
    let told = told.lock().unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut expected = vec![
        "id",
        "requestId",
        "entityId",
        "processorId",
        "processorName",
        "workflow",
        "transition",
        "transactionId",
        "success",
    ];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let texts = |names: &[&str]| sorted(names.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(sorted(names(&told[0])), texts(&expected));
    expected.extend(["parameters", "payload"]);
    assert_eq!(sorted(names(&told[1])), texts(&expected));
    let full = &told[1];
    assert_eq!(full["parameters"], "warehouse=7");
    assert_eq!(full["workflow"], json!({"id": "w", "name": "w"}));
    let way = json!({"id": "A", "name": "A", "stateFrom": "NEW", "stateTo": "END"});
    assert_eq!(full["transition"], way);
    assert_eq!(full["transactionId"], made["meta"]["transactionId"]);
    assert_eq!(full["payload"]["data"], json!({"n": 1}));
    assert_eq!(full["payload"]["meta"]["state"], "NEW");
    assert_eq!(full["payload"]["meta"]["modelKey"], json!({"name": "m", "version": 1}));
}

#[tokio::test]
pub(crate) async fn what_comes_back_is_the_new_value_or_none_or_no_answer_at_all() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"attachEntity": true}))])).await;
    let answer = Arc::new(Mutex::new(Value::Null));
    let said = Arc::clone(&answer);
    let _member = hall.member(&[], move |_| said.lock().unwrap().clone()).await;
    let other = json!({"id": "x", "state": "ELSEWHERE", "creationDate": "1999-01-01T00:00:00Z"});
    let old = || json!({"n": 1});
    for (answered, expected) in [
        (json!({"success": true}), Some(old())),
        (json!({}), Some(old())),
        (json!({"success": true, "payload": null}), Some(old())),
        (json!({"success": true, "payload": {"type": "JSON"}}), Some(old())),
        (json!({"success": true, "payload": {"data": null}}), Some(old())),
        (json!({"success": true, "payload": {"data": {}}}), Some(json!({}))),
        (
            json!({"success": true, "payload": {"type": "XML", "data": {"x": 2}, "meta": other}}),
            Some(json!({"x": 2})),
        ),
        (json!({"success": true, "payload": {"data": [1]}}), None),
        (json!({"success": true, "payload": {"data": "text"}}), None),
        (json!({"success": true, "payload": {"data": 7}}), None),
    ] {
        *answer.lock().unwrap() = answered.clone();
        match expected {
            Some(value) => {
                let made = hall.made(r#"{"n":1}"#).await;
                assert_eq!(made["data"], value, "{answered}");
                assert_eq!(made["meta"]["state"], "END", "{answered}");
                assert_eq!(made["meta"]["creationDate"].as_str().unwrap().get(..4), Some("2026"));
            }
            None => {
                let refused = hall.post(r#"{"n":1}"#).await;
                assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"));
            }
        }
    }
    assert_eq!(hall.count().await, 7);
}

#[tokio::test]
pub(crate) async fn numbers_keep_their_digits_on_the_way_through_a_member() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"attachEntity": true}))])).await;
    let mut line = hall.join(&[]).await;
    let answering = async {
        let (request, text) = question(&mut line).await;
        let (_, rest) = text.split_once(r#""data":"#).unwrap();
        let (value, _) = rest.split_once('}').unwrap();
        let said = format!(
            r#"{{"id":"a","requestId":"{request}","payload":{{"data":{value},"more":1.10e2}}}}}}"#
        );
        line.outgoing.send(event(RESPONSE, Data::TextData(said))).unwrap();
    };
    // What is written like this is a whole number, too.
    let posting = hall.post(r#"{"n":1.0e0}"#);
    let ((), answer) = tokio::join!(answering, posting);
    let id = answer.json()[0]["entityIds"][0].as_str().unwrap().to_owned();
    let shown = hall.world.say(&format!("GET /api/entity/{id}"), &[]).await;
    assert!(shown.text.contains(r#""data":{"n":1.0e0,"more":1.10e2}"#), "{}", shown.text);
}

/// The next question, and how it was written.
async fn question(line: &mut Line) -> (String, String) {
    loop {
        let (event, payload) = line.next().await.unwrap().unwrap();
        let Some(Data::TextData(text)) = event.data else { panic!("no text") };
        if event.r#type.ends_with("CalculationRequest") {
            return (payload["requestId"].as_str().unwrap().to_owned(), text);
        }
    }
}

#[tokio::test]
pub(crate) async fn an_answer_that_comes_too_late_is_nobodys() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"responseTimeoutMs": 50}))])).await;
    let mut line = hall.join(&[]).await;
    let (asked, refused) = tokio::join!(line.asked(), hall.post(r#"{"n":1}"#));
    assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert!(refused.json()["properties"]["retryable"].is_null(), "{}", refused.text);
    assert_eq!(hall.pending().await, "0");
    let late = |request: &Value| {
        let payload = json!({"data": {"late": true}});
        json!({"id": "a", "requestId": request, "payload": payload})
    };
    line.send(RESPONSE, late(&asked["requestId"]));
    let answering = async {
        let asked = line.asked().await;
        line.send(RESPONSE, json!({"id": "a", "requestId": asked["requestId"]}));
    };
    let ((), made) = tokio::join!(answering, hall.made(r#"{"n":2}"#));
    assert_eq!(made["data"], json!({"n": 2}));
    assert_eq!(hall.count().await, 1);
}

#[tokio::test]
pub(crate) async fn a_client_that_goes_away_leaves_no_question_behind() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({}))])).await;
    let mut line = hall.join(&[]).await;
    {
        let posting = hall.post(r#"{"n":1}"#);
        let asked = tokio::select! {
            asked = line.asked() => asked,
            answer = posting => panic!("{}", answer.text),
        };
        assert_eq!(asked["processorName"], "p");
    }
    let gone = async {
        while hall.pending().await != "0" {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.unwrap();
    assert_eq!(hall.count().await, 0);
}

#[tokio::test]
pub(crate) async fn who_failed_is_asked_again_after_others_and_not_for_ever() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"retryPolicy": "FIXED"}))])).await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let failing = |name: &'static str, is_retryable: bool| {
        let asked = Arc::clone(&asked);
        move |question: Asked| {
            let request = question.payload["requestId"].as_str().unwrap().to_owned();
            asked.lock().unwrap().push((name, request));
            json!({"success": false, "error": {"message": "no", "retryable": is_retryable}})
        }
    };
    let _one = hall.member(&[], failing("one", true)).await;
    let _two = hall.member(&[], failing("two", true)).await;
    let refused = hall.post(r#"{"n":1}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"));
    let mut questions = std::mem::take(&mut *asked.lock().unwrap());
    assert_eq!(questions.len(), 4, "{questions:?}");
    assert_ne!(questions[0].0, questions[1].0);
    questions.sort_by(|one, other| one.1.cmp(&other.1));
    questions.dedup_by(|one, other| one.1 == other.1);
    assert_eq!(questions.len(), 4, "{questions:?}");
}

#[tokio::test]
pub(crate) async fn who_says_no_for_good_is_not_asked_again() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"retryPolicy": "FIXED"}))])).await;
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let _member = hall
        .member(&[], move |_| {
            *count.lock().unwrap() += 1;
            json!({"success": false, "error": {"message": "no"}})
        })
        .await;
    assert_eq!(hall.post(r#"{"n":1}"#).await.code(), "WORKFLOW_FAILED");
    assert_eq!(*asked.lock().unwrap(), 1);
}

#[tokio::test]
pub(crate) async fn what_members_warn_of_is_told_beside_the_body() {
    let hall = hall().await;
    let judge = json!({"type": "function", "function": {"name": "judge"}});
    let odd = processor("p", json!({"retryPolicy": "TWICE"}));
    let transition = json!({"name": "A", "next": "END", "criterion": judge, "processors": [odd]});
    hall.with_states(json!({"NEW": {"transitions": [transition]}, "END": {}})).await;
    let _member = hall
        .member(
            &[],
            |asked| json!({"matches": true, "warnings": [format!("{} is low", asked.name)]}),
        )
        .await;
    let url = format!("http://{}/api/entity/JSON/m/1", hall.world.address);
    let response = hall.world.client.post(url).body(r#"{"n":1}"#).send().await.unwrap();
    let warnings = response.headers()["waypost-warnings"].to_str().unwrap().to_owned();
    // There is room for the first; members and programs that want all of them speak gRPC.
    assert_eq!(warnings, "3; criteria judge: judge is low");
    let body: Value = response.json().await.unwrap();
    let mut names: Vec<_> = body[0].as_object().unwrap().keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["entityIds", "transactionId"]);
    let told = hall.done("EntityCreateRequest", new(json!({"n": 1}))).await["warnings"].to_string();
    for expected in ["criteria judge: judge is low", "processor p: p is low", "TWICE"] {
        assert!(told.contains(expected), "{told}");
    }
}

#[tokio::test]
pub(crate) async fn warnings_come_from_all_that_was_tried() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"attachEntity": true}))])).await;
    let _member = hall
        .member(&[], |asked| {
            let n = asked.payload["payload"]["data"]["n"].as_i64().unwrap_or_default();
            json!({"success": n < 3, "error": {"message": "no"}, "warnings": [format!("saw {n}")]})
        })
        .await;
    let url = format!("http://{}/api/entity/JSON/m/1", hall.world.address);
    let create = |window: u32| {
        let url = format!("{url}?transactionWindow={window}");
        hall.world.client.post(url).body(r#"[{"n":1},{"n":2},{"n":3}]"#).send()
    };
    let parts = create(2).await.unwrap();
    assert_eq!(parts.status().as_u16(), 200);
    assert_eq!(parts.headers()["waypost-warnings"], "3; processor p: saw 1");
    let refused = create(3).await.unwrap();
    assert_eq!(refused.status().as_u16(), 400);
    let problem: Value = refused.json().await.unwrap();
    let saw = |n| format!("processor p: saw {n}");
    assert_eq!(problem["properties"]["warnings"], json!([saw(1), saw(2), saw(3)]));
}

#[tokio::test]
pub(crate) async fn the_time_of_a_write_is_when_it_lands_not_when_it_begins() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({}))])).await;
    let clock = Arc::clone(&hall.world.clock);
    let _member = hall
        .member(&[], move |_| {
            clock.advance(Duration::from_secs(10));
            json!({})
        })
        .await;
    let made = hall.made(r#"{"n":1}"#).await;
    let id = made["meta"]["id"].as_str().unwrap();
    let changes = hall.world.say(&format!("GET /api/entity/{id}/changes"), &[]).await.json();
    let audit = format!("GET /api/audit/entity/{id}?eventType=EntityChange");
    let audit = hall.world.say(&audit, &[]).await.json();
    for time in [
        &made["meta"]["creationDate"],
        &made["meta"]["lastUpdateTime"],
        &changes[0]["timeOfChange"],
        &audit["items"][0]["utcTime"],
    ] {
        assert_eq!(time, "2026-05-28T20:26:50Z", "{made} {changes} {audit}");
    }
}

#[tokio::test]
pub(crate) async fn two_members_share_the_work() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({"attachEntity": true}))])).await;
    let _one = hall.member(&[], |asked| asked.with("by", "one")).await;
    let _two = hall.member(&[], |asked| asked.with("by", "two")).await;
    let mut n_one = 0;
    for _ in 0..10 {
        n_one += usize::from(hall.made(r#"{"n":1}"#).await["data"]["by"] == "one");
    }
    assert_eq!(n_one, 5);
}

#[tokio::test]
pub(crate) async fn a_member_that_dies_is_missed_and_the_client_may_come_again() {
    let hall = hall().await;
    hall.through(json!([processor("p", json!({}))])).await;
    let mut line = hall.join(&[]).await;
    let dying = async {
        line.asked().await;
        drop(line);
    };
    let ((), refused) = tokio::join!(dying, hall.post(r#"{"n":1}"#));
    assert_eq!((refused.status, refused.code().as_str()), (503, "COMPUTE_MEMBER_DISCONNECTED"));
    assert_eq!(refused.json()["properties"]["retryable"], true);
    let refused = hall.post(r#"{"n":1}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
    assert_eq!(refused.json()["properties"]["retryable"], true);
    assert_eq!(hall.count().await, 0);
}

#[tokio::test]
pub(crate) async fn whatever_happens_to_a_processor_apart_is_a_warning() {
    let hall = hall().await;
    let apart = |name: &str, tags: &str| {
        let config = json!({"responseTimeoutMs": 50, "calculationNodesTags": tags});
        json!({"name": name, "executionMode": "ASYNC_NEW_TX", "config": config})
    };
    hall.through(json!([apart("silent", "s"), apart("dying", "d"), apart("absent", "a")])).await;
    let mut silent = hall.join(&["s"]).await;
    let mut mortal = hall.join(&["d"]).await;
    let living = async {
        silent.asked().await;
        mortal.asked().await;
        drop(mortal);
    };
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 1})));
    let ((), made) = tokio::join!(living, creating);
    let warnings = made["warnings"].to_string();
    for name in ["silent", "dying", "absent"] {
        assert!(warnings.contains(&format!("processor {name}: ")), "{warnings}");
    }
    let id = made["transactionInfo"]["entityIds"][0].as_str().unwrap();
    assert_eq!(hall.show(id).await["meta"]["state"], "END");
    // Over HTTP it goes as well, now that only the silent one is there.
    let (_, made) = tokio::join!(silent.asked(), hall.post(r#"{"n":1}"#));
    assert_eq!(made.status, 200, "{}", made.text);
    assert!(made.shown().contains("[waypost-warnings: 3; processor silent: "), "{}", made.shown());
}

#[tokio::test]
pub(crate) async fn a_guard_sees_what_a_processor_before_it_has_made() {
    let hall = hall().await;
    let is = |value: &str| json!({"type": "simple", "jsonPath": "$.s", "operatorType": "EQUALS", "value": value});
    let make = processor("make", json!({"attachEntity": true}));
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "MID", "processors": [make]}]},
        "MID": {"transitions": [
            {"name": "OLD", "next": "WRONG", "criterion": is("old")},
            {"name": "MADE", "next": "RIGHT", "criterion": is("made")},
            {"name": "TOO", "next": "WRONG", "criterion": is("made")},
        ]},
        "RIGHT": {}, "WRONG": {},
    }))
    .await;
    let _member = hall.member(&[], |asked| asked.with("s", "made")).await;
    let made = hall.made(r#"{"n":1,"s":"old"}"#).await;
    assert_eq!((&made["data"]["s"], &made["meta"]["state"]), (&json!("made"), &json!("RIGHT")));
}
