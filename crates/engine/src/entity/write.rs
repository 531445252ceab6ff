//! Writing entities: one request is one transaction, however many entities it touches.

use std::sync::{Arc, Mutex, PoisonError};

use waypost_documents::document::Value;
use waypost_kernel::{
    Commit, Conflict, DefinitionRef, InstanceId, Json, Key, StoreError, Timestamp, Version,
};
use waypost_machines::entity::{
    cascade::{self, Command, Ran},
    model::Lock,
};

use super::{
    ChangeKind, Code, Entities, Entity, Fault, Refusal, Save, lookup,
    model::Model,
    record::text,
    registry::Listed,
    transaction::{Draft, LayerId, Transaction},
};
use crate::{
    lane::{Hot, Slot},
    limits::{TURN_ATTEMPTS_MAX, WARNINGS_MAX},
};

/// One thing to be done in a transaction.
#[derive(Clone, Debug)]
pub enum Item {
    /// A new entity.
    Create {
        /// Of this model.
        model: DefinitionRef,
        /// Its value.
        value: Value,
    },
    /// Another value, another state, or both.
    Update {
        /// Which entity.
        id: InstanceId,
        /// The value that takes the place of the present one; as it is, if absent.
        value: Option<Value>,
        /// The transition to take; if absent, the entity goes on from where it is.
        transition: Option<String>,
        /// The transaction that must have saved the entity last.
        if_match: Option<String>,
    },
    /// No more of it. Its past stays.
    Delete {
        /// Which entity.
        id: InstanceId,
    },
}

/// What a transaction has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its id.
    pub transaction: String,
    /// The entities it wrote, in the order of the items.
    pub touched: Vec<Touched>,
    /// What the engine and its members had to say.
    pub warnings: Vec<String>,
}

/// An entity that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its id.
    pub id: InstanceId,
    /// Its model.
    pub model: DefinitionRef,
    /// The state it came to rest in.
    pub state: String,
}

/// A transaction in the making, seen from one request.
pub(super) struct Work {
    pub(super) transaction: Arc<Transaction>,
    pub(super) layer: LayerId,
    /// Whether everything is read from the store, and nothing from memory.
    is_fresh: bool,
    /// What must be let go of before anybody outside is asked.
    lane: Mutex<Option<Slot<Entity>>>,
    /// Keeps the transaction open to callbacks.
    pub(super) listed: Mutex<Option<Listed>>,
}

impl Work {
    fn new(transaction: Arc<Transaction>, layer: LayerId, is_fresh: bool) -> Self {
        let (lane, listed) = (Mutex::default(), Mutex::default());
        Self { transaction, layer, is_fresh, lane, listed }
    }

