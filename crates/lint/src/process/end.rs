//! Whether instances can come to an end from everywhere.

use waypost_machines::process::Work;

use super::{
    Definition,
    flow::{Flow, has, reach},
};
use crate::{
    code,
    ledger::{Ledger, Note},
};

/// `circles` are steps that were found to go in circles for ever, and need not be told again.
pub(super) fn check(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    circles: &[usize],
    ledger: &mut Ledger<'_>,
) {
    let reached = reach(flow.len(), [0], |at| flow.all(at).collect());
    traps(definition, flow, (&reached, circles), ledger);
    stops(definition, flow, ledger);
}

/// Steps that neither an end nor a stop follows.
fn traps(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    (reached, circles): (&[bool], &[usize]),
    ledger: &mut Ledger<'_>,
) {
    let back = flow.reversed(|at| flow.all(at).collect());
    let before = |at: usize| back.get(at).cloned().unwrap_or_default();
    let over = (0..flow.len()).filter(|it| flow.is_end(*it) || flow.stops(*it));
    let free = reach(flow.len(), over, before);
    let is_trapped = |at: &usize| has(reached, *at) && !has(&free, *at);
    let mut told = reach(flow.len(), circles.iter().copied(), before);
    for at in (0..flow.len()).filter(is_trapped) {
        if has(&told, at) {
            continue;
        }
        let both = |at: usize| flow.all(at).chain(before(at)).filter(is_trapped).collect();
        let part = reach(flow.len(), [at], both);
        let others = (0..flow.len()).filter(|it| has(&part, *it) && *it != at);
        let message = format!("from {:?} no way leads to an END", flow.id(at));
        let note = Note::new(&code::P020, definition.at(at), message);
        ledger.add(others.fold(note, |note, it| note.related(definition.at(it), "nor from here")));
        told.iter_mut().zip(part).for_each(|(told, it)| *told |= it);
    }
}

/// Where the path of the process itself stops. Branches that stop miss their join, which is told
/// elsewhere; side paths may stop.
fn stops(definition: &Definition<'_>, flow: &Flow<'_>, ledger: &mut Ledger<'_>) {
    let next = |at: usize| match flow.step(at).map(|it| &it.work) {
        Some(Work::Fork { join, .. }) => flow.place(join).into_iter().collect(),
        _ => flow.onward(at).collect(),
    };
    let main = reach(flow.len(), [0], next);
    for at in (0..flow.len()).filter(|it| has(&main, *it) && flow.stops(*it)) {
        let message = format!("the way stops at {:?}", flow.id(at));
        ledger.add(Note::new(&code::P021, definition.at(at), message));
    }
}
