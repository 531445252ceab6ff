//! Pages for people: an API browser that needs nothing from elsewhere, and what errors mean.

use std::fmt::Write as _;

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use waypost_api::problem::EdgeCode;

use super::{markdown, params::InPath, problem::Refusal, routes::Routes};
use crate::errors;

/// Nothing but our own files, and no frame around them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/docs", browser)
        .get("/docs/app.js", script)
        .get("/docs/style.css", style)
        .get("/docs/errors", error_list)
        .get("/docs/errors/{code}", error_page)
}

async fn browser() -> Response {
    page("text/html; charset=utf-8", include_str!("../../assets/docs.html"))
}

async fn script() -> Response {
    page("text/javascript; charset=utf-8", include_str!("../../assets/app.js"))
}

async fn style() -> Response {
    page("text/css; charset=utf-8", include_str!("../../assets/style.css"))
}

async fn error_list(headers: HeaderMap) -> Response {
    let mut list = String::from("# Error codes\n\n");
    for code in errors::codes() {
        writeln!(list, "- [{code}](/docs/errors/{code})").expect("text can be written to");
    }
    shown(&headers, "Error codes", list)
}

async fn error_page(headers: HeaderMap, InPath(code): InPath<String>) -> Result<Response, Refusal> {
    let text = errors::page(&code).ok_or_else(|| {
        Refusal::new(EdgeCode::RouteNotFound, format!("there is no error code {code:?}"))
    })?;
    Ok(shown(&headers, &code, text.to_owned()))
}

/// Browsers offer Markdown for download: they get a page.
fn shown(headers: &HeaderMap, title: &str, text: String) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or("");
    let mut answer = match accepts.contains("text/html") {
        true => page("text/html; charset=utf-8", markdown::page(title, &text)),
        false => page("text/markdown; charset=utf-8", text),
    };
    answer.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    answer
}

fn page(kind: &'static str, text: impl Into<axum::body::Body>) -> Response {
    let mut response = text.into().into_response();
    let headers = response.headers_mut();
    let set = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    headers.extend(set.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}
