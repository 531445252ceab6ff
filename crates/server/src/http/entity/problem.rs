//! How failures look to clients of entities: problem+json, with the code among the properties.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value};
use uuid::Uuid;
use waypost_api::problem::{EdgeCode, EntityProblem};
use waypost_engine::{
    Error,
    entity::{Code, Fault, Refusal},
};
use waypost_kernel::{Rejection, RejectionClass, StoreError};

/// When to ask again if nothing better is known.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Declares codes that are raised at this edge alone.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $text;)*

        #[cfg(test)]
        const ALL: &[&str] = &[$($name),*];
    };
}

codes! {
    /// Nobody is known by what was sent.
    UNAUTHORIZED = "UNAUTHORIZED";
    /// The path is reserved for something the server does not do.
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED";
    /// A defect.
    SERVER_ERROR = "SERVER_ERROR";
    /// The transaction token was good once.
    TRANSACTION_EXPIRED = "TRANSACTION_EXPIRED";
    /// The node is gone that has the transaction.
    TRANSACTION_NODE_UNAVAILABLE = "TRANSACTION_NODE_UNAVAILABLE";
    /// There is no such topic.
    HELP_TOPIC_NOT_FOUND = "HELP_TOPIC_NOT_FOUND";
    /// There is no such client.
    CLIENT_NOT_FOUND = "CLIENT_NOT_FOUND";
    /// There is no such key.
    KEY_NOT_FOUND = "KEY_NOT_FOUND";
}

/// How much clients learn about defects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// A ticket that names it in the log.
    #[default]
    Sanitized,
    /// The cause.
    Verbose,
}

/// The answer to a request that was not carried out.
pub(crate) fn problem(status: StatusCode, code: &'static str, text: &str, path: &str) -> Response {
    Failure::new(status, code, text).answer(path, Verbosity::Sanitized)
}

/// Writes what failed further inside: here the path is known.
pub(crate) async fn dress(
    State(verbosity): State<Verbosity>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Failure>() {
        Some(failure) => failure.answer(&path, verbosity),
        None => response,
    }
}

/// A request that was not carried out.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    code: &'static str,
    text: String,
    retryable: bool,
    retry_after: Option<Duration>,
    properties: Vec<(&'static str, Value)>,
    /// The methods there are, if that is what is wrong.
    allowed: Option<&'static str>,
    /// For the log, and for clients if the server is told to say all.
    cause: Option<Box<str>>,
}

/// A failure in words.
pub(crate) struct Spoken {
    /// Whether the server is to blame.
    pub(crate) is_defect: bool,
    /// The code, and what people read.
    pub(crate) text: String,
    pub(crate) is_retryable: bool,
    /// What the engine and its members had to say until then.
    pub(crate) warnings: Vec<String>,
}

impl Failure {
    /// A failure with that code.
    pub(crate) fn new(status: StatusCode, code: &'static str, text: impl Into<String>) -> Self {
        Self {
            status,
            code,
            text: text.into(),
            retryable: false,
            retry_after: None,
            properties: Vec::new(),
            allowed: None,
            cause: None,
        }
    }

