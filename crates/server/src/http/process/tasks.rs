//! Tasks for people, and signals.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde_json::{Map, Value};
use waypost_api::{
    problem::EdgeCode,
    process::{CompleteUserTask, UserTaskPage},
};

use super::{body::Text, convert, instances::Wanted, params::Paging};
use crate::http::{
    app::App,
    asking::Asking,
    params::{InPath, Params},
    problem::Refusal,
};

/// Tasks that wait for people.
#[utoipa::path(
    get, path = "/v1/user-tasks", tag = "User tasks", params(Wanted, Paging),
    responses((status = 200, description = "The tasks of one page of instances", body = UserTaskPage)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(wanted): Params<Wanted>,
    Params(paging): Params<Paging>,
) -> Result<Json<UserTaskPage>, Refusal> {
    let (tasks, next) = app.processes.user_tasks(&wanted.request(&paging)).await?;
    let next = next.map(|it| it.as_str().to_owned());
    Ok(Json(UserTaskPage { items: tasks.into_iter().map(convert::user_task).collect(), next }))
}

/// Completes the task of a person.
#[utoipa::path(
    post, path = "/v1/instances/{id}/user-tasks/{userTaskId}/complete", tag = "User tasks",
    params(
        ("id" = String, Path, description = "The instance's id"),
        ("userTaskId" = String, Path, description = "The step's id"),
    ),
    request_body = Option<CompleteUserTask>,
    responses(
        (status = 204, description = "Done"),
        (status = 404, description = "No such instance, or no such task that is open"),
        (status = 409, description = "The instance has ended"),
    ),
)]
pub(in crate::http) async fn complete(
    State(app): State<Arc<App>>,
    InPath((id, step)): InPath<(String, String)>,
    asking: Asking,
    text: Text,
) -> Result<StatusCode, Refusal> {
    let body: CompleteUserTask = text.parse()?.unwrap_or_default();
    let output = body.variables.or(body.result).unwrap_or_default();
    let processes = app.processes.noting(asking.because(body.reason)?);
    processes.complete_user_task(&id.into(), &step, output).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Completes the task of a person, by the task's own id.
#[utoipa::path(
    post, path = "/v1/user-tasks/{id}/complete", tag = "User tasks",
    params(("id" = String, Path, description = "The task's id")),
    request_body = Option<CompleteUserTask>,
    responses(
        (status = 204, description = "Done"),
        (status = 404, description = "No such task that is open"),
    ),
)]
pub(in crate::http) async fn complete_by_id(
    State(app): State<Arc<App>>,
    InPath(task): InPath<String>,
    asking: Asking,
    text: Text,
) -> Result<StatusCode, Refusal> {
    let body: CompleteUserTask = text.parse()?.unwrap_or_default();
    let output = body.variables.or(body.result).unwrap_or_default();
    let processes = app.processes.noting(asking.because(body.reason)?);
    processes.complete_user_task_named(&task, output).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Tells an instance that what it waits for has happened. The body is the variables.
#[utoipa::path(
    post, path = "/v1/instances/{id}/signals/{waitStepId}", tag = "User tasks",
    params(
        ("id" = String, Path, description = "The instance's id"),
        ("waitStepId" = String, Path, description = "The step's id"),
    ),
    request_body(content = Object, description = "Variables to set; may be left out"),
    responses(
        (status = 204, description = "It goes on"),
        (status = 404, description = "No such instance"),
        (status = 409, description = "It does not wait there, or has ended"),
    ),
)]
pub(in crate::http) async fn signal(
    State(app): State<Arc<App>>,
    InPath((id, step)): InPath<(String, String)>,
    asking: Asking,
    text: Text,
) -> Result<StatusCode, Refusal> {
    let output: Map<String, Value> = match text.parse::<Option<Value>>()?.flatten() {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(members)) => members,
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return Err(Refusal::at(EdgeCode::BodyInvalid, "body", "must be an object"));
        }
    };
    app.processes.noting(asking.0).signal(&id.into(), &step, output).await?;
    Ok(StatusCode::NO_CONTENT)
}
