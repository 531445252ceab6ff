//! Jobs: polled, called back, lost, given back.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use waypost_engine::process::child;

use crate::world::{World, world};

#[tokio::test]
async fn jobs_are_polled() {
    world().await.play("jobs_are_polled").await;
}

#[tokio::test]
async fn jobs_are_called_back() {
    world().await.play("jobs_are_called_back").await;
}

#[tokio::test]
async fn heartbeats_keep_a_job() {
    world().await.play("heartbeats").await;
}

#[tokio::test]
async fn several_jobs_are_completed_at_once() {
    world().await.play("several_jobs_at_once").await;
}

#[tokio::test]
async fn timers_take_work_away() {
    world().await.play("timers_take_work_away").await;
}

#[tokio::test]
async fn a_job_nobody_holds_may_be_called_back_by_anybody() {
    let world = world().await.with(&["line"]).await;
    let id = world.start("line", json!({})).await;
    // The visit has the first number, its job the second.
    let job = child(&id.clone().into(), 2);
    let body = r#"{"workerId":"anybody","variables":{"x":1}}"#;
    let response = world.post(&format!("/v1/jobs/{job}/complete"), body).await;
    assert_eq!(response.status(), 204);
    assert!(!response.headers().contains_key("waypost-callback"));
    assert_eq!(world.look(&id, "status").await, "COMPLETED");
    assert!(world.poll("w", "a").await.is_empty());
}

#[tokio::test]
async fn of_a_completion_and_a_failure_at_the_same_time_one_counts() {
    let world = world().await.with(&["line"]).await;
    for _ in 0..10 {
        let id = world.start("line", json!({})).await;
        let job = world.poll("w", "a").await.remove(0);
        let call = async |verb: &str| {
            let path = format!("/v1/jobs/{job}/{verb}");
            let response = world.post(&path, r#"{"workerId":"w","errorMessage":"no"}"#).await;
            assert_eq!(response.status(), 204);
            !response.headers().contains_key("waypost-callback")
        };
        let (completed, failed) = tokio::join!(call("complete"), call("fail"));
        assert_ne!(completed, failed);
        let expected = if completed { "COMPLETED" } else { "FAILED" };
        assert_eq!(world.look(&id, "status").await, expected);
        let path = format!("/v1/instances/{id}/history");
        let history: Value = world.get(&path).await.json().await.unwrap();
        assert_eq!(history["items"][0]["status"], expected);
        // Whoever came second has left nothing behind.
        world.pass(Duration::from_secs(31)).await;
        assert!(world.poll("v", "a").await.is_empty());
        assert_eq!(world.look(&id, "status").await, expected);
    }
}

#[tokio::test]
async fn each_job_goes_to_one_of_those_who_poll_at_the_same_time() {
    let world = world().await.with(&["line"]).await;
    for _ in 0..20 {
        world.start("line", json!({})).await;
    }
    let poll = async |worker: &'static str| world.poll(worker, "a").await;
    let (a, b, c) = tokio::join!(poll("a"), poll("b"), poll("c"));
    let mut jobs = [a, b, c].concat();
    assert_eq!(jobs.len(), 20);
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs.len(), 20);
}

const WAIT: &str = r#"{"workerId":"w","jobTypes":["a"],"waitMs":30000}"#;

async fn until_work_is_waited_for(world: &World) {
    // A poll is counted when it has begun; there is no other way to see it from outside.
    loop {
        let metrics = world.get("/metrics").await.text().await.unwrap();
        if metrics.contains("waypost_http_claims_waiting 1") {
            return;
        }
    }
}

#[tokio::test]
async fn a_poll_that_waits_gets_work_as_soon_as_there_is_some() {
    let world = world().await.with(&["line"]).await;
    let waiting = async { world.post("/v1/jobs/poll", WAIT).await.json::<Value>().await.unwrap() };
    let start = async {
        until_work_is_waited_for(&world).await;
        world.start("line", json!({"n": 1})).await
    };
    let began = tokio::time::Instant::now();
    let (polled, id) = tokio::join!(waiting, start);
    assert_eq!(polled["jobs"][0]["instanceId"], id);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_poll_that_finds_nothing_in_time_is_empty() {
    let world = world().await;
    let body = r#"{"workerId":"w","jobTypes":["a"],"waitMs":20}"#;
    let response = world.post("/v1/jobs/poll", body).await;
    assert_eq!(response.text().await.unwrap(), r#"{"jobs":[]}"#);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_no_job_held() {
    let world = world().await.with(&["line"]).await;
    let mut connection = world.connect().await;
    let head = format!(
        "POST /v1/jobs/poll HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{WAIT}",
        WAIT.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    until_work_is_waited_for(&world).await;
    drop(connection);
    world.start("line", json!({})).await;
    // The clock stands still: no lease lapses. The poll may have taken the job before it knew that
    // its client has gone; then it gives it back.
    let free = async { while world.poll("v", "a").await.is_empty() {} };
    tokio::time::timeout(Duration::from_secs(20), free).await.unwrap();
}