    /// The request is not of the expected form.
    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::BadRequest.as_str(), text)
    }

    /// A defect. The client learns nothing but that there is one.
    pub(crate) fn defect(cause: impl Into<String>) -> Self {
        let failure = Self::new(StatusCode::INTERNAL_SERVER_ERROR, SERVER_ERROR, "internal error");
        Self { cause: Some(cause.into().into()), ..failure }
    }

    /// There is no room for more of it now.
    pub(crate) fn overloaded(what: &str, after: Duration) -> Self {
        let text = format!("too many {what}; ask again");
        unavailable(EdgeCode::Overloaded, text).again(after)
    }

    fn again(self, after: Duration) -> Self {
        Self { retryable: true, retry_after: Some(after), ..self }
    }

    /// The same request may succeed later.
    pub(crate) fn retryable(self) -> Self {
        Self { retryable: true, ..self }
    }

    /// Says which methods there are.
    pub(crate) fn allowing(self, methods: &'static str) -> Self {
        Self { allowed: Some(methods), ..self }
    }

    /// Says where in the request it is.
    pub(crate) fn at(self, place: &str) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }

    /// The code, and what people read.
    pub(crate) fn told(self) -> (&'static str, String) {
        (self.code, self.text)
    }

    /// What somebody hears who does not speak HTTP.
    pub(crate) fn spoken(mut self, verbosity: Verbosity) -> Spoken {
        let text = self.detail(self.ticket().as_deref(), verbosity);
        let warnings = self.properties.iter_mut().find(|(name, _)| *name == "warnings");
        let warnings = warnings.and_then(|(_, it)| it.as_array_mut()).map(std::mem::take);
        let to_text = |it: Value| it.as_str().map(str::to_owned);
        Spoken {
            is_defect: self.status == StatusCode::INTERNAL_SERVER_ERROR,
            text,
            is_retryable: self.retryable,
            warnings: warnings.into_iter().flatten().filter_map(to_text).collect(),
        }
    }

    /// What names a failure of the server in its log.
    fn ticket(&self) -> Option<String> {
        let ticket = self.status.is_server_error().then(|| Uuid::new_v4().to_string())?;
        let (code, cause) = (self.code, self.cause.as_deref());
        // That somebody else is not there is no defect of the server's.
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(ticket, code, cause, "request could not be served");
        } else {
            tracing::error!(ticket, code, cause, "request failed");
        }
        Some(ticket)
    }

    /// The answer, with the path it is about.
    pub(crate) fn answer(self, path: &str, verbosity: Verbosity) -> Response {
        let ticket = self.ticket();
        let problem = EntityProblem {
            kind: "about:blank".into(),
            title: self.status.canonical_reason().unwrap_or_default().into(),
            status: self.status.as_u16(),
            detail: self.detail(ticket.as_deref(), verbosity),
            instance: path.to_owned(),
            ticket,
            properties: self.properties(),
        };
        let mut body = serde_json::to_vec(&problem).expect("a problem has a JSON form");
        body.push(b'\n');
        let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        let mut response = (self.status, [kind], body).into_response();
        if let Some(after) = self.retry_after {
            let seconds = HeaderValue::from(after.as_secs().max(1));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if let Some(methods) = self.allowed {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
        }
        response
    }

    fn detail(&self, ticket: Option<&str>, verbosity: Verbosity) -> String {
        match (self.status, verbosity, &self.cause) {
            (StatusCode::INTERNAL_SERVER_ERROR, Verbosity::Verbose, Some(cause)) => {
                cause.to_string()
            }
            (StatusCode::INTERNAL_SERVER_ERROR, Verbosity::Sanitized | Verbosity::Verbose, _) => {
                format!("{}: {} [ticket: {}]", self.code, self.text, ticket.unwrap_or_default())
            }
            _ => format!("{}: {}", self.code, self.text),
        }
    }

    fn properties(&self) -> Map<String, Value> {
        let own = self.properties.iter().map(|(name, it)| ((*name).to_owned(), it.clone()));
        let mut properties: Map<_, _> = own.collect();
        properties.insert("errorCode".into(), self.code.into());
        if self.retryable {
            properties.insert("retryable".into(), true.into());
        }
        properties
    }
}

impl IntoResponse for Failure {
    /// Without a body: [`dress`] writes it.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let retry_after = fault.retry_after();
        let failure = match fault {
            Fault::Refused(refusal) => refused(refusal),
            Fault::Failed(error) => failed(error),
        };
        Self { retry_after: retry_after.or(failure.retry_after), ..failure }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Fault::from(error).into()
    }
}

fn refused(refusal: Refusal) -> Failure {
    let Refusal { code, detail, properties, warnings } = refusal;
    let mut failure = Failure::new(status(code), code.as_str(), detail);
    failure.retryable = code.is_retryable();
    if failure.status == StatusCode::SERVICE_UNAVAILABLE {
        failure.retry_after = Some(RETRY_AFTER);
    }
    failure.properties = properties.into_iter().map(|(name, text)| (name, text.into())).collect();
    if !warnings.is_empty() {
        failure.properties.push(("warnings", warnings.into()));
    }
    failure
}

