//! Bodies: whatever they are called, the path says what they are.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use waypost_documents::document::{DocumentError, Value};
use waypost_machines::entity::model::parse_xml;

use super::{door::dressed, problem::Failure};
use crate::http::{app::App, body::read_within, problem::Refusal};

/// Bytes of a body, which clients rely on.
pub(crate) const BODY_MAX: usize = 10 << 20;

/// A body, and the room it takes.
pub(in crate::http) struct Text {
    bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

impl FromRequest<Arc<App>> for Text {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let told = |it: Refusal| dressed(&it.problem, it.cause);
        let room = app.admission.carry(weight(request.headers())).map_err(told)?;
        let read = read_within(request, app, BODY_MAX).await.map_err(told)?;
        Ok(Self { bytes: read, _room: room })
    }
}

/// How large a body may turn out to be.
pub(super) fn weight(headers: &HeaderMap) -> usize {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    let is_packed = headers.contains_key(header::CONTENT_ENCODING);
    let may_come = headers.contains_key(header::TRANSFER_ENCODING) || is_packed;
    match length {
        Some(length) if !is_packed => BODY_MAX.min(length),
        Some(_) => BODY_MAX,
        None if may_come => BODY_MAX,
        None => 0,
    }
}

impl Text {
    /// As it came.
    pub(super) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// The text.
    pub(super) fn as_str(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            Failure::bad_request(format!("byte {} of the body is not UTF-8", error.valid_up_to()))
        })
    }

    /// The body as a document of that format.
    pub(super) fn document(&self, format: &str) -> Result<Value, Failure> {
        document(self.as_str()?, format)
    }

    /// The sample that the body begins with: of several JSON documents clients mean the first.
    pub(super) fn sample(&self, format: &str) -> Result<Value, Failure> {
        match format {
            "JSON" => Value::parse_first(self.as_str()?).map_err(not_json),
            other => self.document(other),
        }
    }

    /// The body as a `T`.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_str(self.as_str()?)
            .map_err(|error| Failure::bad_request(format!("the body does not fit: {error}")))
    }
}

/// A document of that format.
pub(crate) fn document(text: &str, format: &str) -> Result<Value, Failure> {
    match format {
        "JSON" => json(text),
        "XML" => parse_xml(text)
            .map_err(|error| Failure::bad_request(format!("the body is not XML: {error}"))),
        other => Err(unsupported(other, "JSON or XML")),
    }
}

/// A JSON document.
pub(super) fn json(text: &str) -> Result<Value, Failure> {
    Value::parse(text).map_err(not_json)
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn not_json(error: DocumentError) -> Failure {
    Failure::bad_request(format!("the document is not JSON: {error}"))
}

pub(super) fn unsupported(format: &str, known: &str) -> Failure {
    let shown: String = format.chars().take(100).collect();
    Failure::bad_request(format!("unsupported format {shown:?}; use {known}"))
}
