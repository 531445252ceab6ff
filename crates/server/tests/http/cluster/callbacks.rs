//! Callbacks that come to another node than the one that has their transaction.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;
use waypost_server::cluster::ClusterOptions;

use super::pair::{PATIENCE, Pair, bare, patient};
use crate::calls::{
    callbacks::{entity, everything, transaction},
    compute::new,
    hall::Hall,
    member::Asked,
};

/// Two nodes, a member of the second that does this before it answers, and a write of the first.
async fn calling<F>(
    what: impl Fn(Arc<Pair>, Asked) -> F + Send + Sync + 'static,
) -> (Arc<Pair>, Value)
where
    F: Future<Output = ()> + Send + 'static,
{
    calling_with(patient(), what).await
}

async fn calling_with<F>(
    options: ClusterOptions,
    what: impl Fn(Arc<Pair>, Asked) -> F + Send + Sync + 'static,
) -> (Arc<Pair>, Value)
where
    F: Future<Output = ()> + Send + 'static,
{
    let pair = Arc::new(bare(options).await);
    pair.first.working(&[("p", "SYNC")]).await;
    let (inside, what) = (Arc::clone(&pair), Arc::new(what));
    let _member = pair
        .second
        .member_calling(&[], move |asked| {
            let (pair, what) = (Arc::clone(&inside), Arc::clone(&what));
            Box::pin(async move {
                let answer = asked.with("by", "p");
                what(pair, asked).await;
                answer
            })
        })
        .await;
    let creating = pair.first.done("EntityCreateRequest", new(json!({"n": 0})));
    let done = timeout(PATIENCE, creating).await.unwrap();
    (pair, done)
}

/// Says something over HTTP in the transaction of a question.
async fn say(hall: &Hall, asked: &Asked, line: &str) -> (u16, String, String) {
    let answer = hall.world.say(line, &[format!("X-Tx-Token: {}", asked.ticket)]).await;
    (answer.status, answer.code(), answer.text)
}

#[tokio::test]
pub(crate) async fn a_callback_joins_its_transaction_whichever_node_it_comes_to() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let (pair, done) = calling(move |pair, asked| {
        let notes = Arc::clone(&told);
        async move {
            let note = |it: String| notes.lock().unwrap().push(it);
            let second = &pair.second;
            let value = new(json!({"n": 7, "s": "one"}));
            let made = second.within(&asked, "EntityCreateRequest", value).await;
            note(transaction(&made));
            let both = json!({"dataFormat": "JSON", "payloads": [new(json!({"n": 7}))["payload"]]});
            let made_more = second.within(&asked, "EntityCreateCollectionRequest", both).await;
            note(transaction(&made_more));
            let id = entity(&made).as_str().unwrap().to_owned();
            let get = json!({"entityId": id});
            let got = second.within(&asked, "EntityGetRequest", get).await;
            note(got[0].1["payload"]["data"]["s"].to_string());
            let found = second.within(&asked, "EntitySearchRequest", everything()).await;
            note(found.len().to_string());
            // The same over HTTP; and the answer is the one that its own node gives.
            let line = r#"POST /api/entity/JSON/m/1 {"n":7,"s":"two"}"#;
            let (status, _, text) = say(second, &asked, line).await;
            let made: Value = serde_json::from_str(&text).unwrap();
            note(format!("{status} {}", made[0]["transactionId"].as_str().unwrap()));
            for line in [
                format!("GET /api/entity/{id}"),
                "GET /api/entity/m/1?pageSize=10".to_owned(),
                "GET /api/entity/00000001-0000-1000-8000-000000000000".to_owned(),
                "POST /api/entity/JSON/m/1 {".to_owned(),
                "PUT /api/entity/nonsense".to_owned(),
            ] {
                let there = say(second, &asked, &line).await;
                assert_eq!(there, say(&pair.first, &asked, &line).await, "{line}");
                note(there.0.to_string());
            }
            // Nobody else sees it.
            let line = format!("GET /api/entity/{id}");
            note(second.world.say(&line, &[]).await.status.to_string());
        }
    })
    .await;
    let own = done["transactionInfo"]["transactionId"].as_str().unwrap();
    let with_status = format!("200 {own}");
    let expected =
        [own, own, "\"one\"", "2", &with_status, "200", "200", "404", "400", "400", "404"];
    assert_eq!(*notes.lock().unwrap(), expected);
    let found = pair.second.ask("EntitySearchRequest", everything()).await.unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|it| it.1["payload"]["meta"]["transactionId"] == own), "{found:?}");
    let forwarded = r#"waypost_cluster_forwarded_total{outcome="answered"}"#;
    assert_eq!(pair.second.figure(forwarded).await, 10);
    assert_eq!(pair.first.figure(forwarded).await, 0);
}

