//! A transaction as one request sees it: what it works on is what the transaction has written so far,
//! and beneath that what is stored.

use std::sync::{Arc, Mutex, PoisonError};

use waypost_documents::document::Value;
use waypost_kernel::{DefinitionRef, InstanceId, Version};
use waypost_machines::entity::model::Lock;

use super::{
    Code, Entities, Entity, Fault, Refusal,
    fire::Held,
    model::Model,
    models::is_name,
    refuse::{inadmissible, no_entity, no_model},
    registry::Listed,
    transaction::{Base, LayerId, Transaction},
};
use crate::lane::Slot;

/// A transaction in the making, seen from one request.
pub(super) struct Work {
    pub(super) transaction: Arc<Transaction>,
    pub(super) layer: LayerId,
    /// Whether everything is read from the store, and nothing from memory.
    is_fresh: bool,
    /// What must be let go of before anybody outside is asked.
    pub(super) lane: Mutex<Option<Slot<Entity>>>,
    /// The same of a model that many extend.
    turn: Mutex<Option<Slot<Entity>>>,
    /// Keeps the transaction open to callbacks.
    pub(super) listed: Mutex<Option<Listed>>,
    /// The timer it is all about, if it was not a request.
    pub(super) firing: Option<Held>,
}

impl Work {
    pub(super) fn new(transaction: Arc<Transaction>, layer: LayerId, is_fresh: bool) -> Self {
        let (lane, turn, listed) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { transaction, layer, is_fresh, lane, turn, listed, firing: None }
    }

    /// The same because of a timer, which must be armed still when it lands.
    pub(super) fn firing(self, timer: Held) -> Self {
        Self { firing: Some(timer), ..self }
    }

    /// The same with a turn of a model's.
    pub(super) fn with_turn(self, turn: Option<Slot<Entity>>) -> Self {
        Self { turn: Mutex::new(turn), ..self }
    }

    pub(super) fn take_turn(&self) -> Option<Slot<Entity>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Lets others have a turn with the entity, and with the model.
    pub(super) fn let_go(&self) {
        drop(self.take_turn());
        drop(self.lane.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Entities {
    /// The entity as this transaction sees it, and what is stored of it.
    pub(super) async fn current(
        &self,
        work: &Work,
        id: &InstanceId,
    ) -> Result<(Base, Arc<Entity>), Fault> {
        let missing = || Fault::from(no_entity(id));
        if let Some(draft) = work.transaction.draft(work.layer, id)? {
            let found = Some(draft.entity).filter(|it| !it.is_deleted);
            return found.map(|it| (draft.base, it)).ok_or_else(missing);
        }
        let at = self.snapshot_of(&work.transaction).await?;
        let at_hand = {
            let lane = work.lane.lock().unwrap_or_else(PoisonError::into_inner);
            let hot = lane.as_ref().and_then(|slot| slot.as_ref()).map(|it| Arc::clone(&it.state));
            hot.filter(|it| !work.is_fresh && it.id == *id)
        };
        let found = match at_hand {
            Some(entity) => Some(entity),
            None if work.is_fresh || at.is_some() => self.as_of(id, at).await?,
            None => self.known(id).await?,
        };
        let found = found.filter(|it| !it.is_deleted).ok_or_else(missing)?;
        work.transaction.read(work.layer, self.key(id), found.version)?;
        Ok((Base::of(&found), found))
    }

    /// Refuses to go on with what is at hand if it is old, here or because another node has changed
    /// it. Whoever is asked about it may act on the outside, or say no for good.
    pub(super) async fn confirm(&self, work: &Work) -> Result<(), Fault> {
        if work.is_fresh {
            return Ok(());
        }
        let (keys, versions): (Vec<_>, Vec<_>) = work.transaction.reads()?.into_iter().unzip();
        let stored = self.store().load(&keys).await?;
        for ((key, version), record) in keys.iter().zip(versions).zip(stored) {
            if record.map_or(Version::ABSENT, |it| it.version) != version {
                self.forget(work, key);
                return Err(Refusal::new(Code::Conflict, "it has changed meanwhile").into());
            }
        }
        Ok(())
    }

    /// The model as this transaction sees it.
    pub(super) async fn model(&self, work: &Work, which: &DefinitionRef) -> Result<Model, Fault> {
        // What can never be there need not be expected to be missing.
        if !is_name(&which.name) {
            return Ok(Model::absent());
        }
        if let Some(model) = work.transaction.model(work.layer, which)? {
            return Ok(model);
        }
        // A transaction that others know of is not decided again: it must not be refused for what
        // was so once.
        let model = match work.is_fresh || work.transaction.is_told() {
            true => self.stored_model(which).await?,
            false => self.known_model(which).await?,
        };
        work.transaction.read(work.layer, self.model_key(which), model.version)?;
        Ok(model)
    }

    /// Whether a new document may be written under its model; extends the model if it must be.
    pub(super) async fn admit_new(
        &self,
        work: &Work,
        which: &DefinitionRef,
        value: &Value,
    ) -> Result<(), Fault> {
        let model = self.model(work, which).await?;
        if model.schema.is_none() {
            return Err(no_model(which).into());
        }
        if model.lock == Lock::Unlocked {
            return Err(Refusal::model_not_locked(which).into());
        }
        self.admit(work, which, model, value)
    }

    pub(super) fn admit(
        &self,
        work: &Work,
        which: &DefinitionRef,
        model: Model,
        value: &Value,
    ) -> Result<(), Fault> {
        let Some(schema) = &model.schema else { return Err(no_model(which).into()) };
        if let Some(extended) = schema.admit(value, model.level).map_err(inadmissible)? {
            let model = Model { schema: Some(Arc::new(extended)), ..model };
            work.transaction.extend(work.layer, which.clone(), model)?;
        }
        Ok(())
    }
}
