//! Lifecycles through the operators' gateway.

#[path = "lifecycle/outage.rs"]
mod outage;
#[path = "lifecycle/trouble.rs"]
mod trouble;
#[path = "lifecycle/watching.rs"]
mod watching;

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use waypost_engine::Settings;
use waypost_lifecycle::{DynManager, Manager, MemoryBuckets, MoveTo, Source, TypeDescription};
use waypost_server::{
    EntityOptions, HttpLimits, Options, Server,
    lifecycle::{Gateway, GatewayOptions},
};
use waypost_testkit::clock::SimClock;

use crate::world::{World, world_with};

pub(crate) struct Field {
    pub(crate) world: World,
    pub(crate) lifecycles: DynManager,
    buckets: MemoryBuckets,
}

impl Field {
    /// A rule has the second mission fly.
    async fn fly(&self, note: &str) {
        let to = MoveTo { phase: "flying", source: Source::Rule, note };
        self.lifecycles.transition("drone-survey", "m-2", to).await.unwrap();
    }
}

/// The survey by drones: two missions, one of which belongs to the other.
pub(crate) async fn field() -> Field {
    field_with(GatewayOptions::default()).await
}

async fn field_with(options: GatewayOptions) -> Field {
    field_limited(options, HttpLimits::default()).await
}

async fn field_limited(options: GatewayOptions, limits: HttpLimits) -> Field {
    let buckets = MemoryBuckets::with_clock(Arc::new(SimClock::default()));
    let manager = Manager::builder(buckets.clone()).create_buckets(16).build();
    let lifecycles = manager.dynamic().clone();
    lifecycles.register_described(survey()).await.unwrap();
    lifecycles.create("drone-survey", &mission("m-1", "ann", None)).await.unwrap();
    lifecycles.create("drone-survey", &mission("m-2", "bob", Some("m-1"))).await.unwrap();
    let gateway = Gateway::new(lifecycles.clone(), options).unwrap();
    let grpc = Some("127.0.0.1:0".parse().unwrap());
    let options = Options { lifecycle: Some(gateway), limits, grpc, ..Options::default() };
    Field { world: world_with(options, Settings::default()).await, lifecycles, buckets }
}

