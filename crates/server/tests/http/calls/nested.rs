//! Members that set off others within a transaction: what fails takes along what was done for it,
//! and nothing else.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    callbacks::{entity, everything},
    compute::{message, new, processor},
    hall::{Answers, Hall, hall},
    member::{Asked, Member},
};

/// Everybody waits for everybody else here; nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who fails, and in which mode they are asked.
#[derive(Clone, Copy)]
struct Plan {
    outer: (&'static str, bool),
    inner: (&'static str, bool),
}

impl Hall {
    /// Entities whose `n` is 0 are worked on by `outer`, those with 1 by `inner`.
    async fn two_deep(&self, plan: Plan) {
        let way = |n: u32, name: &str, mode: &str| {
            let criterion =
                json!({"type": "simple", "jsonPath": "$.n", "operatorType": "EQUALS", "value": n});
            json!({"name": name, "next": "END", "criterion": criterion, "processors": [processor(name, mode, "")]})
        };
        let ways = [way(0, "outer", plan.outer.0), way(1, "inner", plan.inner.0)];
        self.with_states(json!({"NEW": {"transitions": ways}, "END": {}})).await;
    }

    async fn make(&self, asked: &Asked, n: u32) -> Answers {
        self.within(asked, "EntityCreateRequest", new(json!({"n": n}))).await
    }

    /// What is there.
    async fn left(&self) -> Vec<u64> {
        let found = self.ask("EntitySearchRequest", everything()).await.unwrap();
        let mut left: Vec<_> =
            found.iter().map(|it| it.1["payload"]["data"]["n"].as_u64().unwrap()).collect();
        left.sort_unstable();
        left
    }
}

/// A member that is `outer` and `inner`: before and after it sets off the inner one the outer one
/// makes 10 and 11, and the inner one makes 20. Tells what became of the inner one.
async fn nesting(hall: &Arc<Hall>, plan: Plan) -> (Member, Arc<Mutex<Vec<Value>>>) {
    let (inside, told) = (Arc::clone(hall), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&told);
    let member = hall
        .member_calling(&[], move |asked| {
            let (hall, told) = (Arc::clone(&inside), Arc::clone(&heard));
            Box::pin(async move {
                let error = json!({"message": format!("no {}", asked.name)});
                if asked.name == "inner" {
                    hall.make(&asked, 20).await;
                    return json!({"success": plan.inner.1, "error": error});
                }
                hall.make(&asked, 10).await;
                let inner = hall.make(&asked, 1).await;
                told.lock().unwrap().push(inner[0].1.clone());
                hall.make(&asked, 11).await;
                json!({"success": plan.outer.1, "error": error})
            })
        })
        .await;
    (member, told)
}

/// Does it; shows what became of the whole, of what the inner one was about, and what is left.
async fn done(plan: Plan) -> (Value, Value, Vec<u64>) {
    let hall = Arc::new(hall().await);
    hall.two_deep(plan).await;
    let (_member, told) = nesting(&hall, plan).await;
    let creating = hall.ask("EntityCreateRequest", new(json!({"n": 0})));
    let mut whole = timeout(PATIENCE, creating).await.unwrap().unwrap();
    let mut told = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!((whole.len(), told.len()), (1, 1));
    (whole.remove(0).1, told.remove(0), hall.left().await)
}

#[tokio::test]
pub(crate) async fn a_callback_whose_own_member_fails_leaves_nothing_and_the_outer_one_goes_on() {
    for mode in ["SYNC", "ASYNC_NEW_TX"] {
        let (whole, inner, left) = done(Plan { outer: (mode, true), inner: ("SYNC", false) }).await;
        assert_eq!((&whole["success"], &inner["success"]), (&json!(true), &json!(false)));
        let text = message(&inner["error"]);
        assert!(text.starts_with("WORKFLOW_FAILED: ") && text.contains("no inner"), "{text}");
        assert_eq!(left, [0, 10, 11], "{mode}");
    }
}

#[tokio::test]
pub(crate) async fn what_a_member_apart_within_a_callback_did_goes_alone_when_it_fails() {
    let plan = Plan { outer: ("SYNC", true), inner: ("ASYNC_NEW_TX", false) };
    let (whole, inner, left) = done(plan).await;
    assert_eq!((&whole["success"], &inner["success"]), (&json!(true), &json!(true)));
    assert!(inner["warnings"].to_string().contains("no inner"), "{inner}");
    assert_eq!(left, [0, 1, 10, 11]);
}

#[tokio::test]
pub(crate) async fn what_a_callback_has_done_goes_with_the_outer_member_that_fails() {
    for mode in ["SYNC", "ASYNC_NEW_TX"] {
        let (whole, inner, left) = done(Plan { outer: ("SYNC", false), inner: (mode, true) }).await;
        assert_eq!((&whole["success"], &inner["success"]), (&json!(false), &json!(true)));
        assert!(message(&whole["error"]).contains("no outer"), "{whole}");
        assert_eq!(left, [] as [u64; 0], "{mode}");
        // The transaction goes on without a member apart, and without all that was done for it.
        let apart = Plan { outer: ("ASYNC_NEW_TX", false), inner: (mode, true) };
        let (whole, inner, left) = done(apart).await;
        assert_eq!((&whole["success"], &inner["success"]), (&json!(true), &json!(true)));
        assert!(whole["warnings"].to_string().contains("no outer"), "{whole}");
        assert_eq!(left, [0], "{mode}");
    }
}

/// Collections that fail at their second item, of entities made before.
fn collections(id: &Value) -> [(&'static str, Value, &'static str); 4] {
    let model = json!({"name": "m", "version": 1});
    let item = |n: Value| json!({"model": model, "data": {"n": n}});
    let update = |id: &Value, n: u32| json!({"entityId": id, "data": {"n": n}});
    let all = |payloads: [Value; 2]| json!({"dataFormat": "JSON", "payloads": payloads});
    let (create, change) = ("EntityCreateCollectionRequest", "EntityUpdateCollectionRequest");
    let nobody = json!("99999999-0000-1000-8000-000000000000");
    let mut wrong = update(id, 32);
    wrong["transition"] = json!("NOWHERE");
    [
        (create, all([item(json!(30)), item(json!("x"))]), "BAD_REQUEST"),
        (create, all([item(json!(31)), item(json!(1))]), "WORKFLOW_FAILED"),
        (change, all([update(id, 32), update(&nobody, 33)]), "ENTITY_NOT_FOUND"),
        (change, all([update(id, 34), wrong]), "TRANSITION_NOT_FOUND"),
    ]
}

#[tokio::test]
pub(crate) async fn a_collection_that_fails_within_a_transaction_leaves_nothing_of_itself() {
    let hall = Arc::new(hall().await);
    hall.two_deep(Plan { outer: ("SYNC", true), inner: ("SYNC", false) }).await;
    let (inside, told) = (Arc::clone(&hall), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&told);
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, told) = (Arc::clone(&inside), Arc::clone(&heard));
            Box::pin(async move {
                if asked.name == "inner" {
                    return json!({"success": false, "error": {"message": "no inner"}});
                }
                let made = hall.make(&asked, 10).await;
                for (kind, payload, _) in collections(&entity(&made)) {
                    let answers = hall.within(&asked, kind, payload).await;
                    let seen = hall.within(&asked, "EntitySearchRequest", everything()).await;
                    let seen: Vec<_> =
                        seen.iter().map(|it| it.1["payload"]["data"]["n"].clone()).collect();
                    told.lock().unwrap().push((answers, json!(seen)));
                }
                json!({})
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    timeout(PATIENCE, creating).await.unwrap();
    let told = std::mem::take(&mut *told.lock().unwrap());
    let expected = collections(&Value::Null).map(|it| it.2);
    assert_eq!(told.len(), expected.len());
    for ((answers, seen), code) in told.iter().zip(expected) {
        let [(_, answer)] = answers.as_slice() else { panic!("one answer: {answers:?}") };
        assert_eq!(answer["success"], false, "{answer}");
        let text = message(&answer["error"]);
        assert!(text.starts_with(&format!("{code}: ")), "{text}");
        assert!(text.contains(": item 1: "), "{text}");
        assert_eq!(*seen, json!([10]), "{text}");
    }
    assert_eq!(hall.left().await, [0, 10]);
}
