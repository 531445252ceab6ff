//! Runs the real process machine, without a store.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waypost_kernel::{Key, Kind, Machine as _, Timestamp, Turn};
use waypost_machines::process::{
    Alarm, Branch, Command, Event, Graph, Phase, Process, Rest, Source, Start, State, Variables,
    expression::Coercion,
};

/// An instance of a definition.
pub(crate) struct Run {
    graph: Graph,
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    timers: BTreeMap<String, (u32, usize)>,
}

/// Something that can happen to it now.
#[derive(Clone, Debug)]
pub(crate) enum Open {
    Task(u32),
    User(String),
    Signal(String),
    Timer(u32, usize),
}

pub(crate) fn graph(text: &str) -> Option<Graph> {
    Graph::new(&Source::parse(text).ok()?, 1, Coercion::default()).ok()
}

impl Run {
    pub(crate) fn start(graph: Graph, variables: Variables) -> Self {
        let (state, events, timers) = (State::default(), Vec::new(), BTreeMap::new());
        let mut run = Self { graph, state, events, timers };
        run.submit(Command::Start(Start { variables, ..Start::default() }));
        run
    }

    pub(crate) fn open(&self) -> Vec<Open> {
        if self.state.phase != Phase::Running {
            return Vec::new();
        }
        let rests = self.state.stays.iter().filter_map(|it| match it.rest {
            Rest::Task { number, .. } => Some(Open::Task(number)),
            Rest::User => Some(Open::User(it.step.to_string())),
            Rest::Signal => Some(Open::Signal(it.step.to_string())),
            Rest::Join { .. } | Rest::Failed => None,
        });
        let timers = self.timers.values().map(|(visit, timer)| Open::Timer(*visit, *timer));
        rests.chain(timers).collect()
    }

    pub(crate) fn happen(&mut self, open: Open, output: Variables) {
        let command = match open {
            Open::Task(task) => Command::Complete { task, worker: "w".into(), output },
            Open::User(step) => Command::CompleteUserTask { step, output },
            Open::Signal(step) => Command::Signal { step, output },
            Open::Timer(visit, timer) => {
                self.timers.remove(&format!("{visit}.{timer}"));
                Command::Fire { visit, timer }
            }
        };
        self.submit(command);
    }

    fn submit(&mut self, command: Command) {
        let key = Key::new("acme".into(), Kind::Process, "p-1".into());
        let leases = BTreeMap::new();
        let now = Timestamp::from_millis(0);
        let mut turn = Turn::new(&key, &self.graph, self.state.clone(), now, &leases);
        Process::decide(&mut turn, command).unwrap();
        let decided = turn.finish();
        self.state = decided.state;
        self.events.extend(decided.events);
        for id in &decided.disarmed {
            self.timers.remove(id.as_str());
        }
        for timer in &decided.armed {
            if let Alarm::Boundary { visit, timer: index } = timer.command.read().unwrap() {
                self.timers.insert(timer.id.as_str().to_owned(), (visit, index));
            }
        }
    }

    /// A join that waits for a branch on which nobody is any more.
    pub(crate) fn deadlock(&self) -> Option<String> {
        if self.state.phase != Phase::Running {
            return None;
        }
        let mut alive: BTreeSet<(u32, u32)> = BTreeSet::new();
        for stay in &self.state.stays {
            let mut branch: Option<Branch> = stay.branch;
            while let Some(Branch { fork, index }) = branch {
                alive.insert((fork, index));
                branch = self.state.forks.get(&fork).and_then(|it| it.outer);
            }
        }
        let waits = self.state.stays.iter().filter_map(|it| match it.rest {
            Rest::Join { fork } => Some((fork, self.state.forks.get(&fork)?)),
            Rest::Task { .. } | Rest::User | Rest::Signal | Rest::Failed => None,
        });
        let mut waits = waits.filter(|(number, fork)| {
            (0..fork.branches)
                .any(|it| !fork.arrived.contains(&it) && !alive.contains(&(*number, it)))
        });
        waits.next().map(|(_, fork)| fork.join.to_string())
    }

    /// Why it failed.
    pub(crate) fn reason(&self) -> &str {
        self.state.reason.as_deref().unwrap_or_default()
    }
}

pub(crate) fn variables(example: &Value) -> Variables {
    example.as_object().unwrap().clone()
}
