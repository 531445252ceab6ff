//! Edge messages: kept as they came, until somebody fetches or erases them.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use serde::{Deserialize, Serialize};
use waypost_api::{
    Document,
    entity::http::{
        Erased, ErasedAll, Letter, LetterHeader, LetterMeta, LetterValues, Transaction,
    },
    problem::EdgeCode,
};
use waypost_documents::document::Value;
use waypost_engine::entity::Code;
use waypost_kernel::Json;

use super::{
    answer::json,
    asker::Asker,
    body::{BODY_MAX, Text, json as document, weight},
    door::dressed,
    params::{InPath, bad, id},
    problem::Failure,
};
use crate::http::{app::App, body::read_within, problem::Refusal};

/// Characters of a subject.
const SUBJECT_MAX: usize = 256;

/// How a body is written unless the sender says otherwise.
const ENCODING: &str = "UTF-8";

/// A message as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    header: LetterHeader,
    meta: BTreeMap<String, Document>,
    content: String,
}

/// Keeps a message.
#[utoipa::path(
    post, path = "/api/message/new/{subject}", tag = "Edge messages",
    params(
        ("subject" = String, Path, description = "Letters, digits, `.`, `_` and `-`"),
        ("X-Message-ID" = Option<String>, Header, description = "The sender's name for it"),
        ("X-User-ID" = Option<String>, Header, description = "Whose it is"),
        ("X-Recipient" = Option<String>, Header, description = "Whom it is for"),
        ("X-Reply-To" = Option<String>, Header, description = "Who is to be answered"),
        ("X-Correlation-ID" = Option<String>, Header, description = "What it belongs to"),
    ),
    request_body(content = Object, description = "`payload`, and `metaData` if there is some"),
    responses(
        (status = 200, description = "It is kept", body = [Transaction]),
        (status = 413, description = "It has more than 10 MiB"),
    ),
)]
pub(in crate::http) async fn keep(
    State(app): State<Arc<App>>,
    Asker(entities): Asker,
    path: InPath,
    request: Request,
) -> Result<Response, Failure> {
    let header = header(path.text("subject"), request.headers())?;
    let told = |it: Refusal| dressed(&it.problem, it.cause);
    let _room = app.admission.carry(weight(request.headers())).map_err(told)?;
    let text = receive(&app, request).await?;
    let letter = letter(header, &text)?;
    let kept = entities.keep_letter(Json::of(&letter)).await?;
    let entity_ids = vec![kept.id.as_str().to_owned()];
    json(&[Transaction { transaction_id: kept.transaction, entity_ids }])
}

fn header(subject: &str, headers: &HeaderMap) -> Result<LetterHeader, Failure> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    if subject.is_empty() || subject.len() > SUBJECT_MAX || !subject.chars().all(is_plain) {
        return Err(bad("subject", "must be letters, digits, dots, dashes, underscores", subject));
    }
    let given = |name: &str| {
        let text = headers.get(name).and_then(|it| it.to_str().ok());
        text.filter(|it| !it.is_empty()).map(str::to_owned)
    };
    let missing = |name: &str| Failure::bad_request(format!("the header {name} is required"));
    let content_type = given("content-type").ok_or_else(|| missing("Content-Type"))?;
    given("content-length").ok_or_else(|| missing("Content-Length"))?;
    Ok(LetterHeader {
        subject: subject.to_owned(),
        content_type,
        content_length: 0,
        content_encoding: given("content-encoding").unwrap_or_else(|| ENCODING.to_owned()),
        message_id: given("x-message-id"),
        user_id: given("x-user-id"),
        recipient: given("x-recipient"),
        reply_to: given("x-reply-to"),
        correlation_id: given("x-correlation-id"),
    })
}

/// What the encoding of a message is called is for its readers; the body comes as it is.
async fn receive(app: &App, mut request: Request) -> Result<String, Failure> {
    request.headers_mut().remove(header::CONTENT_ENCODING);
    let body = read_within(request, app, BODY_MAX).await.map_err(|refusal| {
        if refusal.problem.code == EdgeCode::BodyTooLarge.as_str() {
            let (status, code) = (StatusCode::PAYLOAD_TOO_LARGE, Code::BadRequest.as_str());
            return Failure::new(status, code, refusal.problem.detail.as_str());
        }
        dressed(&refusal.problem, refusal.cause.clone())
    })?;
    String::from_utf8(body.into()).map_err(|_| Failure::bad_request("the body is not UTF-8"))
}

fn letter(header: LetterHeader, text: &str) -> Result<Kept, Failure> {
    let Value::Object(mut members) = document(text)? else {
        return Err(Failure::bad_request("the body must be an object"));
    };
    let missing = || Failure::bad_request("payload is required");
    let content = members.swap_remove("payload").ok_or_else(missing)?.to_string();
    let meta = match members.swap_remove("metaData").or_else(|| members.swap_remove("meta-data")) {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(Value::Object(members)) => members.iter().map(named).collect::<Result<_, _>>()?,
        Some(Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_)) => {
            return Err(Failure::bad_request("metaData must be an object"));
        }
    };
    let content_length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    Ok(Kept { header: LetterHeader { content_length, ..header }, meta, content })
}

fn named((name, value): (&String, &Value)) -> Result<(String, Document), Failure> {
    let value = Document::parse(&value.to_string());
    Ok((name.clone(), value.map_err(|it| Failure::defect(it.to_string()))?))
}

/// A message.
#[utoipa::path(
    get, path = "/api/message/{messageId}", tag = "Edge messages",
    params(("messageId" = String, Path, description = "The message's id")),
    responses(
        (status = 200, description = "The message", body = Letter),
        (status = 404, description = "No such message: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn show(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let kept = entities.letter(&path.id("messageId")?).await?;
    let Kept { header, meta, content } =
        kept.read().map_err(|error| Failure::defect(format!("a message: {error}")))?;
    let values = meta.into_iter().filter(|(name, _)| name != "typeReferences").collect();
    let indexed_values = LetterValues { values, ..LetterValues::default() };
    let meta_data = LetterMeta { indexed_values, ..LetterMeta::default() };
    json(&Letter { header, meta_data, content })
}

/// Erases a message.
#[utoipa::path(
    delete, path = "/api/message/{messageId}", tag = "Edge messages",
    params(("messageId" = String, Path, description = "The message's id")),
    responses(
        (status = 200, description = "It is gone", body = Erased),
        (status = 404, description = "No such message: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn erase(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let id = path.id("messageId")?;
    entities.erase_letter(&id).await?;
    json(&Erased { entity_ids: vec![id.as_str().to_owned()] })
}

/// Erases messages. Those that are not there are passed over.
#[utoipa::path(
    delete, path = "/api/message", tag = "Edge messages",
    request_body(content = Vec<String>, description = "Their ids"),
    responses((status = 200, description = "Which are gone", body = [ErasedAll])),
)]
pub(in crate::http) async fn erase_all(
    Asker(entities): Asker,
    text: Text,
) -> Result<Response, Failure> {
    let given: Vec<String> = text.parse()?;
    let ids = given.iter().map(|it| id("the id of a message", it).map(Into::into));
    let ids: Vec<_> = ids.collect::<Result<_, _>>()?;
    let erased = entities.erase_letters(&ids).await?;
    let entity_ids = erased.iter().map(|it| it.as_str().to_owned()).collect();
    json(&[ErasedAll { entity_ids, success: true }])
}
