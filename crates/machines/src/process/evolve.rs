//! What each event does to a process.

use std::{collections::BTreeSet, sync::Arc};

use waypost_kernel::Timestamp;

use super::{
    Branch, Event, Phase, Rest, State, Stay, StepId, Variables,
    variables::{merge, merge_deeply},
};

pub(super) fn evolve(state: &mut State, event: &Event) {
    match event {
        Event::Started { definition, business_key, parent, variables, at } => {
            state.phase = Phase::Running;
            state.definition.clone_from(definition);
            state.business_key.clone_from(business_key);
            state.parent.clone_from(parent);
            state.variables = Arc::new(variables.clone());
            state.started_at = *at;
        }
        Event::Entered(stay) => {
            visit(state, stay.visit, &stay.step);
            if let Rest::Task { number, .. } = stay.rest {
                state.last = number;
            }
            state.stays.push(stay.clone());
        }
        Event::Passed { visit: number, step, set } => {
            visit(state, *number, step);
            if let Some(set) = set {
                change(state, |variables| merge(variables, set));
            }
        }
        Event::Forked { fork, made } => {
            state.last = *fork;
            state.forks.insert(*fork, made.clone());
        }
        Event::Arrived { visit: number, step, branch, at } => {
            visit(state, *number, step);
            arrive(state, (*number, step), *branch, *at);
        }
        Event::Joined { fork } => {
            let waits = |it: &Stay| matches!(it.rest, Rest::Join { fork: its } if its == *fork);
            state.stays.retain(|it| !waits(it));
            if !is_left(state, *fork) {
                state.forks.remove(fork);
            }
        }
        Event::Forgotten { fork } => drop(state.forks.remove(fork)),
        Event::Merged { output, deeply, .. } => change(state, |variables| match deeply {
            true => merge_deeply(variables, output),
            false => merge(variables, output),
        }),
        Event::Left { visit, .. } => leave(state, *visit),
        Event::Fired { .. } | Event::Asked(_) => {}
        Event::Interrupted { visit } => {
            note_failure(state, *visit);
            leave(state, *visit);
        }
        Event::Retried { visit, task, .. } => offer_again(state, *visit, *task, 1),
        Event::Lapsed { visit, task } => offer_again(state, *visit, *task, 0),
        Event::StepFailed { visit, .. } => {
            note_failure(state, *visit);
            if let Some(stay) = state.stays.iter_mut().find(|it| it.visit == *visit) {
                stay.rest = Rest::Failed;
            }
            forget_snapshots(state);
        }
        Event::Stumbled { visit: number, step, branch, at, .. } => {
            visit(state, *number, step);
            let (step, branch, since) = (step.clone(), *branch, *at);
            state.stays.push(Stay { visit: *number, step, branch, since, rest: Rest::Failed });
            note_failure(state, *number);
        }
        Event::Resumed { step, patch } => resume(state, step, patch),
        Event::Completed { .. } | Event::Failed { .. } | Event::Canceled { .. } => {
            end(state, event);
        }
    }
}

fn visit(state: &mut State, number: u32, step: &StepId) {
    state.last = number;
    let visits = state.visits.entry(Arc::clone(step)).or_default();
    visits.count += 1;
    visits.latest = number;
    visits.failed = false;
    visits.branch = None;
}

fn note_failure(state: &mut State, visit: u32) {
    let Some(stay) = state.stays.iter().find(|it| it.visit == visit) else { return };
    let visits = state.visits.entry(Arc::clone(&stay.step)).or_default();
    // Another path may have come to the step since.
    if visit >= visits.latest {
        visits.failed = true;
        visits.branch = stay.branch;
    }
}

