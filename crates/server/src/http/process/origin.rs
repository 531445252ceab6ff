//! Pages of other sites: a modeller in a browser may talk to the routes of processes.

use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};

/// The answer to a browser that asks before it sends, if this is one.
pub(in crate::http) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response> {
    let asks = headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if *method != Method::OPTIONS || !asks {
        return None;
    }
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Authorization, Content-Type"),
        (header::ACCESS_CONTROL_MAX_AGE, "300"),
    ];
    Some((StatusCode::OK, allowed).into_response())
}

/// Lets a page of any site read the answer. No credentials are involved.
pub(in crate::http) fn allow(request_origin: Option<&HeaderValue>, answer: &mut HeaderMap) {
    if request_origin.is_some() {
        answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        answer.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
}
