//! Compute members that work in the transaction in which they are asked.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    compute::new,
    hall::{Answers, Hall, hall},
    member::Asked,
};

/// Everybody waits for everybody else here; nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

fn processors(names: &[(&str, &str)]) -> Value {
    let one = |(name, mode): &(&str, &str)| {
        json!({
            "type": "EXTERNAL", "name": name, "executionMode": mode,
            "config": {"attachEntity": true},
        })
    };
    names.iter().map(one).collect()
}

impl Hall {
    /// Entities whose `n` is 0 are worked on, all others are left alone.
    pub(crate) async fn working(&self, names: &[(&str, &str)]) {
        let criterion =
            json!({"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": 0});
        self.with_states(json!({
            "NEW": {"transitions": [{
                "name": "A", "next": "END", "criterion": criterion, "processors": processors(names),
            }]},
            "END": {},
        }))
        .await;
    }

    /// Entities whose `n` is 0 are worked on by `p`, which is asked under that policy.
    pub(crate) async fn working_under(&self, policy: &str, mode: &str) {
        let criterion =
            json!({"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": 0});
        let config = json!({"retryPolicy": policy});
        let processors = json!([{"name": "p", "executionMode": mode, "config": config}]);
        let way =
            json!({"name": "A", "next": "END", "criterion": criterion, "processors": processors});
        self.with_states(json!({"NEW": {"transitions": [way]}, "END": {}})).await;
    }

    /// Asks in the transaction of a question.
    pub(crate) async fn within(&self, asked: &Asked, kind: &str, payload: Value) -> Answers {
        self.ask_with(kind, payload, &[("tx-token", &asked.ticket)]).await.unwrap()
    }
}

pub(crate) fn transaction(answers: &Answers) -> String {
    answers[0].1["transactionInfo"]["transactionId"].as_str().unwrap().to_owned()
}

pub(crate) fn entity(answers: &Answers) -> Value {
    answers[0].1["transactionInfo"]["entityIds"][0].clone()
}

pub(crate) fn everything() -> Value {
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    json!({"model": {"name": "m", "version": 1}, "condition": all})
}

