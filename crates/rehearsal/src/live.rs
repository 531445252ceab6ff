//! An instance in memory: its state, what is open and what is armed, and all that happened to it.

use std::collections::BTreeMap;

use waypost_kernel::{
    ClaimId, Decided, Key, Lease, Machine, NewTimer, Rejection, Task, TaskId, TaskRef, TimerId,
    Timestamp, Turn, Version,
};

/// Who is at work in a rehearsal.
pub(crate) const WORKER: &str = "rehearsal";

pub(crate) struct Live<M: Machine> {
    pub(crate) key: Key,
    pub(crate) version: Version,
    pub(crate) state: M::State,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    pub(crate) timers: BTreeMap<TimerId, NewTimer>,
    pub(crate) events: Vec<(Timestamp, M::Event)>,
    n_claims: u32,
}

/// A real instance, as a store has it.
pub struct Fork<M: Machine> {
    /// Its address.
    pub key: Key,
    /// Its version.
    pub version: Version,
    /// Its state.
    pub state: M::State,
    /// What happened to it, oldest first.
    pub events: Vec<(Timestamp, M::Event)>,
    /// Its open tasks.
    pub tasks: Vec<Task>,
    /// Its armed timers.
    pub timers: Vec<NewTimer>,
}

impl<M: Machine> Live<M> {
    /// The instance, from now on only in memory.
    pub(crate) fn of(real: Fork<M>) -> Self {
        let Fork { key, version, state, events, tasks, timers } = real;
        Self {
            version,
            state,
            tasks: tasks.into_iter().map(|it| (it.at.id.clone(), it)).collect(),
            timers: timers.into_iter().map(|it| (it.id.clone(), it)).collect(),
            events,
            ..Self::new(key)
        }
    }

    /// An instance nothing has happened to yet.
    pub(crate) fn new(key: Key) -> Self {
        Self {
            key,
            version: Version::ABSENT,
            state: M::State::default(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            events: Vec::new(),
            n_claims: 0,
        }
    }

    /// Decides and takes over what was decided; as in the engine, all or nothing.
    pub(crate) fn submit(
        &mut self,
        definition: &M::Definition,
        command: M::Command,
        now: Timestamp,
    ) -> Result<(), Rejection> {
        let held = |(id, task): (&TaskId, &Task)| Some((id.clone(), task.lease.clone()?));
        let leases: BTreeMap<TaskId, Lease> = self.tasks.iter().filter_map(held).collect();
        let mut turn = Turn::new(&self.key, definition, self.state.clone(), now, &leases);
        M::decide(&mut turn, command)?;
        let decided = turn.finish();
        if !decided.events.is_empty() {
            self.land(decided, now);
        }
        Ok(())
    }

    /// Takes a lease on a task, as a worker does before it reports; until when it is good.
    pub(crate) fn claim(&mut self, task: &TaskId, until: Timestamp) -> ClaimId {
        self.n_claims += 1;
        let token = ClaimId::from(format!("rehearsal-{}", self.n_claims));
        if let Some(task) = self.tasks.get_mut(task) {
            task.lease = Some(Lease { token: token.clone(), worker: WORKER.into(), until });
        }
        token
    }

    fn land(&mut self, decided: Decided<M>, now: Timestamp) {
        self.version = self.version.next();
        for id in &decided.withdrawn {
            self.tasks.remove(id);
        }
        for new in decided.scheduled {
            let task = Task {
                at: TaskRef { key: self.key.clone(), id: new.id.clone() },
                family: new.family,
                queue: new.queue,
                ready_at: new.ready_at,
                version: self.version,
                lease: new.lease,
            };
            self.tasks.insert(new.id, task);
        }
        for id in &decided.disarmed {
            self.timers.remove(id);
        }
        self.timers.extend(decided.armed.into_iter().map(|it| (it.id.clone(), it)));
        self.events.extend(decided.events.into_iter().map(|it| (now, it)));
        self.state = decided.state;
    }
}
