//! How failures look over HTTP: the one file that knows status codes.

use std::time::Duration;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use waypost_api::problem::{EdgeCode, Problem, Violation};
use waypost_engine::Error;
use waypost_kernel::{Rejection, RejectionClass, RejectionCode, StoreError};

/// When to ask again if nothing better is known.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Characters of a text that may repeat what the client sent: enough to recognize it.
const TEXT_MAX: usize = 500;

/// A request that was not carried out. The edge adds path and request id before it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(super) problem: Box<Problem>,
    pub(super) retry_after: Option<Duration>,
    /// For the log only.
    pub(super) cause: Option<String>,
}

impl Refusal {
    /// Something went wrong at the edge.
    pub(crate) fn new(code: EdgeCode, detail: impl Into<String>) -> Self {
        let problem = Problem::new(code.as_str(), code.status(), detail);
        let problem = Box::new(Problem { retryable: code.is_retryable(), ..problem });
        let waits = code.status() == 503 || code == EdgeCode::Contended;
        Self { problem, retry_after: waits.then_some(RETRY_AFTER), cause: None }
    }

    /// What is wrong, in words.
    pub(crate) fn detail(&self) -> &str {
        &self.problem.detail
    }

    /// Something is wrong at one place of the request.
    pub(super) fn at(code: EdgeCode, place: impl Into<String>, problem: impl Into<String>) -> Self {
        let violation =
            Violation { place: shortened(place.into()), problem: shortened(problem.into()) };
        let mut refusal = Self::new(code, format!("{}: {}", violation.place, violation.problem));
        refusal.problem.errors.push(violation);
        refusal
    }

    /// A defect. The client learns nothing but that there is one.
    pub(super) fn defect(cause: impl Into<String>) -> Self {
        let detail = "the server failed; its log says more under the request id";
        Self { cause: Some(cause.into()), ..Self::new(EdgeCode::Internal, detail) }
    }

    /// A field has a value that can never be right.
    pub(super) fn field(place: &str, problem: &str) -> Self {
        let detail = format!("{place} {problem}");
        Error::Rejected(Rejection::new(RejectionCode::FieldInvalid, detail)).into()
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let retry_after = error.retry_after();
        let refusal = match error {
            Error::Rejected(rejection) => rejected(&rejection),
            Error::Duplicate { existing } => {
                let code = RejectionCode::DuplicateBizKey;
                let id = existing.id.as_str();
                let detail = format!("instance {id} of that type runs under the same business key");
                let mut refusal = rejected(&Rejection::new(code, detail));
                refusal.problem.instance_id = Some(id.to_owned());
                refusal
            }
            Error::Invalid { violations } => invalid(violations),
            Error::Overtaken => {
                Self::new(EdgeCode::Contended, "something else happened to it meanwhile; ask again")
            }
            Error::Contended { attempts } => {
                let detail = format!("others were faster {attempts} times; ask again");
                Self::new(EdgeCode::Contended, detail)
            }
            Error::Overloaded { what } => {
                Self::new(EdgeCode::Overloaded, format!("too many {what}; ask again"))
            }
            Error::Store(error) => stored(error),
            Error::Defect(cause) => Self::defect(cause),
        };
        Self { retry_after: retry_after.or(refusal.retry_after), ..refusal }
    }
}

fn rejected(rejection: &Rejection) -> Refusal {
    let Rejection { code, detail } = rejection;
    let (status, retryable) = match code.class() {
        RejectionClass::Missing => (StatusCode::NOT_FOUND, false),
        RejectionClass::Conflict => (StatusCode::CONFLICT, false),
        RejectionClass::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, false),
        RejectionClass::Exhausted => (StatusCode::TOO_MANY_REQUESTS, true),
    };
    let problem = Problem::new(code.as_str(), status.as_u16(), detail.as_str());
    let errors = place(*code, detail).into_iter().collect();
    let problem = Box::new(Problem { retryable, errors, ..problem });
    Refusal { problem, retry_after: retryable.then_some(RETRY_AFTER), cause: None }
}

/// A detail about a field begins with its name.
fn place(code: RejectionCode, detail: &str) -> Option<Violation> {
    let is_about_a_field = matches!(
        code,
        RejectionCode::FieldInvalid
            | RejectionCode::EventRequired
            | RejectionCode::EventIdRequired
            | RejectionCode::EventIdNotUuidV7
            | RejectionCode::EventOccurredAtRequired
    );
    let (place, problem) = detail.split_once(' ').filter(|_| is_about_a_field)?;
    Some(Violation { place: place.to_owned(), problem: problem.to_owned() })
}

