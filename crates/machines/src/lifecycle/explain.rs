//! Why an entity is in the phase it is in, and where it can go.

use waypost_kernel::Timestamp;

use super::{Goal, Refusal, Transitions, decide};
use crate::explanation::{Cause, Explanation, Next, Wait};

/// An entity, and what its type allows.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub table: &'a Transitions,
    pub phase: &'a str,
    /// When it came there, if that is known.
    pub since: Option<Timestamp>,
    /// What operators may write.
    pub writable: &'a [String],
}

/// Why the entity is where it is. It moves only when somebody has it moved.
#[must_use]
pub fn explain(subject: Subject<'_>) -> Explanation {
    let Subject { table, phase, since, .. } = subject;
    let status = phase.to_owned();
    let next = next(subject);
    if !table.declares(phase) {
        let stuck = format!("phase {phase:?} is not in the table, so no move leads out of it");
        let summary = format!("{stuck}; its program must put it right.");
        return Explanation { status, summary, next, stuck: Some(stuck), ..Explanation::default() };
    }
    if table.is_terminal(phase) {
        let stuck = format!("phase {phase:?} is terminal: the table has no move out of it");
        let summary = format!("It has come to its end: {stuck}.");
        return Explanation { status, summary, next, stuck: Some(stuck), ..Explanation::default() };
    }
    let targets = table.targets(phase).join(", ");
    let what = format!("its program or an operator to move it to one of: {targets}");
    let summary = format!("It is in phase {phase:?} and waits for {what}.");
    let wait = Wait { at: status.clone(), cause: Cause::Program, what, since, until: None };
    Explanation { status, summary, waits: vec![wait], next, ..Explanation::default() }
}

fn next(subject: Subject<'_>) -> Vec<Next> {
    let Subject { table, phase, writable, .. } = subject;
    let mut found: Vec<Next> = Vec::new();
    for to in table.phases() {
        let next = decided(subject, Goal::Move(to));
        let by = "its program or an operator".to_owned();
        found.push(Next { what: format!("move to {to:?}"), by, ..next });
    }
    // What works comes first, as the table has it.
    let rank = |it: &Next| {
        let place =
            it.leads_to.first().and_then(|to| table.targets(phase).iter().position(|at| at == to));
        place.unwrap_or(usize::MAX)
    };
    found.sort_by_key(rank);
    let by = "its program".to_owned();
    let complete = decided(subject, Goal::Complete);
    found.push(Next { what: "complete".to_owned(), by: by.clone(), ..complete });
    found.push(Next { what: "fail".to_owned(), by, ..decided(subject, Goal::Fail) });
    if !writable.is_empty() {
        let (what, by) = (format!("write {}", writable.join(", ")), "an operator".to_owned());
        found.push(Next { what, by, leads_to: vec![phase.to_owned()], refused: None });
    }
    found
}

fn decided(subject: Subject<'_>, goal: Goal<'_>) -> Next {
    let (leads_to, refused) = match decide(subject.table, subject.phase, goal) {
        Ok(target) => (vec![target.phase], None),
        Err(refusal) => (Vec::new(), Some(told(&refusal))),
    };
    Next { what: String::new(), by: String::new(), leads_to, refused }
}

fn told(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Undeclared { to } => format!("phase {to:?} is not declared"),
        Refusal::NoFailedPhase => "there is no terminal phase \"failed\"".to_owned(),
        Refusal::Terminal { phase } => format!("phase {phase:?} is terminal"),
        Refusal::NoEdge { from, to } => format!("the table has no move from {from:?} to {to:?}"),
        Refusal::NoTerminalNear { from } => {
            format!("no terminal phase is one move away from {from:?}")
        }
    }
}
