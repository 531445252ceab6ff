//! What lint says over HTTP.

use serde_json::{Value, json};

use crate::world::{World, world};

const MASKED: &str = include_str!("../../../../examples/broken/T003-masked-rule.json");
const GOOD: &str = include_str!("../../../../examples/loan-disbursement.json");
const LIFECYCLES: &str = include_str!("../../../../examples/lifecycles.toml");

async fn asked(world: &World, path: &str, body: &str) -> (u16, Value) {
    let response = world.post(path, body).await;
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

#[tokio::test]
async fn a_definition_can_be_looked_at_without_being_deployed() {
    let world = world().await;
    let (status, found) = asked(&world, "/v1/lint", MASKED).await;
    assert_eq!(status, 200);
    assert_eq!(found["kinds"], json!(["process"]));
    assert_eq!((&found["errors"], &found["warnings"]), (&json!(0), &json!(1)));
    assert_eq!(found["findings"][0]["code"], "T003");
    assert_eq!(found["findings"][0]["example"], json!({"score": 499}));
    let listed: Value = world.get("/v1/definitions").await.json().await.unwrap();
    assert_eq!(listed["total"], 0);
    let (_, found) = asked(&world, "/v1/lint?kind=process", GOOD).await;
    assert_eq!((&found["errors"], &found["warnings"]), (&json!(0), &json!(0)));
    let (status, found) = asked(&world, "/v1/lint?kind=lifecycle", LIFECYCLES).await;
    assert_eq!((status, &found["findings"]), (200, &json!([])));
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_refused_with_its_place() {
    let world = world().await;
    let (status, problem) = asked(&world, "/v1/lint", "{\n \"id\": }").await;
    assert_eq!((status, &problem["code"]), (400, &json!("BODY_INVALID")));
    assert_eq!(problem["errors"][0]["place"], "line 2 column 8");
    let (status, problem) = asked(&world, "/v1/lint", "{\"nodes\": []}").await;
    assert_eq!((status, &problem["code"]), (400, &json!("BODY_INVALID")));
    let (status, problem) = asked(&world, "/v1/lint?kind=graph", GOOD).await;
    assert_eq!((status, &problem["code"]), (400, &json!("QUERY_INVALID")));
    assert_eq!(problem["errors"][0]["place"], "query.kind");
}

#[tokio::test]
async fn deployments_say_how_much_was_found() {
    let world = world().await;
    let chain = include_str!("../../../../examples/broken/C004-no-attempts.json");
    let workflows = include_str!("../../../../examples/broken/E003-unreached-state.json");
    for (path, body, expected) in [
        ("/v1/definitions", MASKED, Some("1 warning")),
        ("/v1/definitions", GOOD, None),
        ("/v1/chains/definitions", chain, Some("1 warning")),
        ("/api/model/order/1/workflow/import", workflows, Some("1 warning")),
    ] {
        let response = world.post(path, body).await;
        assert!(response.status().is_success(), "{path}");
        let found = response.headers().get("waypost-lint").map(|it| it.to_str().unwrap());
        assert_eq!(found, expected, "{path}");
    }
}