fn invalid(violations: Vec<(String, String)>) -> Refusal {
    let texts: Vec<_> = violations.iter().map(|(place, it)| format!("{place} {it}")).collect();
    let rejection = Rejection::new(RejectionCode::DefinitionInvalid, texts.join("; "));
    let mut refusal = rejected(&rejection);
    refusal.problem.errors =
        violations.into_iter().map(|(place, problem)| Violation { place, problem }).collect();
    refusal
}

/// What the store says may name machines and files: that is for the log.
fn stored(error: StoreError) -> Refusal {
    let cause = Some(error.to_string());
    let refusal = match error {
        StoreError::Conflict(_) => {
            Refusal::new(EdgeCode::Contended, "something else happened to it meanwhile; ask again")
        }
        StoreError::Busy => {
            Refusal::new(EdgeCode::Overloaded, "the store has more to do than it can; ask again")
        }
        StoreError::Unavailable(_) => Refusal::new(
            EdgeCode::StoreUnavailable,
            "the store cannot be reached or cannot write; nothing has changed; ask again",
        ),
        StoreError::Unknown(_) => Refusal::new(
            EdgeCode::OutcomeUnknown,
            "the change may or may not have been made; ask again with the same Idempotency-Key",
        ),
        StoreError::Corrupt(_) => Refusal::defect(""),
    };
    Refusal { cause, ..refusal }
}

impl IntoResponse for Refusal {
    /// Without a body: the edge writes it, because it knows the path and the request id.
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status);
        let mut response = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response();
        if let Some(after) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use waypost_kernel::{Key, Kind};

    use super::*;

    fn look(error: Error) -> String {
        let Refusal { problem, retry_after, .. } = error.into();
        let after = retry_after.map_or(String::new(), |it| format!(" after {it:?}"));
        let retryable = if problem.retryable { " retryable" } else { "" };
        format!("{} {}{retryable}{after}", problem.status, problem.code)
    }

    #[test]
    fn each_failure_has_its_status() {
        let no = |code| Error::Rejected(Rejection::new(code, "x must not"));
        let key = Key::new("default".into(), Kind::Chain, "i-1".into());
        for (error, expected) in [
            (no(RejectionCode::InstanceNotFound), "404 INSTANCE_NOT_FOUND"),
            (no(RejectionCode::LeaseLost), "409 LEASE_LOST"),
            (no(RejectionCode::FieldInvalid), "422 FIELD_INVALID"),
            (no(RejectionCode::SignalBufferFull), "429 SIGNAL_BUFFER_FULL retryable after 1s"),
            (Error::Duplicate { existing: key }, "409 DUPLICATE_BIZ_KEY"),
            (Error::Invalid { violations: Vec::new() }, "422 DEFINITION_INVALID"),
            (Error::Overtaken, "409 CONTENDED retryable after 1s"),
            (Error::Contended { attempts: 3 }, "409 CONTENDED retryable after 1s"),
            (Error::Overloaded { what: "x" }, "503 OVERLOADED retryable after 1s"),
            (Error::Store(StoreError::Busy), "503 OVERLOADED retryable after 1s"),
            (
                Error::Store(StoreError::Unavailable("secret".into())),
                "503 STORE_UNAVAILABLE retryable after 2s",
            ),
            (
                Error::Store(StoreError::Unknown("secret".into())),
                "503 OUTCOME_UNKNOWN retryable after 2s",
            ),
            (Error::Store(StoreError::Corrupt("secret".into())), "500 INTERNAL"),
            (Error::Defect("secret".into()), "500 INTERNAL"),
        ] {
            assert_eq!(look(error), expected);
        }
    }

    #[test]
    fn what_the_store_says_stays_inside() {
        for error in [
            StoreError::Unavailable("secret".into()),
            StoreError::Unknown("secret".into()),
            StoreError::Corrupt("secret".into()),
        ] {
            let refusal = Refusal::from(Error::Store(error));
            assert!(!refusal.problem.detail.contains("secret"));
            assert!(refusal.cause.unwrap().contains("secret"));
        }
    }

    #[test]
    fn the_place_of_a_bad_field_is_told() {
        let refusal = Refusal::field("result.timeoutMs", "must be at most 5, is 6");
        let violation = &refusal.problem.errors[0];
        assert_eq!(violation.place, "result.timeoutMs");
        assert_eq!(violation.problem, "must be at most 5, is 6");
    }
}
