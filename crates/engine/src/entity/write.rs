//! Writing entities: one request is one transaction, however many entities it touches.

use std::sync::{Arc, PoisonError};

use waypost_documents::document::Value;
use waypost_kernel::{
    Conflict, DefinitionRef, InstanceId, Json, Key, Kind, StoreError, Timestamp, Version,
};
use waypost_machines::entity::cascade::{self, Command, Ran};

use super::{
    ChangeKind, Code, Entities, Entity, Fault, Item, Refusal, Save, Touched, Written, lookup,
    model::Model,
    record::text,
    refuse::{at_item, lost, modified, overtaken},
    transaction::{Base, Draft, Transaction},
    work::Work,
};
use crate::limits::{TURN_ATTEMPTS_MAX, WARNINGS_MAX};

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

    /// Whether these could be created, as far as their models have a say; changes nothing.
    ///
    /// # Errors
    /// What is wrong with the first of them that could not.
    pub async fn check_new(&self, items: &[Item]) -> Result<(), Fault> {
        let work = match &self.within {
            Some((transaction, layer)) => {
                Work::new(Arc::clone(transaction), transaction.open(*layer)?, true)
            }
            None => {
                // It never lands, so nobody has to know it by a name.
                let now = self.store().now();
                let transaction = Transaction::new(String::new(), self.caller.clone(), now);
                Work::new(Arc::new(transaction), Transaction::BOTTOM, true)
            }
        };
        let checked = self.admit_all(&work, items).await;
        work.transaction.discard(work.layer);
        checked
    }

    /// Decides and commits, again and again while things change under it. Once a member has been
    /// asked it cannot be taken back, and whoever lost a race then is told so.
    async fn land_own(&self, items: &[Item]) -> Result<Written, Fault> {
        let (mut is_fresh, mut contested, mut turn) = (false, None, None);
        for _ in 0..TURN_ATTEMPTS_MAX {
            // A model that everybody extends is extended by one after the other. Nobody waits for
            // it who has an entity's turn: that comes second.
            if let Some(model) = contested.take() {
                drop(turn.take());
                turn = Some(self.home().lanes.enter(&model).await?);
            }
            let work = self.begin(items, is_fresh).with_turn(turn.take());
            if let [Item::Update { id, .. }] = items {
                let slot = self.home().lanes.enter(&self.key(id)).await?;
                *work.lane.lock().unwrap_or_else(PoisonError::into_inner) = Some(slot);
            }
            let written = match self.perform(&work, items).await {
                Ok(written) => written,
                // What is at hand may be old: a refusal is only given after looking again.
                Err(Fault::Refused(_)) if !is_fresh && !work.transaction.is_told() => {
                    is_fresh = true;
                    turn = work.take_turn();
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
                        return Err(self.overtaken_by(&conflict, items).into());
                    }
                    if let Conflict::Version(key) = conflict
                        && key.kind == Kind::Model
                    {
                        contested = Some(key);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
        let detail = "the entity changes too often; read it again and retry";
        Err(Refusal::new(Code::Conflict, detail).into())
    }

    /// Whoever said which version they expect is told that it is another one by now.
    fn overtaken_by(&self, conflict: &Conflict, items: &[Item]) -> Refusal {
        match (conflict, items) {
            (Conflict::Version(key), [Item::Update { id, if_match: Some(_), .. }])
                if *key == self.key(id) =>
            {
                modified(id)
            }
            _ => lost(conflict),
        }
    }

    fn begin(&self, items: &[Item], is_fresh: bool) -> Work {
        let now = self.store().now();
        let id = self.shared.ids.entity(now).as_str().to_owned();
        let transaction = Transaction::new(id, self.caller.clone(), now);
        let transaction = match items.iter().all(|it| matches!(it, Item::DeleteSeen { .. })) {
            true => transaction.deleting(self.home().rules.n_deletions_max),
            false => transaction,
        };
        Work::new(Arc::new(transaction), Transaction::BOTTOM, is_fresh)
    }

    pub(super) fn forget(&self, work: &Work, key: &Key) {
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
        self.admit_all(work, items).await?;
        for (index, item) in items.iter().enumerate() {
            let done = match item {
                Item::Create { model, value } => self.create(work, model, value).await,
                Item::Update { id, value, transition, if_match } => {
                    let change = Change { value: value.as_ref(), transition, if_match };
                    self.update(work, id, change).await
                }
                Item::Delete { id } => self.delete(work, id, None).await,
                Item::DeleteSeen { id, version } => self.delete(work, id, Some(*version)).await,
            };
            let (touched, warnings) = match done.map_err(|it| placed(it, index)) {
                Ok(done) => done,
                Err(Fault::Refused(mut refusal)) => {
                    refusal.warnings.splice(..0, written.warnings);
                    refusal.warnings.truncate(WARNINGS_MAX);
                    return Err(refusal.into());
                }
                Err(fault) => return Err(fault),
            };
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

    async fn admit_all(&self, work: &Work, items: &[Item]) -> Result<(), Fault> {
        let is_one = items.len() == 1;
        for (index, item) in items.iter().enumerate() {
            if let Item::Create { model, value } = item {
                let admitted = self.admit_new(work, model, value).await;
                admitted.map_err(|it| if is_one { it } else { at_item(it, index) })?;
            }
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
            armed: &[],
            created_at: now,
            updated_at: now,
            transaction: &work.transaction.id,
        };
        let command = Command::Create { transition: None };
        let ran = self.run(work, &model, which, (command, entity)).await?;
        let saved = Saved { id: &id, which, base: Base::ABSENT, created_at: now };
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
            return Err(modified(id).into());
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
        let entity = current.in_run(value);
        let command = match change.transition {
            Some(transition) => Command::Take { transition },
            None => Command::Loopback,
        };
        let ran = self.run(work, &model, which, (command, entity)).await?;
        let saved = Saved { id, which, base, created_at: current.created_at };
        self.save(work, &model, saved, (ran, value, ChangeKind::Updated))
    }

    async fn delete(
        &self,
        work: &Work,
        id: &InstanceId,
        seen: Option<Version>,
    ) -> Result<(Touched, Vec<String>), Fault> {
        let (base, current) = self.current(work, id).await?;
        if seen.is_some_and(|it| it != current.version) {
            return Err(overtaken(id).into());
        }
        let save = Save {
            transition: String::new(),
            change: ChangeKind::Deleted,
            armed: Vec::new(),
            ..self.signed(work, &current.save)
        };
        let value = Json::of(&());
        let entity = Entity { value, save, is_deleted: true, ..Entity::clone(&current) };
        let touched = Touched::from(&entity);
        let draft = Draft::new(base, Arc::new(entity), Vec::new(), Some(Vec::new()));
        work.transaction.write(work.layer, draft)?;
        Ok((touched, Vec::new()))
    }

    pub(super) fn save(
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
            version: saved.base.version.next(),
            value: text(value),
            state: ran.state,
            save: Save {
                workflow: ran.workflow,
                transition: ran.transition_for_latest_save,
                transaction: work.transaction.id.clone(),
                user: work.transaction.caller.user.clone(),
                change,
                armed: ran.armed,
            },
            is_deleted: false,
            created_at: saved.created_at,
            updated_at: work.transaction.began_at,
        };
        let touched = Touched::from(&entity);
        let terms = lookup::terms(&model.indexes, value);
        let draft = Draft::new(saved.base, Arc::new(entity), ran.audit, terms);
        work.transaction.write(work.layer, draft)?;
        Ok((touched, ran.warnings))
    }

    /// A save by this transaction.
    pub(super) fn signed(&self, work: &Work, before: &Save) -> Save {
        Save {
            transaction: work.transaction.id.clone(),
            user: work.transaction.caller.user.clone(),
            ..before.clone()
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
pub(super) struct Saved<'a> {
    pub(super) id: &'a InstanceId,
    pub(super) which: &'a DefinitionRef,
    pub(super) base: Base,
    pub(super) created_at: Timestamp,
}
