//! Handing out jobs, and taking them back.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode},
    response::{IntoResponse as _, Response},
};
use waypost_api::process::{
    CallbackResult, CompleteJob, CompleteJobs, CompleteJobsResponse, FailJob, Heartbeat,
    HeartbeatResponse, PollJobs, PollResponse,
};
use waypost_engine::{
    limits::{CLAIM_MAX, CLAIM_WAIT_MAX},
    process::{Callback, Poll},
};
use waypost_kernel::WorkerId;

use super::{body::Text, convert, params::given};
use crate::{
    delivery::take,
    http::{app::App, params::InPath, problem::Refusal},
};

/// Says that a callback came too late, so that nobody has to guess.
const CALLBACK: HeaderName = HeaderName::from_static("waypost-callback");

/// How many jobs a poll takes unless it says otherwise.
const JOBS: u32 = 10;
/// How long a job is leased unless the worker says otherwise, in seconds.
const LEASE: i64 = 30;

/// Leases jobs to a worker, longest waiting first.
#[utoipa::path(
    post, path = "/v1/jobs/poll", tag = "Jobs", request_body = PollJobs,
    responses((status = 200, description = "What there is to do", body = PollResponse)),
)]
pub(in crate::http) async fn poll(
    State(app): State<Arc<App>>,
    text: Text,
) -> Result<Json<PollResponse>, Refusal> {
    let poll = wanted(text.expect()?)?;
    let taken = take(&app, poll).await?;
    Ok(Json(PollResponse { jobs: taken.map(convert::job).collect() }))
}

fn wanted(body: PollJobs) -> Result<Poll, Refusal> {
    let worker = worker(body.worker_id)?;
    let missing = || Refusal::field("jobTypes", "must not be empty");
    let queues = body.job_types.filter(|it| !it.is_empty()).ok_or_else(missing)?;
    let max = body
        .max_jobs
        .filter(|it| *it > 0)
        .map_or(JOBS, |it| u32::try_from(it).unwrap_or(u32::MAX).min(CLAIM_MAX));
    let wait = Duration::from_millis(body.wait_ms.unwrap_or(0));
    if wait > CLAIM_WAIT_MAX {
        let most = CLAIM_WAIT_MAX.as_millis();
        return Err(Refusal::field("waitMs", &format!("must be at most {most}")));
    }
    Ok(Poll { worker, queues, max, lease: lease(body.lease_seconds)?, wait })
}

pub(super) fn worker(given_id: Option<String>) -> Result<WorkerId, Refusal> {
    let missing = || Refusal::field("workerId", "is required");
    let worker = given(given_id).ok_or_else(missing)?;
    crate::http::params::check_name("workerId", &worker)?;
    Ok(worker.into())
}

fn lease(seconds: Option<i64>) -> Result<Duration, Refusal> {
    match seconds.filter(|it| *it != 0).unwrap_or(LEASE) {
        seconds @ 5..=3600 => Ok(Duration::from_secs(seconds.unsigned_abs())),
        seconds => {
            let problem = format!("must be 0 or 5 to 3600, is {seconds}");
            Err(Refusal::field("leaseSeconds", &problem))
        }
    }
}

/// A worker has done a job. A callback that comes too late, or from another worker, is answered
/// and has no effect.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/complete", tag = "Jobs",
    params(("id" = String, Path, description = "The job's id")), request_body = CompleteJob,
    responses(
        (status = 204, description = "Taken; or ignored, if the header Waypost-Callback says so"),
        (status = 400, description = "The variables break the step's schema: the instance failed"),
        (status = 404, description = "No such job"),
    ),
)]
pub(in crate::http) async fn complete(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    text: Text,
) -> Result<Response, Refusal> {
    let body: CompleteJob = text.expect()?;
    let worker = caller(body.worker_id);
    let output = body.variables.unwrap_or_default();
    Ok(answer(app.processes.complete(&id, worker, output).await?))
}

/// Whoever does not say who they are holds nothing; a job that is free may still be completed.
fn caller(worker: Option<String>) -> WorkerId {
    worker.unwrap_or_default().into()
}

fn answer(callback: Callback) -> Response {
    match callback {
        Callback::Accepted => StatusCode::NO_CONTENT.into_response(),
        Callback::Ignored => (StatusCode::NO_CONTENT, [(CALLBACK, "ignored")]).into_response(),
    }
}

/// A worker has done several jobs; each is taken on its own.
#[utoipa::path(
    post, path = "/v1/jobs/complete", tag = "Jobs", request_body = CompleteJobs,
    responses((status = 200, description = "What became of each", body = CompleteJobsResponse)),
)]
pub(in crate::http) async fn complete_several(
    State(app): State<Arc<App>>,
    text: Text,
) -> Result<Json<CompleteJobsResponse>, Refusal> {
    let body: CompleteJobs = text.expect()?;
    if body.jobs.len() > CLAIM_MAX as usize {
        return Err(Refusal::field("jobs", &format!("must have at most {CLAIM_MAX} items")));
    }
    let worker = caller(body.worker_id);
    let results = body.jobs.into_iter().map(|job| {
        let (app, worker) = (Arc::clone(&app), worker.clone());
        async move {
            let output = job.variables.unwrap_or_default();
            let done = app.processes.complete(&job.id, worker, output).await;
            let accepted = matches!(done, Ok(Callback::Accepted));
            let error = done.err().map(|it| Refusal::from(it).problem.detail.clone());
            CallbackResult { id: job.id, accepted, error }
        }
    });
    // Together, so that they share commits.
    let results = futures_util::future::join_all(results).await;
    Ok(Json(CompleteJobsResponse { results }))
}

/// A worker could not do a job.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/fail", tag = "Jobs",
    params(("id" = String, Path, description = "The job's id")), request_body = FailJob,
    responses(
        (status = 204, description = "Taken; or ignored, if the header Waypost-Callback says so"),
        (status = 404, description = "No such job"),
    ),
)]
pub(in crate::http) async fn fail(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    text: Text,
) -> Result<Response, Refusal> {
    let body: FailJob = text.expect()?;
    let (worker, retryable) = (caller(body.worker_id), body.retryable.unwrap_or(false));
    Ok(answer(app.processes.fail(&id, worker, body.error_message, retryable).await?))
}

/// A worker needs more time. The lease never ends earlier than before.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/heartbeat", tag = "Jobs",
    params(("id" = String, Path, description = "The job's id")), request_body = Heartbeat,
    responses(
        (status = 200, description = "Until when", body = HeartbeatResponse),
        (status = 409, description = "The worker does not hold the job"),
    ),
)]
pub(in crate::http) async fn heartbeat(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    text: Text,
) -> Result<Json<HeartbeatResponse>, Refusal> {
    let body: Heartbeat = text.expect()?;
    let (worker, lease) = (worker(body.worker_id)?, lease(body.lease_seconds)?);
    let until = app.processes.extend(&id, &worker, lease).await?;
    Ok(Json(HeartbeatResponse { accepted: true, lock_expires_at: convert::time(until) }))
}
