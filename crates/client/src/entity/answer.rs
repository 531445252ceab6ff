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

/// A page of what happened to an entity, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    /// What happened.
    pub items: Vec<AuditEvent>,
    /// Where to go on.
    pub pagination: AuditPlace,
}

/// Where to go on after a page of the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditPlace {
    /// Whether there is more.
    pub has_next: bool,
    /// What to ask for the next page with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A change of an entity, or something its machine did on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// `StateMachine` or `EntityChange`.
    pub audit_event_type: String,
    /// What the machine did, such as `TRANSITION_MAKE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// `CREATED`, `UPDATED` or `DELETED`, where the entity changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_type: Option<String>,
    /// How grave it is.
    pub severity: String,
    /// When it landed.
    pub utc_time: Timestamp,
    /// The entity's id.
    pub entity_id: String,
    /// The transaction.
    pub transaction_id: String,
    /// The state the entity was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What programs read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Document>,
    /// Who caused a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
}

/// Who caused a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// The user's id.
    pub id: String,
    /// The user's tenant.
    pub legal_id: String,
}

/// Where a search in the background stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchState {
    /// `RUNNING`, `SUCCESSFUL`, `FAILED` or `CANCELLED`.
    pub search_job_status: String,
    /// When it was begun.
    pub create_time: Timestamp,
    /// How many it has found, once it has ended.
    pub entities_count: u64,
    /// How long it took, or takes until now.
    pub calculation_time_millis: u64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_time: Option<Timestamp>,
    /// When it is forgotten.
    pub expiration_date: Timestamp,
}

/// A page of what a search in the background has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPage {
    /// The entities, as they were when the search was begun.
    pub content: Vec<Entity>,
    /// Which page it is.
    pub page: SearchPlace,
}

/// Which page of what a search has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchPlace {
    /// Which, counted from 0.
    pub number: u64,
    /// How many are on a page.
    pub size: u64,
    /// How many there are.
    pub total_elements: u64,
    /// How many pages there are.
    pub total_pages: u64,
}
