//! A type that was registered, and the checks it had to pass.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use waypost_machines::lifecycle::{FieldKind, RESERVED, Transitions};

use crate::{
    Bucket, Entry, Error, Result, Revision, Snapshot,
    bucket::check_key,
    core::Stored,
    held::{Held, Shape},
    index::Index,
    kept::{parted, programs, workflow_of},
    participant::{FieldMeta, Role},
};

/// A registered type, as operators see it.
///
/// ```
/// use waypost_lifecycle::WorkflowDef;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// let lamps: WorkflowDef = manager.register::<Lamp>().await?.definition();
/// assert_eq!((lamps.workflow.as_str(), lamps.kv_bucket.as_str()), ("lamp", "LAMPS"));
/// assert_eq!(lamps.transitions.terminal_phases(), ["failed", "worn"]);
/// assert_eq!(lamps.operator_writable_fields, ["room", "switched"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowDef {
    /// Its name.
    pub workflow: String,
    /// Its phases and the moves between them.
    pub transitions: Transitions,
    /// Where its entities are.
    pub kv_bucket: String,
    /// What operators may write, sorted.
    pub operator_writable_fields: Vec<String>,
}

/// An id that any type can have.
pub(crate) const PROBE: &str = "probe";

/// What a type says about itself.
pub(crate) struct Claims {
    pub(crate) workflow: String,
    pub(crate) bucket: String,
    pub(crate) table: Transitions,
    pub(crate) shape: Box<dyn Shape>,
}

pub(crate) struct Registration {
    pub(crate) workflow: String,
    /// How what the library keeps with values of this type begins.
    pub(crate) mark: String,
    pub(crate) bucket_name: String,
    pub(crate) table: Transitions,
    pub(crate) shape: Box<dyn Shape>,
    pub(crate) bucket: Arc<dyn Bucket>,
    pub(crate) index: Index,
}

impl Claims {
    /// Looks for mistakes; touches no storage.
    pub(crate) fn check(&self) -> Result<()> {
        let invalid =
            |reason: String| Error::InvalidRegistration { workflow: self.workflow.clone(), reason };
        check_table(&self.workflow, &self.table)?;
        self.check_fields(&invalid)?;
        if self.bucket.is_empty() {
            return Err(invalid("its bucket is empty".to_owned()));
        }
        let key = self.shape.key(PROBE);
        if check_key(&key).is_err() || self.shape.id_of(&key) != Some(PROBE) {
            return Err(invalid(format!(
                "mismatch of its keys: {key:?} does not lead back to an id"
            )));
        }
        Ok(())
    }

    fn check_fields(&self, invalid: &dyn Fn(String) -> Error) -> Result<()> {
        let fields = self.shape.fields();
        let workflow = || self.workflow.clone();
        let one = |role: Role, tag: &str| match count(fields, role) {
            (field, 0 | 1) => Ok(field),
            (..) => Err(invalid(format!("multiple fields tagged {tag}"))),
        };
        let id =
            one(Role::Id, "id")?.ok_or_else(|| Error::MissingIdField { workflow: workflow() })?;
        let phase = one(Role::Phase, "phase")?
            .ok_or_else(|| Error::MissingPhaseField { workflow: workflow() })?;
        one(Role::Parent, "parent")?;
        if phase.kind != FieldKind::Text || id.kind != FieldKind::Text {
            return Err(invalid("its id and its phase must be text".to_owned()));
        }
        for (index, field) in fields.iter().enumerate() {
            let is_repeated = fields.iter().take(index).any(|it| it.name == field.name);
            if is_repeated || field.name == RESERVED || field.name.is_empty() {
                return Err(invalid(format!("no field can be named {:?}", field.name)));
            }
            if field.access == crate::participant::Access::OperatorWritable && !field.is_writable()
            {
                return Err(invalid(format!("nobody may write {:?}", field.name)));
            }
        }
        Ok(())
    }

    /// Phases about which the type and the table say different things.
    pub(crate) fn disagreements(&self) -> Vec<&str> {
        let differs = |phase: &&str| {
            let said = self.shape.sample_is_terminal(phase, &self.table);
            said.is_some_and(|it| it != self.table.is_terminal(phase))
        };
        self.table.phases().into_iter().filter(differs).collect()
    }
}

