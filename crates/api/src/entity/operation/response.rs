//! What is answered. The default of each type is what it looks like when nothing came of it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    Document,
    entity::{
        ModelKey, Timestamp,
        http::{Count, Meta, StateCount},
    },
};

/// Stands where an id is expected and there is none.
const NIL: &str = "00000000-0000-0000-0000-000000000000";

/// What an answer says besides what all of them do.
pub trait Response: Serialize + Default {
    /// The type of its event.
    const KIND: &'static str;
}

/// An answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer<'a, T> {
    /// The id of the event that is answered.
    pub id: &'a str,
    /// The id of the event that is answered.
    pub request_id: &'a str,
    /// Whether it went well.
    pub success: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<OperationError>,
    /// What the caller should know besides.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub warnings: &'a [String],
    /// The rest.
    #[serde(flatten)]
    pub rest: &'a T,
}

/// Why it did not go well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperationError {
    /// `CLIENT_ERROR` or `SERVER_ERROR`.
    pub code: &'static str,
    /// In words, after the code that HTTP has for it.
    pub message: String,
    /// Whether the same may go well another time; absent if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// What a transaction has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityTransactionResponse {
    /// Which transaction, and which entities.
    pub transaction_info: TransactionFacts,
}

/// A transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionFacts {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// The entities, in the order they were asked for.
    pub entity_ids: Vec<String>,
}

/// An entity has taken a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityTransitionResponse {
    /// What it can take next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_transitions: Option<Vec<String>>,
}

/// An entity is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityDeleteResponse {
    /// Which.
    pub entity_id: String,
    /// Its model.
    pub model: ModelKey,
    /// The transaction that deleted it.
    pub transaction_id: String,
}

/// Entities of a model are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityDeleteAllResponse {
    /// Which, if that was asked for.
    pub entity_ids: Vec<String>,
    /// The model's id.
    pub model_id: String,
    /// How many.
    pub num_deleted: usize,
}

/// A model has learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelImportResponse {
    /// The model's id.
    pub model_id: String,
}

/// A model as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelExportResponse {
    /// The model's id.
    pub model_id: String,
    /// The model's name and version.
    pub model: ModelKey,
    /// Where it stands, and its schema.
    pub payload: Document,
}

/// A model is locked or unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelTransitionResponse {
    /// The model's id.
    pub model_id: String,
    /// `LOCKED` or `UNLOCKED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
}

/// A model is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntityModelDeleteResponse {}

/// All models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntityModelGetAllResponse {
    /// By name and version.
    pub models: Vec<ModelSummary>,
}

/// A model in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelSummary {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: i32,
    /// `LOCKED` or `UNLOCKED`.
    pub state: &'static str,
}

/// An entity.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EntityResponse<'a> {
    /// The entity.
    pub payload: EntityPayload<'a>,
}

/// An entity, or none.
#[derive(Clone, Debug, Serialize)]
pub struct EntityPayload<'a> {
    /// `JSON`.
    #[serde(rename = "type")]
    pub format: &'static str,
    /// Its value, digit by digit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<&'a RawValue>,
    /// What is known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta<'a>>,
}

/// A search in the background.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntitySnapshotSearchResponse {
    /// Where it stands.
    pub status: SnapshotStatus,
}

/// Where a search stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotStatus {
    /// Its id.
    pub snapshot_id: String,
    /// `RUNNING`, `SUCCESSFUL`, `FAILED`, `CANCELLED` or `NOT_FOUND`.
    pub status: &'static str,
    /// Until when its result is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_date: Option<Timestamp>,
    /// How many entities it has found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities_count: Option<u64>,
}

/// A change of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChangesMetadataResponse {
    /// The change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_meta: Option<ChangeMeta>,
}

/// What kind of change, when and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeMeta {
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub change_type: &'static str,
    /// When it landed.
    pub time_of_change: Timestamp,
    /// Who caused it.
    pub user: String,
    /// The transaction.
    pub transaction_id: String,
}

impl Response for EntityTransactionResponse {
    const KIND: &'static str = "EntityTransactionResponse";
}

impl Response for EntityTransitionResponse {
    const KIND: &'static str = "EntityTransitionResponse";
}

impl Response for EntityDeleteResponse {
    const KIND: &'static str = "EntityDeleteResponse";
}

impl Default for EntityDeleteResponse {
    fn default() -> Self {
        Self { entity_id: NIL.to_owned(), model: no_model(), transaction_id: NIL.to_owned() }
    }
}

impl Response for EntityDeleteAllResponse {
    const KIND: &'static str = "EntityDeleteAllResponse";
}

impl Default for EntityDeleteAllResponse {
    fn default() -> Self {
        Self { entity_ids: Vec::new(), model_id: NIL.to_owned(), num_deleted: 0 }
    }
}

impl Response for EntityModelImportResponse {
    const KIND: &'static str = "EntityModelImportResponse";
}

impl Default for EntityModelImportResponse {
    fn default() -> Self {
        Self { model_id: NIL.to_owned() }
    }
}

impl Response for EntityModelExportResponse {
    const KIND: &'static str = "EntityModelExportResponse";
}

impl Default for EntityModelExportResponse {
    fn default() -> Self {
        let payload = Document::parse("{}").expect("an object without members is one");
        Self { model_id: NIL.to_owned(), model: no_model(), payload }
    }
}

impl Response for EntityModelTransitionResponse {
    const KIND: &'static str = "EntityModelTransitionResponse";
}

impl Default for EntityModelTransitionResponse {
    fn default() -> Self {
        Self { model_id: NIL.to_owned(), state: None }
    }
}

impl Response for EntityModelDeleteResponse {
    const KIND: &'static str = "EntityModelDeleteResponse";
}

impl Response for EntityModelGetAllResponse {
    const KIND: &'static str = "EntityModelGetAllResponse";
}

impl Response for EntityResponse<'_> {
    const KIND: &'static str = "EntityResponse";
}

impl Default for EntityPayload<'_> {
    fn default() -> Self {
        Self { format: "JSON", data: None, meta: None }
    }
}

impl Response for EntitySnapshotSearchResponse {
    const KIND: &'static str = "EntitySnapshotSearchResponse";
}

impl Default for SnapshotStatus {
    fn default() -> Self {
        let (expiration_date, entities_count) = (None, None);
        Self { snapshot_id: NIL.to_owned(), status: "FAILED", expiration_date, entities_count }
    }
}

impl Response for Count {
    const KIND: &'static str = "EntityStatsResponse";
}

impl Response for StateCount {
    const KIND: &'static str = "EntityStatsByStateResponse";
}

impl Response for EntityChangesMetadataResponse {
    const KIND: &'static str = "EntityChangesMetadataResponse";
}

fn no_model() -> ModelKey {
    ModelKey { name: String::new(), version: 0 }
}
