//! The envelope of events: payloads are JSON in its text.

use serde::{Serialize, de::DeserializeOwned};
use tonic::Status;
use uuid::Uuid;
use waypost_api::{
    entity::event::{SOURCE, SPEC_VERSION},
    grpc::cloudevents::{CloudEvent, cloud_event::Data},
};

/// An event of the server's.
pub(crate) fn event(kind: &str, payload: &impl Serialize) -> Result<CloudEvent, Status> {
    let text = serde_json::to_string(payload)
        .map_err(|error| Status::internal(format!("an event has no JSON form: {error}")))?;
    Ok(CloudEvent {
        id: Uuid::new_v4().to_string(),
        source: SOURCE.to_owned(),
        spec_version: SPEC_VERSION.to_owned(),
        r#type: kind.to_owned(),
        attributes: Default::default(),
        data: Some(Data::TextData(text)),
    })
}

/// The payload of an event, if it is text; or what is wrong with it.
pub(crate) fn text(event: CloudEvent) -> Result<String, String> {
    match event.data {
        Some(Data::TextData(text)) => Ok(text),
        Some(Data::BinaryData(bytes)) => {
            String::from_utf8(bytes).map_err(|_| "the payload is not UTF-8".to_owned())
        }
        Some(Data::ProtoData(_)) => Err("the payload is not JSON".to_owned()),
        None => Err("there is no payload".to_owned()),
    }
}

/// Reads a payload, which is an object; or says what is wrong with it.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // Left to itself, the reader also takes an array, as members in their order.
    if !text.trim_start().starts_with('{') {
        return Err("the payload is not a JSON object".to_owned());
    }
    serde_json::from_str(text).map_err(|error| format!("the payload is malformed: {error}"))
}
