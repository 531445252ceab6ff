//! Entities as they are written.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ModelKey;
use crate::entity::Timestamp;

/// A new entity of a collection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct NewEntity {
    /// Its model.
    pub model: ModelKey,
    /// Its value: a JSON document as text.
    #[schema(example = r#"{"no":"A-1"}"#)]
    pub payload: String,
}

/// A change of an entity of a collection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntityUpdate {
    /// Which entity.
    pub id: String,
    /// Its new value: a JSON document as text.
    pub payload: String,
    /// The transition to take; none if absent or empty.
    #[serde(default)]
    pub transition: Option<String>,
    /// The transaction that must have saved the entity last.
    #[serde(default)]
    pub if_match: Option<String>,
}

/// What a transaction has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EntityTransaction)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// Its id.
    pub transaction_id: String,
    /// The entities, in the order they were asked for.
    pub entity_ids: Vec<String>,
}

/// What became of a part of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Written {
    /// It is written.
    Done(Transaction),
    /// It is not, and neither is what follows; what came before is.
    Failed(StaleChunk),
}

/// Where the writing of a collection ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StaleChunk {
    /// Why.
    pub error: StaleChunkError,
}

/// Why the writing of a collection ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaleChunkError {
    /// What programs act on.
    pub code: String,
    /// What people read.
    pub message: String,
    /// Which part it was, counted from 0.
    pub chunk_index: usize,
}

/// An entity that was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Its id.
    pub id: String,
    /// Its model.
    pub model_key: ModelKey,
    /// The transaction that deleted it.
    pub transaction_id: String,
}

/// Entities of a model that were deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedAll {
    /// How many.
    pub delete_result: DeleteResult,
    /// The model's id.
    pub entity_model_class_id: String,
    /// Which, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
}

/// How many entities were deleted. The spelling is what clients know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteResult {
    /// Always empty: all of them are deleted, or none.
    #[schema(value_type = Object)]
    pub id_to_error: std::collections::BTreeMap<String, String>,
    /// How many matched.
    pub number_of_entitites: usize,
    /// How many are gone.
    pub number_of_entitites_removed: usize,
}

/// A change of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EntityHistoryItem)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// `CREATED`, `UPDATED` or `DELETED`.
    pub change_type: &'static str,
    /// When it landed.
    #[schema(value_type = String, format = DateTime)]
    pub time_of_change: Timestamp,
    /// Who caused it.
    pub user: String,
    /// The transaction.
    pub transaction_id: String,
}
