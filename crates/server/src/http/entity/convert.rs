//! From the engine's words to those of clients.

use waypost_api::entity::{
    Timestamp,
    http::{Envelope, Meta, ModelKey, Transaction},
};
use waypost_engine::entity::{ChangeKind, Code, Entity, Fault, Refusal, Written};
use waypost_kernel as kernel;
use waypost_kernel::DefinitionRef;

use super::problem::Failure;

/// An instant as clients read it.
pub(crate) const fn time(at: kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}

/// An entity among others.
pub(crate) fn envelope(entity: &Entity) -> Envelope<'_> {
    let meta = Meta {
        id: entity.id.as_str(),
        model_key: None,
        state: &entity.state,
        creation_date: time(entity.created_at),
        last_update_time: time(entity.updated_at),
        transaction_id: &entity.save.transaction,
        transition_for_latest_save: &entity.save.transition,
    };
    Envelope { kind: "ENTITY", data: entity.value.raw(), meta }
}

/// An entity by itself.
pub(crate) fn single(entity: &Entity) -> Envelope<'_> {
    let Envelope { kind, data, meta } = envelope(entity);
    let model_key = Some(model_key(&entity.model));
    Envelope { kind, data, meta: Meta { model_key, ..meta } }
}

pub(super) fn model_key(which: &DefinitionRef) -> ModelKey {
    ModelKey { name: which.name.clone(), version: which.version }
}

pub(super) fn transaction(written: &Written) -> Transaction {
    let ids = written.touched.iter().map(|it| it.id.as_str().to_owned());
    Transaction { transaction_id: written.transaction.clone(), entity_ids: ids.collect() }
}

pub(super) const fn change_type(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "CREATED",
        ChangeKind::Updated => "UPDATED",
        ChangeKind::Deleted => "DELETED",
    }
}

/// A refusal with more for programs.
pub(super) fn refusal(
    code: Code,
    detail: String,
    properties: Vec<(&'static str, String)>,
) -> Failure {
    Fault::from(Refusal { code, detail, properties, warnings: Vec::new() }).into()
}
