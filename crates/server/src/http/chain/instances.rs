//! Starting, reading and steering instances.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use waypost_api::{
    Page, Timestamp,
    chain::{
        Cancel, History, HistoryEntry, HistoryQuery, Instance, InstanceDetail, InstanceQuery,
        Signal, SignalResponse, StartInstance,
    },
};
use waypost_engine::chain::{ListRequest, Started};
use waypost_kernel::{self as kernel, Version};

use super::{convert, history::events, moments::detail};
use crate::http::{
    app::App,
    asking::Asking,
    body::{JsonBody, OptionalBody},
    moment::AsOf,
    params::{self, InstancePath, Params, check_name, page_size},
    problem::Refusal,
};

/// Tells a client that its request had been carried out before.
const REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");

/// Starts an instance.
#[utoipa::path(
    post, path = "/v1/chains/instances", tag = "Instances", request_body = StartInstance,
    params((
        "Idempotency-Key" = Option<String>, Header,
        description = "Makes asking twice the same as asking once; remembered for a day"
    )),
    responses(
        (status = 201, description = "Started; the same again under the same Idempotency-Key",
            body = Instance, headers(
                ("Location" = String, description = "Where the instance is"),
                ("Idempotent-Replay" = Option<String>,
                    description = "`true` if an earlier request under the same Idempotency-Key \
                        has started it; absent otherwise"),
            )),
        (status = 404, description = "The type is not deployed: DEFINITION_NOT_FOUND"),
        (status = 409, description = "An instance runs under that key: DUPLICATE_BIZ_KEY"),
        (status = 422, description = "FIELD_INVALID, REQUEST_REUSED"),
    ),
)]
pub(in crate::http) async fn start(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    asking: Asking,
    JsonBody(body): JsonBody<StartInstance>,
) -> Result<Response, Refusal> {
    let request = params::header(&headers, "idempotency-key")?;
    check_name("workflowType", &body.workflow_type)?;
    let chains = app.chains.noting(asking.0);
    let Started { chain, repeated } = chains.start(convert::start(body, request)).await?;
    let place = format!("/v1/chains/instances/{}", chain.key.id);
    let mut response = (StatusCode::CREATED, Json(convert::instance(&chain))).into_response();
    if repeated {
        response.headers_mut().insert(REPLAY, HeaderValue::from_static("true"));
    }
    if let Ok(place) = HeaderValue::try_from(place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Instances that match, newest first.
#[utoipa::path(
    get, path = "/v1/chains/instances", tag = "Instances", params(InstanceQuery),
    responses((status = 200, description = "One page", body = Page<Instance>)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<InstanceQuery>,
) -> Result<Json<Page<Instance>>, Refusal> {
    let (page, page_size) = (query.page.unwrap_or(0), page_size(query.page_size)?);
    let request = ListRequest {
        workflow_type: query.workflow_type,
        workflow_version: query.workflow_version,
        from: query.started_after.map(instant),
        until: query.started_before.map(instant),
        status: query.status.map(convert::status_asked),
        biz_key: query.biz_key,
        awaits: query.awaits,
        before: query.after.map(Into::into),
        offset: page.saturating_mul(page_size),
        limit: page_size + 1,
    };
    let found = app.chains.list(request).await?;
    Ok(Json(convert::page(found.iter().map(convert::instance).collect(), page, page_size)))
}

fn instant(at: Timestamp) -> kernel::Timestamp {
    kernel::Timestamp::from_micros(at.as_micros())
}

/// One instance with its steps, as it is or as it was.
#[utoipa::path(
    get, path = "/v1/chains/instances/{instanceId}", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id"), AsOf),
    responses(
        (status = 200, description = "It", body = InstanceDetail),
        (status = 404, description = "There is none, or was none then: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn show(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    Params(as_of): Params<AsOf>,
) -> Result<Json<InstanceDetail>, Refusal> {
    let view = match as_of.moment()? {
        Some(moment) => app.chains.show_at(&id, moment).await?,
        None => app.chains.show(&id).await?,
    };
    Ok(Json(detail(&view)))
}

/// What happened to an instance, oldest first.
#[utoipa::path(
    get, path = "/v1/chains/instances/{instanceId}/events", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id"), HistoryQuery),
    responses(
        (status = 200, description = "A part of its history", body = History),
        (status = 404, description = "There is none: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn history(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    Params(query): Params<HistoryQuery>,
) -> Result<Json<History>, Refusal> {
    let page_size = page_size(query.page_size)?;
    let after = Version(query.after.unwrap_or(0));
    let mut found = app.chains.history(&id, after, page_size + 1).await?;
    let has_more = found.len() > page_size as usize;
    found.truncate(page_size as usize);
    let entry = |record| {
        let (at, events) = events(record)?;
        Ok(HistoryEntry { version: record.version.0, at, events })
    };
    let items = found.iter().map(entry).collect::<Result<_, Refusal>>()?;
    Ok(Json(History { items, page_size, has_more }))
}

/// Tells an instance of an event.
#[utoipa::path(
    post, path = "/v1/chains/instances/{instanceId}/signals", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id")), request_body = Signal,
    responses(
        (status = 200, description = "What became of it", body = SignalResponse),
        (status = 404, description = "There is no such instance: INSTANCE_NOT_FOUND"),
        (status = 409, description = "It has ended: INSTANCE_ENDED"),
        (status = 429, description = "Too many events wait for it: SIGNAL_BUFFER_FULL"),
    ),
)]
pub(in crate::http) async fn signal(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    asking: Asking,
    JsonBody(body): JsonBody<Signal>,
) -> Result<Json<SignalResponse>, Refusal> {
    let payload = body.payload.map(convert::json);
    let chains = app.chains.noting(asking.0);
    let outcome = chains.signal(&id, body.event_type, body.event_id, payload).await?;
    Ok(Json(SignalResponse { outcome: convert::outcome_of_signal(outcome) }))
}

/// Cancels an instance. One that has ended stays as it is.
#[utoipa::path(
    post, path = "/v1/chains/instances/{instanceId}/cancel", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id")), request_body = Option<Cancel>,
    responses(
        (status = 200, description = "Where it stands", body = Instance),
        (status = 404, description = "There is none: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn cancel(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    asking: Asking,
    OptionalBody(body): OptionalBody<Cancel>,
) -> Result<Json<Instance>, Refusal> {
    let (by, reason) = asking.of_cancel(body.reason);
    let view = app.chains.noting(by).cancel(&id, reason).await?;
    Ok(Json(convert::instance(&view)))
}
