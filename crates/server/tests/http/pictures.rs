//! Pictures over HTTP, of every face and in every form.

use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::{
    lifecycle::field,
    world::{World, world},
};

const LINE: &str = r#"{"id":"line","name":"Line","steps":[{"id":"ask","name":"Ask","type":"USER_TASK","nextStep":"end","boundaryEvents":[{"type":"TIMER","duration":"PT1H","interrupting":true,"targetStepId":"end"}]},{"id":"end","name":"End","type":"END"}]}"#;

const FLOW: &str = r#"{"importMode":"REPLACE","workflows":[{"version":"1","name":"orders","initialState":"NEW","states":{"NEW":{"transitions":[{"name":"go","next":"DONE","manual":true}]},"DONE":{"transitions":[]}}}]}"#;

fn header(response: &Response, name: &str) -> String {
    let value = response.headers().get(name).map(|it| it.to_str().unwrap());
    value.unwrap_or_default().to_owned()
}

async fn text(world: &World, path: &str) -> String {
    let response = world.get(path).await;
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    response.text().await.unwrap()
}

async fn id(response: Response) -> String {
    let answer: Value = response.json().await.unwrap();
    let id = answer.get("id").or_else(|| answer.get("instanceId"));
    let id = id.or_else(|| answer.pointer("/0/entityIds/0"));
    id.and_then(Value::as_str).unwrap().to_owned()
}

#[tokio::test]
async fn every_form_has_its_type_and_a_picture_loads_nothing() {
    let world = world().await;
    world.post("/v1/definitions", LINE).await;
    for (extension, kind, begins) in [
        ("svg", "image/svg+xml", "<svg "),
        ("json", "application/json", "{\"title\":\"Line\""),
        ("mmd", "text/vnd.mermaid; charset=utf-8", "flowchart"),
        ("dot", "text/vnd.graphviz; charset=utf-8", "digraph"),
        ("txt", "text/plain; charset=utf-8", ""),
    ] {
        let response = world.get(&format!("/v1/definitions/line/diagram.{extension}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{extension}");
        assert_eq!(header(&response, "content-type"), kind);
        let policy = header(&response, "content-security-policy");
        let expected = "default-src 'none'; style-src 'unsafe-inline'";
        assert_eq!(policy == expected, extension == "svg", "{extension}: {policy}");
        let body = response.text().await.unwrap();
        assert!(body.trim_start().contains(begins) && body.contains("Ask"), "{extension}: {body}");
    }
    let svg = text(&world, "/v1/definitions/line/versions/1/diagram.svg?theme=dark").await;
    assert_ne!(svg, text(&world, "/v1/definitions/line/versions/1/diagram.svg?theme=light").await);
}

#[tokio::test]
async fn a_picture_that_is_known_is_not_sent_again() {
    let world = world().await;
    world.post("/v1/definitions", LINE).await;
    let url = format!("http://{}/v1/definitions/line/diagram.svg", world.address);
    let tag = header(&world.client.get(&url).send().await.unwrap(), "etag");
    assert!(tag.starts_with('"'), "{tag}");
    let ask = |known: String| world.client.get(&url).header("if-none-match", known).send();
    for known in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let response = ask(known).await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(response.text().await.unwrap(), "");
    }
    assert_eq!(ask("\"x\"".to_owned()).await.unwrap().status(), StatusCode::OK);
    world.post("/v1/definitions", &LINE.replace("Ask", "Beg")).await;
    assert_eq!(ask(tag).await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn an_instance_is_marked_where_it_is() {
    let world = world().await;
    world.post("/v1/definitions", LINE).await;
    let process = id(world.post("/v1/instances", r#"{"definitionId":"line"}"#).await).await;
    let drawn = text(&world, &format!("/v1/instances/{process}/diagram.json")).await;
    let drawn: Value = serde_json::from_str(&drawn).unwrap();
    let nodes = drawn["nodes"].as_array().unwrap();
    let ask = nodes.iter().find(|it| it["id"] == "ask").unwrap();
    assert_eq!(
        ask["mark"].to_string(),
        r#"{"here":1,"visits":1,"due":"2026-05-28T21:26:40Z","failed":false}"#
    );
    assert!(drawn["edges"].as_array().unwrap().iter().any(|it| it["style"] == "interrupting"));
    let world = world.with_order().await;
    let path = "/v1/chains/definitions/order/1/diagram.txt";
    assert!(text(&world, path).await.contains("VALIDATE"));
    let chain = world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    let chain = id(chain).await;
    let drawn = text(&world, &format!("/v1/chains/instances/{chain}/diagram.txt")).await;
    assert!(drawn.contains("● here"), "{drawn}");
}

#[tokio::test]
async fn entities_and_lifecycles_have_pictures_too() {
    let field = field().await;
    let world = &field.world;
    world.post("/api/model/import/JSON/SAMPLE_DATA/order/1", r#"{"n":1}"#).await;
    world.send(reqwest::Method::PUT, "/api/model/order/1/lock", "").await;
    world.post("/api/model/order/1/workflow/import", FLOW).await;
    let entity = id(world.post("/api/entity/JSON/order/1", r#"{"n":1}"#).await).await;
    for path in [
        format!("/api/entity/{entity}/diagram.txt"),
        "/workflows/drone-survey/m-1/diagram.txt".to_owned(),
    ] {
        let drawn = text(world, &path).await;
        assert!(drawn.contains("● here"), "{path}: {drawn}");
    }
    let refused = world.get("/api/model/order/1/workflow/diagram.svg?workflow=x").await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert!(refused.text().await.unwrap().contains("workflow must be one of the model's"));
    for path in [
        "/api/model/order/1/workflow/diagram.txt",
        "/api/model/order/1/workflow/diagram.txt?workflow=orders",
        "/workflows/drone-survey/diagram.txt",
    ] {
        assert!(!text(world, path).await.contains("here"), "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_drawn_is_refused_by_name() {
    let field = field().await;
    field.world.post("/v1/definitions", LINE).await;
    for (path, status, said) in [
        ("/v1/definitions/line/diagram.png", 404, "there is nothing at"),
        ("/v1/definitions/line/diagram.svg?theme=pink", 400, "must be light, dark or auto"),
        ("/v1/definitions/none/diagram.svg", 404, "definition not found"),
        ("/v1/definitions/line/versions/x/diagram.svg", 400, "path"),
        ("/v1/instances/none/diagram.svg", 404, "not found"),
        ("/v1/chains/instances/i-9/diagram.svg", 404, "i-9"),
        ("/api/model/order/1/workflow/diagram.svg", 404, "WORKFLOW_NOT_FOUND"),
        ("/workflows/nothing/diagram.svg", 404, "nothing"),
        ("/workflows/drone-survey/diagram.svg?theme=pink", 400, "must be light, dark or auto"),
    ] {
        let response = field.world.get(path).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
        let body = response.text().await.unwrap();
        assert!(body.contains(said), "{path}: {body}");
    }
}
