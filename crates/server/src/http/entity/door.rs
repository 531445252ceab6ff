//! Where entities meet the edge that all requests share: which paths are theirs, who is let in,
//! what comes first when it is crowded, and how refusals of the edge look to their clients.

use std::sync::Arc;

use axum::{
    extract::{FromRequest as _, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use waypost_api::{Problem, problem::EdgeCode};

use super::{
    body::Text,
    problem::{Failure, TRANSACTION_NODE_UNAVAILABLE, Verbosity},
};
use crate::{
    auth,
    cluster::FORWARDED,
    http::{admission::Class, app::App, problem::Refusal},
};

/// Carries the transaction that a compute member works in.
pub(super) const TICKET: &str = "x-tx-token";

/// What is below the context path. Needed only where that is empty, and others are there, too.
const ROOTS: [&str; 12] = [
    ".well-known",
    "account",
    "admin",
    "audit",
    "clients",
    "entity",
    "health",
    "help",
    "message",
    "model",
    "oauth",
    "platform-api",
];

/// What can be part of a transaction.
const JOINED: [&str; 3] = ["/audit/", "/entity/", "/search/"];

/// Whether a path belongs to entities, which are below `context`.
pub(in crate::http) fn owns(context: &str, path: &str) -> bool {
    let Some(inner) = path.strip_prefix(context) else { return false };
    if !context.is_empty() {
        return inner.is_empty() || inner.starts_with('/');
    }
    let first = inner.trim_start_matches('/').split('/').next().unwrap_or_default();
    first == "search" || ROOTS.contains(&first)
}

/// Lets in whom it knows. What is not about entities passes.
pub(in crate::http) async fn door(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    if !owns(app.context(), request.uri().path()) {
        return next.run(request).await;
    }
    match elsewhere(&app, request).await {
        Ok(answer) => answer,
        Err(request) => auth::guard(State(Arc::clone(&app.doorway)), request, next).await,
    }
}

/// The answer of the node that has the transaction of the request, if that is another one. Who asks
/// is for that node to find out.
async fn elsewhere(app: &Arc<App>, request: Request) -> Result<Response, Request> {
    let Some(cluster) = &app.cluster else { return Err(request) };
    let headers = request.headers();
    let ticket = headers.get(TICKET).map(HeaderValue::as_bytes);
    let owner = cluster.owner_of(ticket, headers.contains_key(FORWARDED)).await;
    let Some(owner) = owner else { return Err(request) };
    let (parts, body) = request.into_parts();
    let text = Text::from_request(Request::from_parts(parts.clone(), body), app).await;
    let text = match text {
        Ok(text) => text,
        Err(failure) => return Ok(failure.into_response()),
    };
    let owner = match parts.method.is_safe() {
        true => owner,
        false => owner.writing(app.limits.write_timeout),
    };
    let answer = owner.forward(&parts, text.bytes()).await;
    Ok(answer.unwrap_or_else(|why| {
        let detail = format!("the transaction is on node {}, which is lost: {why}", owner.name());
        unavailable(detail).into_response()
    }))
}

/// The node is gone that has the transaction.
pub(super) fn unavailable(detail: String) -> Failure {
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, TRANSACTION_NODE_UNAVAILABLE, detail)
}

/// What a request is, for the one at the door.
pub(in crate::http) fn class(
    context: &str,
    (method, route): (&Method, &str),
    headers: &HeaderMap,
) -> Class {
    let inner = route.strip_prefix(context).unwrap_or(route);
    if inner == "/health" {
        return Class::Operations;
    }
    // Somebody waits for the member that sends this, with a place of its own.
    let may_join = JOINED.iter().any(|it| inner.starts_with(it));
    if may_join && headers.contains_key(TICKET) {
        return Class::Finish;
    }
    // A write may wait for compute members for as long as they are given.
    if inner.starts_with("/entity/") && !method.is_safe() {
        return Class::Write;
    }
    Class::New
}

/// The answer for a request that the edge has refused. Keeps what else it was to say: when to ask
/// again, which methods there are.
pub(in crate::http) fn write(
    refusal: &Refusal,
    headers: &Response,
    (path, verbosity): (&str, Verbosity),
) -> Response {
    let mut answer = dressed(&refusal.problem, refusal.cause.clone()).answer(path, verbosity);
    for name in [header::RETRY_AFTER, header::ALLOW] {
        if let Some(value) = headers.headers().get(&name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// What the edge refuses, in the words of this interface.
pub(super) fn dressed(problem: &Problem, cause: Option<String>) -> Failure {
    let found = EdgeCode::ALL.iter().find(|it| it.as_str() == problem.code);
    let Some(code) = found.copied() else { return Failure::defect(&problem.detail) };
    let bad = |text: &str| Failure::bad_request(text);
    match code {
        EdgeCode::BodyInvalid
        | EdgeCode::BodyTooLarge
        | EdgeCode::JsonTooDeep
        | EdgeCode::JsonTooWide
        | EdgeCode::QueryInvalid
        | EdgeCode::PathInvalid
        | EdgeCode::HeaderInvalid => bad(&problem.detail),
        EdgeCode::Internal => Failure::defect(cause.unwrap_or_default()),
        EdgeCode::BodyTooSlow
        | EdgeCode::LintFound
        | EdgeCode::UnsupportedMediaType
        | EdgeCode::CrossSite
        | EdgeCode::HostUnknown
        | EdgeCode::Unauthorized
        | EdgeCode::Forbidden
        | EdgeCode::RouteNotFound
        | EdgeCode::MethodNotAllowed
        | EdgeCode::Contended
        | EdgeCode::Overloaded
        | EdgeCode::StoreUnavailable
        | EdgeCode::OutcomeUnknown
        | EdgeCode::ShuttingDown => {
            let status = StatusCode::from_u16(problem.status);
            let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let failure = Failure::new(status, code.as_str(), &problem.detail);
            if problem.retryable { failure.retryable() } else { failure }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_context_path_belongs_to_entities() {
        for (context, path, expected) in [
            ("/api", "/api", true),
            ("/api", "/api/", true),
            ("/api", "/api/entity/x", true),
            ("/api", "/api/nothing", true),
            ("/api", "/apis", false),
            ("/api", "/v1/chains", false),
            ("/api", "/entity/x", false),
            ("", "/entity/x", true),
            ("", "/search/direct/a/1", true),
            ("", "/v1/chains", false),
            ("", "/healthz", false),
            ("", "/", false),
        ] {
            assert_eq!(owns(context, path), expected, "{context:?} {path}");
        }
    }

    #[test]
    fn every_route_has_its_class() {
        let (plain, mut joined) = (HeaderMap::new(), HeaderMap::new());
        joined.insert(TICKET, "x".parse().unwrap());
        for (method, route, headers, expected) in [
            (Method::GET, "/api/health", &plain, Class::Operations),
            (Method::POST, "/api/entity/{format}", &plain, Class::Write),
            (Method::POST, "/api/entity/{format}", &joined, Class::Finish),
            (Method::GET, "/api/entity/{format}", &plain, Class::New),
            (Method::GET, "/api/entity/{format}", &joined, Class::Finish),
            (Method::POST, "/api/search/direct/{a}/{b}", &joined, Class::Finish),
            (Method::POST, "/api/model/validate/{a}/{b}", &plain, Class::New),
            (Method::POST, "/api/model/validate/{a}/{b}", &joined, Class::New),
            (Method::GET, "/api/help", &joined, Class::New),
        ] {
            assert_eq!(class("/api", (&method, route), headers), expected, "{method} {route}");
        }
    }

    #[test]
    fn every_refusal_of_the_edge_can_be_told() {
        for code in EdgeCode::ALL {
            let problem = Problem::new(code.as_str(), code.status(), "x");
            let status = axum::response::IntoResponse::into_response(dressed(&problem, None));
            let expected = if code.status() == 413 { 400 } else { code.status() };
            assert_eq!(status.status().as_u16(), expected, "{code}");
        }
    }
}
