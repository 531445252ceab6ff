//! Who may look, who may change things, and who may do neither: every route of the document, and
//! the calls of gRPC.

use std::{net::SocketAddr, sync::Arc};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tonic::{
    Code, Request, Status,
    metadata::MetadataValue,
    transport::{Channel, Endpoint},
};
use waypost_api::grpc::{
    instances::{
        ExplainRequest, LifecycleEntity, explain_request::Instance,
        instances_client::InstancesClient,
    },
    workflow::{
        CancelInstanceRequest, ListInstancesRequest, workflow_engine_client::WorkflowEngineClient,
    },
};
use waypost_engine::{Engine, Settings};
use waypost_kernel::Clock as _;
use waypost_lifecycle::{Manager, MemoryBuckets, TypeDescription};
use waypost_server::{
    EntityOptions, Options, Server,
    lifecycle::{Gateway, GatewayOptions},
};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

use crate::{
    forge::{claims, good},
    world::options,
};

/// Open to everybody.
const PUBLIC: [&str; 13] = [
    "/healthz",
    "/livez",
    "/readyz",
    "/version",
    "/metrics",
    "/docs",
    "/openapi.json",
    "/v1/lint",
    "/v1/console",
    "/api/health",
    "/api/help",
    "/api/oauth/token",
    "/api/.well-known/jwks.json",
];

/// What changes nothing, though its method may.
const LOOKS: [&str; 9] = [
    "POST /v1/lint",
    "POST /v1/definitions/{id}/versions/{version}/tables/{stepId}/try",
    "POST /v1/instances/{id}/what-if",
    "POST /v1/chains/instances/{instanceId}/what-if",
    "POST /api/entity/{entityId}/what-if",
    "POST /api/search/direct/{entityName}/{modelVersion}",
    "POST /api/search/async/{entityName}/{modelVersion}",
    "PUT /api/search/async/{jobId}/cancel",
    "POST /api/model/validate/{entityName}/{modelVersion}",
];

/// For administrators, whatever is done there.
const ADMINISTRATION: [&str; 4] =
    ["/api/admin", "/api/oauth/keys", "/api/clients", "/api/account/m2m"];

/// What the gateway of lifecycles has; the document does not tell where it is.
const LIFECYCLES: [(&str, &str); 6] = [
    ("GET", "/workflows"),
    ("GET", "/workflows/survey"),
    ("GET", "/workflows/survey/m-1"),
    ("GET", "/workflows/survey/m-1/history"),
    ("POST", "/workflows/survey/m-1/state"),
    ("POST", "/workflows/survey/m-1/transition"),
];

struct Served {
    http: SocketAddr,
    grpc: SocketAddr,
    now: i64,
    client: reqwest::Client,
    _stop: tokio_util::sync::DropGuard,
}

async fn served() -> Served {
    let clock = Arc::new(SimClock::default());
    let now = clock.now().as_micros() / 1_000_000;
    let engine = Engine::new(Arc::new(MemoryStore::new(clock)), Settings::default());
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options {
        http: any,
        grpc: Some(any),
        entity: EntityOptions { auth: options(), ..EntityOptions::default() },
        lifecycle: Some(gateway().await),
        ..Options::default()
    };
    let server = Server::bind(engine, options).await.unwrap();
    let (http, grpc) = (server.http_addr(), server.grpc_addr().unwrap());
    let stop = CancellationToken::new();
    tokio::spawn(server.run(stop.clone()));
    Served { http, grpc, now, client: reqwest::Client::new(), _stop: stop.drop_guard() }
}

async fn gateway() -> Gateway {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(4).build();
    let described: TypeDescription = serde_json::from_value(json!({
        "workflow": "survey", "bucket": "M", "key_prefix": "m.",
        "transitions": {"planning": ["flying"], "flying": []},
        "fields": [{"name": "entity_id", "tags": "id"}, {"name": "phase", "tags": "phase"}],
    }))
    .unwrap();
    manager.register_described(described).await.unwrap();
    let mission = json!({"entity_id": "m-1", "phase": "planning"});
    manager.dynamic().create("survey", &mission).await.unwrap();
    Gateway::new(manager.dynamic().clone(), GatewayOptions::default()).unwrap()
}

impl Served {
    fn token(&self, tenant: &str, roles: &[&str]) -> String {
        let mut claims = claims(self.now);
        claims["caas_org_id"] = tenant.into();
        claims["user_roles"] = json!(roles);
        good(&claims)
    }

    fn viewer(&self) -> String {
        self.token("t-1", &["ROLE_VIEWER"])
    }

