//! Members that are asked again, because the policy says so.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::time::Instant;
use waypost_engine::entity::Rules;
use waypost_machines::entity::cascade::Pace;
use waypost_server::compute::ComputeOptions;

use super::{
    callbacks::{everything, transaction},
    compute::new,
    hall::{Hall, hall, hall_under},
    member::Asked,
};

/// Attempts that found nobody to ask.
const IN_VAIN: &str = r#"waypost_compute_requests_total{outcome="no_member"}"#;

/// A server that asks again so often and so long after, and a processor that has it do so.
async fn asking_again(further_max: u32, apart: Duration) -> Hall {
    let rules = Rules { pace: Pace { further_max, apart }, ..Rules::default() };
    let hall = hall_under(ComputeOptions::default(), rules).await;
    hall.through(json!([{"name": "p", "config": {"retryPolicy": "FIXED"}}])).await;
    hall
}

/// A write that nobody is there for: how often somebody was looked for, and how long that took.
async fn in_vain(hall: &Hall) -> (u64, Duration) {
    let began_at = Instant::now();
    let refused = hall.post(r#"{"n":1}"#).await;
    let took = began_at.elapsed();
    assert_eq!((refused.status, refused.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
    assert_eq!(refused.json()["properties"]["retryable"], true, "{}", refused.text);
    assert_eq!(hall.count().await, 0);
    (hall.figure(IN_VAIN).await, took)
}

#[tokio::test]
pub(crate) async fn a_member_that_was_silent_is_asked_after_another() {
    let hall = hall().await;
    let config = json!({"retryPolicy": "FIXED", "responseTimeoutMs": 50, "attachEntity": true});
    hall.through(json!([{"name": "p", "config": config}])).await;
    let mut silent = hall.join(&[]).await;
    let waiting = async {
        let first = silent.asked().await;
        let heir = hall
            .member(&[], |asked: Asked| asked.with("by", asked.payload["requestId"].clone()))
            .await;
        (first["requestId"].clone(), heir)
    };
    let ((first, _heir), made) = tokio::join!(waiting, hall.made(r#"{"n":1}"#));
    assert_eq!(made["meta"]["state"], "END");
    assert!(made["data"]["by"].is_string() && made["data"]["by"] != first, "{made}");
}

#[tokio::test]
pub(crate) async fn what_was_written_before_a_member_failed_is_gone_when_it_is_asked_again() {
    for mode in ["SYNC", "ASYNC_NEW_TX"] {
        is_gone_when_it_is_asked_again(mode).await;
    }
}

async fn is_gone_when_it_is_asked_again(mode: &str) {
    let hall = Arc::new(hall().await);
    hall.working_under("FIXED", mode).await;
    let (inside, seen) = (Arc::clone(&hall), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&seen);
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, seen) = (Arc::clone(&inside), Arc::clone(&told));
            Box::pin(async move {
                let found = hall.within(&asked, "EntitySearchRequest", everything()).await;
                let made = hall.within(&asked, "EntityCreateRequest", new(json!({"n": 7}))).await;
                let n_asked = {
                    let mut seen = seen.lock().unwrap();
                    seen.push((found.len(), transaction(&made)));
                    seen.len()
                };
                json!({"success": n_asked == 2, "error": {"message": "no", "retryable": true}})
            })
        })
        .await;
    let done = hall.done("EntityCreateRequest", new(json!({"n": 0}))).await;
    let own = done["transactionInfo"]["transactionId"].as_str().unwrap().to_owned();
    assert_eq!(*seen.lock().unwrap(), [(0, own.clone()), (0, own)]);
    // What the second attempt has made, and what it was about.
    assert_eq!(hall.count().await, 2);
}

#[tokio::test]
pub(crate) async fn a_function_is_asked_again_under_the_same_policy() {
    let hall = hall().await;
    let config = json!({"retryPolicy": "FIXED"});
    let judge = json!({"type": "function", "function": {"name": "judge", "config": config}});
    let go = json!({"name": "GO", "next": "END", "criterion": judge});
    hall.with_states(json!({"NEW": {"transitions": [go]}, "END": {}})).await;
    let n_asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&n_asked);
    let _member = hall
        .member(&[], move |_| {
            let mut count = count.lock().unwrap();
            *count += 1;
            let error = json!({"message": "no", "retryable": true});
            json!({"success": *count > 1, "matches": true, "error": error})
        })
        .await;
    assert_eq!(hall.made(r#"{"n":1}"#).await["meta"]["state"], "END");
    assert_eq!(*n_asked.lock().unwrap(), 2);
}

#[tokio::test]
pub(crate) async fn where_nobody_is_somebody_is_looked_for_four_times() {
    let hall = hall().await;
    hall.through(json!([{"name": "p", "config": {"retryPolicy": "FIXED"}}])).await;
    let (n_attempts, took) = in_vain(&hall).await;
    assert_eq!(n_attempts, 4);
    assert!(took >= Duration::from_millis(1_500), "{took:?}");
}

#[tokio::test]
pub(crate) async fn how_often_and_how_long_after_is_what_the_server_is_told() {
    let (n_attempts, took) = in_vain(&asking_again(1, Duration::from_millis(700)).await).await;
    assert_eq!(n_attempts, 2);
    assert!(took >= Duration::from_millis(700), "{took:?}");
    assert_eq!(in_vain(&asking_again(0, Duration::from_secs(3_600)).await).await.0, 1);
    assert_eq!(in_vain(&asking_again(20, Duration::ZERO).await).await.0, 21);
}

#[tokio::test]
pub(crate) async fn who_comes_between_two_attempts_is_asked() {
    let hall = asking_again(u32::MAX, Duration::from_millis(1)).await;
    let coming = async {
        while hall.figure(IN_VAIN).await < 2 {}
        hall.member(&[], |_| json!({})).await
    };
    let (_member, made) = tokio::join!(coming, hall.made(r#"{"n":1}"#));
    assert_eq!(made["meta"]["state"], "END");
}
