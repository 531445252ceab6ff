//! The history of an instance as its users read it: one entry for each visit of a step.

use std::sync::Arc;

use indexmap::IndexMap;
use waypost_kernel::{Machine, Timestamp};

use super::{Event, Process, Rest, State, StepId, Variables, decide::INTERRUPTED};

/// One visit of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Its number within the instance.
    pub number: u32,
    pub step: StepId,
    /// How many visits of this step there were before, and one.
    pub attempt: u32,
    pub status: VisitStatus,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// What the instance knew when it came.
    pub input: Arc<Variables>,
    /// What a program gave back, if it gave anything; or what the instance knew after a person, a
    /// signal, a table or assignments.
    pub output: Option<Arc<Variables>>,
    pub reason: Option<String>,
}

/// How a visit went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitStatus {
    Running,
    Completed,
    Failed,
}

impl VisitStatus {
    /// The status as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }
}

/// Follows an instance through its events.
#[derive(Clone, Debug, Default)]
pub struct History {
    state: State,
    visits: IndexMap<u32, Visit>,
}

impl History {
    /// Takes note of what happened at `at`.
    pub fn follow(&mut self, at: Timestamp, event: &Event) {
        let before = Arc::clone(&self.state.variables);
        let is_task_left = matches!(event, Event::Left { visit, .. } if self.is_task(*visit));
        Process::evolve(&mut self.state, event);
        match event {
            Event::Entered(stay) => self.begin(stay.visit, &stay.step, at, before),
            Event::Passed { visit, step, set } => {
                self.begin(*visit, step, at, before);
                let output = set.as_ref().map(|_| Arc::clone(&self.state.variables));
                self.end(*visit, at, VisitStatus::Completed, None);
                self.put_out(*visit, output);
            }
            Event::Arrived { visit, step, .. } => {
                self.begin(*visit, step, at, before);
                self.end(*visit, at, VisitStatus::Completed, None);
            }
            Event::Stumbled { visit, step, reason, .. } => {
                self.begin(*visit, step, at, before);
                self.end(*visit, at, VisitStatus::Failed, Some(reason));
            }
            Event::Merged { visit, output, .. } => {
                let output = if self.is_task(*visit) {
                    Arc::new(output.clone())
                } else {
                    Arc::clone(&self.state.variables)
                };
                self.put_out(*visit, Some(output));
            }
            Event::Left { visit, .. } => {
                self.end(*visit, at, VisitStatus::Completed, None);
                // A person or a signal that brought nothing has left what there was.
                if !is_task_left {
                    self.put_out(*visit, Some(Arc::clone(&self.state.variables)));
                }
            }
            Event::Interrupted { visit } => {
                self.end(*visit, at, VisitStatus::Failed, Some(INTERRUPTED));
            }
            Event::StepFailed { visit, reason, .. } => {
                self.end(*visit, at, VisitStatus::Failed, Some(reason));
            }
            Event::Started { .. }
            | Event::Forked { .. }
            | Event::Joined { .. }
            | Event::Forgotten { .. }
            | Event::Fired { .. }
            | Event::Retried { .. }
            | Event::Lapsed { .. }
            | Event::Resumed { .. }
            | Event::Completed { .. }
            | Event::Failed { .. }
            | Event::Canceled { .. }
            | Event::Asked(_) => {}
        }
    }

    /// The visits, in the order in which they began.
    #[must_use]
    pub fn visits(self) -> Vec<Visit> {
        self.visits.into_values().collect()
    }

    /// The instance after everything that was followed.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    fn begin(&mut self, number: u32, step: &StepId, at: Timestamp, input: Arc<Variables>) {
        let visit = Visit {
            number,
            step: Arc::clone(step),
            attempt: self.state.visits.get(step).map_or(1, |it| it.count),
            status: VisitStatus::Running,
            started_at: at,
            ended_at: None,
            input,
            output: None,
            reason: None,
        };
        self.visits.insert(number, visit);
    }

    fn end(&mut self, number: u32, at: Timestamp, status: VisitStatus, reason: Option<&str>) {
        if let Some(visit) = self.visits.get_mut(&number) {
            visit.status = status;
            visit.ended_at = Some(at);
            visit.reason = reason.map(str::to_owned);
        }
    }

    fn put_out(&mut self, number: u32, output: Option<Arc<Variables>>) {
        if let Some(visit) = self.visits.get_mut(&number) {
            visit.output = output;
        }
    }

    fn is_task(&self, visit: u32) -> bool {
        let stay = self.state.stays.iter().find(|it| it.visit == visit);
        stay.is_some_and(|it| matches!(it.rest, Rest::Task { .. }))
    }
}
