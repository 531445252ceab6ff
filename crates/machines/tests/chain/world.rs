//! A home for one chain: keeps its tasks and leases as a store does, decides and commits as the
//! engine does, and checks after every commit that nothing is broken.

use std::{collections::BTreeMap, mem, time::Duration};

use waypost_kernel::{
    ClaimId, Conflict, Decided, Expectation, Key, Kind, Lease, Machine as _, Rejection, Task,
    TaskId, TaskRef, Timestamp, Turn, Version, WorkerId,
};
use waypost_machines::chain::{Chain, Command, Event, Held, Policy, State};

use crate::invariants;

/// Where the clock of every story begins.
pub(crate) const DAWN: Timestamp = Timestamp::from_millis(1_780_000_000_000);

pub(crate) struct World {
    pub(crate) key: Key,
    pub(crate) policy: Policy,
    pub(crate) now: Timestamp,
    pub(crate) state: State,
    /// The state again, made of nothing but the stored form of the events.
    pub(crate) replayed: State,
    pub(crate) events: Vec<Event>,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    /// Every lease ever taken, oldest first, with its step.
    pub(crate) claims: Vec<(usize, Held)>,
    version: Version,
}

/// A commit that landed. Its state is the world's by now.
pub(crate) struct Landed {
    pub(crate) decided: Decided<Chain>,
    /// Whether the first decision failed because it took a held task for a free one.
    pub(crate) again: bool,
}

/// Why nothing has changed.
#[derive(Debug)]
pub(crate) enum Refusal {
    Rejected(Rejection),
    Conflict(Conflict),
}

impl World {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            key: Key::new("acme".into(), Kind::Chain, "o-1".into()),
            policy,
            now: DAWN,
            state: State::default(),
            replayed: State::default(),
            events: Vec::new(),
            tasks: BTreeMap::new(),
            claims: Vec::new(),
            version: Version::ABSENT,
        }
    }

    /// Decides without knowing of any lease, as long as the store does not object to that.
    pub(crate) fn submit(&mut self, command: &Command) -> Result<Landed, Refusal> {
        let (mut decided, again) = match self.attempt(command, &BTreeMap::new()) {
            Err(Refusal::Conflict(Conflict::Held(_))) => {
                (self.attempt(command, &self.leases())?, true)
            }
            first => (first?, false),
        };
        let before = mem::replace(&mut self.state, mem::take(&mut decided.state));
        self.land(&decided);
        invariants::hold(self, &before, &decided.events);
        Ok(Landed { decided, again })
    }

    /// Takes a lease on the task that is ready, if there is one.
    pub(crate) fn claim(&mut self, worker: &str, lease: Duration) -> Option<&Task> {
        let (now, number) = (self.now, self.claims.len() + 1);
        let free = |it: &&mut Task| it.lease.is_none() && it.ready_at <= now;
        let task = self.tasks.values_mut().find(free)?;
        let token = ClaimId::from(format!("c{number}"));
        let worker = WorkerId::from(worker);
        let step = task.at.id.as_str().parse().unwrap();
        self.claims.push((step, Held { token: token.clone(), worker: worker.clone() }));
        task.lease = Some(Lease { token, worker, until: now + lease });
        Some(task)
    }

    /// Ends a lease that is good, without a word to the chain: the task is free again.
    pub(crate) fn release(&mut self, step: usize, held: Held) -> Result<(), Refusal> {
        let (key, id) = (self.key.clone(), TaskId::from(step.to_string()));
        let Held { token, worker } = held;
        let lease = Expectation::Lease { task: TaskRef { key, id: id.clone() }, token, worker };
        if let Some(conflict) = self.unmet(&lease) {
            return Err(Refusal::Conflict(conflict));
        }
        self.tasks.get_mut(&id).unwrap().lease = None;
        Ok(())
    }

    fn leases(&self) -> BTreeMap<TaskId, Lease> {
        let held = |(id, task): (&TaskId, &Task)| Some((id.clone(), task.lease.clone()?));
        self.tasks.iter().filter_map(held).collect()
    }

    fn attempt(
        &self,
        command: &Command,
        leases: &BTreeMap<TaskId, Lease>,
    ) -> Result<Decided<Chain>, Refusal> {
        let mut turn = Turn::new(&self.key, &self.policy, self.state.clone(), self.now, leases);
        Chain::decide(&mut turn, command.clone()).map_err(Refusal::Rejected)?;
        let decided = turn.finish();
        // Where nothing happened there is nothing to commit, and nothing to expect.
        let expect = if decided.events.is_empty() { &[] } else { decided.expect.as_slice() };
        match expect.iter().find_map(|it| self.unmet(it)) {
            Some(conflict) => Err(Refusal::Conflict(conflict)),
            None => Ok(decided),
        }
    }

    /// The stores' reading of expectations: a lease is good up to and including its last instant,
    /// and lapsed after it.
    fn unmet(&self, expectation: &Expectation) -> Option<Conflict> {
        let lease = |task: &TaskRef| self.tasks.get(&task.id).and_then(|it| it.lease.as_ref());
        let (holds, conflict) = match expectation {
            Expectation::Version { key, version } => {
                (self.version == *version, Conflict::Version(key.clone()))
            }
            Expectation::Lease { task, token, worker } => {
                let good =
                    |it: &Lease| it.token == *token && it.worker == *worker && it.until >= self.now;
                (lease(task).is_some_and(good), Conflict::Lease(task.clone()))
            }
            Expectation::Lapsed { task, token } => {
                let lapsed = |it: &Lease| it.token == *token && it.until < self.now;
                (lease(task).is_some_and(lapsed), Conflict::NotLapsed(task.clone()))
            }
            Expectation::Free { task } => (lease(task).is_none(), Conflict::Held(task.clone())),
            // Chains ask for none of these.
            Expectation::Open { task, .. } => (false, Conflict::Lease(task.clone())),
            Expectation::Armed { timer, .. } => (false, Conflict::Disarmed(timer.clone())),
            Expectation::Vacant { definition, .. } => {
                (false, Conflict::Occupied(definition.clone()))
            }
        };
        (!holds).then_some(conflict)
    }

    fn land(&mut self, decided: &Decided<Chain>) {
        if decided.events.is_empty() {
            return;
        }
        self.version = self.version.next();
        for event in invariants::stored(&decided.events) {
            Chain::evolve(&mut self.replayed, &event);
        }
        self.events.extend(decided.events.iter().cloned());
        for id in &decided.withdrawn {
            self.tasks.remove(id);
        }
        for new in &decided.scheduled {
            let task = Task {
                at: TaskRef { key: self.key.clone(), id: new.id.clone() },
                family: new.family.clone(),
                queue: new.queue.clone(),
                ready_at: new.ready_at,
                version: self.version,
                lease: None,
            };
            self.tasks.insert(new.id.clone(), task);
        }
    }
}
