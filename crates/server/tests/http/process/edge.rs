//! What clients of processes may send, however they send it, and how refusals look.

use expect_test::expect;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use waypost_engine::Settings;
use waypost_server::{HttpLimits, Options, PageOptions};

use super::samples::sample;
use crate::world::{World, world, world_limited, world_with};

const START: &str = r#"{"definitionId":"line"}"#;

/// Sends a request as it is written, and gives the status line and the body.
async fn shout(world: &World, request: &str) -> (String, String) {
    let answer = world.shout(request.replace('\n', "\r\n").as_bytes()).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
}

#[tokio::test]
async fn a_refusal_has_everything_a_client_looks_for() {
    let world = world().await;
    let response = world.get("/v1/instances/nobody").await;
    assert_eq!(response.status(), 404);
    assert_eq!(response.headers()["content-type"], "application/json");
    let answer: Value = response.json().await.unwrap();
    expect![[r#"
        {
          "error": "not-found",
          "reason": "workflow instance not found",
          "message": "workflow instance not found",
          "code": "INSTANCE_NOT_FOUND",
          "requestId": "r"
        }"#]]
    .assert_eq(&format!("{answer:#}"));
}

#[tokio::test]
async fn bodies_are_json_whatever_they_are_called() {
    let world = world().await.with(&["line"]).await;
    let url = format!("http://{}/v1/instances", world.address);
    for kind in ["", "text/plain", "application/x-www-form-urlencoded", "nonsense", "text/xml"] {
        let mut request = world.client.post(&url).body(START);
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        let request = request.header("authorization", "Bearer nobody-looks-at-it");
        assert_eq!(request.send().await.unwrap().status(), 201, "{kind:?}");
    }
}

#[tokio::test]
async fn definitions_in_xml_are_refused() {
    let world = world().await.with(&["line"]).await;
    for path in ["/v1/definitions", "/v1/definitions/line/instances"] {
        for kind in ["application/xml", "text/xml; charset=utf-8", "Application/XML"] {
            let request = world.client.post(format!("http://{}{path}", world.address));
            let request = request.header("content-type", kind).body(sample("line"));
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 415, "{path} {kind}");
            let answer: Value = response.json().await.unwrap();
            assert_eq!(answer["error"], "unsupported-format");
        }
    }
}

#[tokio::test]
async fn bodies_in_chunks_are_read_where_bodies_are_optional() {
    let world = world().await.with(&["person", "pause"]).await;
    let person = world.start("person", json!({})).await;
    let pause = world.start("pause", json!({})).await;
    for (path, body, id) in [
        (
            format!("/v1/instances/{person}/user-tasks/ask/complete"),
            r#"{"result":{"x":1}}"#,
            person,
        ),
        (format!("/v1/instances/{pause}/signals/hold"), r#"{"x":1}"#, pause),
    ] {
        let request = format!(
            "POST {path} HTTP/1.1\nhost: localhost\nconnection: close\ntransfer-encoding: chunked\n\n\
             {:x}\n{body}\n0\n\n",
            body.len()
        );
        assert_eq!(shout(&world, &request).await.0, "HTTP/1.1 204 No Content");
        assert_eq!(world.look(&id, "variables").await, json!({"x": 1}));
    }
}

#[tokio::test]
async fn an_offer_to_upgrade_is_ignored() {
    let world = world().await.with(&["line"]).await;
    let request = format!(
        "POST /v1/instances HTTP/1.1\nhost: localhost\nconnection: Upgrade, HTTP2-Settings, close\n\
         upgrade: h2c\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\ncontent-length: {}\n\n{START}",
        START.len()
    );
    let (status, body) = shout(&world, &request).await;
    assert_eq!(status, "HTTP/1.1 201 Created");
    assert!(body.contains(r#""status":"ACTIVE""#), "{body}");
}

#[tokio::test]
async fn ids_in_paths_are_decoded() {
    let world = world().await;
    let definition = json!({"id": "LOS::x", "name": "X", "steps": [
        {"id": "a step/ä", "name": "A", "type": "USER_TASK", "nextStep": "e"},
        {"id": "e", "name": "E", "type": "END"}]});
    world.post("/v1/definitions", &definition.to_string()).await;
    for path in ["/v1/definitions/LOS%3A%3Ax", "/v1/definitions/LOS::x/versions/%31"] {
        assert_eq!(world.get(path).await.status(), 200, "{path}");
    }
    let id = world.start("LOS::x", json!({})).await;
    let path = format!("/v1/instances/{id}/user-tasks/a%20step%2F%C3%A4/complete");
    assert_eq!(world.post(&path, "").await.status(), 204);
    assert_eq!(world.get("/v1/definitions/%FF").await.status(), 400);
}

#[tokio::test]
async fn unknown_routes_and_methods_are_told_apart() {
    let world = world().await;
    for path in ["/v1/definitions/x/y", "/v1/jobs", "/v1/instances/x/nothing", "/v1/user-tasks/x"] {
        let response = world.get(path).await;
        assert_eq!(response.status(), 404, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["error"], "not-found", "{path}");
    }
    for (method, path, allowed) in [
        (Method::DELETE, "/v1/definitions", "GET,HEAD,POST"),
        (Method::PUT, "/v1/definitions/x", "GET,HEAD"),
        (Method::GET, "/v1/jobs/poll", "POST"),
        (Method::GET, "/v1/jobs/x/complete", "POST"),
        (Method::PATCH, "/v1/instances/x", "GET,HEAD"),
        (Method::POST, "/v1/instances/x/history", "GET,HEAD"),
        (Method::POST, "/v1/user-tasks", "GET,HEAD"),
    ] {
        let response = world.send(method.clone(), path, "").await;
        assert_eq!(response.status(), 405, "{method} {path}");
        let mut allow: Vec<_> = response.headers()["allow"].to_str().unwrap().split(',').collect();
        allow.sort_unstable();
        assert_eq!(allow.join(","), allowed, "{method} {path}");
        assert_eq!(response.text().await.unwrap(), "", "{method} {path}");
    }
}

#[tokio::test]
async fn pages_of_any_site_may_work_on_definitions() {
    let world = world().await;
    let url = format!("http://{}/v1/definitions", world.address);
    let ask = |method: Method| {
        let request = world.client.request(method, &url).header("origin", "https://modeller");
        request.header("sec-fetch-site", "cross-site")
    };
    let preflight = ask(Method::OPTIONS)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let response = preflight.send().await.unwrap();
    assert_eq!(response.status(), 200);
    for (name, expected) in [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "GET, POST, OPTIONS"),
        ("access-control-allow-headers", "Accept, Authorization, Content-Type"),
        ("access-control-max-age", "300"),
    ] {
        assert_eq!(response.headers()[name], expected);
    }
    assert!(!response.headers().contains_key("access-control-allow-credentials"));
    assert_eq!(response.text().await.unwrap(), "");
    for (request, expected) in [
        (ask(Method::GET), 200),
        (ask(Method::POST).body(sample("line")), 201),
        (ask(Method::POST).body("{"), 400),
        (ask(Method::DELETE), 405),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), expected);
        assert_eq!(response.headers()["access-control-allow-origin"], "*", "{expected}");
    }
    let elsewhere = world.get("/v1/chains/instances").await;
    assert!(!elsewhere.headers().contains_key("access-control-allow-origin"));
}

/// A request as a page of another site sends it.
fn from_a_page(world: &World, method: Method, path: &str) -> RequestBuilder {
    let request = world.client.request(method, format!("http://{}{path}", world.address));
    request.header("origin", "https://modeller").header("sec-fetch-site", "cross-site")
}

/// What pages of other sites want to change.
const CHANGES: [&str; 6] = [
    "/v1/instances",
    "/v1/definitions/line/instances",
    "/v1/jobs/poll",
    "/v1/instances/x/cancel",
    "/v1/user-tasks/x/complete",
    "/v1/chains/instances",
];

#[tokio::test]
async fn pages_of_other_sites_change_nothing_but_definitions() {
    let world = world().await.with(&["line"]).await;
    for path in CHANGES {
        let response = from_a_page(&world, Method::POST, path).body(START).send().await.unwrap();
        assert_eq!(response.status(), 403, "{path}");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{path}");
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["code"], "CROSS_SITE", "{path}");
        let preflight = from_a_page(&world, Method::OPTIONS, path);
        let preflight = preflight.header("access-control-request-method", "POST");
        let response = preflight.send().await.unwrap();
        assert_eq!(response.status(), 403, "{path}");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{path}");
    }
    let read = from_a_page(&world, Method::GET, "/v1/instances").send().await.unwrap();
    assert_eq!(read.status(), 200);
    assert!(!read.headers().contains_key("access-control-allow-origin"));
    let own = world.client.post(format!("http://{}/v1/instances", world.address));
    let own = own.header("origin", format!("http://{}", world.address)).body(START);
    assert_eq!(own.send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn pages_of_sites_that_are_let_in_may_do_what_programs_may() {
    for (origin, told) in [("https://modeller", "https://modeller"), ("*", "*")] {
        let pages = PageOptions { origins: vec![origin.to_owned()], ..PageOptions::default() };
        let options = Options { pages, ..Options::default() };
        let world = world_with(options, Settings::default()).await.with(&["line"]).await;
        let request = from_a_page(&world, Method::POST, "/v1/instances").body(START);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 201);
        assert_eq!(response.headers()["access-control-allow-origin"], told);
        let preflight = from_a_page(&world, Method::OPTIONS, "/v1/jobs/poll");
        let preflight = preflight.header("access-control-request-method", "POST");
        let response = preflight.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["access-control-allow-origin"], told);
    }
}

