//! Instances: started, listed, steered, read.

use serde_json::{Value, json};

use super::samples::text_of;
use crate::world::world;

#[tokio::test]
async fn instances_start_and_end() {
    world().await.play("instances_start_and_end").await;
}

#[tokio::test]
async fn business_keys_are_unique_while_under_way() {
    world().await.play("business_keys_are_unique_while_under_way").await;
}

#[tokio::test]
async fn instances_are_listed() {
    world().await.play("instances_are_listed").await;
}

#[tokio::test]
async fn instances_are_cancelled() {
    world().await.play("instances_are_cancelled").await;
}

#[tokio::test]
async fn history_has_two_spellings() {
    world().await.play("history_has_two_spellings").await;
}

#[tokio::test]
async fn who_did_what_is_on_record() {
    world().await.play("who_did_what_is_on_record").await;
}

#[tokio::test]
async fn failed_steps_are_retried() {
    world().await.play("failed_steps_are_retried").await;
}

#[tokio::test]
async fn a_process_follows_another() {
    world().await.play("a_process_follows_another").await;
}

#[tokio::test]
async fn an_instance_is_started_by_the_path_of_its_definition() {
    world().await.play("started_by_the_definitions_path").await;
}

#[tokio::test]
async fn of_starts_at_the_same_time_under_one_key_one_succeeds() {
    let world = world().await.with(&["line"]).await;
    let body = r#"{"definitionId":"line","businessKey":"k"}"#;
    let start = async || world.post("/v1/instances", body).await.status().as_u16();
    let (a, b, c, d) = tokio::join!(start(), start(), start(), start());
    let mut statuses = [a, b, c, d];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409]);
}

#[tokio::test]
async fn asking_twice_under_one_idempotency_key_starts_one_instance() {
    let world = world().await.with(&["line"]).await;
    let url = format!("http://{}/v1/instances", world.address);
    let ask = async |body: &'static str| {
        let request = world.client.post(&url).header("idempotency-key", "k").body(body);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (status, first) = ask(r#"{"definitionId":"line"}"#).await;
    assert_eq!(status, 201);
    assert_eq!(ask(r#"{"definitionId":"line"}"#).await, (201, first));
    assert_eq!(ask(r#"{"definitionId":"line","businessKey":"x"}"#).await.0, 400);
    let list: Value = world.get("/v1/instances").await.json().await.unwrap();
    assert_eq!(list["total"], 1);
}

#[tokio::test]
async fn going_on_before_the_last_one_seen_misses_nothing_and_repeats_nothing() {
    let world = world().await.with(&["line"]).await;
    let mut started = Vec::new();
    for _ in 0..7 {
        started.insert(0, world.start("line", json!({})).await);
    }
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let path = format!("/v1/instances?pageSize=2&before={before}");
        let page: Value = world.get(&path).await.json().await.unwrap();
        let items = page["items"].as_array().unwrap();
        let Some(last) = items.last() else { break };
        before = text_of(last, "id");
        seen.extend(items.iter().map(|it| text_of(it, "id")));
        // What comes meanwhile is newer, and moves nothing.
        world.start("line", json!({})).await;
    }
    assert_eq!(seen, started);
}

#[tokio::test]
async fn variables_beyond_the_limit_are_refused_and_change_nothing() {
    let world = world().await.with(&["line"]).await;
    let half = "x".repeat(600_000);
    let id = world.start("line", json!({"a": half})).await;
    let job = world.poll("w", "a").await.remove(0);
    let body = json!({"workerId": "w", "variables": {"b": half}}).to_string();
    let response = world.post(&format!("/v1/jobs/{job}/complete"), &body).await;
    assert_eq!(response.status(), 400);
    let answer: Value = response.json().await.unwrap();
    assert!(text_of(&answer, "reason").contains("1048576"), "{answer}");
    assert_eq!(world.look(&id, "status").await, "ACTIVE");
    let body = json!({"workerId": "w", "variables": {"b": 1}}).to_string();
    assert_eq!(world.post(&format!("/v1/jobs/{job}/complete"), &body).await.status(), 204);
    assert_eq!(world.look(&id, "status").await, "COMPLETED");
}
