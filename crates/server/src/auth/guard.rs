//! The door to everything below the context path: nobody comes in unknown, except to what is
//! public. It stands before the router, so what does not exist is not told apart from what does.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};

use waypost_engine::entity::Code;

use super::{
    authenticator::{Authenticator, Denied},
    identity::Identity,
};
use crate::{
    http::{
        LOOK_ONLY,
        entity::problem::{Failure, UNAUTHORIZED, Verbosity, problem},
        only_looks,
    },
    telemetry::{Chosen, Log, Traces},
};

/// What stands at the door.
pub struct Doorway {
    pub(crate) authenticator: Authenticator,
    pub(crate) context: String,
    pub(crate) verbosity: Verbosity,
    /// The log, if its level may be changed by those who come through.
    pub(super) log: Option<Log>,
    /// Which traces are exported, if any are.
    pub(super) sampler: Chosen,
}

impl Doorway {
    /// A door before everything below `context`, such as `/api`; before everything, if it is empty.
    #[must_use]
    pub fn new(authenticator: Authenticator, context: &str, verbosity: Verbosity) -> Self {
        let (log, sampler) = (None, Chosen::default());
        Self { authenticator, context: plain(context), verbosity, log, sampler }
    }

    /// The same, and administrators may change the level of the log.
    #[must_use]
    pub fn with_log(self, log: Option<Log>) -> Self {
        Self { log, ..self }
    }

    /// The same, and administrators may choose which of these traces are exported.
    #[must_use]
    pub fn with_traces(self, traces: &Traces) -> Self {
        Self { sampler: traces.sampler().clone(), ..self }
    }

    /// What lies behind it: a slash before and none after, or nothing at all.
    #[must_use]
    pub fn context(&self) -> &str {
        &self.context
    }

    /// How much those outside learn about defects.
    #[must_use]
    pub const fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Tells who comes, for those who have another door: gRPC.
    #[must_use]
    pub const fn authenticator(&self) -> &Authenticator {
        &self.authenticator
    }
}

/// However somebody writes it: with a slash before and none after, or nothing at all.
fn plain(context: &str) -> String {
    match context.trim_matches('/') {
        "" => String::new(),
        inner => format!("/{inner}"),
    }
}

/// The path without the context path, if it lies below it.
fn below<'a>(context: &str, path: &'a str) -> Option<&'a str> {
    let inner = path.strip_prefix(context)?;
    (inner.is_empty() || inner.starts_with('/')).then_some(inner)
}

/// Lets a request in if it is known whose it is, and tells those inside by an
/// [`Identity`] in its extensions. What is not below the context path passes.
pub async fn guard(
    State(doorway): State<Arc<Doorway>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let Some(inner) = below(&doorway.context, path) else { return next.run(request).await };
    if is_public(request.method(), inner) {
        return next.run(request).await;
    }
    match identify(&doorway.authenticator, request.headers()).await {
        Ok(identity) if identity.is_viewer() && !only_looks(&request, &doorway.context) => {
            problem(StatusCode::FORBIDDEN, Code::Forbidden.as_str(), LOOK_ONLY, path)
        }
        Ok(identity) => {
            request.extensions_mut().insert(identity);
            next.run(request).await
        }
        Err(Denied::Unknown) => unknown(path),
        Err(Denied::Store(error)) => Failure::from(error).answer(path, doorway.verbosity),
    }
}

/// Whose request it is, if that is known: for what serves everybody, and some more of it.
pub(crate) async fn known(doorway: &Doorway, headers: &HeaderMap) -> Option<Identity> {
    identify(&doorway.authenticator, headers).await.ok()
}

/// Who sends these headers.
pub(crate) async fn identify(
    authenticator: &Authenticator,
    headers: &HeaderMap,
) -> Result<Identity, Denied> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let first = given.next().and_then(|it| it.to_str().ok());
    // Of two headers, somebody before us may have looked at the other.
    let only = first.filter(|_| given.next().is_none());
    authenticator.authenticate(only).await
}

/// The same for everybody who is not known.
pub(super) fn unknown(path: &str) -> Response {
    let mut answer = problem(StatusCode::UNAUTHORIZED, UNAUTHORIZED, "authentication failed", path);
    let scheme = HeaderValue::from_static("Bearer");
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    answer
}

fn is_public(method: &Method, path: &str) -> bool {
    match path {
        "/health" | "/.well-known/jwks.json" => *method == Method::GET || *method == Method::HEAD,
        "/oauth/token" => *method == Method::POST,
        "/help" => true,
        _ => path.starts_with("/help/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_path_can_be_written_in_several_ways() {
        for (context, path, expected) in [
            ("/api", "/api/thing", Some("/thing")),
            ("api/", "/api/thing", Some("/thing")),
            ("/api/", "/api", Some("")),
            ("/api", "/apiary", None),
            ("/api", "/v1/chains", None),
            ("/a/b", "/a/b/thing", Some("/thing")),
            ("/a/b", "/a/thing", None),
            ("", "/thing", Some("/thing")),
            ("/", "/thing", Some("/thing")),
        ] {
            assert_eq!(below(&plain(context), path), expected, "{context} {path}");
        }
    }
}
