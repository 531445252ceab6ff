//! The door to processes, chains and lifecycles: where users sign in, nobody comes in unknown or
//! from another tenant. And the rule for all faces: who may only look changes nothing.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use waypost_api::problem::EdgeCode;
use waypost_engine::Error;

use super::{app::App, dry_run, lifecycle, problem::Refusal};
use crate::auth::{Denied, Identity, identify};

/// What changes nothing, though its method may.
const LOOKS: [(&str, &str); 9] = [
    ("POST", "/v1/lint"),
    ("POST", "/v1/definitions/{id}/versions/{version}/tables/{stepId}/try"),
    ("POST", "/v1/instances/{id}/what-if"),
    ("POST", "/v1/chains/instances/{instanceId}/what-if"),
    ("POST", "/entity/{entityId}/what-if"),
    ("POST", "/search/direct/{entityName}/{modelVersion}"),
    ("POST", "/search/async/{entityName}/{modelVersion}"),
    ("PUT", "/search/async/{jobId}/cancel"),
    ("POST", "/model/validate/{entityName}/{modelVersion}"),
];

/// What has nothing to tell of anybody: the console asks where everything is before anybody signs in.
const OPEN: [&str; 2] = ["/v1/lint", "/v1/console"];

/// Lets in whom it knows. What is open to everybody passes, as do entities, who have a door.
pub(super) async fn door(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(tenant) = app.doorway.authenticator().tenant() else { return next.run(request).await };
    if !is_guarded(&app, &request) {
        return next.run(request).await;
    }
    let identity = match identify(app.doorway.authenticator(), request.headers()).await {
        Ok(identity) => identity,
        Err(Denied::Unknown) => return unknown(),
        Err(Denied::Store(error)) => return Refusal::from(Error::Store(error)).into_response(),
    };
    if let Some(detail) = refusal(&identity, tenant, &request) {
        return Refusal::new(EdgeCode::Forbidden, detail).into_response();
    }
    request.extensions_mut().insert(identity);
    next.run(request).await
}

/// Probes, documents and the console itself are for everybody; so is what needs no data of ours.
fn is_guarded(app: &App, request: &Request) -> bool {
    let path = request.uri().path();
    let is_ours = path.starts_with("/v1/") && !OPEN.contains(&path);
    *request.method() != Method::OPTIONS && (is_ours || lifecycle::owner(app, path).is_some())
}

fn refusal(identity: &Identity, tenant: &str, request: &Request) -> Option<&'static str> {
    if identity.caller.tenant.as_str() != tenant {
        return Some("processes, chains and lifecycles of this server belong to another tenant");
    }
    (identity.is_viewer() && !only_looks(request, "")).then_some(LOOK_ONLY)
}

/// What somebody is told who may only look.
pub(crate) const LOOK_ONLY: &str = "you may look, but not change anything";

fn unknown() -> Response {
    let refusal = Refusal::new(EdgeCode::Unauthorized, "authentication failed");
    let mut answer = refusal.into_response();
    let scheme = HeaderValue::from_static("Bearer");
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    answer
}

/// Whether a request can change nothing. `context` is what its route may lie below.
pub(crate) fn only_looks(request: &Request, context: &str) -> bool {
    if request.method().is_safe() {
        return true;
    }
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let below = path.strip_prefix(context).unwrap_or(path);
    let method = request.method().as_str();
    LOOKS.contains(&(method, below))
        || (dry_run::is_wanted(request.uri()) && dry_run::can_be_tried(method, below))
}
