//! Who did what to definitions and instances. Nothing is kept for it: definitions and the history
//! of instances tell.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::process::{AuditEntry, AuditPage};
use waypost_engine::process::{AuditView, By, Deed, Deployed, child};

use super::{convert::time, params::Paging};
use crate::http::{
    app::App,
    params::{InPath, Params},
    problem::Refusal,
};

/// Who did what to an instance, in the order in which it was done.
#[utoipa::path(
    get, path = "/v1/instances/{id}/audit", tag = "Process instances",
    params(("id" = String, Path, description = "Its id"), Paging),
    responses(
        (status = 200, description = "One page", body = AuditPage),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn of_instance(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<AuditPage>, Refusal> {
    let view = app.processes.audit(&id.into()).await?;
    let (skipped, wanted) = (paging.offset() as usize, paging.size() as usize);
    let deeds = (1..).zip(&view.deeds).skip(skipped).take(wanted);
    let items = deeds.map(|(sequence, deed)| entry(&view, sequence, deed)).collect();
    let total = view.deeds.len() as u64;
    Ok(Json(AuditPage { items, total, page: paging.page(), page_size: paging.size() }))
}

/// Every upload of a definition that made a version of it, the newest first.
#[utoipa::path(
    get, path = "/v1/definitions/{id}/audit", tag = "Process definitions",
    params(("id" = String, Path, description = "Its id"), Paging),
    responses(
        (status = 200, description = "One page", body = AuditPage),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn of_definition(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<AuditPage>, Refusal> {
    let (offset, limit) = (paging.offset() as usize, paging.size() as usize);
    let found = app.processes.uploads(&id, offset, limit).await?;
    let items = found.items.into_iter().map(upload).collect();
    let total = found.total as u64;
    Ok(Json(AuditPage { items, total, page: paging.page(), page_size: paging.size() }))
}

fn upload(deployed: Deployed) -> AuditEntry {
    let definition = deployed.definition;
    AuditEntry {
        sequence: definition.which.version.unsigned_abs().into(),
        at: time(definition.created_at),
        kind: "DEFINITION_UPLOADED".to_owned(),
        actor: "client".to_owned(),
        user: None,
        worker_id: None,
        definition_id: definition.which.name,
        definition_version: definition.which.version,
        definition_name: deployed.label,
        instance_id: None,
        step_id: None,
        step_name: None,
        step_execution_id: None,
        detail: None,
    }
}

fn entry(view: &AuditView, sequence: u64, deed: &Deed) -> AuditEntry {
    let (graph, instance) = (&view.graph, &view.key.id);
    let step = deed.step.as_ref().and_then(|it| graph.step(it));
    AuditEntry {
        sequence,
        at: time(deed.at),
        kind: deed.what.as_str().to_owned(),
        actor: actor(&deed.by).to_owned(),
        user: deed.user.clone(),
        worker_id: worker(&deed.by),
        definition_id: graph.which.name.clone(),
        definition_version: graph.which.version,
        definition_name: graph.label.clone(),
        instance_id: Some(instance.as_str().to_owned()),
        step_id: deed.step.as_ref().map(ToString::to_string),
        step_name: step.map(|it| it.label.clone()),
        step_execution_id: deed.visit.map(|it| child(instance, it)),
        detail: deed.detail.clone(),
    }
}

const fn actor(by: &By) -> &'static str {
    match by {
        By::Client => "client",
        By::Worker(_) => "worker",
        By::Engine => "engine",
    }
}

fn worker(by: &By) -> Option<String> {
    match by {
        By::Worker(worker) => worker.as_ref().map(|it| it.as_str().to_owned()),
        By::Client | By::Engine => None,
    }
}
