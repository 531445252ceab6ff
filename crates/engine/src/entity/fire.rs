//! Scheduled transitions whose time has come. A timer fires once: whatever comes of it expects the
//! timer to be armed still, and takes it away in the same commit.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;
use waypost_kernel::{Commit, Expectation, StoreError, Timer, TimerChange, Timestamp};
use waypost_machines::entity::cascade::{self, Armed, AuditEvent, Call, Command, Due};

use super::{
    Caller, ChangeKind, Code, Entities, Entity, Fault, Refusal, Save,
    schedule::Firing,
    transaction::{Base, Draft, Transaction},
    work::Work,
    write::Saved,
};
use crate::{
    engine::Shared,
    error::Error,
    limits::{CALL_TIMEOUT, FIRE_RETRY, FIRES_MAX, TIMER_RETRY},
};

/// A timer that somebody is busy with.
pub(super) struct Held {
    timer: Mutex<Timer>,
    /// Told once compute members are about to be asked.
    asking: Mutex<Option<oneshot::Sender<()>>>,
}

/// Does what a timer of an entity stands for. Returns when that is done, or as soon as compute
/// members are asked about it: they may take their time, and sweeps have other things to do.
///
/// # Errors
/// [`Error::Overtaken`] when the timer is not due any more.
pub(crate) async fn fire(shared: Arc<Shared>, timer: Timer) -> Result<(), Error> {
    let firing: Firing = timer.command.read().map_err(|error| {
        Error::Defect(format!("timer {} of {} cannot be read: {error}", timer.at.id, timer.at.key))
    })?;
    let fires = shared.entities.fires.clone();
    let (tenant, user) = (timer.at.key.tenant.clone(), firing.user.clone());
    let entities = Entities::new(shared, Caller { tenant, user, roles: Vec::new() });
    let (asking, is_asking) = oneshot::channel();
    let mut run = Box::pin(async move {
        let (timer, asking) = (Mutex::new(timer), Mutex::new(Some(asking)));
        entities.fire(Held { timer, asking }, &firing).await
    });
    tokio::select! {
        biased;
        done = &mut run => done,
        Ok(()) = is_asking => {
            fires.spawn(run);
            Ok(())
        }
    }
}

impl Held {
    fn timer(&self) -> Timer {
        self.timer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// That nobody else has fired it, or is about to.
    pub(super) fn expectation(&self) -> Expectation {
        let Timer { at, due_at, .. } = self.timer();
        Expectation::Armed { timer: at, due_at }
    }
}

impl Entities {
    async fn fire(&self, held: Held, firing: &Firing) -> Result<(), Error> {
        let now = self.store().now();
        if self.home().fires.len() >= FIRES_MAX {
            self.hold(&held, now + TIMER_RETRY).await?;
            return Err(Error::Overtaken);
        }
        let id = self.shared.ids.entity(now).as_str().to_owned();
        let transaction = Arc::new(Transaction::new(id, self.caller.clone(), now));
        let work = Work::new(transaction, Transaction::BOTTOM, true).firing(held);
        match self.fired(&work, firing).await {
            Ok(()) => Ok(()),
            Err(Fault::Failed(Error::Overtaken)) => Err(Error::Overtaken),
            // Nobody was asked: the next sweep sees how things are then.
            Err(Fault::Failed(Error::Store(StoreError::Conflict(_))))
                if !work.transaction.is_told() =>
            {
                Err(Error::Overtaken)
            }
            Err(fault) => self.put_off(&work, firing, fault).await,
        }
    }

    /// One that could not fire is tried again later, and out of the way of others until then.
    async fn put_off(&self, work: &Work, firing: &Firing, fault: Fault) -> Result<(), Error> {
        work.let_go();
        let Some(held) = &work.firing else { return Ok(()) };
        let (entity, transition) = (held.timer().at.key.id, firing.transition.as_str());
        tracing::warn!(%entity, transition, %fault, "a scheduled transition is put off");
        self.hold(held, self.store().now() + FIRE_RETRY).await?;
        Err(Error::Overtaken)
    }