    async fn status(&self, method: &str, path: &str, token: Option<&str>) -> StatusCode {
        self.send(method, path, (token, "{}")).await.status()
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        (token, body): (Option<&str>, &'static str),
    ) -> reqwest::Response {
        let method: Method = method.parse().unwrap();
        let mut request = self.client.request(method, format!("http://{}{path}", self.http));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let request = request.header("content-type", "application/json").body(body);
        request.send().await.unwrap()
    }

    /// Every route of the document as method and pattern, and those of lifecycles.
    async fn routes(&self) -> Vec<(String, String)> {
        let document = self.send("GET", "/openapi.json", (None, "")).await;
        let document: Value = document.json().await.unwrap();
        let mut all = Vec::new();
        let common = document["servers"][0]["url"].as_str().unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            // Paths of entities and lifecycles lie below one of their own.
            let place = item["servers"][0]["url"].as_str().unwrap_or(common);
            let place = place.split_once("://").map_or(place, |it| it.1);
            let root = place.split_once('/').map_or(String::new(), |it| format!("/{}", it.1));
            let path = format!("{}{path}", root.trim_end_matches('/'));
            let methods = item.as_object().unwrap().keys();
            let methods = methods.filter(|it| ["get", "post", "put", "delete"].contains(&&***it));
            all.extend(methods.map(|it| (it.to_uppercase(), path.clone())));
        }
        assert!(all.len() > 80, "{}", all.len());
        let lifecycles = LIFECYCLES.map(|(method, path)| (method.to_owned(), path.to_owned()));
        all.into_iter().chain(lifecycles).collect()
    }

    async fn grpc(&self) -> WorkflowEngineClient<Channel> {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.grpc)).unwrap();
        WorkflowEngineClient::new(endpoint.connect().await.unwrap())
    }
}

