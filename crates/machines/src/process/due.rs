//! The timers of an instance: what rests has those of its step, from when it came there on.

use std::sync::Arc;

use waypost_kernel::Timestamp;

use super::{Graph, Phase, Rest, State, StepId};

/// A timer that is still to fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The number of the visit it belongs to.
    pub visit: u32,
    /// Where the instance rests.
    pub step: StepId,
    /// Which of the step's timers.
    pub timer: usize,
    pub at: Timestamp,
    /// Whether the step ends when it fires.
    pub interrupting: bool,
    /// Where it leads.
    pub target: StepId,
}

/// The timers that fire after `now`, soonest first. Those of an instance that is not under way
/// come to nothing.
#[must_use]
pub fn timers(graph: &Graph, state: &State, now: Timestamp) -> Vec<Due> {
    let rests = state.stays.iter().filter(|it| {
        state.phase == Phase::Running && !matches!(it.rest, Rest::Failed | Rest::Join { .. })
    });
    let mut found: Vec<Due> = Vec::new();
    for stay in rests {
        let timers = graph.step(&stay.step).map(|it| it.timers.as_slice()).unwrap_or_default();
        found.extend(timers.iter().enumerate().map(|(timer, boundary)| Due {
            visit: stay.visit,
            step: Arc::clone(&stay.step),
            timer,
            at: stay.since + boundary.after,
            interrupting: boundary.interrupting,
            target: Arc::clone(&boundary.target),
        }));
    }
    found.retain(|it| it.at > now);
    found.sort_by_key(|it| it.at);
    found
}
