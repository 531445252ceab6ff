//! Which ways an instance has gone, told from its events alone.

use std::collections::BTreeSet;

use waypost_kernel::{Machine as _, Timestamp};

use super::{Event, Process, State, StepId};

/// A way from one step to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// None where the instance began.
    pub from: Option<StepId>,
    pub to: StepId,
    /// Whether a timer has led there.
    pub by_timer: bool,
}

/// Where a path comes from that has not come to its next step yet.
#[derive(Clone, Debug)]
enum Source {
    Start,
    Step {
        step: StepId,
        by_timer: bool,
    },
    /// A step that is tried again: how it was reached is known already.
    Again,
}

/// Follows an instance through its events.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    state: State,
    /// Paths that are about to come to a step; the last comes first, as in the machine.
    pending: Vec<Source>,
    ways: BTreeSet<Way>,
}

impl Trail {
    /// Takes note of the next event.
    pub fn follow(&mut self, _at: Timestamp, event: &Event) {
        let left = visit(event).and_then(|it| self.step_of(it));
        Process::evolve(&mut self.state, event);
        match event {
            Event::Started { .. } => self.pending = vec![Source::Start],
            Event::Left { .. } => self.go_on(left, false),
            Event::Fired { .. } => self.go_on(left, true),
            Event::Entered(stay) => self.reach(&stay.step),
            Event::Stumbled { step, .. } => self.reach(step),
            Event::Passed { step, .. } | Event::Arrived { step, .. } => {
                self.reach(step);
                // A path that waits for others at a join goes on when the last of them has come.
                if matches!(event, Event::Passed { .. }) {
                    self.pending.push(step_of(step));
                }
            }
            Event::Forked { made, .. } => {
                let source = self.pending.pop().unwrap_or(Source::Again);
                self.pending.extend((0..made.branches).map(|_| source.clone()));
            }
            Event::Joined { .. } => {
                let joined = self.last_reached();
                self.pending.extend(joined);
            }
            Event::Resumed { .. } => self.pending.push(Source::Again),
            Event::Forgotten { .. }
            | Event::Merged { .. }
            | Event::Interrupted { .. }
            | Event::Retried { .. }
            | Event::Lapsed { .. }
            | Event::StepFailed { .. }
            | Event::Completed { .. }
            | Event::Failed { .. }
            | Event::Canceled { .. }
            | Event::Asked(_) => {}
        }
    }

    /// The ways that were gone.
    #[must_use]
    pub const fn ways(&self) -> &BTreeSet<Way> {
        &self.ways
    }

    /// A turn begins at a step.
    fn go_on(&mut self, step: Option<StepId>, by_timer: bool) {
        self.pending = step.map(|step| Source::Step { step, by_timer }).into_iter().collect();
    }

    /// The next path comes to a step.
    fn reach(&mut self, to: &StepId) {
        let (from, by_timer) = match self.pending.pop() {
            Some(Source::Start) => (None, false),
            Some(Source::Step { step, by_timer }) => (Some(step), by_timer),
            Some(Source::Again) | None => return,
        };
        self.ways.insert(Way { from, to: StepId::clone(to), by_timer });
    }

    /// The step whose visit has the highest number.
    fn last_reached(&self) -> Option<Source> {
        let latest = self.state.visits.iter().max_by_key(|(_, visits)| visits.latest);
        latest.map(|(step, _)| step_of(step))
    }

    fn step_of(&self, visit: u32) -> Option<StepId> {
        let stay = self.state.stays.iter().find(|it| it.visit == visit)?;
        Some(StepId::clone(&stay.step))
    }
}

fn step_of(step: &StepId) -> Source {
    Source::Step { step: StepId::clone(step), by_timer: false }
}

const fn visit(event: &Event) -> Option<u32> {
    if let Event::Left { visit, .. } | Event::Fired { visit, .. } = event {
        return Some(*visit);
    }
    None
}
