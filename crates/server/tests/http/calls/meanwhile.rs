//! What happens to an entity beside the answer of the member that is asked about it.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use super::{
    hall::{Hall, hall},
    member::Asked,
};
use crate::entity::play::Answer;

const PATIENCE: Duration = Duration::from_secs(60);

impl Hall {
    /// `GO` leads from `NEW` to `END`, through the processor `p`.
    async fn going(&self) {
        self.going_by("SYNC").await;
    }

    async fn going_by(&self, mode: &str) {
        let config = json!({"attachEntity": true});
        let processors = json!([{"name": "p", "executionMode": mode, "config": config}]);
        let go = json!({"name": "GO", "next": "END", "manual": true, "processors": processors});
        self.with_states(json!({"NEW": {"transitions": [go]}, "END": {}})).await;
    }

    async fn goes(&self, id: &str) -> Answer {
        let line = format!(r#"PUT /api/entity/JSON/{id}/GO {{"n":1}}"#);
        timeout(PATIENCE, self.world.say(&line, &[])).await.unwrap()
    }

    /// Writes over HTTP, as somebody else or in the transaction of a question.
    async fn puts(&self, id: &str, value: &str, asked: Option<&Asked>) -> u16 {
        let ticket: Vec<_> =
            asked.map(|it| format!("X-Tx-Token: {}", it.ticket)).into_iter().collect();
        self.world.say(&format!("PUT /api/entity/JSON/{id} {value}"), &ticket).await.status
    }

    async fn reads(&self, id: &str, asked: Option<&Asked>) -> Value {
        let ticket: Vec<_> =
            asked.map(|it| format!("X-Tx-Token: {}", it.ticket)).into_iter().collect();
        self.world.say(&format!("GET /api/entity/{id}"), &ticket).await.json()["data"].clone()
    }
}

#[tokio::test]
pub(crate) async fn what_a_member_returns_outdoes_what_it_wrote() {
    let hall = Arc::new(hall().await);
    hall.going().await;
    let id = hall.create(json!({"n": 0})).await;
    let inside = Arc::clone(&hall);
    let _member = hall
        .member_calling(&[], move |asked| {
            let hall = Arc::clone(&inside);
            Box::pin(async move {
                let id = asked.payload["entityId"].as_str().unwrap();
                assert_eq!(hall.puts(id, r#"{"n":5}"#, Some(&asked)).await, 200);
                assert_eq!(hall.reads(id, Some(&asked)).await, json!({"n": 5}));
                json!({"payload": {"data": {"n": 7}}})
            })
        })
        .await;
    assert_eq!(hall.goes(&id).await.status, 200);
    let shown = hall.show(&id).await;
    assert_eq!((&shown["data"], &shown["meta"]["state"]), (&json!({"n": 7}), &json!("END")));
    let changes = hall.world.say(&format!("GET /api/entity/{id}/changes"), &[]).await.json();
    assert_eq!(changes.as_array().unwrap().len(), 2, "{changes}");
}

#[tokio::test]
pub(crate) async fn an_event_that_fires_a_transition_overwrites_nothing() {
    let hall = Arc::new(hall().await);
    hall.going().await;
    let id = hall.create(json!({"n": 0})).await;
    let inside = Arc::clone(&hall);
    let member = hall
        .member_calling(&[], move |asked| {
            let hall = Arc::clone(&inside);
            Box::pin(async move {
                let id = asked.payload["entityId"].as_str().unwrap();
                assert_eq!(hall.puts(id, r#"{"n":11}"#, None).await, 200);
                json!({})
            })
        })
        .await;
    let go = || json!({"entityId": id, "transition": "GO"});
    let refused = hall.refused("EntityTransitionRequest", go()).await;
    assert!(refused["message"].as_str().unwrap().starts_with("CONFLICT: "), "{refused}");
    assert_eq!(refused["retryable"], true);
    let shown = hall.show(&id).await;
    assert_eq!((&shown["data"], &shown["meta"]["state"]), (&json!({"n": 11}), &json!("NEW")));
    // Nobody in the way: what is there now goes along.
    drop(member);
    let _member = hall.member_calling(&[], |_| Box::pin(async { json!({}) })).await;
    hall.done("EntityTransitionRequest", go()).await;
    let shown = hall.show(&id).await;
    assert_eq!((&shown["data"], &shown["meta"]["state"]), (&json!({"n": 11}), &json!("END")));
}

/// What becomes of a write whose member looks at another entity, in the transaction or beside it,
/// which somebody then changes.
async fn overtaken(is_within: bool) -> (Answer, Value) {
    overtaken_in("SYNC", is_within, json!({})).await
}

async fn overtaken_in(mode: &str, is_within: bool, said: Value) -> (Answer, Value) {
    let hall = Arc::new(hall().await);
    hall.going_by(mode).await;
    let (id, other) = (hall.create(json!({"n": 0})).await, hall.create(json!({"n": 10})).await);
    let (inside, seen) = (Arc::clone(&hall), other.clone());
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, other, said) = (Arc::clone(&inside), seen.clone(), said.clone());
            Box::pin(async move {
                let within = is_within.then_some(&asked);
                assert_eq!(hall.reads(&other, within).await, json!({"n": 10}));
                assert_eq!(hall.puts(&other, r#"{"n":11}"#, None).await, 200);
                said
            })
        })
        .await;
    let answer = hall.goes(&id).await;
    (answer, hall.show(&id).await["meta"]["state"].clone())
}

#[tokio::test]
pub(crate) async fn what_a_transaction_has_read_must_be_so_until_it_lands() {
    let (refused, state) = overtaken(true).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "CONFLICT"), "{}", refused.text);
    assert_eq!(refused.json()["properties"]["retryable"], true);
    assert_eq!(state, "NEW");
    let (done, state) = overtaken(false).await;
    assert_eq!((done.status, state), (200, json!("END")), "{}", done.text);
}

#[tokio::test]
pub(crate) async fn what_a_member_apart_has_read_does_not_count_if_it_fails() {
    let no = json!({"success": false, "error": {"message": "no"}});
    let (done, state) = overtaken_in("ASYNC_NEW_TX", true, no).await;
    assert_eq!((done.status, state), (200, json!("END")), "{}", done.text);
    let (refused, state) = overtaken_in("ASYNC_NEW_TX", true, json!({})).await;
    assert_eq!((refused.code().as_str(), state), ("CONFLICT", json!("NEW")), "{}", refused.text);
}
