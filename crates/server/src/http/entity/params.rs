//! Parts of the path, queries and headers: read, or refused by name.

use std::{collections::HashMap, ops::RangeInclusive};

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::{HeaderMap, header, request::Parts},
};
use uuid::Uuid;
use waypost_engine::entity::When;
use waypost_kernel::{DefinitionRef, InstanceId, Timestamp, Version};

use super::problem::Failure;

/// Characters of a text that is repeated to whoever sent it.
const SHOWN_MAX: usize = 100;

/// The parts of the path, by the names of the route.
pub(in crate::http) struct InPath(HashMap<String, String>);

impl<S: Send + Sync> FromRequestParts<S> for InPath {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(found)) => Ok(Self(found)),
            Err(rejection) => Err(Failure::bad_request(rejection.body_text())),
        }
    }
}

impl InPath {
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A part that names an entity, a search, a transaction or a message.
    pub(super) fn id(&self, name: &str) -> Result<InstanceId, Failure> {
        // Where a route has one name for several things, clients know the one that is meant.
        let known = match name {
            "idOrFormat" | "versionOrId" | "nameOrId" => "entityId",
            other => other,
        };
        id(known, self.text(name)).map(Into::into)
    }

    /// The model that `entityName` and `modelVersion` name.
    pub(super) fn model(&self) -> Result<DefinitionRef, Failure> {
        self.model_in("entityName", "modelVersion")
    }

    /// The model that two parts name.
    pub(super) fn model_in(&self, name: &str, version: &str) -> Result<DefinitionRef, Failure> {
        let version = model_version(self.text(version))?;
        Ok(DefinitionRef { name: self.text(name).to_owned(), version })
    }
}

/// The version of a model: any whole number of 32 bits.
pub(super) fn model_version(text: &str) -> Result<i32, Failure> {
    text.parse().map_err(|_| bad("modelVersion", "must be a whole number of 32 bits", text))
}

/// The query string. What is not known there is nobody's concern.
pub(in crate::http) struct Asked(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(rejection) => Err(Failure::bad_request(rejection.body_text())),
        }
    }
}

impl Asked {
    /// All that is said under a name. What is empty says nothing.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, text)| key == name && !text.is_empty()).map(|it| &*it.1)
    }

    /// What is said first under a name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, text)| key == name && !text.is_empty()).map(|it| &*it.1)
    }

    pub(super) fn id(&self, name: &str) -> Result<Option<String>, Failure> {
        self.text(name).map(|it| id(name, it)).transpose()
    }

    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>, Failure> {
        let read = |text| {
            let wrong = || bad(name, "must be an RFC 3339 time or a date", text);
            time(text).ok_or_else(wrong)
        };
        self.text(name).map(read).transpose()
    }

    pub(super) fn is_set(&self, name: &str) -> Result<bool, Failure> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(text) => Err(bad(name, "must be true or false", text)),
        }
    }

    /// A number within a range.
    pub(super) fn number(
        &self,
        name: &str,
        otherwise: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, Failure> {
        let Some(text) = self.text(name) else { return Ok(otherwise) };
        let number = text.parse().ok().filter(|it| range.contains(it));
        number.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            bad(name, &format!("must be a whole number from {least} to {most}"), text)
        })
    }

    /// The version of an entity that is wanted.
    fn version(&self) -> Result<Option<Version>, Failure> {
        let read = |text: &str| {
            let version = text.parse().map(Version);
            version.map_err(|_| bad("version", "must be a whole number from 0 on", text))
        };
        self.text("version").map(read).transpose()
    }

    /// A moment of an entity: one of its versions, a time or a day.
    pub(super) fn moment(&self, name: &str) -> Result<Option<When>, Failure> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match text.parse() {
            Ok(version) => Ok(Some(When::Version(Version(version)))),
            Err(_) => Ok(self.time(name)?.map(When::At)),
        }
    }

    /// As of when something is wanted.
    pub(super) fn when(&self) -> Result<When, Failure> {
        let both = "pointInTime and transactionId cannot be given together";
        let more = "version cannot be given together with pointInTime or transactionId";
        match (self.time("pointInTime")?, self.id("transactionId")?, self.version()?) {
            (None, None, None) => Ok(When::Now),
            (Some(at), None, None) => Ok(When::At(at)),
            (None, Some(transaction), None) => Ok(When::By(transaction)),
            (None, None, Some(version)) => Ok(When::Version(version)),
            (Some(_), Some(_), None) => Err(Failure::bad_request(both)),
            (_, _, Some(_)) => Err(Failure::bad_request(more)),
        }
    }
}

/// An id, as the server writes it.
pub(super) fn id(name: &str, text: &str) -> Result<String, Failure> {
    let id = Uuid::parse_str(text).map_err(|_| bad(name, "must be a UUID", text))?;
    Ok(id.to_string())
}

/// The transaction that must have saved an entity last, if the client says so.
pub(super) fn if_match(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(header::IF_MATCH)?;
    let text = String::from_utf8_lossy(given.as_bytes()).trim().to_owned();
    let bare = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(&text);
    (!matches!(bare, "" | "*")).then(|| bare.to_owned())
}

/// An instant, or the beginning of a day.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    let at = match text.len() {
        10 => format!("{text}T00:00:00Z").parse::<waypost_api::Timestamp>(),
        _ => text.parse(),
    };
    at.ok().map(|it| Timestamp::from_micros(it.as_micros()))
}

pub(super) fn bad(name: &str, problem: &str, text: &str) -> Failure {
    let shown: String = text.chars().take(SHOWN_MAX).collect();
    Failure::bad_request(format!("{name} {problem}, is {shown:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_instants_or_days() {
        let micros = |text| time(text).map(Timestamp::as_micros);
        assert_eq!(micros("1970-01-02"), Some(86_400_000_000));
        assert_eq!(micros("1970-01-01T00:00:01Z"), Some(1_000_000));
        assert_eq!(micros("1970-01-01T01:00:00.000001999+01:00"), Some(1));
        for text in ["", "1970", "yesterday!", "1970-01-01T00:00:01", "1970-13-01", "1970-01-01 "] {
            assert_eq!(micros(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_expected_transaction_is_bare_or_quoted() {
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_MATCH, header::HeaderValue::from_static(text));
            if_match(&headers)
        };
        assert_eq!(read("t-1").as_deref(), Some("t-1"));
        assert_eq!(read("\"t-1\"").as_deref(), Some("t-1"));
        assert_eq!(read("\"\"t-1\"\"").as_deref(), Some("\"t-1\""));
        assert_eq!(read("*"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn versions_are_numbers_clients_can_count_with() {
        assert_eq!(model_version("-2147483648").unwrap(), i32::MIN);
        assert_eq!(model_version("0").unwrap(), 0);
        assert_eq!(model_version("2147483647").unwrap(), i32::MAX);
        for text in ["", "-2147483649", "2147483648", "1.0", "one", " 1"] {
            assert!(model_version(text).is_err(), "{text:?}");
        }
    }
}
