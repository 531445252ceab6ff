//! Entities at the edge: where they are, how refusals look, who comes first.

use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use waypost_engine::Settings;
use waypost_server::{EntityOptions, HttpLimits, Options};

use crate::world::{World, world, world_limited, world_with};

#[tokio::test]
async fn a_refusal_has_everything_a_client_looks_for() {
    let world = world().await;
    let response = world.get("/api/entity/00000009-0000-1000-8000-000000000000").await;
    assert_eq!(response.status(), 404);
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let answer: Value = response.json().await.unwrap();
    expect![[r#"
        {
          "type": "about:blank",
          "title": "Not Found",
          "status": 404,
          "detail": "ENTITY_NOT_FOUND: entity id=00000009-0000-1000-8000-000000000000 not found",
          "instance": "/api/entity/00000009-0000-1000-8000-000000000000",
          "properties": {
            "entityId": "00000009-0000-1000-8000-000000000000",
            "errorCode": "ENTITY_NOT_FOUND"
          }
        }"#]]
    .assert_eq(&format!("{answer:#}"));
}

async fn at(context: &str) -> World {
    let entity = EntityOptions { context_path: context.into(), ..EntityOptions::default() };
    world_with(Options { entity, ..Options::default() }, Settings::default()).await
}

#[tokio::test]
async fn entities_are_where_they_are_put() {
    for (context, here, gone) in [
        ("/api", "/api/model/", "/model/"),
        ("/x/y/", "/x/y/model/", "/api/model/"),
        ("", "/model/", "/api/model/"),
        ("/", "/model/", "/api/model/"),
    ] {
        let world = at(context).await;
        let answer = world.say(&format!("GET {here}"), &[]).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "[]\n"), "{context}");
        assert_eq!(world.get(gone).await.status(), 404, "{context}");
        let account = here.replace("model/", "account");
        assert_eq!(world.get(&account).await.status(), 200, "{context}");
        assert_eq!(world.get("/healthz").await.status(), 200, "{context}");
        assert_eq!(world.get("/v1/chains/instances").await.status(), 200, "{context}");
        let document: Value = world.get("/openapi.json").await.json().await.unwrap();
        let version = document["openapi"].as_str().unwrap();
        assert!(version.starts_with("3.1."), "{version}");
        let server = document["servers"][0]["url"].as_str().unwrap();
        let place = format!("http://{}{}", world.address, here.trim_end_matches("/model/"));
        assert_eq!(server, place, "{context}");
        assert!(document["paths"]["/model/"].is_object(), "{context}");
    }
}

#[tokio::test]
async fn the_server_says_how_it_is() {
    let world = world().await;
    let response = world.get("/api/health").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.text().await.unwrap(), "{\"status\":\"UP\"}\n");
}

#[tokio::test]
async fn pages_of_other_sites_may_not_change_anything() {
    let world = world().await;
    let header = ["Sec-Fetch-Site: cross-site".to_owned()];
    let answer = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &header).await;
    assert_eq!((answer.status, answer.code().as_str()), (403, "CROSS_SITE"));
    assert_eq!(world.say("GET /api/model/", &header).await.status, 200);
}

#[tokio::test]
async fn whoever_writes_can_say_why() {
    let world = world().await;
    for line in
        [r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#, "PUT /api/model/m/1/lock"]
    {
        assert_eq!(world.say(line, &[]).await.status, 200, "{line}");
    }
    let why = ["Waypost-Reason: found%20in%20the%20cellar".to_owned()];
    let made = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &why).await;
    let id = made.json()[0]["entityIds"][0].as_str().unwrap().to_owned();
    let audit = world.say(&format!("GET /api/audit/entity/{id}"), &[]).await.json();
    let items = audit["items"].as_array().unwrap();
    let start = items.iter().find(|it| it["eventType"] == "STATE_MACHINE_START").unwrap();
    assert_eq!(start["data"], json!({"reason": "found in the cellar"}));
    let long = [format!("Waypost-Reason: {}", "x".repeat(1_001))];
    let refused = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &long).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "BAD_REQUEST"));
}

#[tokio::test]
async fn writes_have_places_of_their_own() {
    let limits = HttpLimits { writes_max: 0, ..HttpLimits::default() };
    let world = world_limited(limits).await;
    let answer = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "OVERLOADED"));
    assert_eq!(answer.json()["properties"]["retryable"], true);
    assert_eq!(world.say("GET /api/model/", &[]).await.status, 200);
    // Who has a transaction to go on with does not need another place.
    let answer = world.say("DELETE /api/entity/#1", &["X-Tx-Token: x".to_owned()]).await;
    assert_eq!(answer.status, 401);

    let world = world_limited(HttpLimits { requests_max: 0, ..HttpLimits::default() }).await;
    assert_eq!(world.say("GET /api/model/", &[]).await.status, 503);
    assert_eq!(world.say(r#"POST /api/entity/JSON/m/1 {}"#, &[]).await.code(), "MODEL_NOT_FOUND");
    assert_eq!(world.say("GET /api/health", &[]).await.status, 200);
}

#[tokio::test]
async fn requests_are_counted_by_their_routes() {
    let world = world().await;
    world.say("GET /api/entity/#1", &[]).await;
    world.say("GET /api/entity/#1/changes", &[]).await;
    world.say("GET /api/nothing/at/all", &[]).await;
    let metrics = world.get("/metrics").await.text().await.unwrap();
    for route in ["/api/entity/{idOrFormat}", "/api/entity/{entityId}/changes", "none"] {
        let line = format!(
            r#"waypost_http_requests_total{{method="GET",route="{route}",status="404"}} 1"#
        );
        assert!(metrics.contains(&line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused_in_the_same_form() {
    let limits = HttpLimits { body_timeout: Duration::from_millis(50), ..HttpLimits::default() };
    let world = world_limited(limits).await;
    let head = "POST /api/model/validate/m/1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-length: 10\r\n\r\n{";
    let answer = world.shout(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let problem: Value = serde_json::from_str(body.trim()).unwrap();
    assert_eq!(problem["properties"], json!({"errorCode": "BODY_TOO_SLOW", "retryable": true}));
}
