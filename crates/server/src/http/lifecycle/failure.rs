//! How failures look to operators: `{"error"}`, with what was being done in front.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;
use waypost_api::Problem;
use waypost_lifecycle::Error;

use crate::http::problem::Refusal;

/// Why a request was not carried out.
#[derive(Debug)]
pub(super) struct Denied {
    status: StatusCode,
    error: String,
    /// What could be done instead.
    allow: Option<&'static str>,
}

impl Denied {
    fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), allow: None }
    }

    pub(super) fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    pub(super) fn forbidden(error: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, error)
    }

    /// What was sent is wrong at `place`.
    pub(super) fn bad(label: &str, problem: impl AsRef<str>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, format!("{label}: {}", problem.as_ref()))
    }

    pub(super) fn not_allowed(allow: &'static str) -> Self {
        let error = format!("this takes {allow}");
        Self { status: StatusCode::METHOD_NOT_ALLOWED, error, allow: Some(allow) }
    }

    /// What came of `label`. The cause of a failure here is for the log.
    pub(super) fn of(label: &str, error: &Error) -> Self {
        let status = StatusCode::from_u16(error.http_status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_server_error() {
            tracing::error!(label, %error, "an operator's request failed");
        }
        Self::new(status, format!("{label}: {}", error.public_message()))
    }

    /// What was found has no form to answer in.
    pub(super) fn unwritable(error: &serde_json::Error) -> Self {
        tracing::error!(%error, "an answer to an operator cannot be written");
        let told = "internal error (operator details in server log)";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, told)
    }

    /// What the edge of the server did not let through.
    pub(super) fn at_the_edge(label: &str, refusal: &Refusal) -> Self {
        let problem = &refusal.problem;
        let status = StatusCode::from_u16(problem.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, format!("{label}: {}", problem.detail))
    }

    #[cfg(test)]
    pub(super) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(super) fn frame(&self) -> String {
        json!({"error": self.error}).to_string()
    }
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({"error": self.error}))).into_response();
        if let Some(allow) = self.allow {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}

/// A problem that arose before the gateway was asked.
pub(in crate::http) fn write(problem: &Problem, headers: &Response) -> Response {
    let status = StatusCode::from_u16(problem.status);
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(json!({"error": problem.detail}))).into_response();
    for name in [header::RETRY_AFTER, header::ALLOW, header::WWW_AUTHENTICATE] {
        if let Some(value) = headers.headers().get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}
