//! Load, decide, commit: the way of every change.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;
use waypost_kernel::{
    Commit, Conflict, Decided, EventRecord, Expectation, Json, Key, Lease, Machine, MessageChange,
    RejectionCode, Request, Store, StoreError, Task, TaskChange, TaskId, TaskRef, Timer,
    TimerChange, TimerRef, Timestamp, Timing, Turn, Urgency, Version, Write,
};

use crate::{
    error::Error,
    foresight,
    lane::{Hot, Lanes, Slot},
    limits::{HOT_STATE_MAX, TURN_ATTEMPTS_MAX},
    metrics::Metrics,
    pace::{Pace, Step},
};

/// A command on its way to an instance.
pub(crate) struct Submission<'a, M: Machine> {
    pub(crate) key: &'a Key,
    pub(crate) definition: &'a M::Definition,
    pub(crate) command: M::Command,
    pub(crate) request: Option<Request>,
    pub(crate) urgency: Urgency,
    /// Whether the instance is known not to exist, so that nothing needs to be read.
    pub(crate) is_new: bool,
    /// What else is to happen, whatever is decided.
    pub(crate) also: Also,
}

/// What a commit does besides what was decided.
#[derive(Clone, Default)]
pub(crate) struct Also {
    expect: Vec<Expectation>,
    timers: Vec<TimerChange>,
}

impl Also {
    /// The timer has fired: it must still be armed, and is so no longer.
    pub(crate) fn fired(timer: &Timer) -> Self {
        let (at, due_at) = (timer.at.clone(), timer.due_at);
        Self {
            expect: vec![Expectation::Armed { timer: at.clone(), due_at }],
            timers: vec![TimerChange::Disarm(at)],
        }
    }

    fn is_nothing(&self) -> bool {
        self.expect.is_empty() && self.timers.is_empty()
    }
}

/// What became of it.
pub(crate) struct Landed<M: Machine> {
    pub(crate) state: Arc<M::State>,
    pub(crate) version: Version,
    pub(crate) events: Vec<M::Event>,
    /// The instance an earlier request of the same name made.
    pub(crate) repeated: Option<Key>,
    pub(crate) took: Took,
}

/// How long a turn has waited: for those before it, and for its last commit to land.
#[derive(Clone, Copy, Default)]
pub(crate) struct Took {
    pub(crate) queue: Duration,
    pub(crate) commit: Duration,
}

/// Runs turns of one face.
pub(crate) struct Turns<M: Machine> {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) lanes: Lanes<M::State>,
    pub(crate) metrics: Arc<Metrics>,
    pace: Arc<Pace>,
}

impl<M: Machine> Turns<M> {
    pub(crate) fn new(store: &Arc<dyn Store>, metrics: &Arc<Metrics>, pace: &Arc<Pace>) -> Self {
        Self {
            store: Arc::clone(store),
            lanes: Lanes::new(),
            metrics: Arc::clone(metrics),
            pace: Arc::clone(pace),
        }
    }

    /// Decides and commits, again and again while the instance changes under it.
    ///
    /// What is at hand may be old when other nodes work on the instance. A commit finds out by
    /// itself; a refusal, or "nothing to do", is only given after looking at what is stored.
    pub(crate) async fn submit(&self, submission: Submission<'_, M>) -> Result<Landed<M>, Error> {
        let asked_at = Instant::now();
        let mut slot = self.lanes.enter(submission.key).await?;
        let queue = asked_at.elapsed();
        let mut asks_for_leases = false;
        for _ in 0..TURN_ATTEMPTS_MAX {
            // Taken, not borrowed: what is decided on is changed in place if nobody else reads it.
            let at_hand = slot.take();
            let was_at_hand = at_hand.is_some();
            let hot = match at_hand {
                Some(hot) => hot,
                None => self.current(&submission).await?,
            };
            let before = hot.version;
            // Only what was read for this turn may have to be given as it is.
            let unchanged = (!was_at_hand).then(|| hot.clone());
            // Leases are looked at after the state: if the instance moves on in between, the
            // commit's version tells.
            let leases = match std::mem::take(&mut asks_for_leases) {
                true => self.leases(submission.key).await?,
                false => BTreeMap::new(),
            };
            let now = self.store.now();
            let decided = match (decide::<M>(&submission, hot, now, &leases), unchanged) {
                (Ok(decided), _) if !decided.events.is_empty() => decided,
                (Ok(_) | Err(Error::Rejected(_)), None) => continue,
                (Ok(_), Some(hot)) => return self.only(&submission, hot).await,
                (Err(error), _) => return Err(error),
            };
            let (commit, version) = commit(&submission, &decided, before, now);
            let began_at = Instant::now();
            match self.land(commit).await {
                Ok(None) => {
                    self.keep_pace(&decided.state, before, now);
                    let took = Took { queue, commit: began_at.elapsed() };
                    return Ok(Landed { took, ..landed(decided, version, &mut slot) });
                }
                Ok(Some(key)) => return Ok(repeated(key)),
                Err(StoreError::Conflict(Conflict::Version(_))) => {
                    self.metrics.conflicts.inc();
                }
                Err(StoreError::Conflict(Conflict::Held(_))) => asks_for_leases = true,
                // What was at hand may be too old to tell a repeated report from a late one.
                Err(StoreError::Conflict(Conflict::Lease(_))) if was_at_hand => {}
                Err(error) => return Err(final_error(error)),
            }
        }
        Err(Error::Contended { attempts: TURN_ATTEMPTS_MAX })
    }

