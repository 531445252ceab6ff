//! What is wrong with definitions, for those who ask and for those who deploy.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
};
use bytes::Bytes;
use serde::Deserialize;
use waypost_api::problem::EdgeCode;
use waypost_lint::{DefinitionKind, Report, Severity, Unreadable, json, lint};

use super::{app::App, body::read, params::Params, problem::Refusal};

/// Says how much was found in a definition that was deployed all the same.
const FOUND: HeaderName = HeaderName::from_static("waypost-lint");

/// The text of a definition.
pub(super) struct Text(Bytes);

impl FromRequest<Arc<App>> for Text {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        read(request, app).await.map(Self)
    }
}

/// What to look at it as.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// `process`, `entity`, `lifecycle` or `chain`; if absent, its members tell.
    kind: Option<String>,
}

/// Everything that is wrong with a definition. Nothing is deployed.
#[utoipa::path(
    post, path = "/v1/lint", tag = "Lint", params(Wanted),
    request_body(content = Object, description = "The definition, or an array of them; of \
        lifecycles also as TOML"),
    responses(
        (status = 200, description = "What was found, which may be nothing", body = Object),
        (status = 400, description = "It cannot be read, or does not tell what it is: BODY_INVALID"),
    ),
)]
pub(super) async fn look(
    State(_): State<Arc<App>>,
    Params(wanted): Params<Wanted>,
    Text(body): Text,
) -> Result<Json<serde_json::Value>, Refusal> {
    let kind = wanted.kind.map(|it| it.parse::<DefinitionKind>()).transpose();
    let kind = kind.map_err(|it| Refusal::at(EdgeCode::QueryInvalid, "query.kind", it))?;
    let text = String::from_utf8(body.into()).map_err(|error| {
        let place = format!("byte {}", error.utf8_error().valid_up_to());
        Refusal::at(EdgeCode::BodyInvalid, place, "is not UTF-8")
    })?;
    let report = aside(text, kind).await?.map_err(|it| unreadable(&it))?;
    Ok(Json(json("body", &report)))
}

/// The header that tells how much is wrong with a definition; none if nothing is.
pub(super) async fn told(text: String, kind: DefinitionKind) -> HeaderMap {
    // What was deployed is deployed, whatever is found.
    let report = found(text, kind).await;
    let found = report.as_ref().and_then(summary);
    let value = found.and_then(|it| HeaderValue::from_str(&it).ok());
    value.into_iter().map(|it| (FOUND, it)).collect()
}

/// What is wrong with a definition that is deployed; nothing is known of one that cannot be read.
pub(super) async fn found(text: String, kind: DefinitionKind) -> Option<Report> {
    aside(text, Some(kind)).await.ok().and_then(Result::ok)
}

fn summary(report: &Report) -> Option<String> {
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let count = |number: usize, name: &str| match number {
        0 => None,
        1 => Some(format!("1 {name}")),
        more => Some(format!("{more} {name}s")),
    };
    let parts = [count(errors, "error"), count(warnings, "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Looks on a thread of its own: a large definition takes a while.
async fn aside(
    text: String,
    kind: Option<DefinitionKind>,
) -> Result<Result<Report, Unreadable>, Refusal> {
    let looking = tokio::task::spawn_blocking(move || lint(&text, kind));
    looking.await.map_err(|error| Refusal::defect(error.to_string()))
}

fn unreadable(unreadable: &Unreadable) -> Refusal {
    let place = match unreadable.at {
        Some((line, column)) => format!("line {line} column {column}"),
        None => "body".to_owned(),
    };
    Refusal::at(EdgeCode::BodyInvalid, place, &unreadable.problem)
}
