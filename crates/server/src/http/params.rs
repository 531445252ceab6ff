//! Queries, parts of the path and headers: parsed, or refused with the place of the mistake.

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::{HeaderMap, request::Parts},
};
use serde::de::DeserializeOwned;
use waypost_api::problem::EdgeCode;
use waypost_engine::{chain::LeaseToken, limits::PAGE_MAX};
use waypost_kernel::InstanceId;

use super::problem::Refusal;

/// Characters of anything that names something.
pub(super) const NAME_MAX: usize = 256;

/// Items of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 50;

/// The query string as a `T`.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let text = parts.uri.query().unwrap_or_default();
        match Query::try_from_uri(&parts.uri) {
            // Databases do not take it, and nobody means it.
            Ok(_) if text.contains("%00") => {
                Err(Refusal::at(EdgeCode::QueryInvalid, "query", "must not contain %00"))
            }
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(misfit(&rejection.body_text())),
        }
    }
}

/// The parser says `Failed to deserialize query string: page: invalid digit found in string`.
fn misfit(text: &str) -> Refusal {
    let text = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
    match text.split_once(": ") {
        Some((place, problem)) if !place.contains(' ') => {
            Refusal::at(EdgeCode::QueryInvalid, format!("query.{place}"), problem)
        }
        Some(_) | None => Refusal::at(EdgeCode::QueryInvalid, "query", text),
    }
}

/// The parts of the path as a `T`.
pub(super) struct InPath<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for InPath<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(found)) => Ok(Self(found)),
            Err(rejection) => {
                let text = rejection.body_text();
                let problem = text.strip_prefix("Invalid URL: ").unwrap_or(&text);
                Err(Refusal::at(EdgeCode::PathInvalid, "path", problem))
            }
        }
    }
}

/// The instance a path names.
pub(super) struct InstancePath(pub(super) InstanceId);

impl<S: Send + Sync> FromRequestParts<S> for InstancePath {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let InPath::<String>(text) = InPath::from_request_parts(parts, state).await?;
        check_path("instanceId", &text)?;
        Ok(Self(text.into()))
    }
}

/// The lease a path names.
pub(super) struct LeasePath(pub(super) LeaseToken);

impl<S: Send + Sync> FromRequestParts<S> for LeasePath {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let InPath::<String>(text) = InPath::from_request_parts(parts, state).await?;
        check_path("leaseToken", &text)?;
        let no = |problem| Refusal::at(EdgeCode::PathInvalid, "path.leaseToken", problem);
        text.parse().map(Self).map_err(no)
    }
}

fn check_path(name: &str, text: &str) -> Result<(), Refusal> {
    match name_problem(text) {
        None => Ok(()),
        Some(problem) => Err(Refusal::at(EdgeCode::PathInvalid, format!("path.{name}"), problem)),
    }
}

/// What keeps a text from naming anything.
fn name_problem(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("must not be blank".into());
    }
    if text.chars().any(char::is_control) {
        return Some("must not contain control characters".into());
    }
    let is_long = text.chars().count() > NAME_MAX;
    is_long.then(|| format!("must have at most {NAME_MAX} characters"))
}

/// Refuses a member of a body that cannot name anything.
pub(super) fn check_name(place: &str, text: &str) -> Result<(), Refusal> {
    match name_problem(text) {
        None => Ok(()),
        Some(problem) => Err(Refusal::field(place, &problem)),
    }
}

/// How many items a page has.
pub(super) fn page_size(asked: Option<u32>) -> Result<u32, Refusal> {
    match asked.unwrap_or(PAGE_SIZE) {
        size @ 1..=PAGE_MAX => Ok(size),
        size => {
            let problem = format!("must be 1 to {PAGE_MAX}, is {size}");
            Err(Refusal::at(EdgeCode::QueryInvalid, "query.pageSize", problem))
        }
    }
}

/// A header that names something.
pub(super) fn header(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, Refusal> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text.is_empty() || text.len() > NAME_MAX {
        let problem = format!("must have 1 to {NAME_MAX} visible ASCII characters");
        return Err(Refusal::at(EdgeCode::HeaderInvalid, format!("header.{name}"), problem));
    }
    Ok(Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use waypost_api::chain::InstanceQuery;

    use super::*;

    async fn look(query: &str) -> String {
        let request = Request::builder().uri(format!("/x?{query}")).body(()).unwrap();
        let mut parts = request.into_parts().0;
        match Params::<InstanceQuery>::from_request_parts(&mut parts, &()).await {
            Ok(_) => "ok".into(),
            Err(refusal) => refusal.problem.detail.clone(),
        }
    }

    #[tokio::test]
    async fn a_bad_parameter_is_told_with_its_name() {
        let fields = "expected one of `status`, `workflowType`, `workflowVersion`, `startedAfter`, \
                      `startedBefore`, `bizKey`, `awaits`, `page`, `pageSize`, `after`";
        let variants = "expected one of `RUNNING`, `COMPLETED`, `FAILED`, `CANCELED`";
        for (query, expected) in [
            ("", "ok".to_owned()),
            ("status=RUNNING&page=0&bizKey=%C3%A4", "ok".into()),
            ("page=x", "query.page: invalid digit found in string".into()),
            ("page=-1", "query.page: invalid digit found in string".into()),
            ("status=running", format!("query.status: unknown variant `running`, {variants}")),
            ("pages=1", format!("query.pages: unknown field `pages`, {fields}")),
            ("page=1&page=2", "query: duplicate field `page`".into()),
            ("bizKey=%00", "query: must not contain %00".into()),
        ] {
            assert_eq!(look(query).await, expected, "{query}");
        }
    }

    #[test]
    fn page_sizes_are_bounded() {
        assert_eq!(page_size(None).unwrap(), 50);
        assert_eq!(page_size(Some(1_000)).unwrap(), 1_000);
        assert!(page_size(Some(0)).is_err());
        assert!(page_size(Some(1_001)).is_err());
    }
}
