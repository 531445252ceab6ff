//! The edge every request passes: it gets a name, is let in or not, has its time, and leaves with
//! the headers it needs, a line in the log, and a place in the statistics.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::FutureExt as _;
use tokio::time::{Instant, timeout};
use uuid::Uuid;
use waypost_api::problem::EdgeCode;
use waypost_engine::limits::CLAIM_WAIT_MAX;

use super::{
    admission::{Class, class},
    app::App,
    entity::{self, problem::Failure},
    lifecycle,
    problem::Refusal,
    process,
};
use crate::{lifecycle::Gateway, net::Crowded, telemetry::RequestSpan};

/// Names a request, from the client to the log and back.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters of a request id.
const REQUEST_ID_MAX: usize = 128;

/// The route of a request that found none.
const NO_ROUTE: &str = "none";

/// What is known of a request before it is answered.
struct Visit {
    id: String,
    method: Method,
    route: String,
    path: String,
    origin: Option<HeaderValue>,
    /// Names the larger undertaking the request is part of, for the log.
    trace: Option<String>,
    /// Whether it is about entities.
    is_entity: bool,
    class: Class,
    began_at: Instant,
    /// What is told of it elsewhere, if anything is.
    span: Option<RequestSpan>,
}

impl Visit {
    fn new(app: &App, request: &Request) -> Self {
        let context = app.context();
        let route = request.extensions().get::<MatchedPath>();
        let found = route.map(MatchedPath::as_str);
        let route = found.unwrap_or(NO_ROUTE).to_owned();
        let is_entity = entity::owns(context, request.uri().path());
        let class = match is_entity {
            true => entity::class(context, (request.method(), &route), request.headers()),
            false => class(request.method(), &route),
        };
        let id = request_id(request.headers());
        let span = || app.traces.request((request.method(), found), &id, request.headers());
        let span = (class != Class::Operations).then(span).flatten();
        Self {
            id,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            origin: request.headers().get(header::ORIGIN).cloned(),
            trace: traceparent(request.headers()),
            is_entity,
            class,
            route,
            began_at: Instant::now(),
            span,
        }
    }
}

/// What every request passes.
pub(super) async fn edge(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let visit = Visit::new(&app, &request);
    // Probes and metrics may have an address of their own, with names of its own.
    if visit.class != Class::Operations
        && let Err(refusal) = app.pages.believe(&request)
    {
        return leave(&app, visit, refusal.into_response());
    }
    if let Some(answer) = app.pages.preflight(&request) {
        return leave(&app, visit, answer);
    }
    if lifecycle::owner(&app, &visit.path).is_some()
        && let Some(answer) = lifecycle::preflight(&visit.method, request.headers())
    {
        return leave(&app, visit, answer);
    }
    let admitted = admit(&app, &visit, &request);
    let response = match admitted {
        Ok(place) => {
            let response = answer(&app, &visit, next.run(request)).await;
            drop(place);
            response
        }
        Err(refusal) => refusal.into_response(),
    };
    leave(&app, visit, response)
}

fn admit(
    app: &App,
    visit: &Visit,
    request: &Request,
) -> Result<Option<super::admission::Admitted>, Refusal> {
    if visit.class != Class::Operations && request.extensions().get::<Crowded>().is_some() {
        let most = app.limits.connections_max;
        let detail = format!("too many connections at a time; at most {most}");
        return Err(Refusal::new(EdgeCode::Overloaded, detail));
    }
    // The gateway of lifecycles has a list of its own.
    let knows = |it: &Gateway| it.knows(visit.origin.as_ref().and_then(|it| it.to_str().ok()));
    if !lifecycle::owner(app, &visit.path).is_some_and(knows) {
        app.pages.refuse_others(request)?;
    }
    app.admission.admit(visit.class)
}

/// Gives the request its time. A panic ends this request and no other.
async fn answer(app: &App, visit: &Visit, work: impl Future<Output = Response>) -> Response {
    let patience = match visit.class {
        Class::Claim => app.limits.request_timeout + CLAIM_WAIT_MAX,
        // A callback may wait for compute members, too.
        Class::Finish if visit.is_entity => app.limits.write_timeout,
        Class::Write | Class::Dispatch => app.limits.write_timeout,
        Class::Operations | Class::New | Class::News | Class::Finish => app.limits.request_timeout,
    };
    match AssertUnwindSafe(timeout(patience, work)).catch_unwind().await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => late(app, visit, patience).into_response(),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Refusal::defect(text.unwrap_or_else(|| "panic".into())).into_response()
        }
    }
}

