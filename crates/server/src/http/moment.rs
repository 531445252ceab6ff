//! As of when something is wanted: `?at=TIME`, `?version=N`, `?from=` and `?to=`.

use serde::Deserialize;
use waypost_api::problem::EdgeCode;
use waypost_engine::Moment;

use super::{entity::time, problem::Refusal};

/// As of when an instance is wanted; as it is, unless one of the two is given.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct AsOf {
    /// As it was then: an RFC 3339 time, or a day.
    at: Option<String>,
    /// As it was when it had seen this many commits.
    version: Option<String>,
}

impl AsOf {
    pub(in crate::http) fn moment(&self) -> Result<Option<Moment>, Refusal> {
        let given = |text: &Option<String>| text.clone().filter(|it| !it.is_empty());
        match (given(&self.at), given(&self.version)) {
            (None, None) => Ok(None),
            (Some(at), None) => instant("at", &at).map(Some),
            (None, Some(version)) => number("version", &version).map(Some),
            (Some(_), Some(_)) => {
                let problem = "cannot be given together with version";
                Err(Refusal::at(EdgeCode::QueryInvalid, "query.at", problem))
            }
        }
    }
}

/// Between which moments something is compared.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct Between {
    /// The earlier moment: an RFC 3339 time, a day, or a version.
    from: Option<String>,
    /// The later moment; as it is unless given.
    to: Option<String>,
}

impl Between {
    pub(in crate::http) fn from(&self) -> Result<Moment, Refusal> {
        let required = || Refusal::at(EdgeCode::QueryInvalid, "query.from", "is required");
        let text = self.from.as_deref().filter(|it| !it.is_empty()).ok_or_else(required)?;
        either("from", text)
    }

    pub(in crate::http) fn to(&self) -> Result<Option<Moment>, Refusal> {
        let text = self.to.as_deref().filter(|it| !it.is_empty());
        text.map(|it| either("to", it)).transpose()
    }
}

fn either(name: &str, text: &str) -> Result<Moment, Refusal> {
    match text.bytes().all(|it| it.is_ascii_digit()) {
        true => number(name, text),
        false => instant(name, text),
    }
}

fn number(name: &str, text: &str) -> Result<Moment, Refusal> {
    text.parse().map(Moment::Version).map_err(|_| {
        let problem = format!("must be a whole number, is {text:?}");
        Refusal::at(EdgeCode::QueryInvalid, format!("query.{name}"), problem)
    })
}

fn instant(name: &str, text: &str) -> Result<Moment, Refusal> {
    time(text).map(Moment::Time).ok_or_else(|| {
        let problem = format!("must be an RFC 3339 time or a day, is {text:?}");
        Refusal::at(EdgeCode::QueryInvalid, format!("query.{name}"), problem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_version_a_time_or_a_day() {
        let read = |text: &str| either("from", text).map_err(|it| it.detail().to_owned());
        assert_eq!(read("12"), Ok(Moment::Version(12)));
        let day = time("1970-01-02").map(Moment::Time);
        assert_eq!(read("1970-01-02").ok(), day);
        assert_eq!(read("1970-01-02T00:00:00Z").ok(), day);
        assert_eq!(
            read("yesterday").unwrap_err(),
            "query.from: must be an RFC 3339 time or a day, is \"yesterday\""
        );
        assert_eq!(
            read("99999999999999999999999").unwrap_err(),
            "query.from: must be a whole number, is \"99999999999999999999999\""
        );
    }

    #[test]
    fn one_moment_is_enough() {
        let of =
            |at: &str, version: &str| AsOf { at: Some(at.into()), version: Some(version.into()) };
        assert_eq!(of("", "").moment().unwrap(), None);
        assert_eq!(of("", "3").moment().unwrap(), Some(Moment::Version(3)));
        assert!(of("1970-01-01", "3").moment().is_err());
        assert!(of("", "three").moment().is_err());
    }
}