#[tokio::test]
pub(crate) async fn what_a_member_writes_lands_with_the_transaction_it_was_asked_in() {
    let hall = Arc::new(hall().await);
    hall.working(&[("write", "SYNC"), ("look", "SYNC")]).await;
    let notes = Arc::new(Mutex::new(Vec::new()));
    let (inside, told) = (Arc::clone(&hall), Arc::clone(&notes));
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, notes) = (Arc::clone(&inside), Arc::clone(&told));
            Box::pin(async move {
                let note = |it: String| notes.lock().unwrap().push(it);
                if asked.name == "write" {
                    let made =
                        hall.within(&asked, "EntityCreateRequest", new(json!({"n": 7}))).await;
                    note(transaction(&made));
                    // The same over HTTP.
                    let ticket = format!("X-Tx-Token: {}", asked.ticket);
                    let line = format!("GET /api/entity/{}", entity(&made).as_str().unwrap());
                    note(hall.world.say(&line, &[ticket]).await.status.to_string());
                    // Nobody else sees it.
                    note(hall.world.say(&line, &[]).await.status.to_string());
                } else {
                    let seen = hall.within(&asked, "EntitySearchRequest", everything()).await;
                    note(seen.len().to_string());
                }
                asked.with("by", asked.name.clone())
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    let done = timeout(PATIENCE, creating).await.unwrap();
    let own = done["transactionInfo"]["transactionId"].as_str().unwrap();
    assert_eq!(*notes.lock().unwrap(), [own, "200", "404", "1"]);
    let found = hall.ask("EntitySearchRequest", everything()).await.unwrap();
    assert_eq!(found.len(), 2);
    for (_, it) in found {
        assert_eq!(it["payload"]["meta"]["transactionId"], own);
    }
}

#[tokio::test]
pub(crate) async fn what_a_member_has_written_goes_when_it_fails() {
    let hall = Arc::new(hall().await);
    hall.working(&[("fail", "SYNC")]).await;
    let inside = Arc::clone(&hall);
    let _member = hall
        .member_calling(&[], move |asked| {
            let hall = Arc::clone(&inside);
            Box::pin(async move {
                let made = hall.within(&asked, "EntityCreateRequest", new(json!({"n": 7}))).await;
                assert_eq!(made[0].1["success"], true);
                json!({"success": false, "error": {"message": "no"}})
            })
        })
        .await;
    let creating = hall.refused("EntityCreateRequest", new(json!({"n": 0})));
    timeout(PATIENCE, creating).await.unwrap();
    assert_eq!(hall.count().await, 0);
}

#[tokio::test]
pub(crate) async fn what_a_member_apart_has_written_goes_when_it_fails_and_the_rest_stays() {
    let hall = Arc::new(hall().await);
    hall.working(&[("fail", "ASYNC_NEW_TX"), ("keep", "ASYNC_NEW_TX")]).await;
    let inside = Arc::clone(&hall);
    let _member = hall
        .member_calling(&[], move |asked| {
            let hall = Arc::clone(&inside);
            Box::pin(async move {
                let value = json!({"n": 7, "s": asked.name});
                hall.within(&asked, "EntityCreateRequest", new(value)).await;
                json!({"success": asked.name == "keep"})
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    timeout(PATIENCE, creating).await.unwrap();
    let found = hall.ask("EntitySearchRequest", everything()).await.unwrap();
    let mut names: Vec<_> = found.iter().map(|it| it.1["payload"]["data"]["s"].clone()).collect();
    names.sort_by_key(Value::to_string);
    assert_eq!(names, [json!("keep"), Value::Null]);
}

#[tokio::test]
pub(crate) async fn a_callback_may_set_off_another() {
    let hall = Arc::new(hall().await);
    let at = |n: u64| {
        let criterion =
            json!({"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": n});
        let processors = processors(&[("deeper", "SYNC")]);
        json!({"name": format!("T{n}"), "next": "END", "criterion": criterion, "processors": processors})
    };
    hall.with_states(json!({"NEW": {"transitions": [at(0), at(1), at(2)]}, "END": {}})).await;
    let inside = Arc::clone(&hall);
    let _member = hall
        .member_calling(&[], move |asked| {
            let hall = Arc::clone(&inside);
            Box::pin(async move {
                let n = asked.value()["n"].as_u64().unwrap();
                let made =
                    hall.within(&asked, "EntityCreateRequest", new(json!({"n": n + 1}))).await;
                asked.with("s", transaction(&made))
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    let done = timeout(PATIENCE, creating).await.unwrap();
    let own = &done["transactionInfo"]["transactionId"];
    let found = hall.ask("EntitySearchRequest", everything()).await.unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|it| it.1["payload"]["meta"]["transactionId"] == *own), "{found:?}");
}

#[tokio::test]
pub(crate) async fn a_member_that_was_too_slow_is_let_in_until_the_end() {
    let hall = Arc::new(hall().await);
    hall.with_states(json!({
        "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [
            {"name": "slow", "executionMode": "ASYNC_NEW_TX", "config": {"responseTimeoutMs": 50}},
            {"name": "last"},
        ]}]},
        "END": {},
    }))
    .await;
    let (inside, ticket) = (Arc::clone(&hall), Arc::new(Mutex::new(None)));
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    hall.world.prepare(&[r#"POST /api/model/import/JSON/SAMPLE_DATA/k/1 {"n":1}"#]).await;
    hall.world.prepare(&["PUT /api/model/k/1/lock"]).await;
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, ticket) = (Arc::clone(&inside), Arc::clone(&ticket));
            let heard = Arc::clone(&heard);
            Box::pin(async move {
                if asked.name == "slow" {
                    *ticket.lock().unwrap() = Some(asked);
                    return std::future::pending().await;
                }
                // Nobody waits for the slow one any more, but the transaction is not over.
                let slow = ticket.lock().unwrap().take().unwrap();
                let header = [format!("X-Tx-Token: {}", slow.ticket)];
                let line = r#"POST /api/entity/JSON/k/1 {"n":7}"#;
                let made = hall.world.say(line, &header).await;
                heard.lock().unwrap().push(made.json()[0]["transactionId"].clone());
                json!({})
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    let done = timeout(PATIENCE, creating).await.unwrap();
    let own = &done["transactionInfo"]["transactionId"];
    assert_eq!(*said.lock().unwrap(), std::slice::from_ref(own));
    let list = hall.world.say("GET /api/entity/k/1", &[]).await.json();
    assert_eq!(list[0]["meta"]["transactionId"], *own, "{list}");
}

#[tokio::test]
pub(crate) async fn a_ticket_is_good_for_one_transaction_and_for_a_while() {
    let hall = hall().await;
    hall.working(&[("p", "SYNC")]).await;
    let tickets = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&tickets);
    let _member = hall
        .member(&[], move |asked| {
            kept.lock().unwrap().push(asked.ticket);
            json!({"success": true})
        })
        .await;
    let id = hall.create(json!({"n": 0})).await;
    let ticket = tickets.lock().unwrap()[0].clone();
    let told = async |kind: &str, payload: Value, ticket: &str| {
        let answers = hall.ask_with(kind, payload, &[("tx-token", ticket)]).await.unwrap();
        let (kind, answer) = answers[0].clone();
        let message = answer["error"]["message"].as_str().unwrap().to_owned();
        (kind, message.split(':').next().unwrap().to_owned())
    };
    let is = |kind: &str, code: &str| (kind.to_owned(), code.to_owned());
    let get = || json!({"entityId": id});
    let over = told("EntityGetRequest", get(), &ticket).await;
    assert_eq!(over, is("EntityResponse", "TRANSACTION_NOT_FOUND"));
    let forged = told("EntitySearchRequest", everything(), "x.y").await;
    assert_eq!(forged, is("EntityResponse", "UNAUTHORIZED"));
    // Models are part of no transaction.
    let export = json!({"model": {"name": "m", "version": 1}, "converter": "SIMPLE_VIEW"});
    let metadata = [("tx-token", ticket.as_str())];
    let answers = hall.ask_with("EntityModelExportRequest", export, &metadata).await.unwrap();
    assert_eq!(answers[0].1["success"], true, "{}", answers[0].1);
    hall.clock.advance(Duration::from_secs(3_600));
    let late = told("EntityDeleteRequest", get(), &ticket).await;
    assert_eq!(late, is("EntityDeleteResponse", "TRANSACTION_EXPIRED"));
    let payloads = json!({"dataFormat": "JSON", "payloads": [new(json!({}))["payload"]]});
    let late = told("EntityCreateCollectionRequest", payloads, &ticket).await;
    assert_eq!(late, is("EntityTransactionResponse", "TRANSACTION_EXPIRED"));
    assert_eq!(hall.count().await, 1);
}