#[tokio::test]
async fn a_name_somebody_else_gave_this_machine_is_not_believed() {
    let pages = PageOptions { hosts: vec!["flow.example".to_owned()], ..PageOptions::default() };
    let world = world_with(Options { pages, ..Options::default() }, Settings::default()).await;
    for (host, expected) in [
        ("evil.example", 403),
        ("evil.example:8080", 403),
        ("localhost:1", 200),
        ("waypost.localhost", 200),
        ("[::1]", 200),
        ("flow.example:443", 200),
    ] {
        for path in ["/v1/instances", "/v1/chains/instances", "/api/model", "/"] {
            let url = format!("http://{}{path}", world.address);
            let response = world.client.get(url).header("host", host).send().await.unwrap();
            assert_eq!(response.status(), expected, "{host} {path}");
            if expected == 403 {
                let text = response.text().await.unwrap();
                assert!(text.contains("HOST_UNKNOWN"), "{host} {path}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn deep_json_is_refused_everywhere() {
    let world = world().await.with(&["line"]).await;
    let id = world.start("line", json!({})).await;
    let deep =
        format!("{}{}", r#"{"variables":"#.repeat(5_000), "1".to_owned() + &"}".repeat(5_000));
    for path in [
        "/v1/definitions".to_owned(),
        "/v1/instances".to_owned(),
        "/v1/jobs/poll".to_owned(),
        "/v1/jobs/x/complete".to_owned(),
        format!("/v1/instances/{id}/signals/a"),
        format!("/v1/instances/{id}/steps/a/retry"),
    ] {
        let response = world.post(&path, &deep).await;
        assert_eq!(response.status(), 400, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["code"], "JSON_TOO_DEEP", "{path}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let world = world_limited(HttpLimits { body_max: 1_000, ..HttpLimits::default() }).await;
    for path in
        ["/v1/definitions", "/v1/instances", "/v1/jobs/x/complete", "/v1/instances/x/cancel"]
    {
        let response = world.post(path, &" ".repeat(1_001)).await;
        assert_eq!(response.status(), 413, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["error"], "too-large", "{path}");
        assert!(answer["reason"].as_str().unwrap().contains("1000"), "{answer}");
    }
}
