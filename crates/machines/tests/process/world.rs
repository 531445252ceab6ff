//! A home for one process: keeps its tasks, leases and timers as a store does, decides and commits
//! as the engine does, and checks after every commit that nothing is broken.

use std::{collections::BTreeMap, mem, time::Duration};

use waypost_kernel::{
    ClaimId, Conflict, Decided, Expectation, Json, Key, Kind, Lease, Machine as _, Rejection, Task,
    TaskId, TaskRef, Timer, TimerId, TimerRef, Timestamp, Turn, Version,
};
use waypost_machines::process::{Alarm, Audit, Command, Event, Graph, History, Process, State};

use crate::invariants;

/// Where the clock of every story begins: 2026-05-03T10:00:00Z.
pub(crate) const DAWN: Timestamp = Timestamp::from_millis(1_777_802_400_000);

pub(crate) struct World {
    pub(crate) key: Key,
    pub(crate) graph: Graph,
    pub(crate) now: Timestamp,
    pub(crate) state: State,
    /// The state again, made of nothing but the stored form of the events.
    pub(crate) replayed: State,
    pub(crate) history: History,
    pub(crate) audit: Audit,
    pub(crate) events: Vec<Event>,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    pub(crate) timers: BTreeMap<TimerId, Timer>,
    /// Every lease ever taken, oldest first, with its task.
    pub(crate) claims: Vec<(u32, Lease)>,
    version: Version,
}

/// A commit that landed. Its state is the world's by now.
pub(crate) struct Landed {
    pub(crate) decided: Decided<Process>,
    /// Whether the first decision failed because it took a held task for a free one.
    pub(crate) again: bool,
}

/// Why nothing has changed.
#[derive(Debug)]
pub(crate) enum Refusal {
    Rejected(Rejection),
    Conflict(Conflict),
}

/// What a timer that was due stood for.
pub(crate) enum Rang {
    Fired(TimerId, Box<Result<Landed, Refusal>>),
    /// The definition of that name is to start.
    Next(String),
}

