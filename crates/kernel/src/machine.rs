//! A machine is two pure functions; a turn is one decision in the making.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    ClaimId, Expectation, Facets, Key, Kind, Lease, Message, NewTask, NewTimer, Rejection, TaskId,
    TaskRef, TimerId, Timestamp, WorkerId,
};

/// A pure state machine: the same inputs give the same decision, anywhere, at any time.
pub trait Machine: Sized + 'static {
    /// The face it serves.
    const KIND: Kind;
    /// What an instance runs by.
    type Definition: Send + Sync;
    /// Where an instance stands. The default is an instance nothing has happened to yet.
    type State: Clone + Default + Serialize + DeserializeOwned + Send + Sync;
    /// What an instance can be asked to do.
    type Command: Clone + Send + Sync;
    /// What can happen to an instance.
    type Event: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// Decides what `command` leads to.
    ///
    /// # Errors
    /// The rejection, when the command is refused; nothing has happened then.
    fn decide(turn: &mut Turn<'_, Self>, command: Self::Command) -> Result<(), Rejection>;

    /// Applies one event. The only function that changes a state.
    fn evolve(state: &mut Self::State, event: &Self::Event);

    /// What lists and searches may ask about a state.
    fn facets(state: &Self::State) -> Facets;
}

/// All a decision can see, and all it can do.
pub struct Turn<'a, M: Machine> {
    key: &'a Key,
    definition: &'a M::Definition,
    now: Timestamp,
    leases: &'a BTreeMap<TaskId, Lease>,
    decided: Decided<M>,
}

/// What a turn came to.
pub struct Decided<M: Machine> {
    /// The state after all events.
    pub state: M::State,
    /// What happened, oldest first.
    pub events: Vec<M::Event>,
    /// What must still be true when this lands.
    pub expect: Vec<Expectation>,
    /// Work to be done.
    pub scheduled: Vec<NewTask>,
    /// Work no longer to be done.
    pub withdrawn: Vec<TaskId>,
    /// Timers to arm.
    pub armed: Vec<NewTimer>,
    /// Timers to disarm.
    pub disarmed: Vec<TimerId>,
    /// Notices to send.
    pub messages: Vec<Message>,
}

impl<'a, M: Machine> Turn<'a, M> {
    /// A turn of the instance `key`, which stands at `state`, with the leases that are known of.
    pub const fn new(
        key: &'a Key,
        definition: &'a M::Definition,
        state: M::State,
        now: Timestamp,
        leases: &'a BTreeMap<TaskId, Lease>,
    ) -> Self {
        let decided = Decided {
            state,
            events: Vec::new(),
            expect: Vec::new(),
            scheduled: Vec::new(),
            withdrawn: Vec::new(),
            armed: Vec::new(),
            disarmed: Vec::new(),
            messages: Vec::new(),
        };
        Self { key, definition, now, leases, decided }
    }

    /// What the instance runs by.
    #[must_use]
    pub const fn definition(&self) -> &'a M::Definition {
        self.definition
    }

    /// Where the instance stands, with everything emitted so far.
    #[must_use]
    pub const fn state(&self) -> &M::State {
        &self.decided.state
    }

    /// The time of this turn.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Which instance it is.
    #[must_use]
    pub const fn key(&self) -> &'a Key {
        self.key
    }

    /// Who holds the task. The commit will not land if the answer is "nobody" and no longer true.
    pub fn lease_on(&mut self, task: &TaskId) -> Option<&'a Lease> {
        let lease = self.leases.get(task);
        if lease.is_none() {
            let task = self.task(task);
            self.decided.expect.push(Expectation::Free { task });
        }
        lease
    }

    /// Goes on only if `worker` holds the task by the claim `token` when the commit lands.
    pub fn expect_lease(&mut self, task: &TaskId, token: ClaimId, worker: WorkerId) {
        let task = self.task(task);
        self.decided.expect.push(Expectation::Lease { task, token, worker });
    }

    /// Goes on only if the task is free, or `worker` holds it, when the commit lands.
    pub fn expect_open(&mut self, task: &TaskId, worker: WorkerId) {
        let task = self.task(task);
        self.decided.expect.push(Expectation::Open { task, worker });
    }

    /// Goes on only if the claim `token` still has the task, past its end, when the commit lands.
    pub fn expect_lapsed(&mut self, task: &TaskId, token: ClaimId) {
        let task = self.task(task);
        self.decided.expect.push(Expectation::Lapsed { task, token });
    }

    /// It happened; [`Turn::state`] shows it at once.
    pub fn emit(&mut self, event: M::Event) {
        M::evolve(&mut self.decided.state, &event);
        self.decided.events.push(event);
    }

    /// Whether nothing has happened yet.
    #[must_use]
    pub const fn is_quiet(&self) -> bool {
        self.decided.events.is_empty()
    }

    /// Asks for work.
    pub fn schedule(&mut self, task: NewTask) {
        self.decided.withdrawn.retain(|id| *id != task.id);
        self.decided.scheduled.push(task);
    }

    /// Asks no longer for work.
    pub fn withdraw(&mut self, task: TaskId) {
        self.decided.scheduled.retain(|it| it.id != task);
        self.decided.withdrawn.push(task);
    }

    /// Asks for a command later.
    pub fn arm(&mut self, timer: NewTimer) {
        self.decided.disarmed.retain(|id| *id != timer.id);
        self.decided.armed.push(timer);
    }

    /// Asks no longer for it.
    pub fn disarm(&mut self, timer: TimerId) {
        self.decided.armed.retain(|it| it.id != timer);
        self.decided.disarmed.push(timer);
    }

    /// Tells the outside, after the commit.
    pub fn send(&mut self, message: Message) {
        self.decided.messages.push(message);
    }

    /// Ends the turn.
    #[must_use]
    pub fn finish(self) -> Decided<M> {
        self.decided
    }

    fn task(&self, id: &TaskId) -> TaskRef {
        TaskRef { key: self.key.clone(), id: id.clone() }
    }
}
