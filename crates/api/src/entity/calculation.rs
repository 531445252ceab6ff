//! What compute members are asked, and what they answer.

use serde::{Deserialize, Serialize};

use super::Timestamp;
use crate::{Document, object};

/// A processor is to work on an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessorRequest {
    /// The request's id.
    pub id: String,
    /// The request's id, for the answer.
    pub request_id: String,
    /// The entity's id.
    pub entity_id: String,
    /// The processor's name.
    pub processor_id: String,
    /// The processor's name.
    pub processor_name: String,
    /// The workflow that runs.
    pub workflow: Named,
    /// The transition the processor belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transition: Option<Transition>,
    /// The transaction in which it is asked.
    pub transaction_id: String,
    /// Always.
    pub success: bool,
    /// What the definition says to pass on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The entity, if it is to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

/// A function is to decide about an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CriteriaRequest {
    /// The request's id.
    pub id: String,
    /// The request's id, for the answer.
    pub request_id: String,
    /// The entity's id.
    pub entity_id: String,
    /// The function's name.
    pub criteria_id: String,
    /// The function's name.
    pub criteria_name: String,
    /// What is decided about.
    pub target: Target,
    /// The workflow that runs, or is in question.
    pub workflow: Named,
    /// The transition in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transition: Option<Transition>,
    /// The transaction in which it is asked.
    pub transaction_id: String,
    /// Always.
    pub success: bool,
    /// What the definition says to pass on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The entity, if it is to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

/// Something whose id is its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name.
    pub id: String,
    /// The name.
    pub name: String,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transition {
    /// The name.
    pub id: String,
    /// The name.
    pub name: String,
    /// The state it leaves.
    pub state_from: String,
    /// The state it leads to.
    pub state_to: String,
}

/// What a function decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Target {
    /// Which workflow is taken.
    Workflow,
    /// Whether a transition may be taken.
    Transition,
}

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Payload {
    /// `JSON`.
    #[serde(rename = "type")]
    pub format: &'static str,
    /// Its value as it stands.
    pub data: Document,
    /// What is known about it.
    pub meta: Meta,
}

/// What is known about an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Its id.
    pub id: String,
    /// Its model.
    pub model_key: ModelKey,
    /// Where it is, or comes from.
    pub state: String,
    /// When it was created.
    pub creation_date: Timestamp,
    /// When it was saved last.
    pub last_update_time: Timestamp,
    /// The transaction it is changed in.
    pub transaction_id: String,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelKey {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: i32,
}

/// What every answer has: it can be matched even if the rest makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Addressed {
    /// The request that is answered.
    pub request_id: String,
}

/// A processor is done, or has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProcessorResponse {
    /// Whether it went well; it did if absent.
    pub success: Option<bool>,
    /// What becomes of the entity; nothing if absent.
    #[serde(deserialize_with = "object::optional")]
    pub payload: Option<Returned>,
    /// Why not, if it did not go well.
    #[serde(deserialize_with = "object::optional")]
    pub error: Option<Failure>,
    /// What the caller should know besides.
    pub warnings: Option<Vec<String>>,
}

/// An entity that comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Returned {
    /// Its complete new value.
    pub data: Option<Document>,
}

/// A function has decided, or has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CriteriaResponse {
    /// Whether it went well; it did if absent.
    pub success: Option<bool>,
    /// What it has decided; no if absent.
    pub matches: Option<bool>,
    /// Why it does not match.
    pub reason: Option<String>,
    /// Why not, if it did not go well.
    #[serde(deserialize_with = "object::optional")]
    pub error: Option<Failure>,
    /// What the caller should know besides.
    pub warnings: Option<Vec<String>>,
}

/// Why something did not go well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// In words.
    pub message: Option<String>,
    /// Whether it may go well another time.
    pub retryable: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_returned_value_keeps_its_spelling_and_its_order() {
        let text = r#"{"requestId":"r","payload":{"data":{"z":1.10,"a":12345678901234567890123}}}"#;
        let response: ProcessorResponse = serde_json::from_str(text).unwrap();
        let value = response.payload.unwrap().data.unwrap();
        assert_eq!(value.as_str(), r#"{"z":1.10,"a":12345678901234567890123}"#);
    }

    #[test]
    fn what_is_null_or_absent_is_nothing() {
        for text in [
            r#"{}"#,
            r#"{"success":null,"payload":null,"error":null,"warnings":null}"#,
            r#"{"later":{"releases":["may","add"]}}"#,
        ] {
            let response: ProcessorResponse = serde_json::from_str(text).unwrap();
            assert_eq!(response, ProcessorResponse::default(), "{text}");
        }
        for text in [r#"{"payload":{}}"#, r#"{"payload":{"type":"JSON","data":null}}"#] {
            let response: ProcessorResponse = serde_json::from_str(text).unwrap();
            assert_eq!(response.payload, Some(Returned::default()), "{text}");
        }
    }

    #[test]
    fn arrays_are_not_taken_for_objects() {
        for text in [r#"{"payload":[{"a":1}]}"#, r#"{"error":["because"]}"#] {
            assert!(serde_json::from_str::<ProcessorResponse>(text).is_err(), "{text}");
        }
    }
}
