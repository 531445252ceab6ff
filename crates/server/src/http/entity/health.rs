//! Whether entities can be worked on.

use std::sync::Arc;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use waypost_api::entity::http::Health;

use super::{answer::json, problem::Failure};
use crate::http::{app::App, health::store_trouble};

/// Says whether entities can be worked on. Everybody may ask.
#[utoipa::path(
    get, path = "/api/health", tag = "Entity operations",
    responses(
        (status = 200, description = "They can", body = Health),
        (status = 503, description = "They cannot", body = Health),
    ),
)]
pub(in crate::http) async fn show(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    if app.is_stopping() || store_trouble(&app).await.is_some() {
        let answer = json(&Health { status: "DOWN" })?;
        return Ok((StatusCode::SERVICE_UNAVAILABLE, answer).into_response());
    }
    json(&Health { status: "UP" })
}
