//! Bodies: read within limits, parsed, and refused with the place of the mistake.

use std::sync::Arc;

use async_compression::tokio::bufread::GzipDecoder;
use axum::{
    body::Body,
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio::{io::AsyncReadExt as _, time::timeout};
use waypost_api::problem::EdgeCode;

use super::{app::App, problem::Refusal, structure};

/// A body that must be there.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        check_media_type(request.headers())?;
        parse(&read(request, app).await?).map(Self)
    }
}

/// A body that must be there, with the text it was read from.
pub(super) struct JsonText<T>(pub(super) T, pub(super) String);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonText<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        check_media_type(request.headers())?;
        let text = read(request, app).await?;
        Ok(Self(parse(&text)?, String::from_utf8_lossy(&text).into_owned()))
    }
}

/// A body that may be left out.
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default> FromRequest<Arc<App>> for OptionalBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        let media_type = check_media_type(request.headers());
        let text = read(request, app).await?;
        if text.is_empty() {
            return Ok(Self(T::default()));
        }
        media_type?;
        parse(&text).map(Self)
    }
}

/// Only JSON is read. A page of another site cannot send that without asking first.
fn check_media_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
    {
        return Ok(());
    }
    let detail = match given {
        "" => "the body needs a Content-Type; use application/json".to_owned(),
        given => format!("cannot read {given:?}; use application/json"),
    };
    Err(Refusal::new(EdgeCode::UnsupportedMediaType, detail))
}

pub(super) async fn read(request: Request, app: &App) -> Result<Bytes, Refusal> {
    read_within(request, app, app.limits.body_max).await
}

/// Reads a body that has `most` bytes at the most.
pub(crate) async fn read_within(
    request: Request,
    app: &App,
    most: usize,
) -> Result<Bytes, Refusal> {
    let (parts, body) = request.into_parts();
    let is_gzip = is_gzip(&parts.headers)?;
    let length = parts.headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    if length.and_then(|it| it.parse::<u64>().ok()).is_some_and(|it| it > most as u64) {
        return Err(too_large(most));
    }
    let received = match timeout(app.limits.body_timeout, receive(body, most)).await {
        Ok(received) => received?,
        Err(_) => {
            let detail = format!("the body did not come within {:?}", app.limits.body_timeout);
            return Err(Refusal::new(EdgeCode::BodyTooSlow, detail));
        }
    };
    match is_gzip {
        true => unpack(&received, most).await,
        false => Ok(received),
    }
}

async fn receive(body: Body, most: usize) -> Result<Bytes, Refusal> {
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(most)),
        Err(_) => Err(Refusal::new(EdgeCode::BodyInvalid, "the body broke off")),
    }
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, Refusal> {
    let Some(coding) = headers.get(header::CONTENT_ENCODING) else { return Ok(false) };
    match coding.to_str().unwrap_or("").trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Ok(true),
        "" | "identity" => Ok(false),
        _ => {
            let detail = format!("cannot read Content-Encoding {coding:?}; use gzip or none");
            Err(Refusal::new(EdgeCode::UnsupportedMediaType, detail))
        }
    }
}

/// Stops one byte after the limit: a small body can stand for a very large one.
async fn unpack(packed: &[u8], most: usize) -> Result<Bytes, Refusal> {
    let mut unpacked = Vec::new();
    let mut reader = GzipDecoder::new(packed).take(most as u64 + 1);
    match reader.read_to_end(&mut unpacked).await {
        Ok(length) if length > most => Err(too_large(most)),
        Ok(_) => Ok(unpacked.into()),
        Err(error) => {
            Err(Refusal::new(EdgeCode::BodyInvalid, format!("the body is not gzip: {error}")))
        }
    }
}

fn too_large(most: usize) -> Refusal {
    let detail = format!("the body must have at most {most} bytes, after decompression");
    Refusal::new(EdgeCode::BodyTooLarge, detail)
}