/// The pattern with something in each of its places.
fn filled(pattern: &str) -> String {
    let part = |it: &str| match it.strip_prefix('{') {
        Some("version}" | "modelVersion}" | "versionOrId}" | "versionOrTransition}") => "1".into(),
        Some(_) => "x".to_owned(),
        None => it.replace("{format}", "svg"),
    };
    pattern.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn is_public(pattern: &str) -> bool {
    let is_below = |it: &str| {
        pattern.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    pattern == "/" || PUBLIC.iter().any(|it| is_below(it))
}

fn only_looks(method: &str, pattern: &str) -> bool {
    method == "GET" || LOOKS.contains(&&*format!("{method} {pattern}"))
}

#[tokio::test]
async fn nobody_comes_in_unknown() {
    let served = served().await;
    for (method, pattern) in served.routes().await {
        let status = served.status(&method, &filled(&pattern), None).await;
        if !is_public(&pattern) {
            assert_eq!(status, 401, "{method} {pattern}");
        } else if pattern != "/api/oauth/token" {
            assert_ne!(status, 401, "{method} {pattern}");
        }
    }
    let refused = served.send("GET", "/v1/instances", (None, "")).await;
    assert_eq!(refused.headers()["www-authenticate"], "Bearer");
    let answer: Value = refused.json().await.unwrap();
    assert_eq!(
        (&answer["error"], &answer["code"]),
        (&json!("unauthorized"), &json!("UNAUTHORIZED"))
    );
}

#[tokio::test]
async fn viewers_look_at_everything_and_change_nothing() {
    let served = served().await;
    let viewer = served.viewer();
    for (method, pattern) in served.routes().await {
        let is_for_others = ADMINISTRATION.iter().any(|it| pattern.starts_with(it));
        if is_for_others || is_public(&pattern) {
            continue;
        }
        let status = served.status(&method, &filled(&pattern), Some(&viewer)).await;
        assert_ne!(status, 401, "{method} {pattern}");
        let is_refused = status == StatusCode::FORBIDDEN;
        assert_eq!(is_refused, !only_looks(&method, &pattern), "{method} {pattern}: {status}");
    }
    let path = "/v1/instances/x/cancel?dryRun=true";
    assert_eq!(served.status("POST", path, Some(&viewer)).await, 404);
    let path = "/v1/instances/x/cancel?dryRun=false";
    assert_eq!(served.status("POST", path, Some(&viewer)).await, 403);
}

#[tokio::test]
async fn whoever_has_another_role_beside_may_change_things() {
    let served = served().await;
    let both = served.token("t-1", &["ROLE_VIEWER", "ROLE_USER"]);
    assert_eq!(served.status("POST", "/v1/instances/x/cancel", Some(&both)).await, 404);
}

#[tokio::test]
async fn other_tenants_have_no_part_in_processes_chains_and_lifecycles() {
    let served = served().await;
    let other = served.token("t-2", &["ROLE_ADMIN"]);
    for (method, pattern) in served.routes().await {
        if is_public(&pattern) || pattern.starts_with("/api") {
            continue;
        }
        let status = served.status(&method, &filled(&pattern), Some(&other)).await;
        assert_eq!(status, 403, "{method} {pattern}");
    }
}

#[tokio::test]
async fn the_audit_names_who_asked() {
    let served = served().await;
    let token = served.token("t-1", &["ROLE_USER"]);
    let token = Some(&*token);
    let line = r#"{"id":"p","name":"P","steps":[
        {"id":"a","name":"A","type":"SERVICE_TASK","jobType":"a","nextStep":"e"},
        {"id":"e","name":"E","type":"END"}]}"#;
    assert_eq!(served.send("POST", "/v1/definitions", (token, line)).await.status(), 201);
    let started = served.send("POST", "/v1/instances", (token, r#"{"definitionId":"p"}"#)).await;
    let started: Value = started.json().await.unwrap();
    let path = format!("/v1/instances/{}", started["id"].as_str().unwrap());
    let why = r#"{"reason":"no longer wanted"}"#;
    served.send("POST", &format!("{path}/cancel"), (token, why)).await;
    let audit = served.send("GET", &format!("{path}/audit"), (token, "")).await;
    let audit: Value = audit.json().await.unwrap();
    let told = audit["items"].as_array().unwrap().iter();
    let told: Vec<_> = told.map(|it| (&it["kind"], &it["user"], &it["detail"])).collect();
    let user = json!("u-1");
    let (started, canceled) = (json!("INSTANCE_STARTED"), json!("INSTANCE_CANCELLED"));
    let reason = json!("no longer wanted");
    let expected = [(&started, &user, &Value::Null), (&canceled, &user, &reason)];
    assert_eq!(told, expected);
}

fn signed<T>(message: T, token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        let value = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    request
}

#[tokio::test]
async fn calls_about_processes_are_let_in_like_requests() {
    let served = served().await;
    let (viewer, other) = (served.viewer(), served.token("t-2", &["ROLE_ADMIN"]));
    let user = served.token("t-1", &["ROLE_USER"]);
    let mut grpc = served.grpc().await;
    for (token, looks, changes) in [
        (None, Code::Unauthenticated, Code::Unauthenticated),
        (Some(&*other), Code::PermissionDenied, Code::PermissionDenied),
        (Some(&*viewer), Code::Ok, Code::PermissionDenied),
        (Some(&*user), Code::Ok, Code::NotFound),
    ] {
        let code = |it: Result<(), Status>| it.map_or_else(|it| it.code(), |()| Code::Ok);
        let listed = grpc.list_instances(signed(ListInstancesRequest::default(), token)).await;
        assert_eq!(code(listed.map(drop)), looks);
        let cancel = CancelInstanceRequest { id: "x".into(), reason: String::new() };
        let canceled = grpc.cancel_instance(signed(cancel, token)).await;
        assert_eq!(code(canceled.map(drop)), changes);
    }
}

#[tokio::test]
async fn explanations_are_for_whom_the_instance_is() {
    let served = served().await;
    let (viewer, other) = (served.viewer(), served.token("t-2", &["ROLE_ADMIN"]));
    let endpoint = Endpoint::from_shared(format!("http://{}", served.grpc)).unwrap();
    let mut client = InstancesClient::new(endpoint.connect().await.unwrap());
    let survey = LifecycleEntity { workflow: "survey".into(), id: "m-1".into() };
    let (mission, process) = (Instance::Lifecycle(survey), Instance::Process("x".into()));
    let entity = Instance::Entity("00000009-0000-1000-8000-000000000000".into());
    for (token, of, expected) in [
        (None, &mission, Code::Unauthenticated),
        (None, &entity, Code::Unauthenticated),
        (Some(&*other), &mission, Code::PermissionDenied),
        (Some(&*other), &process, Code::PermissionDenied),
        // Everybody has entities of their own; this is none of them.
        (Some(&*other), &entity, Code::NotFound),
        (Some(&*viewer), &process, Code::NotFound),
        (Some(&*viewer), &mission, Code::Ok),
    ] {
        let asked = ExplainRequest { instance: Some(of.clone()) };
        let answer = client.explain(signed(asked, token)).await;
        assert_eq!(answer.map_or_else(|it| it.code(), |_| Code::Ok), expected, "{of:?}");
    }
}
