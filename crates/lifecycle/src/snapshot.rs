//! A value with what is known about it.

use serde::Serialize;

use crate::Revision;

/// An entity as it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot<T> {
    /// Its type.
    pub workflow: String,
    /// Its identity.
    pub entity_id: String,
    /// The phase it is in.
    pub phase: String,
    /// Whether it says of itself that it has come to its end.
    pub is_terminal: bool,
    /// Whether its phase is not in the table, so that only a raw update can help it.
    pub degraded: bool,
    /// The entity it belongs to.
    pub parent: Option<String>,
    /// The write that made it.
    #[serde(serialize_with = "number")]
    pub revision: Revision,
    /// The value.
    pub value: T,
}

impl<T> Snapshot<T> {
    /// The same about another form of the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Snapshot<U> {
        let Self { workflow, entity_id, phase, is_terminal, degraded, parent, revision, value } =
            self;
        let value = change(value);
        Snapshot { workflow, entity_id, phase, is_terminal, degraded, parent, revision, value }
    }
}

/// How completing went, for whom an end is an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It moved to this phase.
    Completed(String),
    /// It was in this phase already, which is terminal.
    AlreadyTerminal(String),
}

fn number<S: serde::Serializer>(revision: &Revision, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(revision.0)
}
