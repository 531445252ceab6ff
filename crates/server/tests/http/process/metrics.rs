//! What is counted of processes, under the names their operators know.

use std::{collections::BTreeSet, time::Duration};

use expect_test::expect;
use serde_json::json;

use crate::world::{World, world};

/// A little of everything that is counted.
async fn busy_world() -> World {
    let world = world().await.with(&["line", "person", "pause", "timed", "parent", "child"]).await;
    let complete = async |kind: &str| {
        let job = world.poll("w", kind).await.remove(0);
        world.post(&format!("/v1/jobs/{job}/complete"), r#"{"workerId":"w"}"#).await;
    };
    world.start("parent", json!({})).await;
    complete("a").await;
    world.pass(Duration::ZERO).await;
    complete("a").await;

    let failing = world.start("line", json!({})).await;
    for retryable in [true, false] {
        let job = world.poll("w", "a").await.remove(0);
        let body = json!({"workerId": "w", "retryable": retryable}).to_string();
        world.post(&format!("/v1/jobs/{job}/fail"), &body).await;
        world.post(&format!("/v1/jobs/{job}/fail"), &body).await;
    }
    world.post(&format!("/v1/instances/{failing}/steps/a/retry"), "").await;
    world.poll("w", "a").await;
    world.pass(Duration::from_secs(31)).await;
    world.post(&format!("/v1/instances/{failing}/cancel"), "").await;

    let person = world.start("person", json!({})).await;
    world.post(&format!("/v1/instances/{person}/user-tasks/ask/complete"), "").await;
    let pause = world.start("pause", json!({})).await;
    world.post(&format!("/v1/instances/{pause}/signals/hold"), "").await;
    world.start("timed", json!({})).await;
    world.pass(Duration::from_secs(3_600)).await;
    world
}

#[tokio::test]
async fn processes_are_counted_under_the_names_operators_know() {
    let world = busy_world().await;
    let text = world.get("/metrics").await.text().await.unwrap();
    let ours = ["workflow_", "job_", "engine_"];
    let is_ours = |it: &&str| ours.iter().any(|prefix| it.starts_with(prefix));
    let is_count = |it: &&str| !it.contains("_bucket") && !it.contains("_sum");
    let lines: BTreeSet<_> = text.lines().filter(is_ours).filter(is_count).collect();
    expect![[r#"
        engine_db_lock_wait_duration_seconds_count{operation="instance.for_update"} 15
        engine_db_transaction_duration_seconds_count{tx_type="instance.complete_job"} 2
        engine_db_transaction_duration_seconds_count{tx_type="instance.complete_user_task"} 1
        engine_db_transaction_duration_seconds_count{tx_type="instance.fire_boundary"} 1
        engine_db_transaction_duration_seconds_count{tx_type="instance.retry_step"} 1
        engine_db_transaction_duration_seconds_count{tx_type="instance.signal_wait"} 1
        engine_db_transaction_duration_seconds_count{tx_type="instance.start"} 5
        engine_db_transaction_duration_seconds_count{tx_type="instance.start_chain"} 1
        engine_db_transaction_duration_seconds_count{tx_type="job.fail"} 1
        engine_db_transaction_duration_seconds_count{tx_type="job.retry"} 2
        engine_job_pickup_latency_seconds_count 5
        engine_job_timeout_total 1
        job_lock_conflicts_total 2
        job_poll_latency_seconds_count 5
        job_retries_total 1
        workflow_definitions_uploaded_total 6
        workflow_instances_completed_total{outcome="cancelled"} 1
        workflow_instances_completed_total{outcome="completed"} 3
        workflow_instances_completed_total{outcome="failed"} 1
        workflow_instances_started_total 6
        workflow_steps_executed_total{step_type="END"} 3
        workflow_steps_executed_total{step_type="SERVICE_TASK"} 7
        workflow_steps_executed_total{step_type="USER_TASK"} 1
        workflow_steps_executed_total{step_type="WAIT"} 1"#]]
    .assert_eq(&lines.into_iter().collect::<Vec<_>>().join("\n"));
}

#[tokio::test]
async fn requests_are_counted_by_the_pattern_of_their_path() {
    let world = world().await;
    world.get("/v1/instances/nobody").await;
    world.get("/v1/instances/nobody-else").await;
    world.get("/nowhere").await;
    let text = world.get("/metrics").await.text().await.unwrap();
    for (labels, count) in [
        (r#"method="GET",path="/v1/instances/{id}",status="404""#, 2),
        (r#"method="GET",path="none",status="404""#, 1),
    ] {
        let line = format!("http_requests_duration_seconds_count{{{labels}}} {count}\n");
        assert!(text.contains(&line), "{line}");
    }
    assert!(!text.contains("nobody"));
}
