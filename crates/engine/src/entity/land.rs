//! What a transaction comes to for the store, and what is kept at hand once it is there.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError},
};

use serde::{Deserialize, Serialize};
use waypost_kernel::{
    Commit, EventRecord, Expectation, Json, Key, Request, RequestId, Timestamp, Timing, Urgency,
    Version, Write,
};
use waypost_machines::entity::cascade::AuditEvent;

use super::{
    ChangeKind, Entities, Entity, Fault, Save,
    fire::Held,
    model::Model,
    record::text,
    schedule,
    transaction::{Base, Draft, Outcome},
    work::Work,
};
use crate::{foresight, lane::Hot};

/// What the machine did, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Noted {
    pub(super) event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) state: String,
    pub(super) details: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) facts: Option<Json>,
}

impl From<&AuditEvent> for Noted {
    fn from(event: &AuditEvent) -> Self {
        Self {
            event: event.kind.name().to_owned(),
            state: event.state.clone(),
            details: event.details.clone(),
            facts: event.facts.as_ref().map(text),
        }
    }
}

/// What a transaction is known by to the store, which tells when it landed. Those that begin one
/// after the other lie side by side there: of a UUID of version 1 the highest digits of the time,
/// which come third, are put first.
pub(super) fn request(transaction: &str) -> RequestId {
    let mut parts = transaction.splitn(4, '-');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(low), Some(middle), Some(high), Some(rest)) => {
            format!("transaction/{high}-{middle}-{low}-{rest}").into()
        }
        _ => format!("transaction/{transaction}").into(),
    }
}

/// A commit, the entities in it, and the models as they are then.
pub(super) type Made = (Commit, Vec<Arc<Entity>>, Vec<(Key, Model)>);

impl Entities {
    /// The commit that makes `outcome` so.
    pub(super) fn commit(&self, outcome: Outcome) -> Made {
        let mut commit =
            Commit { timing: Timing::Landed, urgency: Urgency::News, ..Commit::default() };
        let (mut written, mut models) = (Vec::new(), Vec::new());
        let Outcome { drafts, models: extended, mut reads } = outcome;
        for draft in drafts {
            // What began and ended in the same transaction has never been.
            if draft.entity.is_deleted && draft.base == Base::ABSENT {
                continue;
            }
            let key = self.key(&draft.entity.id);
            reads.remove(&key);
            written.push(self.put(&mut commit, key, draft));
        }
        for (which, model) in extended {
            let key = self.model_key(&which);
            reads.remove(&key);
            let model = Model { version: model.version.next(), ..model };
            commit.writes.push(Write {
                key: key.clone(),
                version: model.version,
                facets: model.facets(&which),
                state: model.stored(),
                at: self.store().now(),
                keeps_past: false,
                terms: None,
            });
            models.push((key, model));
        }
        let expect = |(key, version)| Expectation::Version { key, version };
        commit.expect = reads.into_iter().map(expect).collect();
        (commit, written, models)
    }

    fn put(&self, commit: &mut Commit, key: Key, draft: Draft) -> Arc<Entity> {
        let Draft { base, entity, audit, terms, .. } = draft;
        let version = base.version.next();
        let entity = if base == Base::ABSENT && entity.save.change != ChangeKind::Created {
            let save = Save { change: ChangeKind::Created, ..entity.save.clone() };
            Arc::new(Entity { save, version, ..Entity::clone(&entity) })
        } else if entity.version == version {
            entity
        } else {
            Arc::new(Entity { version, ..Entity::clone(&entity) })
        };
        commit.timers.extend(schedule::changes(&key, &base.armed, &entity.save));
        let at = self.store().now();
        commit.writes.push(Write {
            key: key.clone(),
            version,
            facets: entity.facets(),
            state: entity.stored(),
            at,
            keeps_past: true,
            terms,
        });
        let mut noted: Vec<Noted> = audit.iter().map(Noted::from).collect();
        if let (Some(reason), Some(first)) = (&self.reason, noted.first_mut()) {
            let facts = || Json::of(&BTreeMap::from([("reason", reason)]));
            first.facts.get_or_insert_with(facts);
        }
        commit.events.push(EventRecord { key, version, at, events: Json::of(&noted) });
        entity
    }

    /// Makes it so.
    pub(super) async fn land(&self, work: &Work) -> Result<(), Fault> {
        let transaction = &work.transaction;
        let outcome = transaction.end()?;
        let (mut commit, written, models) = self.commit(outcome);
        commit.request = Some(Request {
            tenant: self.caller.tenant.clone(),
            id: request(&transaction.id),
            digest: String::new(),
        });
        commit.expect.extend(work.firing.as_ref().map(Held::expectation));
        self.shared.metrics.turns.inc();
        let receipt = foresight::commit(self.store(), commit).await?;
        if foresight::is_foreseeing() {
            return Ok(());
        }
        self.home().latest.note(receipt.at);
        for (key, model) in models {
            self.home().models.keep(key, model);
        }
        for entity in written {
            self.remember(work, entity, receipt.at);
        }
        Ok(())
    }

    /// Keeps what was written at hand.
    fn remember(&self, work: &Work, entity: Arc<Entity>, at: Timestamp) {
        if entity.value.as_str().len() > crate::limits::HOT_STATE_MAX {
            return;
        }
        let key = self.key(&entity.id);
        let mut entity = Arc::unwrap_or_clone(entity);
        if entity.version == Version::ABSENT.next() {
            entity.created_at = at;
        }
        entity.updated_at = at;
        let hot = Hot { version: entity.version, state: Arc::new(entity) };
        let mut lane = work.lane.lock().unwrap_or_else(PoisonError::into_inner);
        match lane.as_mut() {
            Some(slot) => **slot = Some(hot),
            None => self.home().lanes.keep(&key, hot),
        }
    }
}
