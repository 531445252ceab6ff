//! Parts that requests have in common: read, or the request is malformed.

use tonic::Status;
use uuid::Uuid;
use waypost_api::{
    Document,
    entity::{ModelKey, operation::DataFormat},
};
use waypost_documents::{document::Value, predicate::Predicate};
use waypost_kernel::{DefinitionRef, InstanceId, Timestamp};

use super::envelope::No;
use crate::http::entity::{document as parse, problem::Failure, time};

/// A model.
pub(super) fn model(key: ModelKey) -> DefinitionRef {
    let ModelKey { name, version } = key;
    DefinitionRef { name, version }
}

/// An entity or a search.
pub(super) fn id(name: &str, text: &str) -> Result<InstanceId, Status> {
    let id = Uuid::parse_str(text)
        .map_err(|_| Status::invalid_argument(format!("{name} must be a UUID")))?;
    Ok(id.to_string().into())
}

/// An instant, if one is named.
pub(super) fn instant(text: Option<&str>) -> Result<Option<Timestamp>, Status> {
    let wrong = || Status::invalid_argument("pointInTime must be an RFC 3339 time or a date");
    text.filter(|it| !it.is_empty()).map(|it| time(it).ok_or_else(wrong)).transpose()
}

/// What is searched for.
pub(super) fn condition(condition: &Document) -> Result<Predicate, Status> {
    let malformed = |text: String| Status::invalid_argument(format!("condition: {text}"));
    let value = Value::parse(condition.as_str()).map_err(|it| malformed(it.to_string()))?;
    waypost_engine::entity::condition(&value).map_err(|it| malformed(it.detail))
}

/// A document. One that is XML is the text of a JSON string.
pub(super) fn document(document: &Document, format: DataFormat) -> Result<Value, No> {
    match format {
        DataFormat::Json => Ok(parse(document.as_str(), "JSON")?),
        DataFormat::Xml => {
            let text: String = document
                .read()
                .map_err(|_| Failure::bad_request("a document that is XML is sent as a text"))?;
            Ok(parse(&text, "XML")?)
        }
    }
}
