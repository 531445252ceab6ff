//! The level of this node's log, for administrators.

use axum::{body::Body, http::StatusCode};
use waypost_api::entity::http::{LogLevel, LogLevelChange};

use super::{
    admin::{Administrator, json},
    answer::Json,
};
use crate::{
    http::entity::problem::{Failure, NOT_IMPLEMENTED},
    telemetry::Log,
};

/// Says from which level on this node logs.
#[utoipa::path(
    get, path = "/api/admin/log-level", tag = "Entity operations",
    responses((status = 200, description = "The level", body = LogLevel)),
)]
pub(crate) async fn show(administrator: Administrator) -> Result<Json<LogLevel>, Failure> {
    Ok(Json(LogLevel { level: log(&administrator)?.level() }))
}

/// Has this node log from another level on, until it is restarted.
#[utoipa::path(
    post, path = "/api/admin/log-level", tag = "Entity operations",
    request_body = LogLevel,
    responses((status = 200, description = "What it is, and was", body = LogLevelChange)),
)]
pub(crate) async fn change(
    administrator: Administrator,
    body: Body,
) -> Result<Json<LogLevelChange>, Failure> {
    let log = log(&administrator)?;
    let LogLevel { level } = json(body).await?;
    let level = match level.trim().to_lowercase().as_str() {
        "" => return Err(Failure::bad_request("level must be debug, info, warn or error")),
        known @ ("debug" | "warn" | "error") => known.to_owned(),
        // Whatever else it may be called, this is the usual one.
        _ => "info".to_owned(),
    };
    let set = log.set_level(&level);
    let previous = set.map_err(|error| Failure::defect(error.to_string()))?;
    tracing::info!(user = administrator.user, level, previous, "the log has another level");
    Ok(Json(LogLevelChange { level, previous }))
}

fn log(administrator: &Administrator) -> Result<&Log, Failure> {
    administrator.node_log().ok_or_else(|| {
        let text = "the log belongs to the program that this server is part of";
        Failure::new(StatusCode::NOT_IMPLEMENTED, NOT_IMPLEMENTED, text)
    })
}