    /// Moves the timer to `until`, which nobody else does who is at it.
    async fn hold(&self, held: &Held, until: Timestamp) -> Result<(), Error> {
        let timer = Timer { due_at: until, ..held.timer() };
        let commit = Commit {
            expect: vec![held.expectation()],
            timers: vec![TimerChange::Arm(timer.clone())],
            ..Commit::default()
        };
        self.move_timer(commit).await?;
        *held.timer.lock().unwrap_or_else(PoisonError::into_inner) = timer;
        Ok(())
    }

    async fn move_timer(&self, commit: Commit) -> Result<(), Error> {
        match self.store().commit(commit).await {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict(_)) => Err(Error::Overtaken),
            Err(error) => Err(Error::Store(error)),
        }
    }

    /// Sees to it that no other node asks about the same timer while members are at it. If this node
    /// dies, another one tries again.
    pub(super) async fn hold_while_asking(&self, work: &Work, call: &Call) -> Result<(), Error> {
        let Some(held) = &work.firing else { return Ok(()) };
        let patience = call.terms.timeout.unwrap_or(CALL_TIMEOUT) + FIRE_RETRY;
        let now = self.store().now();
        if held.timer().due_at < now + patience.saturating_sub(FIRE_RETRY / 2) {
            self.hold(held, now + patience).await?;
        }
        if let Some(asking) = held.asking.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Nobody may be listening any more.
            asking.send(()).unwrap_or_default();
        }
        Ok(())
    }

    async fn fired(&self, work: &Work, firing: &Firing) -> Result<(), Fault> {
        let Some(held) = &work.firing else { return Ok(()) };
        let key = held.timer().at.key;
        let slot = self.home().lanes.enter(&key).await?;
        *work.lane.lock().unwrap_or_else(PoisonError::into_inner) = Some(slot);
        let (base, current) = match self.current(work, &key.id).await {
            Ok(found) => found,
            Err(Fault::Refused(Refusal { code: Code::EntityNotFound, .. })) => {
                return self.take_away(work, held).await;
            }
            Err(fault) => return Err(fault),
        };
        let model = self.model(work, &current.model).await?;
        let value = current.document()?;
        let entity = current.in_run(&value);
        let (now, grace) = (self.store().now(), self.home().rules.expiry_grace);
        let which = (firing.source_state.as_str(), firing.transition.as_str());
        match cascade::due(which, &entity, &model.workflows.list, (now, grace)) {
            Due::Void => self.take_away(work, held).await,
            Due::Early => Err(Error::Overtaken.into()),
            Due::Late { until } => Ok(self.hold(held, until).await?),
            Due::Expire(armed) => {
                let expired = cascade::expire(&entity, armed, now);
                self.expire(work, (base, current.as_ref()), expired).await
            }
            Due::Fire => {
                let command = Command::Fire { transition: &firing.transition };
                let ran = self.run(work, &model, &current.model, (command, entity)).await?;
                let created_at = current.created_at;
                let saved = Saved { id: &key.id, which: &current.model, base, created_at };
                self.save(work, &model, saved, (ran, &value, ChangeKind::Updated))?;
                self.land(work).await
            }
        }
    }

    /// Saves the entity as it is, but for what is armed.
    async fn expire(
        &self,
        work: &Work,
        (base, current): (Base, &Entity),
        (armed, event): (Vec<Armed>, AuditEvent),
    ) -> Result<(), Fault> {
        let save = self.signed(work, &current.save);
        let save = Save { armed, change: ChangeKind::Updated, ..save };
        let (version, updated_at) = (base.version.next(), work.transaction.began_at);
        let entity = Entity { save, version, updated_at, ..current.clone() };
        let draft = Draft::new(base, Arc::new(entity), vec![event], None);
        work.transaction.write(work.layer, draft)?;
        self.land(work).await
    }

    /// Nothing is to come of the timer, given what was read.
    async fn take_away(&self, work: &Work, held: &Held) -> Result<(), Fault> {
        let read = |(key, version)| Expectation::Version { key, version };
        let mut expect: Vec<_> = work.transaction.reads()?.into_iter().map(read).collect();
        expect.push(held.expectation());
        let timers = vec![TimerChange::Disarm(held.timer().at)];
        Ok(self.move_timer(Commit { expect, timers, ..Commit::default() }).await?)
    }
}
