//! What a server tells about models and entities.

use serde::{Deserialize, Serialize};
use waypost_api::{Document, Timestamp, entity::http::ModelKey};

/// A model in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Its id, made of its name and version.
    pub id: String,
    /// Its name.
    pub model_name: String,
    /// Its version.
    pub model_version: i32,
    /// `UNLOCKED` or `LOCKED`.
    pub current_state: String,
    /// When samples were imported last.
    pub model_update_date: Timestamp,
}

/// What was learned about the entities of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelExport {
    /// `UNLOCKED` or `LOCKED`.
    pub current_state: String,
    /// As it was asked for.
    pub model: Document,
}

/// What became of a request about a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelAction {
    /// Whether it is as wished.
    pub success: bool,
    /// What people read.
    pub message: String,
    /// The model's id.
    pub model_id: String,
    /// The model's name and version.
    pub model_key: ModelKey,
}

/// How many entities of a model are in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateCount {
    /// The model's name.
    pub model_name: String,
    /// The model's version.
    pub model_version: i32,
    /// The state.
    pub state: String,
    /// How many.
    pub count: u64,
}

/// An entity. Its value is kept digit by digit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// `ENTITY`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its value.
    #[serde(rename = "data")]
    pub value: Document,
    /// What is known about it.
    pub meta: EntityMeta,
}

/// What is known about an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityMeta {
    /// Its id.
    pub id: String,
    /// Its model; only where a single entity is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_key: Option<ModelKey>,
    /// The state it is in.
    pub state: String,
    /// When it was created.
    pub creation_date: Timestamp,
    /// When it was saved last.
    pub last_update_time: Timestamp,
    /// The transaction that saved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// The transition that was asked for when it was saved, or `loopback`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transition_for_latest_save: Option<String>,
}

/// What a transaction has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// Its id.
    pub transaction_id: String,
    /// The entities, in the order they were asked for.
    pub entity_ids: Vec<String>,
}

/// What became of a part of what was to be created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Created {
    /// It is written.
    Done(Transaction),
    /// It is not, and neither is what follows; what came before is.
    Failed {
        /// Why.
        error: CreationError,
    },
}

/// Why not all was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreationError {
    /// What programs act on.
    pub code: String,
    /// What people read.
    pub message: String,
    /// Which part it was, counted from 0.
    pub chunk_index: usize,
}

/// A change of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange {
    /// `CREATED`, `UPDATED` or `DELETED`.
    pub change_type: String,
    /// When it landed.
    pub time_of_change: Timestamp,
    /// Who caused it.
    pub user: String,
    /// The transaction.
    pub transaction_id: String,
}

/// An entity that was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Its id.
    pub id: String,
    /// Its model.
    pub model_key: ModelKey,
    /// The transaction that deleted it.
    pub transaction_id: String,
}
