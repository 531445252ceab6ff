//! How failures travel: RFC 9457, with a stable code.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request was not carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Where the code is explained, relative to the server.
    #[serde(rename = "type")]
    #[schema(example = "/docs/errors/LEASE_LOST")]
    pub kind: String,
    /// The code in words.
    #[schema(example = "Lease lost")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 409)]
    pub status: u16,
    /// What went wrong this time.
    pub detail: String,
    /// The path that was asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// Stable: match on this.
    #[schema(example = "LEASE_LOST")]
    pub code: String,
    /// Where in the request, and what is wrong there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Violation>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// Names this request in the server's log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    /// The instance that is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
}

impl Problem {
    /// A problem with that code; title and type follow from it.
    #[must_use]
    pub fn new(code: &str, status: u16, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("/docs/errors/{code}"),
            title: title(code),
            status,
            detail: detail.into(),
            code: code.to_owned(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

/// `LEASE_LOST` reads "Lease lost".
fn title(code: &str) -> String {
    let words = code.to_lowercase().replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Why a request about entities was not carried out: the code is among the properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntityProblem {
    /// `about:blank`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The code, a colon, and what went wrong this time.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The path that was asked for.
    #[serde(default)]
    pub instance: String,
    /// Names the failure in the server's log; only if the server is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// `errorCode`, to match on; `retryable` if asking again may help; more for some codes.
    pub properties: serde_json::Map<String, serde_json::Value>,
}

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// Where: `steps[1].maxAttempts`, `query.page`, or `line 3 column 7`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// Declares the codes once: variant, text, HTTP status, whether asking again may help.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $status:literal, $retryable:literal;)*) => {
        /// What can go wrong at the edge, before and around the engine. Stable: clients match on
        /// the text. What the engine refuses has codes of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EdgeCode {
            $($(#[$doc])* $name,)*
        }

        impl EdgeCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as clients see it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// The HTTP status it is answered with.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status),* }
            }

            /// Whether the same request may succeed later.
            #[must_use]
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retryable),* }
            }
        }
    };
}

codes! {
    /// The body is not what the route expects.
    BodyInvalid = "BODY_INVALID", 400, false;
    /// The body is larger than the server takes.
    BodyTooLarge = "BODY_TOO_LARGE", 413, false;
    /// The body took too long to arrive.
    BodyTooSlow = "BODY_TOO_SLOW", 408, true;
    /// The body is nested too deeply.
    JsonTooDeep = "JSON_TOO_DEEP", 400, false;
    /// An object in the body has too many members.
    JsonTooWide = "JSON_TOO_WIDE", 400, false;
    /// A query parameter is not what the route expects.
    QueryInvalid = "QUERY_INVALID", 400, false;
    /// A part of the path is not what the route expects.
    PathInvalid = "PATH_INVALID", 400, false;
    /// Lint found something, and the deployment was to be strict.
    LintFound = "LINT_FOUND", 422, false;
    /// A header is not what the route expects.
    HeaderInvalid = "HEADER_INVALID", 400, false;
    /// The body is of a type or coding the server does not read.
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", 415, false;
    /// A web page of another site asks for a change.
    CrossSite = "CROSS_SITE", 403, false;
    /// The request was sent to a name that the server does not have.
    HostUnknown = "HOST_UNKNOWN", 403, false;
    /// It is not known who asks.
    Unauthorized = "UNAUTHORIZED", 401, false;
    /// Whoever asks may not do that.
    Forbidden = "FORBIDDEN", 403, false;
    /// There is nothing at that path.
    RouteNotFound = "ROUTE_NOT_FOUND", 404, false;
    /// The path is there, but not for that method.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, false;
    /// Others were faster, again and again.
    Contended = "CONTENDED", 409, true;
    /// More is going on than the server takes.
    Overloaded = "OVERLOADED", 503, true;
    /// The store cannot be reached or cannot write.
    StoreUnavailable = "STORE_UNAVAILABLE", 503, true;
    /// The change may or may not have been made.
    OutcomeUnknown = "OUTCOME_UNKNOWN", 503, true;
    /// The server is about to stop.
    ShuttingDown = "SHUTTING_DOWN", 503, true;
    /// A defect of the server.
    Internal = "INTERNAL", 500, false;
}

impl fmt::Display for EdgeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_gives_title_and_type() {
        let problem = Problem::new("LEASE_LOST", 409, "gone");
        assert_eq!(problem.title, "Lease lost");
        assert_eq!(problem.kind, "/docs/errors/LEASE_LOST");
    }
}
