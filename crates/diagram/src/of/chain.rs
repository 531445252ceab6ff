//! Chains: one step after the other.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::Timestamp;
use waypost_machines::chain::{Plan, State, Status, StepStatus};

use super::{begin, edge, node};
use crate::picture::{Edge, Kind, Mark, Picture, Style, Taken};

/// The id of the node behind the last step.
pub const END: &str = "(end)";

/// The picture of a plan.
#[must_use]
pub fn picture(plan: &Plan) -> Picture {
    let steps = plan.steps.iter().map(|it| (it.step_type.as_str(), it.max_attempts));
    line(&plan.workflow_type, steps)
}

/// The picture of a chain that was started: it has the steps it was started with, and marks.
/// `show` says how a time is written.
#[must_use]
pub fn started(state: &State, show: &dyn Fn(Timestamp) -> String) -> Picture {
    let steps = state.steps.iter().map(|it| (it.step_type.as_str(), Some(it.max_attempts)));
    let picture = line(&state.workflow_type, steps);
    Picture { marks: marks(state, show), taken: taken(state, &picture), ..picture }
}

/// A line is gone from its beginning to where the chain is, and to its end if it has come there.
fn taken(state: &State, picture: &Picture) -> BTreeSet<Taken> {
    let last = state.current + 1 + usize::from(state.status == Status::Completed);
    let way = |it: &Edge| Taken { from: it.from.clone(), to: it.to.clone(), by_timer: false };
    picture.edges.iter().take(last).map(way).collect()
}

fn line<'a>(title: &str, steps: impl Iterator<Item = (&'a str, Option<u32>)>) -> Picture {
    let mut picture = Picture { title: title.to_owned(), ..Picture::default() };
    for (index, (step_type, attempts)) in steps.enumerate() {
        let detail = match attempts {
            None => String::new(),
            Some(1) => "1 attempt".to_owned(),
            Some(attempts) => format!("{attempts} attempts"),
        };
        picture.nodes.push(node(&index.to_string(), step_type, detail, Kind::Task));
        let next = index + 1;
        picture.edges.push(edge(
            &index.to_string(),
            &next.to_string(),
            String::new(),
            Style::Normal,
        ));
    }
    if let Some(last) = picture.edges.last_mut() {
        END.clone_into(&mut last.to);
        picture.nodes.push(node(END, "Completed", String::new(), Kind::End));
        begin(&mut picture, "0");
    }
    picture
}

fn marks(state: &State, show: &dyn Fn(Timestamp) -> String) -> BTreeMap<String, Mark> {
    let mut marks = BTreeMap::new();
    for (index, step) in state.steps.iter().enumerate() {
        let is_here = state.is_running() && index == state.current;
        let due = step.deadline_at.or(step.next_run_at).filter(|_| is_here);
        let mark = Mark {
            here: u32::from(is_here),
            visits: step.attempts + u32::from(step.status == StepStatus::Done),
            due: due.map(show),
            is_failed: step.status == StepStatus::Dead,
        };
        marks.insert(index.to_string(), mark);
    }
    if state.status == Status::Completed {
        marks.insert(END.to_owned(), Mark { visits: 1, ..Mark::default() });
    }
    marks
}