#[tokio::test]
pub(crate) async fn a_write_that_is_sent_on_may_wait_for_members_there() {
    // No answer comes at once if a member of another node is asked before.
    let hasty = ClusterOptions { proxy_timeout: Duration::ZERO, ..patient() };
    let (pair, done) = calling_with(hasty, |pair, asked| async move {
        if asked.value()["s"] == "nested" {
            return;
        }
        let line = r#"POST /api/entity/JSON/m/1 {"n":0,"s":"nested"}"#;
        let (status, _, text) = say(&pair.second, &asked, line).await;
        assert_eq!(status, 200, "{text}");
        let nested = new(json!({"n": 0, "s": "nested"}));
        let made = pair.second.within(&asked, "EntityCreateRequest", nested).await;
        assert_eq!(made[0].1["success"], true, "{made:?}");
    })
    .await;
    assert_eq!(done["success"], true, "{done}");
    assert_eq!(pair.first.count().await, 3);
}

#[tokio::test]
pub(crate) async fn a_callback_is_sent_on_once() {
    let (pair, _) = calling(|pair, asked| async move {
        let ticket =
            [format!("X-Tx-Token: {}", asked.ticket), "X-Waypost-Forwarded: somebody".to_owned()];
        let answer = pair.second.world.say("GET /api/entity/m/1", &ticket).await;
        assert_eq!((answer.status, answer.code().as_str()), (503, "TRANSACTION_NODE_UNAVAILABLE"));
        // Where the transaction is, it does not matter.
        assert_eq!(pair.first.world.say("GET /api/entity/m/1", &ticket).await.status, 200);
        for kind in [
            "EntityCreateRequest",
            "EntityDeleteAllRequest",
            "EntityGetRequest",
            "EntityStatsGetRequest",
        ] {
            let metadata = [("tx-token", asked.ticket.as_str()), ("x-waypost-forwarded", "x")];
            let mut payload = new(json!({"n": 7}));
            payload["model"] = json!({"name": "m", "version": 1});
            payload["entityId"] = json!("00000001-0000-1000-8000-000000000000");
            let answers = pair.second.ask_with(kind, payload, &metadata).await.unwrap();
            let message = answers[0].1["error"]["message"].as_str().unwrap();
            assert!(message.starts_with("TRANSACTION_NODE_UNAVAILABLE: "), "{kind} {message}");
        }
    })
    .await;
    assert_eq!(pair.first.count().await, 1);
}

#[tokio::test]
pub(crate) async fn a_ticket_that_is_over_is_over_everywhere() {
    let tickets = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&tickets);
    let (pair, _) = calling(move |_, asked| {
        kept.lock().unwrap().push(asked);
        async {}
    })
    .await;
    let asked = tickets.lock().unwrap()[0].clone();
    let late = say(&pair.second, &asked, "GET /api/entity/m/1").await;
    assert_eq!((late.0, late.1.as_str()), (404, "TRANSACTION_NOT_FOUND"));
    let late = pair.second.within(&asked, "EntityStatsGetRequest", json!({})).await;
    let message = late[0].1["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("TRANSACTION_NOT_FOUND: "), "{message}");
    let forged = Asked { ticket: "x.y".to_owned(), ..asked };
    let answer = say(&pair.second, &forged, "GET /api/entity/m/1").await;
    assert_eq!((answer.0, answer.1.as_str()), (401, "UNAUTHORIZED"));
}
