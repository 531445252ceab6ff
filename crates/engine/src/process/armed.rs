//! Timers of processes, with what they are there for.

use std::collections::BTreeMap;

use waypost_kernel::{Key, Timer};
use waypost_machines::process::{Alarm, Process, State};

use super::handle::Processes;
use crate::{error::Error, turn::read};

/// A timer of a process.
#[derive(Clone, Debug)]
pub struct ArmedView {
    /// The timer.
    pub timer: Timer,
    /// What it is there for.
    pub purpose: TimerPurpose,
    /// The caller's name for the instance.
    pub business_key: Option<String>,
}

/// What a timer of a process is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerPurpose {
    /// It runs while the instance rests at a step; nothing is known of one whose rest is over.
    Boundary(Option<TimerStep>),
    /// It starts the process of this name.
    Next(String),
}

/// The step of a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerStep {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// The step it leads to.
    pub target: String,
}

impl Processes {
    /// What timers are there for; those of other faces are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn armed(&self, timers: Vec<Timer>) -> Result<Vec<ArmedView>, Error> {
        let mut keys: Vec<Key> = timers.iter().map(|it| it.at.key.clone()).collect();
        keys.dedup();
        let mut states = BTreeMap::new();
        for record in self.shared.store.load(&keys).await?.into_iter().flatten() {
            let hot = read::<Process>(&record.key, record.version, &record.state)?;
            states.insert(record.key, hot.state);
        }
        let mut armed = Vec::new();
        for timer in timers {
            let Ok(alarm) = timer.command.read::<Alarm>() else { continue };
            let state = states.get(&timer.at.key);
            let purpose = match alarm {
                Alarm::Next { definition } => TimerPurpose::Next(definition),
                Alarm::Boundary { visit, timer } => {
                    let step = match state {
                        Some(state) => self.step_of(state, visit, timer).await?,
                        None => None,
                    };
                    TimerPurpose::Boundary(step)
                }
            };
            let business_key = state.and_then(|it| it.business_key.clone());
            armed.push(ArmedView { timer, purpose, business_key });
        }
        Ok(armed)
    }

    async fn step_of(
        &self,
        state: &State,
        visit: u32,
        timer: usize,
    ) -> Result<Option<TimerStep>, Error> {
        let Some(stay) = state.stays.iter().find(|it| it.visit == visit) else { return Ok(None) };
        let graph = self.graph(state).await?;
        let step = graph.step(&stay.step);
        Ok(step.and_then(|step| {
            let target = step.timers.get(timer)?.target.to_string();
            Some(TimerStep { id: step.id.to_string(), label: step.label.clone(), target })
        }))
    }
}