fn survey() -> TypeDescription {
    let described = json!({
        "workflow": "drone-survey", "bucket": "MISSIONS", "key_prefix": "mission.",
        "transitions": {
            "planning": ["flying", "aborted"], "flying": ["capturing", "landing", "aborted"],
            "capturing": ["flying"], "landing": ["completed", "failed"],
            "completed": [], "failed": [], "aborted": [],
        },
        "fields": [
            {"name": "entity_id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "parent", "kind": "string?", "tags": "parent"},
            {"name": "owner", "tags": "operator_writable,indexable"},
            {"name": "battery", "kind": "u8", "tags": "operator_writable"},
            {"name": "serial", "tags": "readonly"},
        ],
    });
    serde_json::from_value(described).unwrap()
}

fn mission(id: &str, owner: &str, parent: Option<&str>) -> Value {
    json!({"entity_id": id, "phase": "planning", "parent": parent, "owner": owner, "battery": 90,
        "serial": "x-1"})
}

#[tokio::test]
async fn operators_see_types_entities_and_their_past() {
    let field = field().await;
    field.fly("go").await;
    field.world.tell("operators_see_lifecycles").await;
}

#[tokio::test]
async fn operators_write_what_they_may_and_move_along_the_table() {
    field().await.world.tell("operators_change_lifecycles").await;
}

#[tokio::test]
async fn what_fails_here_is_told_to_the_log_and_not_to_the_client() {
    let field = field().await;
    let bucket = field.buckets.bucket("MISSIONS").unwrap();
    bucket.put("mission.bad", &b"no json"[..]);
    let answer = field.world.get("/workflows/drone-survey/bad").await;
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let text = answer.text().await.unwrap();
    assert_eq!(text, r#"{"error":"get: internal error (operator details in server log)"}"#);
    let listed: Value = field.world.get("/workflows/drone-survey").await.json().await.unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2, "one that is broken hides nobody");
}

#[tokio::test]
async fn a_write_that_others_keep_overtaking_is_a_conflict() {
    let field = field().await;
    field.buckets.bucket("MISSIONS").unwrap().inject_conflicts(5);
    let answer = field.world.post("/workflows/drone-survey/m-1/state", r#"{"battery":1}"#).await;
    assert_eq!(answer.status(), StatusCode::CONFLICT);
    assert_eq!(field.lifecycles.get("drone-survey", "m-1").await.unwrap().value["battery"], 90);
}

#[tokio::test]
async fn bodies_have_a_limit_and_the_prefix_can_be_chosen() {
    let options = GatewayOptions { body_max: 64, prefix: "/ops/".into(), ..Default::default() };
    let field = field_with(options).await;
    let large = format!(r#"{{"owner":"{}"}}"#, "x".repeat(100));
    let answer = field.world.post("/ops/drone-survey/m-1/state", &large).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"].as_str().unwrap().starts_with("state_patch: "), "{body}");
    assert_eq!(field.world.get("/workflows").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn notes_have_a_limit() {
    let field = field().await;
    let abort = async |id: &str, letters: usize| {
        // They are counted as people count them, not by their bytes.
        let body = json!({"phase": "aborted", "note": "\u{e9}".repeat(letters)}).to_string();
        field.world.post(&format!("/workflows/drone-survey/{id}/transition"), &body).await
    };
    let refused = abort("m-1", 1_001).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let body: Value = refused.json().await.unwrap();
    assert_eq!(body["error"], "transition: note must have at most 1000 characters");
    assert_eq!(field.lifecycles.get("drone-survey", "m-1").await.unwrap().phase, "planning");
    assert_eq!(abort("m-1", 1_000).await.status(), StatusCode::OK);
    let last = field.lifecycles.history("drone-survey", "m-1").await.unwrap().pop().unwrap();
    assert_eq!(last.note.chars().count(), 1_000);
}

#[tokio::test]
async fn another_method_is_told_which_there_are() {
    let field = field().await;
    for (method, path, allowed) in [
        ("POST", "drone-survey", "GET, HEAD"),
        ("DELETE", "drone-survey/m-1", "GET, HEAD"),
        ("GET", "drone-survey/m-1/state", "POST"),
        ("PUT", "drone-survey/m-1/transition", "POST"),
    ] {
        let url = format!("http://{}/workflows/{path}", field.world.address);
        let method = method.parse().unwrap();
        let answer = field.world.client.request(method, url).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(answer.headers()["allow"], allowed, "{path}");
        assert!(answer.json::<Value>().await.unwrap()["error"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn long_lists_come_in_parts() {
    let field = field().await;
    let more = |answer: &reqwest::Response| answer.headers().contains_key("waypost-more");
    let first = field.world.get("/workflows/drone-survey?limit=1").await;
    assert!(more(&first));
    let last = field.world.get("/workflows/drone-survey?limit=1&offset=1").await;
    assert!(!more(&last));
}

#[tokio::test]
async fn many_children_come_in_parts() {
    let field = field().await;
    for id in ["m-3", "m-4"] {
        let child = mission(id, "eve", Some("m-1"));
        field.lifecycles.create("drone-survey", &child).await.unwrap();
    }
    let children = async |query: &str| {
        let answer = field.world.get(&format!("/workflows/any/m-1/children?{query}")).await;
        let is_more = answer.headers().contains_key("waypost-more");
        let children: Vec<Value> = answer.json().await.unwrap();
        let ids: Vec<_> = children.iter().map(|it| it["entity_id"].clone()).collect();
        (Value::from(ids), is_more)
    };
    assert_eq!(children("").await, (json!(["m-2", "m-3", "m-4"]), false));
    assert_eq!(children("limit=2").await, (json!(["m-2", "m-3"]), true));
    assert_eq!(children("limit=2&offset=2").await, (json!(["m-4"]), false));
    assert_eq!(children("offset=3").await, (json!([]), false));
    let wrong = field.world.get("/workflows/any/m-1/children?limit=x").await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_gateway_that_lies_in_anothers_way_is_not_begun() {
    let world = world_with(Options::default(), Settings::default()).await;
    let lifecycles = || Manager::builder(MemoryBuckets::new()).build().dynamic().clone();
    for (context, prefix, is_free) in [
        ("/api", "api", false),
        ("/api", "api/entity", false),
        ("/api", "api/workflows", false),
        ("/api", "apis", true),
        ("/cyoda/api", "cyoda", false),
        ("/cyoda/api", "cyoda/workflows", true),
        ("", "entity", false),
        ("", "message/new/x", false),
        ("", "workflows", true),
    ] {
        let options = GatewayOptions { prefix: prefix.to_owned(), ..Default::default() };
        let gateway = Gateway::new(lifecycles(), options).unwrap();
        let entity = EntityOptions { context_path: context.to_owned(), ..Default::default() };
        let options = Options {
            http: "127.0.0.1:0".parse().unwrap(),
            lifecycle: Some(gateway),
            entity,
            ..Options::default()
        };
        let bound = Server::bind(world.engine.clone(), options)
            .await
            .map(drop)
            .map_err(|it| it.to_string());
        assert_eq!(bound.is_ok(), is_free, "{prefix} beside {context}: {bound:?}");
        assert!(bound.is_ok() || bound.unwrap_err().contains("is taken"), "{prefix}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing_unless_they_are_known() {
    let options = GatewayOptions { origins: vec!["https://ops.test".into()], ..Default::default() };
    let field = field_with(options).await;
    let change = async |origin: &str| {
        let url = format!("http://{}/workflows/drone-survey/m-1/state", field.world.address);
        let request = field.world.client.request(Method::POST, url).header("origin", origin);
        let request = request.header("sec-fetch-site", "cross-site").body(r#"{"battery":7}"#);
        request.header("content-type", "application/json").send().await.unwrap()
    };
    let refused = change("https://evil.test").await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(refused.headers().get("access-control-allow-origin").is_none());
    let taken = change("https://ops.test").await;
    assert_eq!(taken.status(), StatusCode::OK);
    assert_eq!(taken.headers()["access-control-allow-origin"], "https://ops.test");
}

#[tokio::test]
async fn what_operators_do_is_counted() {
    let field = field().await;
    let world = &field.world;
    world.get("/workflows/drone-survey").await;
    world.get("/workflows/drone-survey/nobody").await;
    world.get("/workflows/invented").await;
    world.post("/workflows/drone-survey/m-1/state", r#"{"serial":"y"}"#).await;
    field.buckets.bucket("MISSIONS").unwrap().inject_conflicts(5);
    world.post("/workflows/drone-survey/m-1/state", r#"{"battery":1}"#).await;
    let url = format!("http://{}/workflows/drone-survey?stream=true", world.address);
    let watch = world.client.get(url).header("accept", "text/event-stream").send().await.unwrap();
    let text = world.get("/metrics").await.text().await.unwrap();
    let told: Vec<_> = text.lines().filter(|it| it.starts_with("waypost_lifecycle_")).collect();
    for line in [
        r#"waypost_lifecycle_requests_total{workflow="drone-survey",outcome="ok"} 2"#,
        r#"waypost_lifecycle_requests_total{workflow="drone-survey",outcome="refused"} 2"#,
        r#"waypost_lifecycle_requests_total{workflow="drone-survey",outcome="conflict"} 1"#,
        r#"waypost_lifecycle_requests_total{workflow="",outcome="refused"} 1"#,
        r#"waypost_lifecycle_refused_writes_total{workflow="drone-survey"} 2"#,
        r#"waypost_lifecycle_watches{workflow="drone-survey"} 1"#,
        "waypost_lifecycle_conflicts_total 5",
        "waypost_lifecycle_exhausted_total 1",
    ] {
        assert!(told.contains(&line), "{line} is not in {told:#?}");
    }
    drop(watch);
    let none = r#"waypost_lifecycle_watches{workflow="drone-survey"} 0"#;
    let is_gone = async || world.get("/metrics").await.text().await.unwrap().contains(none);
    while !is_gone().await {
        // A write makes the server notice that nobody reads.
        field.lifecycles.update_from_operator("drone-survey", "m-1", &battery(2)).await.unwrap();
    }
}

fn battery(percent: u8) -> serde_json::Map<String, Value> {
    json!({"battery": percent}).as_object().cloned().unwrap()
}

#[tokio::test]
async fn entities_come_with_what_is_known_about_them_if_wanted() {
    let field = field().await;
    let of = async |path: &str| -> Value {
        field.world.get(&format!("/workflows/drone-survey{path}")).await.json().await.unwrap()
    };
    let one = of("/m-2?snapshot=true").await;
    assert_eq!(
        (&one["entity_id"], &one["phase"], &one["parent"], &one["value"]["owner"]),
        (&json!("m-2"), &json!("planning"), &json!("m-1"), &json!("bob"))
    );
    assert_eq!((&one["is_terminal"], &one["degraded"]), (&json!(false), &json!(false)));
    assert_eq!(of("?snapshot=true&match.owner=bob").await, json!([one]));
    assert_eq!(of("/m-1/children?snapshot=true").await, json!([one]));
    assert_eq!(of("/m-1/children").await, json!([one["value"]]));
}

#[tokio::test]
async fn the_gateway_is_described_where_it_is() {
    let options = GatewayOptions { prefix: "ops".into(), ..Default::default() };
    let field = field_with(options).await;
    let document: Value = field.world.get("/openapi.json").await.json().await.unwrap();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.contains_key("/ops/{type}/{id}/transition"));
    assert!(!paths.keys().any(|it| it.starts_with("/workflows")));
}
