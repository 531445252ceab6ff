//! Whatever comes in, the answer is a problem with a code and a place, and nothing has changed.

use expect_test::expect;
use serde_json::Value;

use crate::world::{World, world};

async fn world_at_work() -> World {
    let world = world().await.with_order().await;
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    world.post("/v1/chains/claim", r#"{"workerId":"w"}"#).await;
    world
}

async fn everything(world: &World) -> (Value, String) {
    let list = world.get("/v1/chains/instances").await.json().await.unwrap();
    (list, format!("{:?}", world.engine.store().figures().await.unwrap()))
}

#[tokio::test]
async fn bad_input_is_refused_with_code_and_place_and_changes_nothing() {
    let world = world_at_work().await;
    let (before, figures_before) = everything(&world).await;
    world.tell("bad_input").await;
    let (after, figures_after) = everything(&world).await;
    assert_eq!(before, after);
    let without_refusals = |it: &str| it.split("refused").next().unwrap().to_owned();
    assert_eq!(without_refusals(&figures_before), without_refusals(&figures_after));
}

#[tokio::test]
async fn bodies_must_be_json() {
    let world = world_at_work().await;
    let url = format!("http://{}/v1/chains/instances", world.address);
    let mut seen = String::new();
    for (kind, coding) in [
        ("", ""),
        ("text/plain", ""),
        ("application/x-www-form-urlencoded", ""),
        ("application/json; charset=utf-8", ""),
        ("application/vnd.acme+json", ""),
        ("application/json", "br"),
        ("application/json", "identity"),
        ("application/json", "gzip"),
    ] {
        let mut request = world.client.post(&url).body(r#"{"workflowType":"order"}"#);
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        if !coding.is_empty() {
            request = request.header("content-encoding", coding);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let answer: Value = response.json().await.unwrap();
        let detail = answer["detail"].as_str().unwrap_or("");
        seen += format!("{kind} {coding} => {status} {detail}").trim();
        seen += "\n";
    }
    expect![[r#"
        => 415 the body needs a Content-Type; use application/json
        text/plain  => 415 cannot read "text/plain"; use application/json
        application/x-www-form-urlencoded  => 415 cannot read "application/x-www-form-urlencoded"; use application/json
        application/json; charset=utf-8  => 201
        application/vnd.acme+json  => 201
        application/json br => 415 cannot read Content-Encoding "br"; use gzip or none
        application/json identity => 201
        application/json gzip => 400 the body is not gzip: Invalid gzip header
    "#]].assert_eq(&seen);
}