/// What is looked at first: the name, and the phases.
pub(crate) fn check_table(workflow: &str, table: &Transitions) -> Result<()> {
    if workflow.is_empty() {
        let (workflow, reason) = (String::new(), "its name is empty".to_owned());
        return Err(Error::InvalidRegistration { workflow, reason });
    }
    table.validate().map_err(|mistake| Error::InvalidTransitionsTable {
        workflow: workflow.to_owned(),
        reason: mistake.to_string(),
    })
}

fn count(fields: &[FieldMeta], role: Role) -> (Option<&FieldMeta>, usize) {
    let mut found = fields.iter().filter(|it| it.role == role);
    let first = found.next();
    (first, usize::from(first.is_some()) + found.count())
}

impl Registration {
    pub(crate) fn definition(&self) -> WorkflowDef {
        let writable = self.shape.fields().iter().filter(|it| it.is_writable());
        let mut operator_writable_fields: Vec<_> = writable.map(|it| it.name.clone()).collect();
        operator_writable_fields.sort();
        WorkflowDef {
            workflow: self.workflow.clone(),
            transitions: self.table.clone(),
            kv_bucket: self.bucket_name.clone(),
            operator_writable_fields,
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&FieldMeta> {
        self.shape.fields().iter().find(|it| it.name == name)
    }

    /// Reads what is stored. Nothing, if it belongs to another type, or has a key that none of this
    /// type has. What says that it is another entity is not read: each write would be refused.
    pub(crate) fn open(&self, entry: &Entry) -> Result<Option<Stored>> {
        let Some(entity_id) = self.shape.id_of(&entry.key) else { return Ok(None) };
        let Some(held) = self.held(entry)? else { return Ok(None) };
        if held.entity_id() != entity_id {
            let found = format!("it is the value of {:?}", held.entity_id());
            return Err(self.unreadable(entry, serde::de::Error::custom(found)));
        }
        let (text, revision, at) = (entry.value.clone(), entry.revision, entry.at);
        Ok(Some(Stored { entity_id: entity_id.to_owned(), held, text, revision, at }))
    }

    fn held(&self, entry: &Entry) -> Result<Option<Box<dyn Held>>> {
        if let Some((plain, trail)) = parted(&entry.value)
            && trail.strip_prefix(&*self.mark).is_some_and(|it| it.starts_with([',', '}']))
            && let Ok(held) = self.shape.decode(plain.as_bytes())
        {
            return Ok(Some(held));
        }
        if workflow_of(&entry.value).is_some_and(|it| it != self.workflow) {
            return Ok(None);
        }
        // A type that denies what it does not know, or keeps it, must not see what is not meant for it.
        let plain = programs(&entry.value).map_or_else(|| entry.value.clone(), Bytes::from);
        self.shape.decode(&plain).map(Some).map_err(|it| self.unreadable(entry, it))
    }

    fn unreadable(&self, entry: &Entry, source: serde_json::Error) -> Error {
        Error::Decode { workflow: self.workflow.clone(), key: entry.key.clone(), source }
    }

    pub(crate) fn snapshot<T>(
        &self,
        held: &dyn Held,
        entity_id: &str,
        revision: Revision,
        value: T,
    ) -> Snapshot<T> {
        Snapshot {
            workflow: self.workflow.clone(),
            entity_id: entity_id.to_owned(),
            phase: held.phase().to_owned(),
            is_terminal: held.is_terminal(&self.table),
            degraded: !self.table.declares(held.phase()),
            parent: held.parent().map(str::to_owned),
            revision,
            value,
        }
    }

    pub(crate) fn store_error(&self, source: crate::BucketError) -> Error {
        Error::Store { bucket: self.bucket_name.clone(), source }
    }

    pub(crate) fn not_found(&self, entity_id: &str) -> Error {
        let workflow = Some(self.workflow.clone());
        Error::EntityNotFound { workflow, entity_id: entity_id.to_owned() }
    }
}
