//! What is asked. A member that is not known here is nobody's concern; one that is missing or of
//! another type makes the request malformed.

use serde::Deserialize;

use crate::{Document, entity::ModelKey, object};

/// What documents are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DataFormat {
    /// Any JSON.
    Json,
    /// A text that is XML.
    Xml,
}

/// What a model learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ImportConverter {
    /// A document as entities will have.
    SampleData,
    /// What an export has shown; not read by this server.
    SimpleView,
}

/// How a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExportConverter {
    /// As a JSON Schema.
    JsonSchema,
    /// Paths and types.
    SimpleView,
}

/// Where a model is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ModelTransition {
    /// It takes entities from now on.
    Lock,
    /// It takes samples from now on.
    Unlock,
}

/// A new entity.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NewEntity {
    /// Its model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// Its value.
    pub data: Document,
}

/// Another value for an entity.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange {
    /// Which entity.
    pub entity_id: String,
    /// Its complete new value.
    pub data: Document,
    /// The transition to take; none if absent or empty.
    pub transition: Option<String>,
}

/// An entity is to be created.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityCreateRequest {
    /// Names the payload.
    pub id: String,
    /// What its documents are written in.
    pub data_format: DataFormat,
    /// What is created.
    #[serde(deserialize_with = "object::one")]
    pub payload: NewEntity,
}

/// An entity is to change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityUpdateRequest {
    /// Names the payload.
    pub id: String,
    /// What its documents are written in.
    pub data_format: DataFormat,
    /// What changes.
    #[serde(deserialize_with = "object::one")]
    pub payload: EntityChange,
}

/// An entity is to take a transition with the value it has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityTransitionRequest {
    /// Names the payload.
    pub id: String,
    /// Which entity.
    pub entity_id: String,
    /// The transition to take.
    pub transition: String,
}

/// An entity is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityDeleteRequest {
    /// Names the payload.
    pub id: String,
    /// Which entity.
    pub entity_id: String,
}

/// Entities are to be created.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityCreateCollectionRequest {
    /// Names the payload.
    pub id: String,
    /// What its documents are written in.
    pub data_format: DataFormat,
    /// What is created, all of it or nothing.
    #[serde(deserialize_with = "object::list")]
    pub payloads: Vec<NewEntity>,
}

/// Entities are to change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityUpdateCollectionRequest {
    /// Names the payload.
    pub id: String,
    /// What its documents are written in.
    pub data_format: DataFormat,
    /// What changes, all of it or nothing.
    #[serde(deserialize_with = "object::list")]
    pub payloads: Vec<EntityChange>,
}

/// The entities of a model are to be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityDeleteAllRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
    /// Whether to tell which.
    pub verbose: Option<bool>,
}

/// A model is to learn from a sample.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelImportRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// What its documents are written in.
    pub data_format: DataFormat,
    /// What the payload is.
    pub converter: ImportConverter,
    /// The sample.
    pub payload: Document,
}

/// A model is to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelExportRequest {
    /// Names the payload.
    pub id: String,
    /// How the model is shown.
    pub converter: ExportConverter,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
}

/// A model is to be locked or unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelTransitionRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// Where to.
    pub transition: ModelTransition,
}

/// A model is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelDeleteRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
}

/// All models are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityModelGetAllRequest {
    /// Names the payload.
    pub id: String,
}

/// An entity is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityGetRequest {
    /// Names the payload.
    pub id: String,
    /// Which entity.
    pub entity_id: String,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}

/// The entities of a model are wanted, page by page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityGetAllRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// Entities of a page.
    pub page_size: Option<u32>,
    /// Which page, counted from 0.
    pub page_number: Option<u32>,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}

/// The entities of a model that match are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntitySearchRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// What they match.
    pub condition: Document,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
    /// How many at the most; all if absent or 0.
    pub limit: Option<u32>,
}

/// A search in the background is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntitySnapshotSearchRequest {
    /// Names the payload.
    pub id: String,
    /// Which model.
    #[serde(deserialize_with = "object::one")]
    pub model: ModelKey,
    /// What they match.
    pub condition: Document,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}

/// Where a search stands is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotGetStatusRequest {
    /// Names the payload.
    pub id: String,
    /// Which search.
    pub snapshot_id: String,
}

/// A search is not wanted any more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotCancelRequest {
    /// Names the payload.
    pub id: String,
    /// Which search.
    pub snapshot_id: String,
}

/// What a search has found is wanted, page by page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotGetRequest {
    /// Names the payload.
    pub id: String,
    /// Which search.
    pub snapshot_id: String,
    /// Entities of a page.
    pub page_size: Option<u32>,
    /// Which page, counted from 0.
    pub page_number: Option<u32>,
}

/// How many entities there are is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityStatsGetRequest {
    /// Names the payload.
    pub id: String,
    /// Which model; all if absent.
    #[serde(default, deserialize_with = "object::optional")]
    pub model: Option<ModelKey>,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}

/// How many entities are in which state is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityStatsByStateGetRequest {
    /// Names the payload.
    pub id: String,
    /// Which model; all if absent.
    #[serde(default, deserialize_with = "object::optional")]
    pub model: Option<ModelKey>,
    /// Only these; all if absent or empty.
    pub states: Option<Vec<String>>,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}

/// What was done to an entity is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChangesMetadataGetRequest {
    /// Names the payload.
    pub id: String,
    /// Which entity.
    pub entity_id: String,
    /// As of when; now if absent.
    pub point_in_time: Option<String>,
}
