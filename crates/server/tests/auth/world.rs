//! A node that asks who is there, with a clock that stands still. `/api/thing` stands for all that
//! entities have to offer.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode, header},
    middleware::from_fn_with_state,
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;
use waypost_kernel::{Clock as _, Store};
use waypost_server::auth::{
    AuthOptions, Authenticator, Bootstrap, Doorway, Identity, Mode, Verbosity, guard, routes,
};
use waypost_testkit::clock::SimClock;

use crate::{
    forge::{SIGNING, claims, good},
    on,
};

pub(crate) struct World {
    pub(crate) clock: Arc<SimClock>,
    pub(crate) store: Arc<dyn Store>,
    router: Router,
    /// Where the store may lie.
    _folder: Option<TempDir>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

pub(crate) fn options() -> AuthOptions {
    AuthOptions {
        mode: Mode::Jwt,
        signing_key: Some(SIGNING.into()),
        bootstrap: Bootstrap {
            id: Some("first".into()),
            secret: Some("p%w+d".into()),
            tenant: "t-1".into(),
            ..Bootstrap::default()
        },
        ..AuthOptions::default()
    }
}

pub(crate) async fn world() -> World {
    world_with(options()).await
}

pub(crate) async fn world_with(options: AuthOptions) -> World {
    let clock = Arc::new(SimClock::default());
    let (store, folder) = on::open(&clock).await;
    World { _folder: Some(folder), ..node(clock, store, options).await }
}

/// A node over a store that may have others.
pub(crate) async fn node(
    clock: Arc<SimClock>,
    store: Arc<dyn Store>,
    options: AuthOptions,
) -> World {
    let authenticator = Authenticator::new(options, store.clone()).await.unwrap();
    // However the path is written, it is the same.
    let doorway = Arc::new(Doorway::new(authenticator, "api/", Verbosity::Sanitized));
    let thing = |Extension(identity): Extension<Identity>| async move { identity.user_name };
    let router = routes(doorway.clone())
        .route("/api/thing", get(thing))
        .route("/api/health", get(|| async { "up" }))
        .route("/api/help/topic", get(|| async { "help" }))
        .route("/healthz", get(|| async { "ok" }))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(from_fn_with_state(doorway, guard));
    World { clock, store, router, _folder: None }
}

impl World {
    pub(crate) fn now(&self) -> i64 {
        self.clock.now().as_micros() / 1_000_000
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// What `Authorization` says for an administrator of that tenant.
    pub(crate) fn administrator(&self, tenant: &str) -> String {
        let mut claims = claims(self.now());
        claims["caas_org_id"] = tenant.into();
        claims["user_roles"] = json!(["ROLE_ADMIN"]);
        format!("Bearer {}", good(&claims))
    }

    pub(crate) async fn call(&self, who: &str, line: &str, body: impl Into<Body>) -> Answer {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(format!("/api{path}"));
        if !who.is_empty() {
            request = request.header(header::AUTHORIZATION, who);
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 20).await.unwrap();
        if serde_json::from_slice::<Value>(&body).is_ok() {
            assert!(body.ends_with(b"\n"), "{}", String::from_utf8_lossy(&body));
        }
        let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| text());
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Asks for a token with that id and secret, as a form would carry them.
    pub(crate) async fn sign_in(&self, id: &str, secret: &str) -> Answer {
        let form = "grant_type=client_credentials";
        self.call(&basic(id, secret), "POST /oauth/token", form).await
    }

    /// Makes a client of that tenant: its id and secret.
    pub(crate) async fn client(&self, tenant: &str, roles: &[&str]) -> (String, String) {
        let body = json!({ "tenantId": tenant, "userId": "robot", "roles": roles }).to_string();
        let made = self.call(&self.administrator(tenant), "POST /account/m2m", body).await;
        assert_eq!(made.status, 201, "{made:?}");
        (made.text("clientId"), made.text("clientSecret"))
    }
}

impl Answer {
    pub(crate) fn text(&self, name: &str) -> String {
        self.body[name].as_str().unwrap_or_else(|| panic!("{name} in {self:?}")).to_owned()
    }

    /// Status and code of a problem.
    pub(crate) fn code(&self) -> String {
        let code = self.body["properties"]["errorCode"].as_str().unwrap_or("none");
        format!("{} {code}", self.status)
    }

    /// Status and error of the OAuth endpoint.
    pub(crate) fn error(&self) -> String {
        format!("{} {}", self.status, self.body["error"].as_str().unwrap_or("none"))
    }

    /// What to send to be known by the token in this answer.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.text("access_token"))
    }
}

pub(crate) fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}
