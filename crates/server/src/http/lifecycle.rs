//! Lifecycles for operators: what types there are, their entities, what operators may write, and
//! a way to watch. One door below a prefix that can be chosen; failures are `{"error"}`.

pub(super) mod describe;
mod diagram;
mod explain;
mod failure;
mod meter;
mod read;
mod route;
mod watch;
mod write;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::any,
};
use serde::Serialize;

pub(crate) use self::explain::explained;
pub(super) use self::failure::write as write_failure;
pub(crate) use self::meter::GatewayMeter;
use self::{
    failure::Denied,
    read::View,
    route::{Wanted, route},
};
use super::app::App;
use crate::lifecycle::Gateway;

/// What an operation answers.
type Answer = Result<Response, Denied>;

pub(super) fn routes(gateway: &Gateway) -> Router<Arc<App>> {
    let root = &gateway.root;
    Router::new()
        .route(root, any(serve))
        .route(&format!("{root}/"), any(serve))
        .route(&format!("{root}/{{*rest}}"), any(serve))
}

/// The gateway a path belongs to.
pub(super) fn owner<'a>(app: &'a App, path: &str) -> Option<&'a Gateway> {
    let gateway = app.lifecycle.as_ref()?;
    let rest = path.strip_prefix(&gateway.root)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(gateway)
}

async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let Some(gateway) = app.lifecycle.clone() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let path = request.uri().path().strip_prefix(&gateway.root).unwrap_or_default().to_owned();
    let wanted = match route(request.method(), &path) {
        Ok(wanted) => wanted,
        Err(denied) => return denied.into_response(),
    };
    let (of, is_write) = (wanted.workflow().to_owned(), *request.method() == Method::POST);
    let answer = answer(app, &gateway, wanted, request).await;
    let answer = answer.unwrap_or_else(Denied::into_response);
    // Whoever invents types must not make the statistics grow.
    let known = gateway.lifecycles.get_workflow_definition(&of).map_or("", |_| &of);
    gateway.meter.count(known, is_write, answer.status());
    answer
}

async fn answer(app: Arc<App>, gateway: &Gateway, wanted: Wanted, request: Request) -> Answer {
    let (uri, view) = (request.uri(), View::of(request.uri()));
    match wanted {
        Wanted::Types => read::types(gateway).await,
        Wanted::List { of } if watch::is_wanted(uri) => {
            watch::follow(app, gateway.clone(), of, request).await
        }
        Wanted::List { of } => read::list(gateway, &of, uri).await,
        Wanted::Entity { of, id } => read::show(gateway, &of, &id, view).await,
        Wanted::History { of, id } => read::history(gateway, &of, &id).await,
        Wanted::Picture { of, id } => {
            let drawing = diagram::wanted(&request);
            diagram::draw(gateway, (&of, id.as_deref()), drawing).await
        }
        Wanted::Explanation { of, id } => explain::explain(gateway, &of, &id).await,
        Wanted::Children { id } => read::children(gateway, &id, uri).await,
        Wanted::Patch { of, id } => write::patch((&app, gateway), (&of, &id), request).await,
        Wanted::Transition { of, id } => {
            write::transition((&app, gateway), (&of, &id), request).await
        }
    }
}

fn json<T: Serialize>(value: T) -> Response {
    match serde_json::to_vec(&value) {
        Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => Denied::unwritable(&error).into_response(),
    }
}

fn origin(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ORIGIN).and_then(|it| it.to_str().ok())
}

/// The answer to a browser that asks before it sends, if this is one.
pub(super) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response> {
    let asks = headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Authorization, Content-Type"),
        (header::ACCESS_CONTROL_MAX_AGE, "300"),
    ];
    (*method == Method::OPTIONS && asks).then(|| (StatusCode::OK, allowed).into_response())
}

/// Lets pages that were let in by name read the answer.
pub(super) fn allow(gateway: &Gateway, asked_by: Option<&HeaderValue>, answer: &mut HeaderMap) {
    let name = asked_by.and_then(|it| it.to_str().ok());
    if let Some(origin) = asked_by.filter(|_| gateway.knows(name)) {
        answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    }
    answer.insert(header::VARY, HeaderValue::from_static("Origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Unwritable;

    impl Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("db-7"))
        }
    }

    #[tokio::test]
    async fn what_cannot_be_written_is_told_like_every_failure() {
        let answer = json(Unwritable);
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json");
        let told = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        assert_eq!(told, r#"{"error":"internal error (operator details in server log)"}"#);
    }
}
