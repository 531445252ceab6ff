//! Searching in the background: begun, looked after, read page by page, canceled.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use waypost_api::entity::http::{
    Page, PageFacts, SearchCanceled, SearchEnded, SearchNotRunning, SearchState,
};
use waypost_engine::{
    entity::{Code, SearchStatus, SearchView, condition},
    limits::ENTITIES_MAX,
};
use waypost_kernel::InstanceId;

use super::{
    answer::json,
    asker::Asker,
    body::Text,
    convert::{envelope, refusal, time},
    entities::refused,
    params::{Asked, InPath},
    problem::Failure,
};

/// Entities of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 1_000;

/// Begins to search the entities of a model as they are now, or were.
#[utoipa::path(
    post, path = "/api/search/async/{entityName}/{modelVersion}", tag = "Entity search",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("pointInTime" = Option<String>, Query, description = "As they were then"),
    ),
    request_body(content = Object, description = "A condition"),
    responses(
        (status = 200, description = "The search's id", body = String),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn begin(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    let (model, at) = (path.model()?, asked.time("pointInTime")?);
    let predicate = condition(&text.document("JSON")?).map_err(refused)?;
    json(entities.begin_search(&model, predicate, at).await?.as_str())
}

/// Where a search stands.
#[utoipa::path(
    get, path = "/api/search/async/{jobId}/status", tag = "Entity search",
    params(("jobId" = String, Path, description = "The search's id")),
    responses(
        (status = 200, description = "Where it stands", body = SearchState),
        (status = 404, description = "No such search: SEARCH_JOB_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn status(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let view = entities.search_status(&path.id("jobId")?).await?;
    json(&state(&view, entities.now()))
}

fn state(view: &SearchView, now: waypost_kernel::Timestamp) -> SearchState {
    let took = view.finished_at.unwrap_or(now).since(view.created_at);
    SearchState {
        search_job_status: status_name(view.status),
        create_time: time(view.created_at),
        entities_count: view.n_found,
        calculation_time_millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        finish_time: view.finished_at.map(time),
        expiration_date: time(view.expires_at),
    }
}

/// A page of what a search has found, as the entities were then.
#[utoipa::path(
    get, path = "/api/search/async/{jobId}", tag = "Entity search",
    params(
        ("jobId" = String, Path, description = "The search's id"),
        ("pageSize" = Option<u32>, Query,
            description = "How many; 1000 unless given, at most 10000"),
        ("pageNumber" = Option<u32>, Query, description = "Which page, counted from 0"),
    ),
    responses(
        (status = 200, description = "One page", body = Page<'_>),
        (status = 400, description = "The search has no result"),
        (status = 404, description = "No such search: SEARCH_JOB_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn page(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let id = path.id("jobId")?;
    let size = match asked.number("pageSize", PAGE_SIZE, 0..=ENTITIES_MAX)? {
        0 => PAGE_SIZE,
        size => size,
    };
    let number = u64::from(asked.number("pageNumber", 0, 0..=u32::MAX)?);
    let found = entities.search_page(&id, number * u64::from(size), size).await?;
    let page = PageFacts {
        number,
        size: size.into(),
        total_elements: found.n_found,
        total_pages: found.n_found.div_ceil(size.into()),
    };
    json(&Page { content: found.entities.iter().map(envelope).collect(), page })
}

/// Ends a search that is under way.
#[utoipa::path(
    put, path = "/api/search/async/{jobId}/cancel", tag = "Entity search",
    params(("jobId" = String, Path, description = "The search's id")),
    responses(
        (status = 200, description = "It has ended", body = SearchCanceled),
        (status = 400, description = "It was not under way", body = SearchNotRunning),
        (status = 404, description = "No such search: SEARCH_JOB_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn cancel(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let id = path.id("jobId")?;
    let before = entities.cancel_search(&id).await?;
    if before != SearchStatus::Running {
        return ended(&id, before);
    }
    json(&SearchCanceled {
        is_cancelled: true,
        cancelled: true,
        current_search_job_status: status_name(SearchStatus::Cancelled),
    })
}

/// What clients of this interface are told about canceling a search that has ended.
fn ended(id: &InstanceId, status: SearchStatus) -> Result<Response, Failure> {
    let code = StatusCode::BAD_REQUEST;
    let answer = json(&SearchNotRunning {
        kind: "about:blank",
        title: code.canonical_reason().unwrap_or_default(),
        status: code.as_u16(),
        detail: why_not(id, status),
        properties: SearchEnded {
            current_status: status_name(status),
            snapshot_id: id.as_str().to_owned(),
        },
    })?;
    Ok((code, answer).into_response())
}

fn why_not(id: &InstanceId, status: SearchStatus) -> String {
    format!("snapshot by id={id} is not running. current status={}", status_name(status))
}

/// What is said elsewhere about canceling a search that has ended.
pub(crate) fn not_running(id: &InstanceId, status: SearchStatus) -> Failure {
    let properties = vec![
        ("currentStatus", status_name(status).to_owned()),
        ("snapshotId", id.as_str().to_owned()),
    ];
    refusal(Code::BadRequest, why_not(id, status), properties)
}

/// What clients call it.
pub(crate) const fn status_name(status: SearchStatus) -> &'static str {
    match status {
        SearchStatus::Running => "RUNNING",
        SearchStatus::Successful => "SUCCESSFUL",
        SearchStatus::Failed => "FAILED",
        SearchStatus::Cancelled => "CANCELLED",
    }
}
