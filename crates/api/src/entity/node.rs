//! The stream of a compute member as the member sees it: questions it reads and answers it writes.

use serde::{Deserialize, Serialize};

use super::ModelKey;
use crate::{Document, object};

/// A question about an entity: what a processor is to do, or what a function is to decide.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The request's id, for the answer.
    pub request_id: String,
    /// The entity's id.
    pub entity_id: String,
    /// The name of the processor or function.
    #[serde(alias = "processorName", alias = "criteriaName")]
    pub name: String,
    /// The workflow that runs, or is in question.
    #[serde(deserialize_with = "object::one")]
    pub workflow: Title,
    /// The transition it is about, unless it is about the workflow.
    #[serde(default, deserialize_with = "object::optional")]
    pub transition: Option<Passage>,
    /// The transaction in which it is asked.
    pub transaction_id: String,
    /// What the definition says to pass on.
    pub parameters: Option<String>,
    /// The entity, if it is sent.
    #[serde(default, deserialize_with = "object::optional")]
    pub payload: Option<Subject>,
    /// What lets calls back into the transaction: the header `X-Tx-Token` over HTTP, the metadata
    /// `tx-token` over gRPC. It travels beside the payload.
    #[serde(skip)]
    pub ticket: String,
}

/// Something with a name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Title {
    /// The name.
    pub name: String,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The name.
    pub name: String,
    /// The state it leaves.
    pub state_from: String,
    /// The state it leads to.
    pub state_to: String,
}

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Subject {
    /// Its value as it stands.
    pub data: Document,
    /// What is known about it.
    #[serde(deserialize_with = "object::one")]
    pub meta: Facts,
}

/// What is known about an entity.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Its model.
    #[serde(deserialize_with = "object::one")]
    pub model_key: ModelKey,
    /// The state it comes from.
    pub state: String,
    /// When it was created.
    pub creation_date: String,
    /// When it was saved last.
    pub last_update_time: String,
}

/// What a member answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The request's id.
    pub id: String,
    /// The request that is answered.
    pub request_id: String,
    /// The entity's id.
    pub entity_id: String,
    /// Whether it went well.
    pub success: bool,
    /// Of a processor: what becomes of the entity; nothing if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Of a function: what it has decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// Why not, if it did not go well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

/// The complete new value of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// `JSON`.
    #[serde(rename = "type")]
    pub format: &'static str,
    /// The value.
    pub data: Document,
}

/// Why something did not go well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// `FAILED`.
    pub code: &'static str,
    /// In words.
    pub message: String,
    /// Whether it may go well another time.
    pub retryable: bool,
}

/// An event has arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ack {
    /// Names the payload.
    pub id: String,
    /// The event.
    pub source_event_id: String,
    /// Always.
    pub success: bool,
}
