//! Bodies of processes: JSON whatever the client calls it, unless it says XML.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use waypost_api::problem::EdgeCode;

use crate::http::{
    app::App,
    body::{misfit, read},
    problem::Refusal,
    structure::DEPTH_MAX,
};

/// Where clients have always been told that XML is not read.
const DEFINITIONS: &str = "/v1/definitions";

/// The text of a body, known to be no deeper than is read.
pub(in crate::http) struct Text(Bytes);

impl Text {
    /// The text, which may be empty.
    pub(super) fn as_str(&self) -> Result<&str, Refusal> {
        std::str::from_utf8(&self.0).map_err(|error| {
            let place = format!("byte {}", error.valid_up_to());
            Refusal::at(EdgeCode::BodyInvalid, place, "is not UTF-8")
        })
    }

    /// The body as a `T`, if there is one.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<Option<T>, Refusal> {
        let text = self.as_str()?;
        if text.is_empty() {
            return Ok(None);
        }
        // An array would be taken for the members in their order; nobody means that.
        if text.trim_ascii_start().starts_with('[') {
            let problem = "must be an object, is an array";
            return Err(Refusal::at(EdgeCode::BodyInvalid, "body", problem));
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let parsed = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| misfit(&error.path().to_string(), error.inner()))?;
        deserializer.end().map_err(|error| misfit("", &error))?;
        Ok(parsed)
    }

    /// The body as a `T`; one must be there.
    pub(in crate::http) fn expect<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        let missing = || Refusal::at(EdgeCode::BodyInvalid, "body", "is required");
        self.parse()?.ok_or_else(missing)
    }
}

impl FromRequest<Arc<App>> for Text {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        if request.uri().path().starts_with(DEFINITIONS) {
            refuse_xml(request.headers())?;
        }
        let body = read(request, app).await?;
        match depth(&body) {
            0..=DEPTH_MAX => Ok(Self(body)),
            _ => {
                let problem = format!("is nested deeper than {DEPTH_MAX} levels");
                Err(Refusal::at(EdgeCode::JsonTooDeep, "body", problem))
            }
        }
    }
}

fn refuse_xml(headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    let given = given.to_ascii_lowercase();
    if given.contains("application/xml") || given.contains("text/xml") {
        let detail = "definitions are written in JSON; XML is not read";
        return Err(Refusal::new(EdgeCode::UnsupportedMediaType, detail));
    }
    Ok(())
}

/// How many objects and arrays lie in one another.
fn depth(body: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