/// Changes the variables. Tasks that are under way keep what they were offered with.
fn change(state: &mut State, change: impl FnOnce(&mut Variables)) {
    let mut changed = (*state.variables).clone();
    change(&mut changed);
    if changed == *state.variables {
        return;
    }
    let before = std::mem::replace(&mut state.variables, Arc::new(changed));
    // Named after the first visit that needs it, which needs no other.
    let mut name = None;
    for stay in &mut state.stays {
        if let Rest::Task { input: input @ None, .. } = &mut stay.rest {
            *input = Some(*name.get_or_insert(stay.visit));
        }
    }
    state.snapshots.extend(name.map(|it| (it, before)));
}

/// Forgets what no open task was offered with.
fn forget_snapshots(state: &mut State) {
    if state.snapshots.is_empty() {
        return;
    }
    let inputs = state.stays.iter().filter_map(|it| match it.rest {
        Rest::Task { input, .. } => input,
        Rest::User | Rest::Signal | Rest::Join { .. } | Rest::Failed => None,
    });
    let needed: BTreeSet<u32> = inputs.collect();
    state.snapshots.retain(|name, _| needed.contains(name));
}

fn arrive(state: &mut State, (visit, step): (u32, &StepId), branch: Option<Branch>, at: Timestamp) {
    let Some(Branch { fork: number, index }) = branch else { return };
    let Some(fork) = state.forks.get_mut(&number) else { return };
    fork.arrived.push(index);
    if fork.arrived.len() == 1 {
        let (step, branch) = (Arc::clone(step), fork.outer);
        let rest = Rest::Join { fork: number };
        state.stays.push(Stay { visit, step, branch, since: at, rest });
    }
}

fn leave(state: &mut State, visit: u32) {
    state.stays.retain(|it| it.visit != visit);
    forget_snapshots(state);
}

/// Whether a path is left that may still come to where the fork's branches have met.
fn is_left(state: &State, fork: u32) -> bool {
    let on_it = |branch: Option<Branch>| branch.is_some_and(|it| it.fork == fork);
    state.stays.iter().any(|it| on_it(it.branch)) || state.forks.values().any(|it| on_it(it.outer))
}

fn offer_again(state: &mut State, visit: u32, task: u32, spent: u32) {
    state.last = task;
    let stay = state.stays.iter_mut().find(|it| it.visit == visit);
    if let Some(Stay { rest: Rest::Task { number, retries, held, .. }, .. }) = stay {
        *number = task;
        *retries = retries.saturating_sub(spent);
        *held = None;
    }
}

fn resume(state: &mut State, step: &StepId, patch: &Variables) {
    state.phase = Phase::Running;
    state.reason = None;
    state.ended_at = None;
    if let Some(at) = state.failed_at(step) {
        state.stays.remove(at);
    }
    state.pending.clear();
    change(state, |variables| merge(variables, patch));
}

fn end(state: &mut State, event: &Event) {
    match event {
        Event::Completed { at } => {
            state.phase = Phase::Completed;
            state.ended_at = Some(*at);
            state.stays.clear();
            state.forks.clear();
            state.snapshots.clear();
        }
        Event::Failed { at, reason, held: holders, pending } => {
            state.phase = Phase::Failed;
            state.ended_at = Some(*at);
            state.reason = Some(reason.clone());
            state.pending.clone_from(pending);
            for stay in &mut state.stays {
                if let Rest::Task { number, held, .. } = &mut stay.rest {
                    *held = holders.get(number).cloned();
                }
            }
        }
        Event::Canceled { at, reason } => {
            state.phase = Phase::Canceled;
            state.ended_at = Some(*at);
            state.reason = Some(reason.clone());
        }
        Event::Started { .. }
        | Event::Entered(_)
        | Event::Passed { .. }
        | Event::Forked { .. }
        | Event::Arrived { .. }
        | Event::Joined { .. }
        | Event::Forgotten { .. }
        | Event::Merged { .. }
        | Event::Left { .. }
        | Event::Fired { .. }
        | Event::Interrupted { .. }
        | Event::Retried { .. }
        | Event::Lapsed { .. }
        | Event::StepFailed { .. }
        | Event::Stumbled { .. }
        | Event::Resumed { .. }
        | Event::Asked(_) => {}
    }
}
