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
async fn a_kind_of_field_that_is_optional_without_end_is_refused() {
    let world = world().await;
    let kind = format!("kind = \"string{}\"\ntags = \"id\"", "?".repeat(1 << 18));
    let endless = LIFECYCLES.replacen("tags = \"id\"", &kind, 1);
    let (status, found) = asked(&world, "/v1/lint?kind=lifecycle", &endless).await;
    assert_eq!((status, &found["errors"]), (200, &json!(1)));
    let said = found["findings"].to_string();
    assert!(said.contains("is not a kind of field"), "{said:.400}");
    assert_eq!(world.get("/healthz").await.status(), 200);
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

const CHAIN: &str = include_str!("../../../../examples/broken/C004-no-attempts.json");
const UNREACHED: &str = include_str!("../../../../examples/broken/E003-unreached-state.json");
const NOT_IN_MODEL: &str =
    include_str!("../../../../examples/broken/E012-path-not-in-the-model.json");
const SAMPLE: &str =
    include_str!("../../../../examples/broken/beside/E012-path-not-in-the-model.model.json");
const NOT_SERVED: &str = include_str!("../../../../examples/broken/E013-tags-nobody-has.json");

fn found(response: &reqwest::Response) -> Option<&str> {
    response.headers().get("waypost-lint").map(|it| it.to_str().unwrap())
}

#[tokio::test]
async fn deployments_say_what_was_found_and_where() {
    let world = world().await;
    for (path, body, expected) in [
        ("/v1/definitions", MASKED, Some("1 warning; T003@22:21")),
        ("/v1/definitions", GOOD, None),
        ("/v1/chains/definitions", CHAIN, Some("1 warning; C004@7:22")),
        ("/api/model/order/1/workflow/import", UNREACHED, Some("1 warning; E003@20:9")),
    ] {
        let response = world.post(path, body).await;
        assert!(response.status().is_success(), "{path}");
        assert_eq!(found(&response), expected, "{path}");
    }
}

#[tokio::test]
async fn workflows_are_held_against_the_model_and_those_who_are_there() {
    let world = world().await;
    let import = "/api/model/order/1/workflow/import";
    let response = world.post(import, NOT_IN_MODEL).await;
    assert_eq!(found(&response), None, "nothing is known of the model");
    assert!(
        world
            .post("/api/model/import/JSON/SAMPLE_DATA/order/1", SAMPLE)
            .await
            .status()
            .is_success()
    );
    let response = world.post(import, NOT_IN_MODEL).await;
    assert_eq!(found(&response), Some("1 warning; E012@28:33"));
    let response = world.post("/api/model/note/1/workflow/import", NOT_SERVED).await;
    assert_eq!(found(&response), Some("1 warning; E013@19:27"));
}

#[tokio::test]
async fn a_strict_deployment_is_refused_for_what_is_found() {
    let world = world().await;
    let told = |path: &str, problem: &Value| match path.starts_with("/api") {
        true => (problem["properties"]["errorCode"].clone(), problem["detail"].clone()),
        false => {
            let detail = problem.get("detail").or_else(|| problem.get("reason")).unwrap();
            (problem["code"].clone(), detail.clone())
        }
    };
    for (path, body, status, place) in [
        ("/v1/definitions", MASKED, 400, "1 warning; T003@22:21: rule 2 never decides"),
        ("/v1/chains/definitions", CHAIN, 422, "1 warning; C004@7:22: \"PAY\" has no attempt"),
        ("/api/model/order/1/workflow/import", UNREACHED, 422, "1 warning; E003@20:9: nothing"),
    ] {
        let (found, problem) = asked(&world, &format!("{path}?strict=true"), body).await;
        let (code, detail) = told(path, &problem);
        assert_eq!((found, &code), (status, &json!("LINT_FOUND")), "{path}: {problem}");
        assert!(detail.as_str().unwrap().contains(place), "{detail}");
    }
    for path in ["/v1/definitions", "/v1/chains/definitions"] {
        let listed: Value = world.get(path).await.json().await.unwrap();
        assert_eq!(listed["items"], json!([]), "{path}");
    }
    assert_eq!(world.get("/api/model/order/1/workflow/export").await.status(), 404);
    let response = world.post("/v1/definitions?strict=true", GOOD).await;
    assert_eq!(response.status(), 201);
    let (status, problem) = asked(&world, "/v1/definitions?strict=true", "{\"id\": \"x\"}").await;
    assert_eq!((status, &problem["code"]), (400, &json!("DEFINITION_INVALID")), "{problem}");
}
