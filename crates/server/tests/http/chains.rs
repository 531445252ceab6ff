//! Chains, from deployment to their end.

use expect_test::expect;
use serde_json::Value;

use crate::world::{show, world};

#[tokio::test]
async fn a_definition_is_deployed_once() {
    world().await.tell("a_definition_is_deployed_once").await;
}

#[tokio::test]
async fn an_instance_goes_from_step_to_step_to_its_end() {
    world().await.with_order().await.tell("an_instance_goes_from_step_to_step_to_its_end").await;
}

#[tokio::test]
async fn a_step_waits_for_an_event_and_is_woken() {
    world().await.with_order().await.tell("a_step_waits_for_an_event_and_is_woken").await;
}

#[tokio::test]
async fn a_step_is_retried_and_dies() {
    world().await.with_order().await.tell("a_step_is_retried_and_dies").await;
}

#[tokio::test]
async fn a_lease_is_renewed_given_back_and_lost() {
    world().await.with_order().await.tell("a_lease_is_renewed_given_back_and_lost").await;
}

#[tokio::test]
async fn an_instance_is_canceled_under_its_worker() {
    world().await.with_order().await.tell("an_instance_is_canceled_under_its_worker").await;
}

#[tokio::test]
async fn one_instance_of_a_type_runs_under_a_business_key() {
    world().await.with_order().await.tell("one_instance_of_a_type_runs_under_a_business_key").await;
}

#[tokio::test]
async fn a_problem_has_everything_a_client_needs() {
    let world = world().await.with_order().await;
    let body = r#"{"workflowType":"order","bizKey":"o-1"}"#;
    world.post("/v1/chains/instances", body).await;
    let response = world.post("/v1/chains/instances", body).await;
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let problem: Value = response.json().await.unwrap();
    expect![[r#"
        {
          "type": "/docs/errors/DUPLICATE_BIZ_KEY",
          "title": "Duplicate biz key",
          "status": 409,
          "detail": "instance i-1 of that type runs under the same business key",
          "instance": "/v1/chains/instances",
          "code": "DUPLICATE_BIZ_KEY",
          "retryable": false,
          "requestId": "r",
          "instanceId": "i-1"
        }"#]]
    .assert_eq(&format!("{problem:#}"));
}

#[tokio::test]
async fn asking_twice_under_one_key_starts_one_instance() {
    let world = world().await.with_order().await;
    let url = format!("http://{}/v1/chains/instances", world.address);
    let ask = async |key: &str, body: &'static str| {
        let request = world.client.post(&url).header("idempotency-key", key);
        let response =
            request.header("content-type", "application/json").body(body).send().await.unwrap();
        let header = |name| response.headers().get(name).map_or("", |it| it.to_str().unwrap());
        let place = format!("{} {}", header("location"), header("idempotent-replay"));
        let status = response.status().as_u16();
        let answer: Value = response.json().await.unwrap();
        let shown = show(status, &answer);
        let line = shown.lines().next().unwrap().trim();
        format!("{line} {}", place.trim()).trim().to_owned()
    };
    let order = r#"{"workflowType":"order"}"#;
    let other = r#"{"workflowType":"order","bizKey":"other"}"#;
    let seen = [
        ask("k", order).await,
        ask("k", order).await,
        ask("k", other).await,
        ask("l", order).await,
        ask(&"k".repeat(257), order).await,
    ];
    expect![[r#"
        201 /v1/chains/instances/i-1
        201 /v1/chains/instances/i-1 true
        422 REQUEST_REUSED: the request id was used for another request
        201 /v1/chains/instances/i-4
        400 HEADER_INVALID: header.idempotency-key: must have 1 to 256 visible ASCII characters @ header.idempotency-key"#]]
    .assert_eq(&seen.join("\n"));
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let world = world().await.with_order().await;
    for number in 0..5 {
        let body = format!(r#"{{"workflowType":"order","bizKey":"o-{number}"}}"#);
        world.post("/v1/chains/instances", &body).await;
    }
    world.post("/v1/chains/instances/i-1/cancel", "").await;
    for (query, expected) in [
        ("", "i-5 i-4 i-3 i-2 i-1 | page 0 of 50"),
        ("pageSize=2", "i-5 i-4 | page 0 of 2, more"),
        ("pageSize=2&page=1", "i-3 i-2 | page 1 of 2, more"),
        ("pageSize=2&page=2", "i-1 | page 2 of 2"),
        ("pageSize=5", "i-5 i-4 i-3 i-2 i-1 | page 0 of 5"),
        ("after=i-3", "i-2 i-1 | page 0 of 50"),
        ("status=CANCELED", "i-1 | page 0 of 50"),
        ("status=RUNNING&bizKey=o-3", "i-4 | page 0 of 50"),
        ("workflowType=other", " | page 0 of 50"),
        ("awaits=PAID", " | page 0 of 50"),
    ] {
        let answer = world.get(&format!("/v1/chains/instances?{query}")).await;
        let page: waypost_api::Page<waypost_api::chain::Instance> = answer.json().await.unwrap();
        let ids: Vec<_> = page.items.iter().map(|it| it.instance_id.as_str()).collect();
        let more = if page.has_more { ", more" } else { "" };
        let seen = format!("{} | page {} of {}{more}", ids.join(" "), page.page, page.page_size);
        assert_eq!(seen, expected, "{query}");
    }
}

#[tokio::test]
async fn answers_read_back_as_the_types_of_the_wire() {
    let world = world().await.with_order().await;
    let body = r#"{"workflowType":"order","context":{ "a":1.10}}"#;
    world.post("/v1/chains/instances", body).await;
    let answer = world.get("/v1/chains/instances/i-1").await.text().await.unwrap();
    let detail: waypost_api::chain::InstanceDetail = serde_json::from_str(&answer).unwrap();
    assert_eq!(detail.instance.context.as_ref().unwrap().as_str(), r#"{ "a":1.10}"#);
    assert_eq!(serde_json::to_string(&detail).unwrap(), answer);
    let history = world.get("/v1/chains/instances/i-1/events").await.text().await.unwrap();
    let read: waypost_api::chain::History = serde_json::from_str(&history).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), history);
}
