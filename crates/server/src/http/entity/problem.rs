//! How failures look to clients of entities: problem+json, with the code among the properties.

mod mapping;

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
use waypost_engine::entity::Code;

use self::mapping::unavailable;

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
    /// Whether pages of every site may read it.
    is_open: bool,
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
            is_open: false,
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

    /// Lets pages of every site read it.
    pub(crate) fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    /// Says where in the request it is.
    pub(crate) fn at(self, place: &str) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }

    /// What it is over HTTP.
    pub(crate) const fn status(&self) -> u16 {
        self.status.as_u16()
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
        if self.is_open {
            let everybody = HeaderValue::from_static("*");
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
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

#[cfg(test)]
mod tests;
