//! A scenario: how an instance begins, who does what, what is done to it, and what must come of it.

use serde::Deserialize;

use crate::{Begin, Deed, Expect, Stubs};

/// How much of everything a scenario takes, and why not more.
pub mod limits {
    /// Commands of one scenario: one that needs more goes in circles.
    pub const COMMANDS_MAX: usize = 10_000;
    /// Deeds of one scenario. Nobody reads longer ones.
    pub const DEEDS_MAX: usize = 1_000;
    /// Instances that follow one another: definitions may name each other.
    pub const FOLLOWERS_MAX: usize = 20;
    /// Questions to compute nodes in one run of an entity, as in the engine.
    pub const CALLS_MAX: usize = 256;
}

/// A scenario as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// What it shows.
    pub name: String,
    /// How the instance begins.
    pub start: Begin,
    /// What workers do, by step or by type of job; of chains by type of step.
    #[serde(default)]
    pub workers: Stubs,
    /// What people do, by step.
    #[serde(default)]
    pub people: Stubs,
    /// What signals come when somebody waits: by step, of chains by type of event.
    #[serde(default)]
    pub signals: Stubs,
    /// What compute nodes make of entities, by the name of the processor.
    #[serde(default)]
    pub processors: Stubs,
    /// What compute nodes say of entities, by the name of the criterion.
    #[serde(default)]
    pub criteria: Stubs,
    /// What is done to the instance, one after the other.
    #[serde(default, rename = "do")]
    pub deeds: Vec<Deed>,
    /// What must be so when nothing is left to happen.
    #[serde(default)]
    pub expect: Expect,
}

/// What is tried with an instance that is under way: a scenario without a beginning.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WhatIf {
    /// See [`Scenario::workers`].
    pub workers: Stubs,
    /// See [`Scenario::people`].
    pub people: Stubs,
    /// See [`Scenario::signals`].
    pub signals: Stubs,
    /// See [`Scenario::processors`].
    pub processors: Stubs,
    /// See [`Scenario::criteria`].
    pub criteria: Stubs,
    /// See [`Scenario::deeds`].
    #[serde(rename = "do")]
    pub deeds: Vec<Deed>,
    /// See [`Scenario::expect`].
    pub expect: Expect,
}

impl WhatIf {
    /// Everybody who takes part.
    #[must_use]
    pub fn cast(&self) -> Cast {
        let Self { workers, people, signals, processors, criteria, .. } = self.clone();
        Cast { workers, people, signals, processors, criteria }
    }
}

/// Everybody who takes part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    /// See [`Scenario::workers`].
    pub workers: Stubs,
    /// See [`Scenario::people`].
    pub people: Stubs,
    /// See [`Scenario::signals`].
    pub signals: Stubs,
    /// See [`Scenario::processors`].
    pub processors: Stubs,
    /// See [`Scenario::criteria`].
    pub criteria: Stubs,
}

impl Cast {
    /// This cast, except where the scenario has its own.
    #[must_use]
    pub fn of(&self, scenario: &Scenario) -> Self {
        Self {
            workers: scenario.workers.over(&self.workers),
            people: scenario.people.over(&self.people),
            signals: scenario.signals.over(&self.signals),
            processors: scenario.processors.over(&self.processors),
            criteria: scenario.criteria.over(&self.criteria),
        }
    }
}
