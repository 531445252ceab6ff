//! Starting, reading and steering instances.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use waypost_api::{
    Timestamp,
    process::{Cancel, History, Instance, InstancePage, Retry, StartInstance},
};
use waypost_engine::process::{ListProcesses, StartProcess};
use waypost_kernel as kernel;

use super::{
    body::Text,
    convert,
    params::{Paging, given},
};
use crate::http::{
    app::App,
    asking::Asking,
    moment::AsOf,
    params::{InPath, Params, header},
    problem::Refusal,
};

/// Starts an instance. All that needs nobody happens at once: it may have ended already.
#[utoipa::path(
    post, path = "/v1/instances", tag = "Process instances", request_body = StartInstance,
    responses(
        (status = 201, description = "Where it stands", body = Instance),
        (status = 404, description = "No such definition"),
        (status = 409, description = "The business key is in use"),
    ),
)]
pub(in crate::http) async fn start(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    asking: Asking,
    text: Text,
) -> Result<(StatusCode, Json<Instance>), Refusal> {
    begin(&app, (&headers, asking), text.expect()?).await
}

/// Starts an instance of the definition the path names.
#[utoipa::path(
    post, path = "/v1/definitions/{id}/instances", tag = "Process instances",
    params(("id" = String, Path, description = "The definition's id")),
    request_body = Option<StartInstance>,
    responses((status = 201, description = "Where it stands", body = Instance)),
)]
pub(in crate::http) async fn start_of(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    headers: HeaderMap,
    asking: Asking,
    text: Text,
) -> Result<(StatusCode, Json<Instance>), Refusal> {
    let body: StartInstance = text.parse()?.unwrap_or_default();
    begin(&app, (&headers, asking), StartInstance { definition_id: Some(id), ..body }).await
}

async fn begin(
    app: &App,
    (headers, asking): (&HeaderMap, Asking),
    body: StartInstance,
) -> Result<(StatusCode, Json<Instance>), Refusal> {
    let missing = || Refusal::field("definitionId", "is required");
    let start = StartProcess {
        definition: given(body.definition_id).ok_or_else(missing)?,
        version: body.definition_version.filter(|it| *it > 0).map(version),
        variables: body.variables.unwrap_or_default(),
        business_key: given(body.business_key),
        request: header(headers, "idempotency-key")?.map(Into::into),
    };
    let view = app.processes.noting(asking.0).start(start).await?;
    Ok((StatusCode::CREATED, Json(convert::instance(&view))))
}

/// No definition has a version that is out of range.
fn version(version: i64) -> i32 {
    i32::try_from(version).unwrap_or(i32::MAX)
}

/// What to list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct Wanted {
    /// Only those of this definition.
    definition_id: Option<String>,
    /// Only those of this version of it.
    #[serde(default)]
    definition_version: Option<String>,
    /// Only those with this status.
    status: Option<String>,
    /// Only those with this business key.
    business_key: Option<String>,
    /// Only those that are at this step.
    step_id: Option<String>,
    /// Only those started at or after this time.
    #[param(value_type = Option<String>)]
    started_after: Option<Timestamp>,
    /// Only those started before this time.
    #[param(value_type = Option<String>)]
    started_before: Option<Timestamp>,
    /// Only those older than the instance with this id: the way to go on without numbering pages.
    before: Option<String>,
}

impl Wanted {
    pub(super) fn request(self, paging: &Paging) -> ListProcesses {
        let at = |it: Timestamp| kernel::Timestamp::from_micros(it.as_micros());
        ListProcesses {
            definition: given(self.definition_id),
            version: given(self.definition_version).and_then(|it| it.trim().parse().ok()),
            status: given(self.status),
            business_key: given(self.business_key),
            step: given(self.step_id),
            from: self.started_after.map(at),
            until: self.started_before.map(at),
            before: given(self.before).map(Into::into),
            offset: paging.offset(),
            limit: paging.size(),
        }
    }
}

/// Instances, newest first.
#[utoipa::path(
    get, path = "/v1/instances", tag = "Process instances", params(Wanted, Paging),
    responses((status = 200, description = "One page", body = InstancePage)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(wanted): Params<Wanted>,
    Params(paging): Params<Paging>,
) -> Result<Json<InstancePage>, Refusal> {
    let request = wanted.request(&paging);
    let views = app.processes.list(&request).await?;
    let total = app.processes.count_all(&request).await?;
    let items = views.iter().map(convert::instance).collect();
    Ok(Json(InstancePage { items, total, page: paging.page(), page_size: paging.size() }))
}

/// Where an instance stands, or stood.
#[utoipa::path(
    get, path = "/v1/instances/{id}", tag = "Process instances",
    params(("id" = String, Path, description = "Its id"), AsOf),
    responses(
        (status = 200, description = "Where it stands", body = Instance),
        (status = 404, description = "There is none, or was none then"),
    ),
)]
pub(in crate::http) async fn show(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(as_of): Params<AsOf>,
) -> Result<Json<Instance>, Refusal> {
    let id = id.into();
    let view = match as_of.moment()? {
        Some(moment) => app.processes.show_at(&id, moment).await?,
        None => app.processes.show(&id).await?,
    };
    Ok(Json(convert::instance(&view)))
}

/// What happened to an instance, step by step.
#[utoipa::path(
    get, path = "/v1/instances/{id}/history", tag = "Process instances",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "In the order of events", body = History),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn history(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
) -> Result<Json<History>, Refusal> {
    let view = app.processes.history(&id.into()).await?;
    Ok(Json(History { items: convert::history(&view) }))
}

/// Cancels an instance.
#[utoipa::path(
    post, path = "/v1/instances/{id}/cancel", tag = "Process instances",
    params(("id" = String, Path, description = "Its id")), request_body = Option<Cancel>,
    responses(
        (status = 200, description = "Where it stands", body = Instance),
        (status = 404, description = "There is none"),
        (status = 409, description = "It has ended"),
    ),
)]
pub(in crate::http) async fn cancel(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    asking: Asking,
    text: Text,
) -> Result<Json<Instance>, Refusal> {
    // Clients have always got away with a body that makes no sense.
    let body: Cancel = text.parse().ok().flatten().unwrap_or_default();
    let (by, reason) = asking.of_cancel(body.reason);
    let view = app.processes.noting(by).cancel(&id.into(), reason).await?;
    Ok(Json(convert::instance(&view)))
}

/// Has a failed step tried again, with other variables if need be.
#[utoipa::path(
    post, path = "/v1/instances/{id}/steps/{stepId}/retry", tag = "Process instances",
    params(
        ("id" = String, Path, description = "The instance's id"),
        ("stepId" = String, Path, description = "The step's id"),
    ),
    request_body = Option<Retry>,
    responses(
        (status = 200, description = "Where it stands", body = Instance),
        (status = 404, description = "There is none"),
        (status = 409, description = "Nothing to try again, or the business key is in use"),
    ),
)]
pub(in crate::http) async fn retry(
    State(app): State<Arc<App>>,
    InPath((id, step)): InPath<(String, String)>,
    asking: Asking,
    text: Text,
) -> Result<Json<Instance>, Refusal> {
    let body: Retry = text.parse()?.unwrap_or_default();
    let patch = body.variables.unwrap_or_default();
    let processes = app.processes.noting(asking.because(body.reason)?);
    let view = processes.retry(&id.into(), &step, patch).await?;
    Ok(Json(convert::instance(&view)))
}
