//! Whether branches meet again.
//!
//! A path lies on one level: that of the process, or that of a branch of a gateway. On its level it
//! goes from step to step; a gateway on the way is one stride, from the gateway to what follows its
//! join, because its branches are levels of their own. If on every level every path that is not a
//! timer's side path can only come to the level's own join or to an END, and always can, then by
//! induction over the levels every join that is entered fills, unless the instance ends or fails.

use waypost_machines::process::Work;

use super::{
    Definition,
    flow::{Flow, has, reach},
};
use crate::{
    code,
    ledger::{Ledger, Note},
    limits::WALKED_MAX,
};

/// A level: the process itself, or the branches of one gateway.
struct Level {
    gateway: Option<usize>,
    join: Option<usize>,
    starts: Vec<usize>,
}

/// What paths of a level come to.
struct Walked {
    /// Steps that the paths of the level come to.
    main: Vec<bool>,
    /// Steps that side paths come to.
    sides: Vec<bool>,
}

pub(super) fn check(definition: &Definition<'_>, flow: &Flow<'_>, ledger: &mut Ledger<'_>) {
    let strides = strides(flow);
    let mut n_walked = 0;
    for level in levels(flow) {
        n_walked += 3 * flow.len() + strides.iter().map(Vec::len).sum::<usize>();
        if n_walked > WALKED_MAX {
            let message = format!("{} steps with many gateways", flow.len());
            let at = definition.at(level.gateway.unwrap_or_default());
            return ledger.add(Note::new(&code::P019, at, message));
        }
        let walked = walk(flow, &level, &strides);
        foreign_joins(definition, flow, (&level, &walked), ledger);
        if level.gateway.is_some() {
            branches(definition, flow, (&level, &walked, &strides), ledger);
        }
    }
}

fn levels(flow: &Flow<'_>) -> Vec<Level> {
    let reached = reach(flow.len(), [0], |at| flow.all(at).collect());
    let mut levels = vec![Level { gateway: None, join: None, starts: vec![0] }];
    for (index, step) in flow.graph.steps().iter().enumerate() {
        if let Work::Fork { join, .. } = &step.work
            && has(&reached, index)
        {
            let starts = flow.ways.get(index).cloned().unwrap_or_default();
            levels.push(Level { gateway: Some(index), join: flow.place(join), starts });
        }
    }
    levels
}

/// Where one gets from a step without changing the level; nowhere from joins, which end one.
fn strides(flow: &Flow<'_>) -> Vec<Vec<usize>> {
    let next = |index: usize| match flow.step(index).map(|it| &it.work) {
        Some(Work::Fork { join, .. }) => {
            let join = flow.place(join);
            join.and_then(|it| flow.ways.get(it).cloned()).unwrap_or_default()
        }
        Some(Work::Join { .. }) | None => Vec::new(),
        Some(
            Work::Service { .. }
            | Work::User { .. }
            | Work::Wait { .. }
            | Work::Decide(_)
            | Work::Table { .. }
            | Work::Transform { .. }
            | Work::End { .. },
        ) => flow.onward(index).collect(),
    };
    (0..flow.len()).map(next).collect()
}

fn walk(flow: &Flow<'_>, level: &Level, strides: &[Vec<usize>]) -> Walked {
    let next = |at: usize| strides.get(at).cloned().unwrap_or_default();
    let main = reach(flow.len(), level.starts.iter().copied(), next);
    let mut sides = vec![false; flow.len()];
    let aside = |at: usize| flow.sides.get(at).into_iter().flatten().map(|it| it.0);
    let starts: Vec<usize> = (0..flow.len()).filter(|it| has(&main, *it)).flat_map(aside).collect();
    let onward = |at: usize| {
        let own = strides.get(at).into_iter().flatten().copied();
        own.chain(aside(at)).collect()
    };
    if !starts.is_empty() {
        sides = reach(flow.len(), starts, onward);
    }
    Walked { main, sides }
}

/// Joins that belong to another level.
fn foreign_joins(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    (level, walked): (&Level, &Walked),
    ledger: &mut Ledger<'_>,
) {
    let is_join = |at: usize| matches!(flow.step(at).map(|it| &it.work), Some(Work::Join { .. }));
    for join in (0..flow.len()).filter(|it| is_join(*it) && level.join != Some(*it)) {
        let (on_main, aside) = (has(&walked.main, join), has(&walked.sides, join));
        let id = flow.id(join);
        match level.gateway {
            None if on_main || aside => {
                let message = format!("a path that no gateway has opened comes to join {id:?}");
                ledger.add(Note::new(&code::P012, definition.at(join), message));
            }
            Some(gateway) if on_main || aside => {
                let own = flow.id(gateway);
                let message =
                    format!("a branch of {own:?} comes to join {id:?}, which is another gateway's");
                let note = Note::new(&code::P011, definition.at(gateway), message);
                ledger.add(note.related(definition.at(join), "it comes here"));
            }
            None | Some(_) => {}
        }
    }
}

fn branches(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    (level, walked, strides): (&Level, &Walked, &[Vec<usize>]),
    ledger: &mut Ledger<'_>,
) {
    let Some((gateway, join)) = level.gateway.zip(level.join) else { return };
    let back = flow.reversed(|at| strides.get(at).cloned().unwrap_or_default());
    let before = |at: usize| back.get(at).cloned().unwrap_or_default();
    let comes = reach(flow.len(), [join], before);
    let (own, met) = (flow.id(gateway), flow.id(join));
    for start in level.starts.iter().copied().filter(|it| !has(&comes, *it)) {
        let branch = flow.id(start);
        let message = format!("branch {branch:?} of {own:?} never comes to join {met:?}");
        let note = Note::new(&code::P010, definition.at(join), message);
        let note = note.related(definition.at(gateway), "the gateway");
        ledger.add(note.related(definition.at(start), "the branch"));
    }
    let ends = (0..flow.len()).filter(|it| flow.is_end(*it));
    let is_over = reach(flow.len(), ends.chain([join]), before);
    let from_good =
        reach(flow.len(), level.starts.iter().copied().filter(|it| has(&comes, *it)), |at| {
            strides.get(at).cloned().unwrap_or_default()
        });
    for at in (0..flow.len()).filter(|it| has(&walked.main, *it) && has(&from_good, *it)) {
        let is_foreign =
            at != join && matches!(flow.step(at).map(|it| &it.work), Some(Work::Join { .. }));
        if is_foreign || has(&is_over, at) && !flow.stops(at) {
            continue;
        }
        let why = if flow.stops(at) { "stops at" } else { "does not get away from" };
        let message =
            format!("a branch of {own:?} {why} {:?} and misses join {met:?}", flow.id(at));
        let note = Note::new(&code::P011, definition.at(at), message);
        ledger.add(note.related(definition.at(join), "the join waits for it"));
    }
}