fn status(code: Code) -> StatusCode {
    match code {
        Code::BadRequest
        | Code::PolymorphicSlot
        | Code::InvalidChangeLevel
        | Code::ValidationFailed
        | Code::WorkflowFailed
        | Code::SearchResultLimit
        | Code::TransactionTooLarge => StatusCode::BAD_REQUEST,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::TransitionNotFound
        | Code::ModelNotFound
        | Code::EntityNotFound
        | Code::WorkflowNotFound
        | Code::SearchJobNotFound
        | Code::TransactionNotFound => StatusCode::NOT_FOUND,
        Code::ModelNotLocked
        | Code::ModelAlreadyLocked
        | Code::ModelAlreadyUnlocked
        | Code::ModelHasEntities
        | Code::Conflict => StatusCode::CONFLICT,
        Code::EntityModified => StatusCode::PRECONDITION_FAILED,
        Code::NoComputeMemberForTag
        | Code::ComputeMemberDisconnected
        | Code::DispatchForwardFailed => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn failed(error: Error) -> Failure {
    match error {
        Error::Rejected(rejection) => rejected(&rejection),
        Error::Duplicate { existing } => conflict(format!("{} is in the way", existing.id)),
        Error::Invalid { violations } => {
            let texts = violations.iter().map(|(place, problem)| format!("{place} {problem}"));
            let text = texts.collect::<Vec<_>>().join("; ");
            Failure::new(StatusCode::BAD_REQUEST, Code::ValidationFailed.as_str(), text)
        }
        Error::Overtaken => conflict("something else happened to it meanwhile").again(RETRY_AFTER),
        Error::Contended { attempts } => {
            conflict(format!("others were faster {attempts} times")).again(RETRY_AFTER)
        }
        Error::Overloaded { what } => Failure::overloaded(what, RETRY_AFTER),
        Error::Store(error) => stored(error),
        Error::Defect(cause) => Failure::defect(cause),
    }
}

fn rejected(rejection: &Rejection) -> Failure {
    let status = match rejection.code.class() {
        RejectionClass::Missing => StatusCode::NOT_FOUND,
        RejectionClass::Conflict => StatusCode::CONFLICT,
        RejectionClass::Invalid => StatusCode::BAD_REQUEST,
        RejectionClass::Exhausted => StatusCode::TOO_MANY_REQUESTS,
    };
    let failure = Failure::new(status, rejection.code.as_str(), rejection.detail.as_str());
    match status {
        StatusCode::TOO_MANY_REQUESTS => failure.again(RETRY_AFTER),
        _ => failure,
    }
}

fn conflict(text: impl Into<String>) -> Failure {
    Failure::new(StatusCode::CONFLICT, Code::Conflict.as_str(), text)
}

fn unavailable(code: EdgeCode, text: impl Into<String>) -> Failure {
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, code.as_str(), text).again(RETRY_AFTER)
}

/// What the store says may name machines and files: that is for the log.
fn stored(error: StoreError) -> Failure {
    let cause = Some(error.to_string().into());
    let failure = match error {
        StoreError::Conflict(_) => {
            conflict("another transaction was faster; ask again").again(RETRY_AFTER)
        }
        StoreError::Busy => {
            unavailable(EdgeCode::Overloaded, "the store has more to do than it can; ask again")
        }
        StoreError::Unavailable(_) => unavailable(
            EdgeCode::StoreUnavailable,
            "the store cannot be reached or cannot write; nothing has changed; ask again",
        ),
        StoreError::Unknown(_) => unavailable(
            EdgeCode::OutcomeUnknown,
            "the change may or may not have been made; look before asking again",
        ),
        StoreError::Corrupt(_) => Failure::defect(""),
    };
    Failure { cause, ..failure }
}

#[cfg(test)]
mod tests {
    use waypost_kernel::{Conflict, Key, Kind, RejectionCode};

    use super::*;

    async fn read(response: Response) -> (String, Value) {
        let status = response.status().as_u16();
        let after = response.headers().get(header::RETRY_AFTER).cloned();
        let after = after.map_or(String::new(), |it| format!(" after {}", it.to_str().unwrap()));
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let code = body["properties"]["errorCode"].as_str().unwrap();
        let again = if body["properties"]["retryable"] == true { " retryable" } else { "" };
        (format!("{status} {code}{again}{after}"), body)
    }

    async fn look(fault: impl Into<Fault>) -> String {
        read(Failure::from(fault.into()).answer("/api/x", Verbosity::Sanitized)).await.0
    }

    fn no(code: Code) -> Refusal {
        Refusal { code, detail: "no".into(), properties: Vec::new(), warnings: Vec::new() }
    }

    #[tokio::test]
    async fn every_code_has_its_status() {
        let mut seen = String::new();
        for code in Code::ALL {
            seen += &look(no(*code)).await;
            seen += "\n";
        }
        expect_test::expect![[r"
            400 BAD_REQUEST
            400 POLYMORPHIC_SLOT
            400 INVALID_CHANGE_LEVEL
            400 VALIDATION_FAILED
            400 WORKFLOW_FAILED
            404 TRANSITION_NOT_FOUND
            503 NO_COMPUTE_MEMBER_FOR_TAG retryable after 1
            503 COMPUTE_MEMBER_DISCONNECTED retryable after 1
            503 DISPATCH_FORWARD_FAILED retryable after 1
            404 MODEL_NOT_FOUND
            409 MODEL_NOT_LOCKED
            409 MODEL_ALREADY_LOCKED
            409 MODEL_ALREADY_UNLOCKED
            409 MODEL_HAS_ENTITIES
            404 ENTITY_NOT_FOUND
            412 ENTITY_MODIFIED
            404 WORKFLOW_NOT_FOUND
            404 SEARCH_JOB_NOT_FOUND
            400 SEARCH_RESULT_LIMIT
            409 CONFLICT retryable
            404 TRANSACTION_NOT_FOUND
            403 FORBIDDEN
            400 TRANSACTION_TOO_LARGE
        "]]
        .assert_eq(&seen);
    }

    #[tokio::test]
    async fn every_failure_of_the_engine_has_its_status() {
        let key = Key::new("t".into(), Kind::Entity, "e-1".into());
        let rejected = |code| Error::Rejected(Rejection::new(code, "no"));
        for (error, expected) in [
            (rejected(RejectionCode::InstanceNotFound), "404 INSTANCE_NOT_FOUND"),
            (rejected(RejectionCode::LeaseLost), "409 LEASE_LOST"),
            (rejected(RejectionCode::FieldInvalid), "400 FIELD_INVALID"),
            (rejected(RejectionCode::SignalBufferFull), "429 SIGNAL_BUFFER_FULL retryable after 1"),
            (Error::Duplicate { existing: key.clone() }, "409 CONFLICT"),
            (Error::Invalid { violations: Vec::new() }, "400 VALIDATION_FAILED"),
            (Error::Overtaken, "409 CONFLICT retryable after 1"),
            (Error::Contended { attempts: 3 }, "409 CONFLICT retryable after 1"),
            (Error::Overloaded { what: "x" }, "503 OVERLOADED retryable after 1"),
            (Error::Defect("x".into()), "500 SERVER_ERROR"),
            (
                Error::Store(StoreError::Conflict(Conflict::Version(key))),
                "409 CONFLICT retryable after 1",
            ),
            (Error::Store(StoreError::Busy), "503 OVERLOADED retryable after 1"),
            (
                Error::Store(StoreError::Unavailable("x".into())),
                "503 STORE_UNAVAILABLE retryable after 2",
            ),
            (
                Error::Store(StoreError::Unknown("x".into())),
                "503 OUTCOME_UNKNOWN retryable after 2",
            ),
            (Error::Store(StoreError::Corrupt("x".into())), "500 SERVER_ERROR"),
        ] {
            assert_eq!(look(error).await, expected);
        }
    }

    #[tokio::test]
    async fn a_problem_has_exactly_these_members() {
        let refusal =
            Refusal { properties: vec![("entityId", "e-1".into())], ..no(Code::EntityNotFound) };
        let failure = Failure::from(Fault::from(refusal));
        let (_, body) = read(failure.answer("/api/entity/e-1", Verbosity::Sanitized)).await;
        let expected = serde_json::json!({
            "type": "about:blank", "title": "Not Found", "status": 404,
            "detail": "ENTITY_NOT_FOUND: no", "instance": "/api/entity/e-1",
            "properties": { "entityId": "e-1", "errorCode": "ENTITY_NOT_FOUND" },
        });
        assert_eq!(body, expected);
    }

    #[tokio::test]
    async fn a_defect_is_told_by_its_ticket_or_by_its_cause() {
        let failure = Failure::defect("secret");
        let (_, body) = read(failure.clone().answer("/x", Verbosity::Sanitized)).await;
        let ticket = body["ticket"].as_str().unwrap();
        let expected = format!("SERVER_ERROR: internal error [ticket: {ticket}]");
        assert_eq!(body["detail"], expected.as_str());
        let (_, body) = read(failure.answer("/x", Verbosity::Verbose)).await;
        assert_eq!(body["detail"], "secret");
        assert!(body["ticket"].is_string());
    }

    #[tokio::test]
    async fn what_the_store_says_stays_inside() {
        let failure = Failure::from(StoreError::Unavailable("secret".into()));
        let (_, body) = read(failure.answer("/x", Verbosity::Sanitized)).await;
        assert!(!body.to_string().contains("secret"), "{body}");
        assert!(body["ticket"].is_string());
    }

    #[test]
    fn every_code_has_a_page() {
        for code in ALL {
            assert!(crate::errors::page(code).is_some(), "docs/errors/{code}.md is missing");
        }
    }
}
