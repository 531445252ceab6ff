//! Handing out steps, and taking them back.

use std::{sync::Arc, time::Duration};

use axum::{Json, extract::State, http::StatusCode};
use tokio::{sync::oneshot, time::Instant};
use waypost_api::chain::{
    ClaimRequest, ClaimResponse, ReleaseRequest, RenewRequest, RenewResponse, ReportRequest,
    ReportResponse,
};
use waypost_engine::{
    Error, chain,
    chain::{TaskView, ViewStatus},
    limits::{CLAIM_POLL, CLAIM_WAIT_MAX},
};

use super::convert;
use crate::http::{
    app::App,
    body::JsonBody,
    params::{LeasePath, check_name},
    problem::Refusal,
};

type Claimed = Result<Vec<TaskView>, Error>;

/// Hands out work; waits for some if asked to.
#[utoipa::path(
    post, path = "/v1/chains/claim", tag = "Work", request_body = ClaimRequest,
    responses((status = 200, description = "What there is to do", body = ClaimResponse)),
)]
pub(in crate::http) async fn claim(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<ClaimRequest>,
) -> Result<Json<ClaimResponse>, Refusal> {
    check_claim(&body)?;
    let (answer, taken) = oneshot::channel();
    // A claim must not end with the connection: what it took would be held by nobody.
    app.claims.spawn(hand_over(Arc::clone(&app), convert::claim(body), answer));
    let tasks = taken.await.map_err(|_| Refusal::defect("a claim ended without an answer"))??;
    Ok(Json(ClaimResponse { tasks: tasks.iter().map(convert::task).collect() }))
}

fn check_claim(body: &ClaimRequest) -> Result<(), Refusal> {
    check_name("workerId", &body.worker_id)?;
    let lists = [("workflowTypes", &body.workflow_types), ("stepTypes", &body.step_types)];
    for (place, names) in lists {
        for (index, name) in names.iter().flatten().enumerate() {
            check_name(&format!("{place}[{index}]"), name)?;
        }
    }
    Ok(())
}

/// Gives back what nobody is there to take.
async fn hand_over(app: Arc<App>, request: chain::ClaimRequest, answer: oneshot::Sender<Claimed>) {
    let claimed = wait_for_work(&app, request, &answer).await;
    let Err(Ok(tasks)) = answer.send(claimed) else { return };
    for task in tasks {
        if let Err(error) = app.chains.release(&task.token, &task.worker).await {
            tracing::warn!(%error, token = %task.token, "a step could not be given back");
        }
    }
}

/// Waits in short pieces, so that it ends soon after the client or the server does.
async fn wait_for_work(
    app: &App,
    request: chain::ClaimRequest,
    answer: &oneshot::Sender<Claimed>,
) -> Claimed {
    let deadline = Instant::now() + request.wait.min(CLAIM_WAIT_MAX);
    loop {
        if app.is_stopping() || answer.is_closed() {
            return Ok(Vec::new());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = match request.wait {
            // The engine refuses it, and says why.
            absurd if absurd > CLAIM_WAIT_MAX => absurd,
            _ => left.min(CLAIM_POLL),
        };
        let tasks = app.chains.claim(chain::ClaimRequest { wait, ..request.clone() }).await?;
        if !tasks.is_empty() || left <= CLAIM_POLL {
            return Ok(tasks);
        }
    }
}

/// Takes a worker's report. The same report again is answered as before.
#[utoipa::path(
    post, path = "/v1/chains/tasks/{leaseToken}/result", tag = "Work",
    params(("leaseToken" = String, Path, description = "The token the claim gave")),
    request_body = ReportRequest,
    responses(
        (status = 200, description = "What it came to", body = ReportResponse),
        (status = 409, description = "LEASE_LOST or INSTANCE_CANCELED; nothing has changed"),
        (status = 422, description = "The report can never be right; nothing has changed"),
    ),
)]
pub(in crate::http) async fn report(
    State(app): State<Arc<App>>,
    LeasePath(token): LeasePath,
    JsonBody(body): JsonBody<ReportRequest>,
) -> Result<Json<ReportResponse>, Refusal> {
    check_name("workerId", &body.worker_id)?;
    let patch = body.context_patch.map(convert::json);
    let events = body.outbound_events.unwrap_or_default();
    let outbound = events.into_iter().map(|it| it.map(convert::outbound)).collect();
    let lease = (&token, &body.worker_id.into());
    let reported = app.chains.report(lease, convert::outcome(body.result), patch, outbound).await?;
    let state = &reported.state;
    let status = state.steps.get(reported.step).map(|it| ViewStatus::Stored(it.status));
    let status = status.ok_or_else(|| Refusal::defect("a report was taken for no step"))?;
    Ok(Json(ReportResponse {
        instance_id: token.instance.as_str().to_owned(),
        step_seq: convert::seq(reported.step),
        step_status: convert::step_status(status),
        instance_status: convert::status(state.status),
        current_step_seq: convert::seq(state.current),
        current_step_type: convert::current_type(state),
    }))
}

/// Prolongs the hold on a step.
#[utoipa::path(
    post, path = "/v1/chains/tasks/{leaseToken}/renew", tag = "Work",
    params(("leaseToken" = String, Path, description = "The token the claim gave")),
    request_body = RenewRequest,
    responses(
        (status = 200, description = "Until when", body = RenewResponse),
        (status = 409, description = "LEASE_LOST or INSTANCE_CANCELED: stop the work"),
    ),
)]
pub(in crate::http) async fn renew(
    State(app): State<Arc<App>>,
    LeasePath(token): LeasePath,
    JsonBody(body): JsonBody<RenewRequest>,
) -> Result<Json<RenewResponse>, Refusal> {
    check_name("workerId", &body.worker_id)?;
    let lease = Duration::from_millis(body.lease_ms);
    let until = app.chains.renew(&token, &body.worker_id.into(), lease).await?;
    Ok(Json(RenewResponse { leased_until: convert::time(until) }))
}

/// Gives a step back that was not begun. It costs no attempt.
#[utoipa::path(
    post, path = "/v1/chains/tasks/{leaseToken}/release", tag = "Work",
    params(("leaseToken" = String, Path, description = "The token the claim gave")),
    request_body = ReleaseRequest,
    responses(
        (status = 204, description = "It can be claimed again"),
        (status = 409, description = "LEASE_LOST or INSTANCE_CANCELED"),
    ),
)]
pub(in crate::http) async fn release(
    State(app): State<Arc<App>>,
    LeasePath(token): LeasePath,
    JsonBody(body): JsonBody<ReleaseRequest>,
) -> Result<StatusCode, Refusal> {
    check_name("workerId", &body.worker_id)?;
    app.chains.release(&token, &body.worker_id.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}