    /// Takes note of what has begun or ended, unless it only would have.
    fn keep_pace(&self, state: &M::State, before: Version, now: Timestamp) {
        if foresight::is_foreseeing() {
            return;
        }
        if before == Version::ABSENT {
            self.pace.note(M::KIND, Step::Started, now);
        }
        match M::facets(state).status.as_str() {
            "COMPLETED" => self.pace.note(M::KIND, Step::Completed, now),
            "FAILED" => self.pace.note(M::KIND, Step::Failed, now),
            _ => {}
        }
    }

    /// Does what is to happen besides, as nothing else is.
    async fn only(
        &self,
        submission: &Submission<'_, M>,
        hot: Hot<M::State>,
    ) -> Result<Landed<M>, Error> {
        let Also { expect, timers } = submission.also.clone();
        if !submission.also.is_nothing() {
            let commit = Commit { expect, timers, ..Commit::default() };
            foresight::commit(&*self.store, commit).await.map_err(final_error)?;
        }
        let (events, took) = (Vec::new(), Took::default());
        Ok(Landed { state: hot.state, version: hot.version, events, repeated: None, took })
    }

    /// The state and version of an instance, as stored.
    pub(crate) async fn load(&self, key: &Key) -> Result<Option<Hot<M::State>>, Error> {
        let mut records = self.store.load(std::slice::from_ref(key)).await?;
        match records.pop().flatten() {
            Some(record) => Ok(Some(read::<M>(key, record.version, &record.state)?)),
            None => Ok(None),
        }
    }

    async fn current(&self, submission: &Submission<'_, M>) -> Result<Hot<M::State>, Error> {
        let absent = || Hot { version: Version::ABSENT, state: Arc::default() };
        if submission.is_new {
            return Ok(absent());
        }
        Ok(self.load(submission.key).await?.unwrap_or_else(absent))
    }

    /// Commits.
    async fn land(&self, commit: Commit) -> Result<Option<Key>, StoreError> {
        self.metrics.turns.inc();
        let receipt = foresight::commit(&*self.store, commit).await?;
        Ok(receipt.key.filter(|_| receipt.repeated))
    }

    async fn leases(&self, key: &Key) -> Result<BTreeMap<TaskId, Lease>, Error> {
        let tasks = self.store.tasks(std::slice::from_ref(key)).await?;
        Ok(tasks.into_iter().filter_map(|it| Some((it.at.id, it.lease?))).collect())
    }
}

/// Reads a stored state. One that cannot be read concerns this instance and no other.
pub(crate) fn read<M: Machine>(
    key: &Key,
    version: Version,
    state: &Json,
) -> Result<Hot<M::State>, Error> {
    let state = state
        .read()
        .map_err(|error| StoreError::Corrupt(format!("the state of {key}: {error}")))?;
    Ok(Hot { version, state: Arc::new(state) })
}

fn decide<M: Machine>(
    submission: &Submission<'_, M>,
    hot: Hot<M::State>,
    now: Timestamp,
    leases: &BTreeMap<TaskId, Lease>,
) -> Result<Decided<M>, Error> {
    let state = Arc::unwrap_or_clone(hot.state);
    let mut turn = Turn::new(submission.key, submission.definition, state, now, leases);
    let command = submission.command.clone();
    // A defect ends this turn and nothing else; nothing has been committed.
    match catch_unwind(AssertUnwindSafe(|| M::decide(&mut turn, command))) {
        Ok(decision) => decision?,
        Err(panic) => return Err(Error::Defect(message_of(&*panic))),
    }
    Ok(turn.finish())
}

