//! What has failed, by cause.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::operations::{FailedInstance, FailedPage, Incident, IncidentPage};
use waypost_engine as engine;

use super::{
    app::App,
    overview::{face, time},
    params::InPath,
    problem::Refusal,
};

/// What has failed, by face, definition, step and error.
#[utoipa::path(
    get, path = "/v1/incidents", tag = "Operations",
    responses((status = 200, description = "Up to a second old; the most frequent cause first",
        body = IncidentPage)),
)]
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<IncidentPage>, Refusal> {
    let found = found(&app).await?;
    let items = found.items.iter().filter_map(incident).collect();
    Ok(Json(IncidentPage { items, is_cut: found.is_cut }))
}

/// However many look, the store is looked through once within a second.
async fn found(app: &App) -> Result<Arc<engine::Incidents>, Refusal> {
    let now = app.engine.store().now();
    match app.incidents.get(now) {
        Some(found) => Ok(found),
        None => Ok(app.incidents.set(now, app.engine.incidents().await?)),
    }
}

/// Those that have failed of one cause.
#[utoipa::path(
    get, path = "/v1/incidents/{id}", tag = "Operations",
    params(("id" = String, Path, description = "The cause's id")),
    responses((status = 200, description = "The newest instance first", body = FailedPage)),
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
) -> Result<Json<FailedPage>, Refusal> {
    let found = found(&app).await?;
    let cause = found.items.iter().find(|it| it.id == id);
    let items = cause.map_or_else(Vec::new, |it| it.failed.iter().map(failed).collect());
    Ok(Json(FailedPage { items, is_cut: found.is_cut }))
}

fn incident(incident: &engine::Incident) -> Option<Incident> {
    let newest = incident.failed.first()?;
    let times = || incident.failed.iter().map(|it| it.at);
    Some(Incident {
        id: incident.id.clone(),
        face: face(incident.kind)?,
        definition: incident.definition.clone(),
        definition_version: incident.version,
        step: incident.step.clone(),
        error: newest.error.clone(),
        count: incident.failed.len() as u64,
        first_at: time(times().min()?),
        last_at: time(times().max()?),
        sample: failed(newest),
    })
}

fn failed(of: &engine::Failed) -> FailedInstance {
    FailedInstance {
        instance_id: of.id.clone(),
        business_key: of.business_key.clone(),
        error: of.error.clone(),
        failed_at: time(of.at),
    }
}