/// Parses first, then checks the shape: only a text that is JSON has one.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let place = format!("byte {}", error.valid_up_to());
        Refusal::at(EdgeCode::BodyInvalid, place, "is not UTF-8")
    })?;
    // An array would be taken for the members in their order; nobody means that.
    if text.trim_ascii_start().starts_with('[') {
        return Err(Refusal::at(EdgeCode::BodyInvalid, "body", "must be an object, is an array"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| misfit(&error.path().to_string(), error.inner()))?;
    deserializer.end().map_err(|error| misfit("", &error))?;
    structure::check(text)?;
    Ok(parsed)
}

pub(super) fn misfit(path: &str, error: &serde_json::Error) -> Refusal {
    let at = format!("line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let problem = text.strip_suffix(&format!(" at {at}")).unwrap_or(&text);
    // What our types are called is of no use to a client.
    let problem = match problem.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected an object"),
        None => problem.to_owned(),
    };
    let place = match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => at.as_str(),
        Category::Data if path.is_empty() || path == "." => "body",
        Category::Data => path,
    };
    Refusal::at(EdgeCode::BodyInvalid, place, problem)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use waypost_api::chain::{Definition, ReportRequest, StartInstance};

    use super::*;

    /// Shows each body with what becomes of it.
    fn check<T: DeserializeOwned>(bodies: &[&str], expected: &Expect) {
        let mut seen = String::new();
        for body in bodies {
            let verdict = match parse::<T>(body.as_bytes()) {
                Ok(_) => "ok".to_owned(),
                Err(refusal) => refusal.problem.detail.clone(),
            };
            seen += &format!("{body}\n    {verdict}\n");
        }
        expected.assert_eq(&seen);
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        check::<Definition>(
            &[
                "",
                "{",
                "[]",
                "null",
                r#"["a",1,[]]"#,
                r#"{"workflowType":"a"}"#,
                r#"{"workflowType":1}"#,
                r#"{"workflowType":"a","workflowVersion":2147483648}"#,
                r#"{"workflowType":"a","workflowVersion":1,"steps":[]} x"#,
                "{\"workflowVersion\":1,\n\"steps\":[{\"stepType\":}]}",
                r#"{"steps":[{"stepType":"A"},{"stepType":"B","maxAttempts":"3"}]}"#,
                r#"{"workflowType":"a","color":"red"}"#,
                r#"{"workflowType":"a","workflowType":"b"}"#,
            ],
            &expect![[r#"

                    line 1 column 0: EOF while parsing a value
                {
                    line 1 column 1: EOF while parsing an object
                []
                    body: must be an object, is an array
                null
                    body: invalid type: null, expected an object
                ["a",1,[]]
                    body: must be an object, is an array
                {"workflowType":"a"}
                    body: missing field `workflowVersion`
                {"workflowType":1}
                    workflowType: invalid type: integer `1`, expected a string
                {"workflowType":"a","workflowVersion":2147483648}
                    workflowVersion: invalid value: integer `2147483648`, expected i32
                {"workflowType":"a","workflowVersion":1,"steps":[]} x
                    line 1 column 53: trailing characters
                {"workflowVersion":1,
                "steps":[{"stepType":}]}
                    line 2 column 22: expected value
                {"steps":[{"stepType":"A"},{"stepType":"B","maxAttempts":"3"}]}
                    steps[1].maxAttempts: invalid type: string "3", expected u32
                {"workflowType":"a","color":"red"}
                    color: unknown field `color`, expected one of `workflowType`, `workflowVersion`, `steps`
                {"workflowType":"a","workflowType":"b"}
                    body: duplicate field `workflowType`
            "#]],
        );
    }

    #[test]
    fn a_result_is_read_by_its_kind() {
        let report = |result: &str| format!(r#"{{"workerId":"w","result":{result}}}"#);
        let reports = [
            r#"{"kind":"COMPLETED"}"#,
            r#"{"kind":"WAITING","waitingEventType":"PAID","timeoutMs":5}"#,
            r#"{"kind":"RETRY","error":"no","backoffMs":null}"#,
            r#"{"kind":"WAITING"}"#,
            r#"{"kind":"DEAD"}"#,
            r#"{"kind":"DONE"}"#,
            r#"{"kind":"COMPLETED","timeoutMs":5}"#,
            r#"{"kind":"WAITING","waitingEventType":"PAID","timeoutMs":-5}"#,
            r#"{"kind":"RETRY","error":"no","backof":1}"#,
            "{}",
        ]
        .map(report);
        check::<ReportRequest>(
            &reports.each_ref().map(String::as_str),
            &expect![[r#"
            {"workerId":"w","result":{"kind":"COMPLETED"}}
                ok
            {"workerId":"w","result":{"kind":"WAITING","waitingEventType":"PAID","timeoutMs":5}}
                ok
            {"workerId":"w","result":{"kind":"RETRY","error":"no","backoffMs":null}}
                ok
            {"workerId":"w","result":{"kind":"WAITING"}}
                result: missing field `waitingEventType`
            {"workerId":"w","result":{"kind":"DEAD"}}
                result: missing field `error`
            {"workerId":"w","result":{"kind":"DONE"}}
                result.kind: unknown variant `DONE`, expected one of `COMPLETED`, `WAITING`, `RETRY`, `DEAD`
            {"workerId":"w","result":{"kind":"COMPLETED","timeoutMs":5}}
                result: a result of this kind has no member `timeoutMs`
            {"workerId":"w","result":{"kind":"WAITING","waitingEventType":"PAID","timeoutMs":-5}}
                result.timeoutMs: invalid value: integer `-5`, expected u64
            {"workerId":"w","result":{"kind":"RETRY","error":"no","backof":1}}
                result.backof: unknown field `backof`, expected one of `kind`, `waitingEventType`, `timeoutMs`, `discardBuffered`, `backoffMs`, `error`
            {"workerId":"w","result":{}}
                result: missing field `kind`
        "#]],
        );
    }

    #[test]
    fn documents_inside_keep_their_text_and_their_limits() {
        let text = r#"{"workflowType":"a","context":{ "b" : 1.10, "a":1e400 }}"#;
        let start: StartInstance = parse(text.as_bytes()).unwrap();
        assert_eq!(start.context.unwrap().as_str(), r#"{ "b" : 1.10, "a":1e400 }"#);
        let twice = r#"{"workflowType":"a","context":{"x":{"y":1,"y":2}}}"#;
        let refusal = parse::<StartInstance>(twice.as_bytes()).err().unwrap();
        assert_eq!(refusal.problem.detail, "context.x.y: is there twice in one object");
        let deep = "[".repeat(70) + &"]".repeat(70);
        let deep = format!(r#"{{"workflowType":"a","context":{{"x":{deep}}}}}"#);
        let refusal = parse::<StartInstance>(deep.as_bytes()).err().unwrap();
        assert_eq!(refusal.problem.code, "JSON_TOO_DEEP");
        let broken = b"{\"workflowType\":\"\xff\"}";
        let refusal = parse::<StartInstance>(broken).err().unwrap();
        assert_eq!(refusal.problem.detail, "byte 17: is not UTF-8");
    }
}
