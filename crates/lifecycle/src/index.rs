//! What lists ask about the entities of a type, kept in memory: fed by a watch of the bucket, and
//! told at once of this process's own writes.

mod content;
mod feed;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::task::AbortHandle;
use waypost_machines::lifecycle::{FieldKind, FieldValue};

use self::content::{Content, Facts};
pub(crate) use self::content::{Page, Wanted};
use crate::{Revision, held::Held, participant::FieldMeta, registration::Registration};

/// The index of one type.
pub(crate) struct Index {
    content: Arc<Mutex<Content>>,
    feed: OnceLock<AbortHandle>,
}

impl Index {
    pub(crate) fn new() -> Self {
        Self { content: Arc::default(), feed: OnceLock::new() }
    }

    /// Takes note of a write of our own.
    pub(crate) fn wrote(&self, registration: &Registration, held: &dyn Held, revision: Revision) {
        if self.feed.get().is_some() {
            let facts = facts(registration, held);
            lock(&self.content).apply(held.entity_id(), revision, Some(facts));
        }
    }

    /// The last write of an entity that is known.
    pub(crate) fn revision(&self, entity_id: &str) -> Option<Revision> {
        lock(&self.content).revision(entity_id)
    }

    /// Takes note of a deletion of our own, after this write. The watch will tell its number.
    pub(crate) fn forgot(&self, entity_id: &str, last: Revision) {
        lock(&self.content).forget(entity_id, last);
    }

    /// Asks, if everything is known by now.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&Content) -> T) -> Option<T> {
        let content = lock(&self.content);
        content.is_ready().then(|| question(&content))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        if let Some(feed) = self.feed.get() {
            feed.abort();
        }
    }
}

/// Whether the index can tell apart all values of such a field.
pub(crate) fn is_indexed(field: &FieldMeta) -> bool {
    fn is_plain(kind: &FieldKind) -> bool {
        match kind {
            FieldKind::Text
            | FieldKind::Bool
            | FieldKind::I8
            | FieldKind::I16
            | FieldKind::I32
            | FieldKind::I64
            | FieldKind::U8
            | FieldKind::U16
            | FieldKind::U32
            | FieldKind::U64 => true,
            FieldKind::Optional(kind) => is_plain(kind),
            FieldKind::F32 | FieldKind::F64 | FieldKind::Timestamp | FieldKind::Nested => false,
        }
    }
    field.is_indexable && is_plain(&field.kind)
}

/// What a value of a field is looked up by: the same for equal values, and for no others.
pub(crate) fn term(field: &str, value: &FieldValue) -> String {
    let text = if let FieldValue::Text(text) = value {
        serde_json::to_string(text).unwrap_or_default()
    } else {
        value.to_json().to_string()
    };
    match value.kind() {
        Some(kind) => format!("{field}\u{1f}{kind}\u{1f}{text}"),
        None => format!("{field}\u{1f}\u{1f}{text}"),
    }
}

fn facts(registration: &Registration, held: &dyn Held) -> Facts {
    let fields = registration.shape.fields().iter().filter(|it| is_indexed(it));
    let terms = fields.filter_map(|it| Some(term(&it.name, &held.get(&it.name)?)));
    Facts {
        phase: held.phase().to_owned(),
        is_terminal: held.is_terminal(&registration.table),
        parent: held.parent().map(str::to_owned),
        terms: terms.collect(),
    }
}

fn lock(content: &Mutex<Content>) -> MutexGuard<'_, Content> {
    content.lock().unwrap_or_else(PoisonError::into_inner)
}