    /// Lets others have a turn with the entity.
    pub(super) fn let_go(&self) {
        drop(self.lane.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Entities {
    /// Does all of it, or nothing.
    ///
    /// # Errors
    /// When one of the items is refused, or another transaction was faster.
    pub async fn write(&self, items: &[Item]) -> Result<Written, Fault> {
        let Some((transaction, layer)) = &self.within else { return self.land_own(items).await };
        let layer = transaction.open(*layer)?;
        let work = Work::new(Arc::clone(transaction), layer, false);
        let written = match self.perform(&work, items).await {
            Ok(written) => transaction.merge(layer).map(|()| written).map_err(Fault::from),
            Err(fault) => Err(fault),
        };
        if written.is_err() {
            transaction.discard(layer);
        }
        written
    }

    /// Decides and commits, again and again while things change under it. Once a member has been
    /// asked it cannot be taken back, and whoever lost a race then is told so.
    async fn land_own(&self, items: &[Item]) -> Result<Written, Fault> {
        let mut is_fresh = false;
        for _ in 0..TURN_ATTEMPTS_MAX {
            let work = self.begin(is_fresh);
            if let [Item::Update { id, .. }] = items {
                let slot = self.home().lanes.enter(&self.key(id)).await?;
                *work.lane.lock().unwrap_or_else(PoisonError::into_inner) = Some(slot);
            }
            let written = match self.perform(&work, items).await {
                Ok(written) => written,
                // What is at hand may be old: a refusal is only given after looking again.
                Err(Fault::Refused(_)) if !is_fresh && !work.transaction.is_told() => {
                    is_fresh = true;
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            match self.land(&work).await {
                Ok(()) => return Ok(written),
                Err(Fault::Failed(crate::Error::Store(StoreError::Conflict(conflict)))) => {
                    self.shared.metrics.conflicts.inc();
                    if let Conflict::Version(key) = &conflict {
                        self.forget(&work, key);
                    }
                    if work.transaction.is_told() {
                        return Err(lost(&conflict).into());
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
        let detail = "the entity changes too often; read it again and retry";
        Err(Refusal::new(Code::Conflict, detail).into())
    }

    fn begin(&self, is_fresh: bool) -> Work {
        let now = self.store().now();
        let id = self.shared.ids.entity(now).as_str().to_owned();
        let transaction = Arc::new(Transaction::new(id, self.caller.clone(), now));
        Work::new(transaction, Transaction::BOTTOM, is_fresh)
    }

    fn forget(&self, work: &Work, key: &Key) {
        self.home().models.forget(key);
        let mut lane = work.lane.lock().unwrap_or_else(PoisonError::into_inner);
        match lane.as_mut() {
            Some(slot) => drop(slot.take()),
            None => self.home().lanes.forget(key),
        }
    }

    async fn perform(&self, work: &Work, items: &[Item]) -> Result<Written, Fault> {
        let mut written =
            Written { transaction: work.transaction.id.clone(), ..Written::default() };
        let is_one = items.len() == 1;
        let placed = |fault, index| if is_one { fault } else { at_item(fault, index) };
        // All new documents are looked at before anybody is asked about the first of them.
        for (index, item) in items.iter().enumerate() {
            if let Item::Create { model, value } = item {
                self.admit_new(work, model, value).await.map_err(|it| placed(it, index))?;
            }
        }
        for (index, item) in items.iter().enumerate() {
            let done = match item {
                Item::Create { model, value } => self.create(work, model, value).await,
                Item::Update { id, value, transition, if_match } => {
                    let change = Change { value: value.as_ref(), transition, if_match };
                    self.update(work, id, change).await
                }
                Item::Delete { id } => self.delete(work, id).await,
            };
            let (touched, warnings) = done.map_err(|it| placed(it, index))?;
            written.touched.push(touched);
            // Many entities mostly have the same to say.
            for warning in warnings {
                if written.warnings.len() < WARNINGS_MAX && !written.warnings.contains(&warning) {
                    written.warnings.push(warning);
                }
            }
        }
        Ok(written)
    }

    /// Whether a new document may be written under its model; extends the model if it must be.
    async fn admit_new(
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
            let detail = format!("model {}:{} is not locked", which.name, which.version);
            return Err(about(Refusal::new(Code::ModelNotLocked, detail), which).into());
        }
        self.admit(work, which, model, value)
    }

    fn admit(
        &self,
        work: &Work,
        which: &DefinitionRef,
        model: Model,
        value: &Value,
    ) -> Result<(), Fault> {
        let Some(schema) = &model.schema else { return Err(no_model(which).into()) };
        if let Some(extended) = schema.admit(value, model.level).map_err(refused)? {
            let model = Model { schema: Some(Arc::new(extended)), ..model };
            work.transaction.extend(work.layer, which.clone(), model)?;
        }
        Ok(())
    }

    async fn create(
        &self,
        work: &Work,
        which: &DefinitionRef,
        value: &Value,
    ) -> Result<(Touched, Vec<String>), Fault> {
        let now = work.transaction.began_at;
        let id = self.shared.ids.entity(now);
        let model = self.model(work, which).await?;
        let entity = cascade::Entity {
            id: id.as_str(),
            value,
            state: "",
            workflow: None,
            previous_transition: "",
            created_at: now,
            updated_at: now,
            transaction: &work.transaction.id,
        };
        let command = Command::Create { transition: None };
        let ran = self.run(work, &model, which, (command, entity)).await?;
        let saved = Saved { id: &id, which, base: Version::ABSENT, created_at: now };
        self.save(work, &model, saved, (ran, value, ChangeKind::Created))
    }

    async fn update(
        &self,
        work: &Work,
        id: &InstanceId,
        change: Change<'_>,
    ) -> Result<(Touched, Vec<String>), Fault> {
        let (base, current) = self.current(work, id).await?;
        if let Some(expected) = change.if_match
            && *expected != current.save.transaction
        {
            let detail = format!("entity {id} was saved by another transaction");
            let refusal = Refusal::new(Code::EntityModified, detail);
            return Err(refusal.with("entityId", id.as_str()).into());
        }
        let which = &current.model;
        let model = self.model(work, which).await?;
        let kept;
        let value = match change.value {
            Some(value) => {
                self.admit(work, which, model.clone(), value)?;
                value
            }
            None => {
                kept = current.document()?;
                &kept
            }
        };
        let entity = cascade::Entity {
            id: id.as_str(),
            value,
            state: &current.state,
            workflow: current.save.workflow.as_deref(),
            previous_transition: &current.save.transition,
            created_at: current.created_at,
            updated_at: current.updated_at,
            transaction: &current.save.transaction,
        };
        let command = match change.transition {
            Some(transition) => Command::Take { transition },
            None => Command::Loopback,
        };
        let ran = self.run(work, &model, which, (command, entity)).await?;
        let saved = Saved { id, which, base, created_at: current.created_at };
        self.save(work, &model, saved, (ran, value, ChangeKind::Updated))
    }

    async fn delete(&self, work: &Work, id: &InstanceId) -> Result<(Touched, Vec<String>), Fault> {
        let (base, current) = self.current(work, id).await?;
        let save = Save {
            transition: String::new(),
            change: ChangeKind::Deleted,
            ..self.signed(work, &current.save)
        };
        let value = Json::of(&());
        let entity = Entity { value, save, is_deleted: true, ..Entity::clone(&current) };
        let touched = touched(&entity);
        let draft = Draft::new(base, Arc::new(entity), Vec::new(), Some(Vec::new()));
        work.transaction.write(work.layer, draft)?;
        Ok((touched, Vec::new()))
    }

    fn save(
        &self,
        work: &Work,
        model: &Model,
        saved: Saved<'_>,
        (ran, value, change): (Ran, &Value, ChangeKind),
    ) -> Result<(Touched, Vec<String>), Fault> {
        let value = ran.value.as_ref().unwrap_or(value);
        let entity = Entity {
            id: saved.id.clone(),
            model: saved.which.clone(),
            version: saved.base.next(),
            value: text(value),
            state: ran.state,
            save: Save {
                workflow: ran.workflow,
                transition: ran.transition_for_latest_save,
                transaction: work.transaction.id.clone(),
                user: work.transaction.caller.user.clone(),
                change,
            },
            is_deleted: false,
            created_at: saved.created_at,
            updated_at: work.transaction.began_at,
        };
        let touched = touched(&entity);
        let terms = lookup::terms(&model.indexes, value);
        let draft = Draft::new(saved.base, Arc::new(entity), ran.audit, terms);
        work.transaction.write(work.layer, draft)?;
        Ok((touched, ran.warnings))
    }

    /// A save by this transaction.
    fn signed(&self, work: &Work, before: &Save) -> Save {
        Save {
            transaction: work.transaction.id.clone(),
            user: work.transaction.caller.user.clone(),
            ..before.clone()
        }
    }

    /// The entity as this transaction sees it, and the version that is stored.
    pub(super) async fn current(
        &self,
        work: &Work,
        id: &InstanceId,
    ) -> Result<(Version, Arc<Entity>), Fault> {
        let missing = || Fault::from(no_entity(id));
        if let Some(draft) = work.transaction.draft(work.layer, id)? {
            let found = Some(draft.entity).filter(|it| !it.is_deleted);
            return found.map(|it| (draft.base, it)).ok_or_else(missing);
        }
        let at_hand = {
            let lane = work.lane.lock().unwrap_or_else(PoisonError::into_inner);
            let hot = lane.as_ref().and_then(|slot| slot.as_ref()).map(|it| Arc::clone(&it.state));
            hot.filter(|it| !work.is_fresh && it.id == *id)
        };
        let found = match at_hand {
            Some(entity) => Some(entity),
            None if work.is_fresh => self.stored(id).await?,
            None => self.known(id).await?,
        };
        let found = found.filter(|it| !it.is_deleted).ok_or_else(missing)?;
        work.transaction.read(work.layer, self.key(id), found.version)?;
        Ok((found.version, found))
    }

    /// The model as this transaction sees it.
    async fn model(&self, work: &Work, which: &DefinitionRef) -> Result<Model, Fault> {
        if let Some(model) = work.transaction.model(work.layer, which)? {
            return Ok(model);
        }
        let model = match work.is_fresh {
            true => self.stored_model(which).await?,
            false => self.known_model(which).await?,
        };
        work.transaction.read(work.layer, self.model_key(which), model.version)?;
        Ok(model)
    }

    /// Makes it so.
    async fn land(&self, work: &Work) -> Result<(), Fault> {
        let transaction = &work.transaction;
        let outcome = transaction.end()?;
        let (commit, written, models) = self.commit(outcome);
        let commit: Commit = commit;
        self.shared.metrics.turns.inc();
        let receipt = self.store().commit(commit).await?;
        for (key, model) in models {
            self.home().models.keep(key, model);
        }
        self.home().landed.note(&self.caller.tenant, &transaction.id, receipt.at);
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

/// What an update changes.
struct Change<'a> {
    value: Option<&'a Value>,
    transition: &'a Option<String>,
    if_match: &'a Option<String>,
}

/// What is known of an entity before its run.
struct Saved<'a> {
    id: &'a InstanceId,
    which: &'a DefinitionRef,
    base: Version,
    created_at: Timestamp,
}

fn touched(entity: &Entity) -> Touched {
    let Entity { id, model, state, .. } = entity;
    Touched { id: id.clone(), model: model.clone(), state: state.clone() }
}

pub(super) fn no_entity(id: &InstanceId) -> Refusal {
    let refusal = Refusal::new(Code::EntityNotFound, format!("entity id={id} not found"));
    refusal.with("entityId", id.as_str())
}

pub(super) fn no_model(which: &DefinitionRef) -> Refusal {
    let detail = format!("model {}:{} not found", which.name, which.version);
    about(Refusal::new(Code::ModelNotFound, detail), which)
}

/// Names the model a refusal is about.
pub(super) fn about(refusal: Refusal, which: &DefinitionRef) -> Refusal {
    refusal.with("entityName", &which.name).with("entityVersion", which.version.to_string())
}

fn refused(refusal: waypost_machines::entity::model::Refusal) -> Refusal {
    use waypost_machines::entity::model::Refusal as Why;
    let code = match refusal {
        Why::PolymorphicSlot(_) => Code::PolymorphicSlot,
        Why::Invalid(_) | Why::Level { .. } | Why::TooLarge(_) => Code::BadRequest,
    };
    Refusal::new(code, refusal.to_string())
}

fn at_item(fault: Fault, index: usize) -> Fault {
    match fault {
        Fault::Refused(refusal) => {
            let detail = format!("item {index}: {}", refusal.detail);
            Fault::Refused(Refusal { detail, ..refusal })
        }
        Fault::Failed(error) => Fault::Failed(error),
    }
}

fn lost(conflict: &Conflict) -> Refusal {
    Refusal::new(Code::Conflict, format!("another transaction was faster: {conflict}"))
}
