//! Entities as they are stored, and as they are seen.

use serde::{Deserialize, Serialize};
use waypost_documents::document::Value;
use waypost_kernel::{
    DefinitionRef, Facets, InstanceId, Json, Key, Record, StoreError, Timestamp, Version,
};
use waypost_machines::entity::cascade::{self, Armed};

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
    /// The transitions that are taken when their time has come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub armed: Vec<Armed>,
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

    /// The entity as the machine sees it, with this value.
    pub(super) fn in_run<'a>(&'a self, value: &'a Value) -> cascade::Entity<'a> {
        cascade::Entity {
            id: self.id.as_str(),
            value,
            state: &self.state,
            workflow: self.save.workflow.as_deref(),
            previous_transition: &self.save.transition,
            armed: &self.save.armed,
            created_at: self.created_at,
            updated_at: self.updated_at,
            transaction: &self.save.transaction,
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

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str =
        r#"{"workflow":"w","transition":"GO","transaction":"t-1","user":"ada","change":"updated"}"#;
    const ARMED: &str = r#"{"workflow":"w","transition":"GO","transaction":"t-1","user":"ada","change":"updated","armed":[{"transition":"REMIND","source_state":"NEW","scheduled_at":1780000010000000},{"transition":"DROP","source_state":"NEW","scheduled_at":1780000030000000,"timeout_millis":0}]}"#;

    /// What was ever stored must be read for as long as there are entities: these are not changed.
    #[test]
    fn what_is_remembered_of_a_save_is_read_and_written_as_ever() {
        for (stored, n_armed) in [(PLAIN, 0), (ARMED, 2)] {
            let save: Save = Json::parse(stored).unwrap().read().unwrap();
            assert_eq!(save.armed.len(), n_armed);
            assert_eq!(Json::of(&save).as_str(), stored);
        }
    }
}
