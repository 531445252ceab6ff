//! Entities as they are stored, and as they are seen.

use serde::{Deserialize, Serialize};
use waypost_documents::document::Value;
use waypost_kernel::{
    DefinitionRef, Facets, InstanceId, Json, Key, Record, StoreError, Timestamp, Version,
};

/// An entity as of one version. Its value is kept as text: most readers only pass it on.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Its id.
    pub id: InstanceId,
    /// Its model.
    pub model: DefinitionRef,
    /// How many versions it has had.
    pub version: Version,
    /// Its value.
    pub value: Json,
    /// The state it is in.
    pub state: String,
    /// What is remembered of its latest save.
    pub save: Save,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When this version landed.
    pub updated_at: Timestamp,
}

/// What is remembered of a save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Save {
    /// The workflow that created the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The transition that was asked for, or `loopback`.
    pub transition: String,
    /// The transaction.
    pub transaction: String,
    /// Who caused it.
    pub user: String,
    /// What kind of change it was.
    pub change: ChangeKind,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The entity began.
    Created,
    /// It has another value or state.
    Updated,
    /// It is gone; its past is not.
    Deleted,
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Stored<V, S> {
    value: V,
    save: S,
}

/// What [`Facets::status`] says of entities that are there.
pub(super) const LIVE: &str = "live";
/// What it says of those that are not any more.
pub(super) const DELETED: &str = "deleted";

impl Entity {
    /// The entity in `record`.
    pub(super) fn read(record: Record) -> Result<Self, StoreError> {
        let corrupt = |key: &Key, what: &str| {
            StoreError::Corrupt(format!("the state of {key} cannot be read: {what}"))
        };
        let Record { key, version, facets, state, created_at, updated_at } = record;
        let stored: Stored<Json, Save> =
            state.read().map_err(|error| corrupt(&key, &error.to_string()))?;
        let model = facets.definition.ok_or_else(|| corrupt(&key, "it has no model"))?;
        Ok(Self {
            id: key.id,
            model,
            version,
            value: stored.value,
            state: facets.step.unwrap_or_default(),
            save: stored.save,
            is_deleted: facets.status == DELETED,
            created_at,
            updated_at,
        })
    }

    /// What the store keeps as the state.
    pub(super) fn stored(&self) -> Json {
        Json::of(&Stored { value: &self.value, save: &self.save })
    }

    pub(super) fn facets(&self) -> Facets {
        Facets {
            definition: Some(self.model.clone()),
            status: if self.is_deleted { DELETED } else { LIVE }.to_owned(),
            step: Some(self.state.clone()),
            ..Facets::default()
        }
    }

    /// The value as a document.
    pub(super) fn document(&self) -> Result<Value, StoreError> {
        Value::parse(self.value.as_str()).map_err(|error| {
            StoreError::Corrupt(format!("the value of entity {} cannot be read: {error}", self.id))
        })
    }
}

/// The text of a document.
pub(super) fn text(value: &Value) -> Json {
    Json::parse(&value.to_string()).expect("documents are written as JSON")
}
