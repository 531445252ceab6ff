//! The jobs of one instance: who holds which, and what became of those before.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::process::{InstanceJob, InstanceJobPage, InstanceJobStatus};
use waypost_engine::process::{AttemptEnd, AttemptOutcome, JobView};

use super::{convert::time, params::Paging};
use crate::http::{
    app::App,
    params::{InPath, Params},
    problem::Refusal,
};

/// The jobs of an instance, in the order in which they were offered: those that are open with who
/// holds them, the others with what became of them.
#[utoipa::path(
    get, path = "/v1/instances/{id}/jobs", tag = "Process instances",
    params(("id" = String, Path, description = "Its id"), Paging),
    responses(
        (status = 200, description = "One page", body = InstanceJobPage),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<InstanceJobPage>, Refusal> {
    let jobs = app.processes.jobs(&id.into()).await?;
    let total = jobs.len() as u64;
    let (skipped, wanted) = (paging.offset() as usize, paging.size() as usize);
    let items = jobs.into_iter().skip(skipped).take(wanted).map(job).collect();
    Ok(Json(InstanceJobPage { items, total, page: paging.page(), page_size: paging.size() }))
}

fn job(view: JobView) -> InstanceJob {
    let status = status(&view);
    let JobView { id, attempt, queue, label, held, .. } = view;
    let (ended_at, ended_by, error) = match attempt.end {
        Some(AttemptEnd { at, worker, error, .. }) => (Some(time(at)), worker, error),
        None => (None, None, None),
    };
    let (holder, lapses_at) = held.unzip();
    InstanceJob {
        id,
        step_id: attempt.step.to_string(),
        step_name: label,
        job_type: queue,
        attempt_number: attempt.number,
        status,
        retries_remaining: attempt.retries,
        created_at: time(attempt.offered_at),
        ended_at,
        worker_id: holder.or(ended_by).map(|it| it.as_str().to_owned()),
        lock_expires_at: lapses_at.map(time),
        error_message: error,
    }
}

fn status(view: &JobView) -> InstanceJobStatus {
    match view.attempt.end.as_ref().map(|it| it.outcome) {
        Some(AttemptOutcome::Completed) => InstanceJobStatus::Completed,
        Some(AttemptOutcome::Failed) => InstanceJobStatus::Failed,
        Some(AttemptOutcome::Lapsed) => InstanceJobStatus::LeaseExpired,
        Some(AttemptOutcome::Withdrawn) => InstanceJobStatus::Withdrawn,
        None if view.held.is_some() => InstanceJobStatus::Locked,
        None if view.is_offered => InstanceJobStatus::Available,
        None => InstanceJobStatus::Suspended,
    }
}
