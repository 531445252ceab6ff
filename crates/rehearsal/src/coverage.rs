//! Which parts of definitions scenarios have come to: steps, exits of decisions, rules of tables,
//! timers, failures, transitions.

mod chain;
mod entity;
mod lifecycle;
mod process;

use std::collections::{BTreeMap, BTreeSet};

use waypost_machines::{chain::Event as ChainEvent, process::Event as ProcessEvent};

use crate::{ChainStage, Definitions, EntityStage, LifecycleStage, ProcessStage};

/// Something a scenario can come to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// What it is.
    pub kind: Kind,
    /// The step or state, and the number within it.
    pub place: (String, usize),
    /// What people call it.
    pub label: String,
}

/// The kinds of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A step was come to.
    Step,
    /// An exit of a decision was taken.
    Exit,
    /// A rule of a decision table counted.
    Rule,
    /// A timer fired, or a wait ran out of time.
    Timer,
    /// A task failed.
    Failure,
    /// A transition was taken.
    Transition,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Step, Self::Exit, Self::Rule, Self::Timer, Self::Failure, Self::Transition];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Exit => "exit",
            Self::Rule => "rule",
            Self::Timer => "timer",
            Self::Failure => "failure",
            Self::Transition => "transition",
        }
    }
}

/// What was come to, by definition.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<String, Covered>);

/// The points of one definition.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// All of them, in the order of the definition.
    pub all: Vec<Point>,
    /// Those that were come to.
    pub hit: BTreeSet<Point>,
}

impl Covered {
    /// How many points of a kind there are, and how many of them were come to.
    #[must_use]
    pub fn count(&self, kind: Kind) -> (usize, usize) {
        let of_kind = || self.all.iter().filter(|it| it.kind == kind);
        (of_kind().filter(|it| self.hit.contains(it)).count(), of_kind().count())
    }

    /// What no scenario came to.
    pub fn missed(&self) -> impl Iterator<Item = &Point> {
        self.all.iter().filter(|it| !self.hit.contains(it))
    }
}

impl Coverage {
    /// Nothing of these definitions yet.
    #[must_use]
    pub fn of(definitions: &Definitions) -> Self {
        let mut coverage = Self::default();
        coverage.extend(definitions);
        coverage
    }

    /// The same with more definitions. Those of the same name are taken for the same.
    pub fn extend(&mut self, definitions: &Definitions) {
        let graphs = definitions.graphs();
        let graphs = graphs.map(|it| (it.which.name.clone(), process::points(it)));
        let plans = definitions.plans();
        let plans = plans.map(|it| (it.workflow_type.clone(), chain::points(it)));
        let workflows = definitions.workflows().iter();
        let workflows = workflows.map(|it| (it.name.clone(), entity::points(it)));
        let lifecycles = definitions.lifecycles();
        let lifecycles = lifecycles.map(|(name, it)| (name.to_owned(), lifecycle::points(it)));
        for (name, all) in graphs.chain(plans).chain(workflows).chain(lifecycles) {
            self.0.entry(name).or_default().all = all;
        }
    }

    /// The definitions, by name.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, &Covered)> {
        self.0.iter().map(|(name, it)| (name.as_str(), it))
    }

    /// Adds what processes came to.
    pub fn add_processes(&mut self, stage: &ProcessStage<'_>) {
        for (graph, events) in stage.events() {
            let events: Vec<&ProcessEvent> = events.collect();
            self.add(&graph.which.name, process::hits(graph, &events));
        }
    }

    /// Adds what a chain came to.
    pub fn add_chain(&mut self, stage: &ChainStage<'_>) {
        if let Some((name, events)) = stage.events() {
            let events: Vec<&ChainEvent> = events;
            let all = self.0.get(name).map(|it| it.all.clone()).unwrap_or_default();
            self.add(name, chain::hits(&all, &events));
        }
    }

    /// Adds what an entity came to.
    pub fn add_entity(&mut self, stage: &EntityStage<'_>, definitions: &Definitions) {
        let (workflow, audit) = stage.audit();
        let found = definitions.workflows().iter().find(|it| Some(it.name.as_str()) == workflow);
        if let Some(workflow) = found {
            self.add(&workflow.name, entity::hits(workflow, &audit));
        }
    }

    /// Adds what a lifecycle came to.
    pub fn add_lifecycle(&mut self, stage: &LifecycleStage<'_>) {
        let (name, phases) = stage.path();
        self.add(name, lifecycle::hits(phases));
    }

    fn add(&mut self, name: &str, hit: BTreeSet<Point>) {
        if let Some(covered) = self.0.get_mut(name) {
            covered.hit.extend(hit);
        }
    }
}

fn point(kind: Kind, place: &str, index: usize, label: impl Into<String>) -> Point {
    Point { kind, place: (place.to_owned(), index), label: label.into() }
}
