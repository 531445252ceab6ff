//! Why a process is where it is. Found out by looking, and by deciding every command that could
//! come without letting it land.

mod conditions;
mod next;
mod waits;

use std::collections::BTreeMap;

use waypost_kernel::{Key, Lease, TaskId};

use super::{Graph, Phase, Rest, State, Status, Visit};
use crate::explanation::{Around, Cause, Explanation, Wait};

/// An instance, and all that is known about it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub key: &'a Key,
    pub graph: &'a Graph,
    pub state: &'a State,
    /// Who holds which of its tasks.
    pub leases: &'a BTreeMap<TaskId, Lease>,
    /// How it came here.
    pub visits: &'a [Visit],
}

/// Why the instance is where it is.
#[must_use]
pub fn explain(subject: Subject<'_>, around: Around<'_>) -> Explanation {
    let state = subject.state;
    let next = next::next(subject, around);
    let conditions = conditions::conditions(subject);
    let waits = waits::waits(subject, around);
    let status = state.status();
    let reason = || state.reason.clone().filter(|it| !it.is_empty());
    let ended = |summary: String| {
        let ended = Explanation::ended(status.as_str(), summary);
        Explanation { next: next.clone(), conditions: conditions.clone(), ..ended }
    };
    match state.phase {
        Phase::Completed => ended("It has completed.".to_owned()),
        Phase::Canceled => ended(match reason() {
            Some(reason) => format!("It was cancelled: {reason}"),
            None => "It was cancelled.".to_owned(),
        }),
        Phase::Absent | Phase::Running | Phase::Failed => {
            let can_move = next.iter().any(|it| it.refused.is_none() && it.what != next::CANCEL);
            let stuck = (!can_move).then(|| why_stuck(subject));
            let summary = match (&stuck, status) {
                (Some(why), _) => format!("Nothing can move it any more: {why}."),
                (None, Status::Failed) => failure(state),
                (None, _) => summary(&waits),
            };
            let status = status.as_str().to_owned();
            Explanation { status, summary, waits, conditions, next, stuck }
        }
    }
    .cut()
}

fn failure(state: &State) -> String {
    let reason = state.reason.as_deref().unwrap_or("for no reason that was kept");
    let failed = state.stays.iter().find(|it| it.rest == Rest::Failed);
    match failed {
        Some(stay) => {
            let step = &stay.step;
            format!("It failed at {step:?}: {reason}. It goes on when the step is tried again.")
        }
        None => format!("It failed: {reason}."),
    }
}

fn summary(waits: &[Wait]) -> String {
    let others = |it: &&Wait| !matches!(it.cause, Cause::Timer);
    let main: Vec<&Wait> = waits.iter().filter(others).collect();
    let Some(first) = main.first() else { return "It is under way.".to_owned() };
    let said = format!("It waits at {:?} for {}.", first.at, first.what);
    match main.get(1..).unwrap_or_default() {
        [] => said,
        [other] => format!("{said} It also waits at {:?} for {}.", other.at, other.what),
        others => format!("{said} It waits for {} more things.", others.len()),
    }
}

/// No command would do anything: what is missing?
fn why_stuck(subject: Subject<'_>) -> String {
    let state = subject.state;
    let join = state.stays.iter().find_map(|it| match it.rest {
        Rest::Join { fork } => Some((it, fork)),
        Rest::Task { .. } | Rest::User | Rest::Signal | Rest::Failed => None,
    });
    match join {
        Some((stay, fork)) => waits::lacking(subject, stay, fork),
        None if state.stays.is_empty() => {
            "every path has stopped at a step that leads nowhere, and none came to an END"
                .to_owned()
        }
        None => "no step that is open can go on".to_owned(),
    }
}
