//! How long an answer may take, and what becomes of one that nobody waits for any more.

use std::time::Duration;

use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use waypost_machines::entity::cascade::{Cause, Reply};
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use crate::world::{criterion, failure, large, patient, processor, timeless};

const UNASKED: &str = r#"waypost_compute_ignored_total{reason="unasked"}"#;

#[tokio::test]
async fn an_answer_may_take_as_long_as_the_question_says() {
    let world = timeless(patient()).await;
    let _member = world.join(&[]).await;
    for (ask, seconds) in [
        (processor(), 30),
        (criterion(), 30),
        (processor().within(Duration::from_secs(5)), 5),
        (processor().within(Duration::from_secs(25)), 25),
    ] {
        let began_at = Instant::now();
        let answer = world.ask(&ask).await;
        let text = format!("there was no answer within {seconds}s");
        assert_eq!(failure(&answer), (Cause::TimedOut, text.as_str()));
        assert!(answer.member.is_some());
        let took = began_at.elapsed();
        assert_eq!(took.as_secs(), seconds, "{took:?}");
    }
}

#[tokio::test]
async fn the_time_counts_from_when_the_question_is_sent() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let before = [world.asking(large()), world.asking(large())];
    sleep(Duration::from_secs(1)).await;
    let asking = world.asking(processor().within(Duration::from_secs(4)));
    sleep(Duration::from_secs(3)).await;
    for _ in &before {
        member.request().await;
    }
    let request = member.request().await;
    sleep(Duration::from_secs(3)).await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
    before.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn the_longest_time_is_no_overflow() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let asking = world.asking(processor().within(Duration::MAX));
    let request = member.request().await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
}

#[tokio::test]
async fn a_late_answer_is_nobodys() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let answer = world.ask(&processor().within(Duration::from_secs(1))).await;
    assert_eq!(failure(&answer).0, Cause::TimedOut);
    let late = member.request().await;
    let asking = world.asking(processor());
    let request = member.request().await;
    member.process(&late, json!({ "success": false }));
    world.until(UNASKED, 1).await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
}

#[tokio::test]
async fn a_question_that_is_over_takes_no_room() {
    let limits = ComputeLimits { pending_max: 1, ..ComputeLimits::default() };
    let world = timeless(ComputeOptions { limits, ..patient() }).await;
    let _member = world.join(&[]).await;
    for _ in 0..3 {
        let answer = world.ask(&processor().within(Duration::from_secs(1))).await;
        assert_eq!(failure(&answer).0, Cause::TimedOut);
    }
}

#[tokio::test]
async fn a_question_that_is_taken_back_has_no_answer() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let asking = world.asking(processor());
    let request = member.request().await;
    assert_eq!(world.figure("waypost_compute_pending"), 1);
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    assert_eq!(world.figure("waypost_compute_pending"), 0);
    let withdrawn = r#"waypost_compute_requests_total{outcome="withdrawn"}"#;
    assert_eq!(world.figure(withdrawn), 1);
    member.process(&request, json!({}));
    world.until(UNASKED, 1).await;
}

#[tokio::test]
async fn questions_are_counted_by_what_became_of_them() {
    let world = timeless(ComputeOptions::default()).await;
    let figure = |outcome: &str| {
        world.figure(&format!(r#"waypost_compute_requests_total{{outcome="{outcome}"}}"#))
    };
    world.ask(&processor()).await;
    assert_eq!(figure("no_member"), 1);
    let mut member = world.join(&[]).await;
    assert_eq!(world.figure("waypost_compute_members"), 1);
    for (success, outcome) in [(true, "answered"), (false, "refused")] {
        let asking = world.asking(processor());
        let request = member.request().await;
        assert_eq!(world.figure("waypost_compute_pending"), 1);
        member.process(&request, json!({ "success": success }));
        asking.await.unwrap();
        assert_eq!(figure(outcome), 1);
    }
    world.ask(&processor().within(Duration::from_secs(1))).await;
    assert_eq!(figure("timed_out"), 1);
    let asking = world.asking(processor());
    member.request().await;
    drop(member);
    asking.await.unwrap();
    assert_eq!(figure("disconnected"), 1);
    assert_eq!(world.figure("waypost_compute_pending"), 0);
    world.until("waypost_compute_members", 0).await;
}
