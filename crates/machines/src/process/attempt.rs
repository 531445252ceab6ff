//! What became of the tasks of an instance, told from its events alone: one attempt for each
//! delivery.

use waypost_kernel::{Timestamp, WorkerId};

use super::{Event, Rest, Stay, StepId, decide::INTERRUPTED};

/// A task that was offered, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the task.
    pub task: u32,
    /// The number of the visit.
    pub visit: u32,
    pub step: StepId,
    /// How many there were at this visit before, and one.
    pub number: u32,
    /// How often it may still fail and be offered again.
    pub retries: u32,
    pub offered_at: Timestamp,
    /// None while it is open.
    pub end: Option<AttemptEnd>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptEnd {
    pub at: Timestamp,
    pub outcome: AttemptOutcome,
    /// Who was at it, as far as it was kept.
    pub worker: Option<WorkerId>,
    /// Why it failed or was taken back.
    pub error: Option<String>,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Completed,
    Failed,
    /// The worker was not heard of again.
    Lapsed,
    /// The instance has no use for it any more.
    Withdrawn,
}

/// Follows an instance through its events.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    all: Vec<Attempt>,
}

impl Attempts {
    /// Takes note of what happened at `at`.
    pub fn follow(&mut self, at: Timestamp, event: &Event) {
        use AttemptOutcome::{Completed, Failed, Lapsed, Withdrawn};
        match event {
            Event::Entered(stay) => self.begin(stay, at),
            Event::Left { visit, by } => self.end(*visit, (at, Completed), by.as_ref(), None),
            Event::StepFailed { visit, reason, by } => {
                self.end(*visit, (at, Failed), by.as_ref(), Some(reason));
            }
            Event::Interrupted { visit } => {
                self.end(*visit, (at, Withdrawn), None, Some(INTERRUPTED));
            }
            Event::Retried { visit, task, error, by } => {
                self.end(*visit, (at, Failed), by.as_ref(), Some(error));
                self.again(*visit, *task, (at, 1));
            }
            Event::Lapsed { visit, task } => {
                self.end(*visit, (at, Lapsed), None, None);
                self.again(*visit, *task, (at, 0));
            }
            Event::Completed { .. } | Event::Canceled { .. } => {
                let open = self.all.iter().filter(|it| it.end.is_none()).map(|it| it.visit);
                for visit in open.collect::<Vec<_>>() {
                    self.end(visit, (at, Withdrawn), None, None);
                }
            }
            Event::Started { .. }
            | Event::Passed { .. }
            | Event::Forked { .. }
            | Event::Arrived { .. }
            | Event::Joined { .. }
            | Event::Forgotten { .. }
            | Event::Merged { .. }
            | Event::Fired { .. }
            | Event::Stumbled { .. }
            | Event::Resumed { .. }
            | Event::Failed { .. }
            | Event::Asked(_) => {}
        }
    }

    /// The attempts, in the order in which they were offered.
    #[must_use]
    pub fn all(self) -> Vec<Attempt> {
        self.all
    }

    fn begin(&mut self, stay: &Stay, at: Timestamp) {
        if let Rest::Task { number, retries, .. } = stay.rest {
            let (visit, step) = (stay.visit, StepId::clone(&stay.step));
            let attempt = Attempt {
                task: number,
                visit,
                step,
                number: 1,
                retries,
                offered_at: at,
                end: None,
            };
            self.all.push(attempt);
        }
    }

    /// The same visit, under another number.
    fn again(&mut self, visit: u32, task: u32, (at, spent): (Timestamp, u32)) {
        let Some(before) = self.all.iter().rfind(|it| it.visit == visit) else { return };
        let next = Attempt {
            task,
            number: before.number + 1,
            retries: before.retries.saturating_sub(spent),
            offered_at: at,
            end: None,
            ..before.clone()
        };
        self.all.push(next);
    }

    fn end(
        &mut self,
        visit: u32,
        (at, outcome): (Timestamp, AttemptOutcome),
        worker: Option<&WorkerId>,
        error: Option<&str>,
    ) {
        let open = |it: &&mut Attempt| it.visit == visit && it.end.is_none();
        if let Some(attempt) = self.all.iter_mut().rfind(open) {
            let (worker, error) = (worker.cloned(), error.map(str::to_owned));
            attempt.end = Some(AttemptEnd { at, outcome, worker, error });
        }
    }
}