fn late(app: &App, visit: &Visit, patience: Duration) -> Refusal {
    if visit.method.is_safe() {
        return Refusal::new(EdgeCode::Overloaded, format!("no answer within {patience:?}"));
    }
    // Neither entities nor lifecycles know a request again by its key.
    let advice = match visit.is_entity || lifecycle::owner(app, &visit.path).is_some() {
        true => "look before asking again",
        false => "ask again with the same Idempotency-Key",
    };
    let detail = format!(
        "no answer within {patience:?}; the change may or may not have been made: {advice}"
    );
    Refusal::new(EdgeCode::OutcomeUnknown, detail)
}

fn leave(app: &App, mut visit: Visit, mut response: Response) -> Response {
    let span = visit.span.take();
    let visit = &visit;
    let verbosity = app.doorway.verbosity();
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        response = match visit.is_entity {
            true => entity::write(&refusal, &response, (&visit.path, verbosity)),
            false => write_problem(app, visit, refusal, response),
        };
    }
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        response = failure.answer(&visit.path, verbosity);
    }
    let took = visit.began_at.elapsed();
    let status = response.status();
    app.meter.count(&visit.method, &visit.route, status, took);
    log(visit, status, took);
    if let Some(span) = span {
        span.end(status);
    }
    let headers = response.headers_mut();
    app.pages.allow(&visit.path, visit.origin.as_ref(), headers);
    if let Some(gateway) = lifecycle::owner(app, &visit.path) {
        lifecycle::allow(gateway, visit.origin.as_ref(), headers);
    }
    if let Ok(id) = HeaderValue::try_from(&visit.id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let no_store = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(no_store);
    response
}

fn write_problem(app: &App, visit: &Visit, refusal: Refusal, response: Response) -> Response {
    let Refusal { mut problem, cause, .. } = refusal;
    if let Some(cause) = cause {
        let (id, code) = (&visit.id, &problem.code);
        tracing::error!(request_id = %id, route = %visit.route, code, cause, "request failed");
    }
    problem.instance.clone_from(&visit.path);
    problem.request_id.clone_from(&visit.id);
    if process::owns(&visit.path) {
        return process::write(&problem, &visit.id, &response);
    }
    if lifecycle::owner(app, &visit.path).is_some() {
        return lifecycle::write_failure(&problem, &response);
    }
    let (mut parts, _) = response.into_parts();
    let kind = HeaderValue::from_static("application/problem+json");
    parts.headers.insert(header::CONTENT_TYPE, kind);
    parts.headers.remove(header::CONTENT_LENGTH);
    let body = serde_json::to_vec(&problem).expect("a problem has a JSON form");
    Response::from_parts(parts, body.into())
}

/// Only what the server itself says about a request: no payload, nothing a client could forge.
fn log(visit: &Visit, status: StatusCode, took: Duration) {
    let Visit { id, method, route, class, .. } = visit;
    let traceparent = visit.trace.as_deref();
    let (status, ms) = (status.as_u16(), took.as_secs_f64() * 1e3);
    let ms = (ms * 1e3).round() / 1e3;
    if *class == Class::Operations {
        tracing::debug!(%method, route, status, ms, request_id = id, traceparent, "request");
    } else {
        tracing::info!(%method, route, status, ms, request_id = id, traceparent, "request");
    }
}

/// The client's name for the request, if it can be written anywhere; else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._:/+=@-".contains(it);
    if !given.is_empty() && given.len() <= REQUEST_ID_MAX && given.chars().all(is_plain) {
        return given.to_owned();
    }
    Uuid::new_v4().simple().to_string()
}

/// The W3C trace context of the client, if it has that form.
fn traceparent(headers: &HeaderMap) -> Option<String> {
    let given = headers.get("traceparent")?.to_str().ok()?;
    let is_hex = |it: &str| it.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let lengths = given.split('-').map(str::len);
    let is_one = lengths.eq([2, 32, 16, 2]) && given.split('-').all(is_hex);
    is_one.then(|| given.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trace_context_is_taken_over() {
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("traceparent", HeaderValue::from_static(text));
            traceparent(&headers)
        };
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(read(good).as_deref(), Some(good));
        for text in ["", "00", "00-4bf92f3577b34da6a3ce929d0e0e473X-00f067aa0ba902b7-01"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn only_plain_request_ids_are_taken_over() {
        let id = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(text));
            request_id(&headers)
        };
        assert_eq!(id("order-1:a/b"), "order-1:a/b");
        for text in ["", "two words", "quote\"", "tab\there"] {
            assert_ne!(id(text), text, "{text:?}");
        }
    }
}
