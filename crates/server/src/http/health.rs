//! Whether the server is alive, and whether it can be sent requests.

use std::{sync::Arc, time::Duration};

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;
use waypost_kernel::{Key, Kind};

use super::{app::App, routes::Routes};

/// How long the store may take to answer before the server calls itself not ready.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/healthz", alive)
        .get("/livez", alive)
        .get("/readyz", ready)
        .get("/version", version)
}

/// For those who watch the server on an address of its own: in one word, as operators of entities
/// know it.
pub(super) fn routes_beside(routes: Routes) -> Routes {
    routes
        .get("/healthz", alive)
        .get("/livez", async || "ok")
        .get("/readyz", ready_in_a_word)
        .get("/version", version)
}

/// How the server is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Health {
    /// `ok` or `unavailable`.
    status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<&'static str>,
}

/// What runs here.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    /// The program.
    name: &'static str,
    /// Its version.
    version: &'static str,
}

/// Says that the process is alive. `/livez` says the same.
#[utoipa::path(
    get, path = "/healthz", tag = "Operations",
    responses((status = 200, description = "It is", body = Health)),
)]
pub(super) async fn alive() -> Json<Health> {
    Json(Health { status: "ok", reasons: Vec::new() })
}

/// Says whether requests can be served: the store answers, and the server is not about to stop.
#[utoipa::path(
    get, path = "/readyz", tag = "Operations",
    responses(
        (status = 200, description = "They can", body = Health),
        (status = 503, description = "They cannot, with reasons", body = Health),
    ),
)]
pub(super) async fn ready(State(app): State<Arc<App>>) -> (StatusCode, Json<Health>) {
    let reasons = trouble(&app).await;
    match reasons.is_empty() {
        true => (StatusCode::OK, Json(Health { status: "ok", reasons })),
        false => (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "unavailable", reasons })),
    }
}

async fn ready_in_a_word(State(app): State<Arc<App>>) -> (StatusCode, String) {
    let reasons = trouble(&app).await;
    match reasons.is_empty() {
        true => (StatusCode::OK, "ready".to_owned()),
        false => (StatusCode::SERVICE_UNAVAILABLE, reasons.join("; ")),
    }
}

/// Why requests cannot be served.
async fn trouble(app: &App) -> Vec<&'static str> {
    let stopping = app.is_stopping().then_some("the server is shutting down");
    stopping.into_iter().chain(store_trouble(app).await).collect()
}

pub(super) async fn store_trouble(app: &App) -> Option<&'static str> {
    let nobody = [Key::new("default".into(), Kind::Chain, "readyz".into())];
    match timeout(STORE_TIMEOUT, app.engine.store().load(&nobody)).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready");
            Some("the store cannot be read")
        }
        Err(_) => Some("the store does not answer within a second"),
    }
}

/// Says which version runs.
#[utoipa::path(
    get, path = "/version", tag = "Operations",
    responses((status = 200, description = "Name and version", body = About)),
)]
pub(super) async fn version() -> Json<About> {
    Json(About { name: "waypost", version: env!("CARGO_PKG_VERSION") })
}