/// What a panic said.
pub(crate) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}

fn repeated<M: Machine>(key: Key) -> Landed<M> {
    let (state, events, took) = (Arc::default(), Vec::new(), Took::default());
    Landed { state, version: Version::ABSENT, events, repeated: Some(key), took }
}

fn landed<M: Machine>(
    decided: Decided<M>,
    (version, bytes): (Version, usize),
    slot: &mut Slot<M::State>,
) -> Landed<M> {
    let state = Arc::new(decided.state);
    // What is only foreseen is not at hand.
    if bytes <= HOT_STATE_MAX && !foresight::is_foreseeing() {
        **slot = Some(Hot { version, state: Arc::clone(&state) });
    }
    Landed { state, version, events: decided.events, repeated: None, took: Took::default() }
}

/// What the turn comes to for the store; with the new version and the size of the new state.
fn commit<M: Machine>(
    submission: &Submission<'_, M>,
    decided: &Decided<M>,
    before: Version,
    now: Timestamp,
) -> (Commit, (Version, usize)) {
    let key = submission.key;
    let version = before.next();
    let state = Json::of(&decided.state);
    let bytes = state.as_str().len();
    let facets = M::facets(&decided.state);
    let commit = Commit {
        request: submission.request.clone(),
        definitions: Vec::new(),
        expect: [decided.expect.as_slice(), &submission.also.expect].concat(),
        writes: vec![Write {
            key: key.clone(),
            version,
            facets,
            state,
            at: now,
            keeps_past: false,
            terms: None,
        }],
        events: vec![EventRecord {
            key: key.clone(),
            version,
            at: now,
            events: Json::of(&decided.events),
        }],
        tasks: task_changes(key, decided, version),
        timers: [timer_changes(key, decided), submission.also.timers.clone()].concat(),
        messages: decided
            .messages
            .iter()
            .map(|it| MessageChange::Send { key: key.clone(), message: it.clone() })
            .collect(),
        erased: Vec::new(),
        timing: Timing::Decided,
        urgency: submission.urgency,
    };
    (commit, (version, bytes))
}

fn task_changes<M: Machine>(key: &Key, decided: &Decided<M>, version: Version) -> Vec<TaskChange> {
    let at = |id: &TaskId| TaskRef { key: key.clone(), id: id.clone() };
    let withdrawn = decided.withdrawn.iter().map(|id| TaskChange::Withdraw(at(id)));
    let scheduled = decided.scheduled.iter().map(|it| {
        TaskChange::Schedule(Task {
            at: at(&it.id),
            family: it.family.clone(),
            queue: it.queue.clone(),
            ready_at: it.ready_at,
            version,
            lease: it.lease.clone(),
        })
    });
    withdrawn.chain(scheduled).collect()
}

fn timer_changes<M: Machine>(key: &Key, decided: &Decided<M>) -> Vec<TimerChange> {
    let at = |id| TimerRef { key: key.clone(), id };
    let disarmed = decided.disarmed.iter().map(|id| TimerChange::Disarm(at(id.clone())));
    let armed = decided.armed.iter().map(|it| {
        let (due_at, command) = (it.due_at, it.command.clone());
        TimerChange::Arm(Timer { at: at(it.id.clone()), due_at, command })
    });
    disarmed.chain(armed).collect()
}

/// What deciding again cannot mend.
pub(crate) fn final_error(error: StoreError) -> Error {
    let StoreError::Conflict(conflict) = error else { return Error::Store(error) };
    match conflict {
        Conflict::Lease(task) => Error::rejected(
            RejectionCode::LeaseLost,
            format!("the lease on step {} is not held any more", task.id),
        ),
        Conflict::Unique(existing) => Error::Duplicate { existing },
        Conflict::Request => Error::rejected(
            RejectionCode::RequestReused,
            "the request id was used for another request",
        ),
        Conflict::NotLapsed(_) | Conflict::Disarmed(_) => Error::Overtaken,
        Conflict::Version(_)
        | Conflict::Held(_)
        | Conflict::Occupied(_)
        | Conflict::Definition(..) => Error::Store(StoreError::Conflict(conflict)),
    }
}

/// Makes a lease hold an expectation, for changes that concern nothing but the lease.
pub(crate) fn lease_only(expect: Expectation, change: TaskChange) -> Commit {
    let (expect, tasks) = (vec![expect], vec![change]);
    Commit { expect, tasks, urgency: Urgency::Finish, ..Commit::default() }
}