impl World {
    pub(crate) fn new(graph: Graph) -> Self {
        Self {
            key: Key::new("acme".into(), Kind::Process, "p-1".into()),
            graph,
            now: DAWN,
            state: State::default(),
            replayed: State::default(),
            history: History::default(),
            audit: Audit::default(),
            events: Vec::new(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            claims: Vec::new(),
            version: Version::ABSENT,
        }
    }

    pub(crate) fn submit(&mut self, command: &Command) -> Result<Landed, Refusal> {
        self.submit_with(command, None)
    }

    /// Decides without knowing of any lease, as long as the store does not object to that.
    fn submit_with(&mut self, command: &Command, fired: Option<&Timer>) -> Result<Landed, Refusal> {
        let armed = fired.map(|it| Expectation::Armed { timer: it.at.clone(), due_at: it.due_at });
        let expect: Vec<Expectation> = armed.into_iter().collect();
        let (mut decided, again) = match self.attempt(command, &BTreeMap::new(), &expect) {
            Err(Refusal::Conflict(Conflict::Held(_))) => {
                (self.attempt(command, &self.leases(), &expect)?, true)
            }
            first => (first?, false),
        };
        let before = mem::replace(&mut self.state, mem::take(&mut decided.state));
        let n_deeds = self.audit.deeds().len();
        self.land(&decided);
        if let Some(timer) = fired {
            self.timers.remove(&timer.at.id);
        }
        invariants::hold(self, &before, &decided.events);
        let is_told = self.audit.deeds().len() > n_deeds;
        assert_eq!(is_told, !decided.events.is_empty(), "no change without somebody who made it");
        Ok(Landed { decided, again })
    }

    /// Takes a lease on the task of that queue that is ready longest, if there is one.
    pub(crate) fn claim(&mut self, queue: &str, worker: &str, lease: Duration) -> Option<u32> {
        let (now, claim) = (self.now, self.claims.len() + 1);
        let free = self.tasks.values_mut().filter(|it| it.lease.is_none() && it.queue == queue);
        let task = free.min_by_key(|it| (it.ready_at, it.version, number(&it.at.id)))?;
        let token = ClaimId::from(format!("c{claim}"));
        let lease = Lease { token, worker: worker.into(), until: now + lease };
        task.lease = Some(lease.clone());
        let task = number(&task.at.id);
        self.claims.push((task, lease));
        Some(task)
    }

    /// The latest lease anybody had on a task.
    pub(crate) fn lease(&self, task: u32) -> Option<&Lease> {
        self.claims.iter().rfind(|(it, _)| *it == task).map(|(_, lease)| lease)
    }

    /// Does what the next timer that is due stands for.
    pub(crate) fn ring(&mut self) -> Option<Rang> {
        let due = self.timers.values().filter(|it| it.due_at <= self.now);
        let timer = due.min_by_key(|it| (it.due_at, it.at.id.clone()))?.clone();
        match timer.command.read().unwrap() {
            Alarm::Boundary { visit, timer: index } => {
                let fire = Command::Fire { visit, timer: index };
                let answer = self.submit_with(&fire, Some(&timer));
                Some(Rang::Fired(timer.at.id, Box::new(answer)))
            }
            Alarm::Next { definition } => {
                self.timers.remove(&timer.at.id);
                Some(Rang::Next(definition))
            }
        }
    }

    /// Fires a timer as if it were due now, which the store prevents unless it is.
    pub(crate) fn fire(&mut self, visit: u32, timer: usize) -> Result<Landed, Refusal> {
        let at = TimerRef { key: self.key.clone(), id: format!("{visit}.{timer}").into() };
        let command = Json::of(&Alarm::Boundary { visit, timer });
        let due = Timer { at, due_at: self.now, command };
        self.submit_with(&Command::Fire { visit, timer }, Some(&due))
    }

    fn leases(&self) -> BTreeMap<TaskId, Lease> {
        let held = |(id, task): (&TaskId, &Task)| Some((id.clone(), task.lease.clone()?));
        self.tasks.iter().filter_map(held).collect()
    }

    fn attempt(
        &self,
        command: &Command,
        leases: &BTreeMap<TaskId, Lease>,
        also: &[Expectation],
    ) -> Result<Decided<Process>, Refusal> {
        let mut turn = Turn::new(&self.key, &self.graph, self.state.clone(), self.now, leases);
        Process::decide(&mut turn, command.clone()).map_err(Refusal::Rejected)?;
        let decided = turn.finish();
        // Where nothing happened there is nothing to commit, and nothing to expect.
        let own = if decided.events.is_empty() { &[] } else { decided.expect.as_slice() };
        match own.iter().chain(also).find_map(|it| self.unmet(it)) {
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
            Expectation::Open { task, worker } => {
                let may = |it: &Task| match &it.lease {
                    Some(lease) => lease.worker == *worker && lease.until >= self.now,
                    None => true,
                };
                (self.tasks.get(&task.id).is_some_and(may), Conflict::Lease(task.clone()))
            }
            Expectation::Lapsed { task, token } => {
                let lapsed = |it: &Lease| it.token == *token && it.until < self.now;
                (lease(task).is_some_and(lapsed), Conflict::NotLapsed(task.clone()))
            }
            Expectation::Free { task } => (lease(task).is_none(), Conflict::Held(task.clone())),
            Expectation::Armed { timer, due_at } => {
                let armed = self.timers.get(&timer.id).is_some_and(|it| it.due_at == *due_at);
                (armed, Conflict::Disarmed(timer.clone()))
            }
            // Processes never ask for it.
            Expectation::Vacant { definition, .. } => {
                (false, Conflict::Occupied(definition.clone()))
            }
        };
        (!holds).then_some(conflict)
    }

    fn land(&mut self, decided: &Decided<Process>) {
        if decided.events.is_empty() {
            return;
        }
        self.version = self.version.next();
        for event in invariants::stored(&decided.events) {
            Process::evolve(&mut self.replayed, &event);
            self.history.follow(self.now, &event);
            self.audit.follow(self.now, &event);
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
                lease: new.lease.clone(),
            };
            self.tasks.insert(new.id.clone(), task);
        }
        for id in &decided.disarmed {
            self.timers.remove(id);
        }
        for new in &decided.armed {
            let at = TimerRef { key: self.key.clone(), id: new.id.clone() };
            let timer = Timer { at, due_at: new.due_at, command: new.command.clone() };
            self.timers.insert(new.id.clone(), timer);
        }
    }
}

pub(crate) fn number(id: &TaskId) -> u32 {
    id.as_str().parse().unwrap()
}
