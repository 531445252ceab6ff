//! What is wrong with definitions, for those who ask and for those who deploy.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
};
use bytes::Bytes;
use serde::Deserialize;
use waypost_api::problem::{EdgeCode, Violation};
use waypost_lint::{
    DefinitionKind, Finding, Report, Severity, Surroundings, Unreadable, json, lint_within,
};

use super::{app::App, body::read, params::Params, problem::Refusal};

/// Says what was found in a definition that was deployed all the same.
const FOUND: HeaderName = HeaderName::from_static("waypost-lint");

/// Findings that a header or a refusal names; it counts all of them.
const NAMED_MAX: usize = 20;

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

/// How a definition is deployed.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Deployment {
    /// Deploys nothing if lint finds an error or a warning.
    #[serde(default)]
    pub(super) strict: bool,
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
    let looked = aside(text, kind, Surroundings::default()).await?;
    Ok(Json(json("body", &looked.map_err(|it| unreadable(&it))?)))
}

/// What is wrong with a definition that is deployed; nothing is known of one that cannot be read.
pub(super) async fn found(text: String, kind: DefinitionKind) -> Option<Report> {
    aside(text, Some(kind), Surroundings::default()).await.ok().and_then(Result::ok)
}

/// What lint finds in a definition that is about to be deployed; nothing if it cannot be read,
/// which whoever deploys it says better.
///
/// # Errors
/// When the deployment is strict, and lint finds something that it would not be refused for anyway.
pub(super) async fn before(
    (text, kind): (&str, DefinitionKind),
    surroundings: Surroundings,
    is_strict: bool,
) -> Result<HeaderMap, Refusal> {
    let looked = aside(text.to_owned(), Some(kind), surroundings).await?;
    let Ok(report) = looked else { return Ok(HeaderMap::new()) };
    if is_strict && report.is_refused(true) && !is_refused_anyway(&report) {
        return Err(refused(&report));
    }
    let value = summary(&report).and_then(|it| HeaderValue::from_str(&it).ok());
    Ok(value.into_iter().map(|it| (FOUND, it)).collect())
}

fn is_refused_anyway(report: &Report) -> bool {
    report.findings.iter().any(|it| it.code.refused.is_some())
}

/// How much there is to mend, and where: `1 warning; T003@14:21`.
fn summary(report: &Report) -> Option<String> {
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let count = |number: usize, name: &str| match number {
        0 => None,
        1 => Some(format!("1 {name}")),
        more => Some(format!("{more} {name}s")),
    };
    let parts = [count(errors, "error"), count(warnings, "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let named: Vec<String> = told(report).map(place).collect();
    (!parts.is_empty()).then(|| format!("{}; {}", parts.join(", "), named.join(", ")))
}

/// What is to be mended, as far as it is named.
fn told(report: &Report) -> impl Iterator<Item = &Finding> {
    let is_told = |it: &&Finding| it.code.severity > Severity::Info;
    report.findings.iter().filter(is_told).take(NAMED_MAX)
}

fn place(finding: &Finding) -> String {
    format!("{}@{}:{}", finding.code.id, finding.place.line, finding.place.column)
}

fn refused(report: &Report) -> Refusal {
    let counted = summary(report).unwrap_or_default();
    let counted = counted.split("; ").next().unwrap_or_default().to_owned();
    let texts: Vec<String> =
        told(report).map(|it| format!("{}: {}", place(it), it.message)).collect();
    let mut refusal = Refusal::new(EdgeCode::LintFound, format!("{counted}; {}", texts.join("; ")));
    refusal.problem.errors = told(report)
        .map(|it| Violation {
            place: format!("line {} column {}", it.place.line, it.place.column),
            problem: format!("{}: {}", it.code.id, it.message),
        })
        .collect();
    refusal
}

/// Looks on a thread of its own: a large definition takes a while.
async fn aside(
    text: String,
    kind: Option<DefinitionKind>,
    surroundings: Surroundings,
) -> Result<Result<Report, Unreadable>, Refusal> {
    let looking = tokio::task::spawn_blocking(move || lint_within(&text, kind, &surroundings));
    looking.await.map_err(|error| Refusal::defect(error.to_string()))
}

fn unreadable(unreadable: &Unreadable) -> Refusal {
    let place = match unreadable.at {
        Some((line, column)) => format!("line {line} column {column}"),
        None => "body".to_owned(),
    };
    Refusal::at(EdgeCode::BodyInvalid, place, &unreadable.problem)
}
