//! How failures look to clients of processes: `{"error", "reason"}`, and statuses they know.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use waypost_api::{Problem, problem::EdgeCode, process::Failure};
use waypost_kernel::RejectionCode;

/// The answer for a request that was not carried out.
pub(in crate::http) fn write(problem: &Problem, request_id: &str, headers: &Response) -> Response {
    let status = status(problem);
    if problem.code == EdgeCode::MethodNotAllowed.as_str() {
        return with_headers(headers, status.into_response());
    }
    let reason = reason(problem);
    let failure = Failure {
        error: error(status).to_owned(),
        message: reason.clone(),
        reason,
        code: problem.code.clone(),
        request_id: request_id.to_owned(),
    };
    let body = serde_json::to_vec(&failure).expect("a failure has a JSON form");
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    with_headers(headers, (status, [kind], body).into_response())
}

/// Keeps what else the answer was to say: when to ask again, which methods there are.
fn with_headers(from: &Response, mut to: Response) -> Response {
    for name in [header::RETRY_AFTER, header::ALLOW, header::WWW_AUTHENTICATE] {
        if let Some(value) = from.headers().get(&name) {
            to.headers_mut().insert(name, value.clone());
        }
    }
    to
}

/// These clients know one status for all that can never be right.
fn status(problem: &Problem) -> StatusCode {
    let status = StatusCode::from_u16(problem.status);
    match status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
        other => other,
    }
}

fn reason(problem: &Problem) -> String {
    if problem.code == RejectionCode::DuplicateBizKey.as_str() {
        return super::convert::KEY_IN_USE.to_owned();
    }
    let is_invalid = problem.code == RejectionCode::DefinitionInvalid.as_str();
    if is_invalid && !problem.errors.is_empty() {
        let found = problem.errors.iter().map(|it| format!("\n  {}", it.problem));
        return format!("validation error: validation errors:{}", found.collect::<String>());
    }
    if problem.code == EdgeCode::BodyInvalid.as_str() {
        return format!("invalid request body: {}", problem.detail);
    }
    problem.detail.clone()
}

fn error(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "bad-request",
        StatusCode::UNAUTHORIZED => "unauthorized",
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::CONFLICT => "conflict",
        StatusCode::PAYLOAD_TOO_LARGE => "too-large",
        StatusCode::REQUEST_TIMEOUT => "timeout",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported-format",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        _ => "internal-error",
    }
}
