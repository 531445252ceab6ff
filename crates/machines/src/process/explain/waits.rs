//! What the steps wait for at which a process rests.

use std::collections::BTreeSet;

use waypost_kernel::Timestamp;

use super::Subject;
use crate::{
    explanation::{Around, Cause, Wait},
    process::{Branch, Fork, Graph, Phase, Rest, State, Stay, Work, timers, types::task_id},
};

pub(super) fn waits(subject: Subject<'_>, around: Around<'_>) -> Vec<Wait> {
    let Subject { state, .. } = subject;
    let mut joins = BTreeSet::new();
    let mut waits = Vec::new();
    for stay in &state.stays {
        let (cause, what, until) = match (&stay.rest, state.phase) {
            (Rest::Failed, _) => (Cause::Operator, tried_again(subject, stay), None),
            // What is open when an instance has failed is out of everybody's reach.
            (_, Phase::Absent | Phase::Completed | Phase::Failed | Phase::Canceled) => continue,
            (Rest::Task { number, .. }, Phase::Running) => task(subject, around, (stay, *number)),
            (Rest::User, Phase::Running) => (Cause::Person, person(subject.graph, stay), None),
            (Rest::Signal, Phase::Running) => (Cause::Signal, "a signal".to_owned(), None),
            (Rest::Join { fork }, Phase::Running) => {
                if !joins.insert(*fork) {
                    continue;
                }
                (Cause::Join, branches(subject, *fork), None)
            }
        };
        waits.push(Wait { at: stay.step.to_string(), cause, what, since: Some(stay.since), until });
    }
    // Joins wait for what else is told here.
    waits.sort_by_key(|it| it.cause == Cause::Join);
    waits.extend(timers(subject.graph, state, around.now).into_iter().map(|due| {
        let (at, target) = (due.step.to_string(), &due.target);
        let ends = if due.interrupting { ", which ends the step" } else { "" };
        let what = format!("the timer that leads to {target:?}{ends}");
        Wait { at, cause: Cause::Timer, what, since: None, until: Some(due.at) }
    }));
    waits
}

fn task(
    subject: Subject<'_>,
    around: Around<'_>,
    (stay, number): (&Stay, u32),
) -> (Cause, String, Option<Timestamp>) {
    let queue = queue(subject.graph, stay);
    let job = format!("jobs of type {queue:?}");
    let Some(lease) = subject.leases.get(&task_id(number)) else {
        let asking = around.asking(queue);
        return (Cause::Worker, format!("a worker for {job}; {asking}"), None);
    };
    let (worker, until) = (lease.worker.as_str(), (around.show)(lease.until));
    let what = match lease.until < around.now {
        false => format!("worker {worker:?}, who has the job of type {queue:?} until {until}"),
        true => format!(
            "the job of type {queue:?} to be offered again: worker {worker:?} has let its lease \
             run out at {until}"
        ),
    };
    (Cause::Lease, what, Some(lease.until))
}

fn queue<'g>(graph: &'g Graph, stay: &Stay) -> &'g str {
    match graph.step(&stay.step).map(|it| &it.work) {
        Some(Work::Service { queue, .. }) => queue,
        _ => "",
    }
}

fn person(graph: &Graph, stay: &Stay) -> String {
    match graph.step(&stay.step).map(|it| &it.work) {
        Some(Work::User { form, .. }) => format!("a person to complete the task {form:?}"),
        _ => "a person to complete the task".to_owned(),
    }
}

fn tried_again(subject: Subject<'_>, stay: &Stay) -> String {
    let visit = subject.visits.iter().find(|it| it.number == stay.visit);
    let reason = visit.and_then(|it| it.reason.as_deref());
    let reason = reason.or(subject.state.reason.as_deref()).unwrap_or_default();
    format!("somebody to have the step tried again; it failed: {reason}")
}

/// Which branches a join has, and which it lacks.
fn branches(subject: Subject<'_>, number: u32) -> String {
    let Some(fork) = subject.state.forks.get(&number) else { return "branches".to_owned() };
    let missing = missing(fork).map(|index| {
        let name = name(subject.graph, fork, index);
        let on_it = on_branch(subject.state, Branch { fork: number, index });
        match on_it.as_slice() {
            [] => format!("{name} (nothing is under way on it)"),
            steps => format!("{name} (now at {})", steps.join(", ")),
        }
    });
    let (missing, came) = (missing.collect::<Vec<_>>().join(", "), fork.arrived.len());
    format!("branches that have not come: {missing}; {came} of {} have", fork.branches)
}

/// Why a join will never be complete.
pub(super) fn lacking(subject: Subject<'_>, stay: &Stay, number: u32) -> String {
    let step = &stay.step;
    let Some(fork) = subject.state.forks.get(&number) else {
        return format!("join {step:?} waits for branches that are not known any more");
    };
    let names: Vec<String> = missing(fork).map(|it| name(subject.graph, fork, it)).collect();
    let names = names.join(", ");
    format!("join {step:?} waits for {names}, and nothing is under way there any more")
}

fn missing(fork: &Fork) -> impl Iterator<Item = u32> {
    (0..fork.branches).filter(|it| !fork.arrived.contains(it))
}

/// A branch by the step it begins with, if only one gateway can have opened it.
fn name(graph: &Graph, fork: &Fork, index: u32) -> String {
    let mut gateways = graph.steps().iter().filter_map(|step| {
        let Work::Fork { branches, join } = &step.work else { return None };
        (*join == fork.join).then_some(branches)
    });
    let first = gateways.find(|it| it.len() == fork.branches as usize);
    match (first.and_then(|it| it.get(index as usize)), gateways.next()) {
        (Some(step), None) => format!("the branch that begins with {step:?}"),
        (Some(_) | None, _) => format!("branch {}", index + 1),
    }
}

/// The steps at which something is under way on a branch, or on branches inside of it.
fn on_branch(state: &State, wanted: Branch) -> Vec<String> {
    let lies_on = |stay: &&Stay| {
        let mut branch = stay.branch;
        // Branches lie inside of each other only as deep as there are forks.
        for _ in 0..=state.forks.len() {
            match branch {
                Some(it) if it == wanted => return true,
                Some(it) => branch = state.forks.get(&it.fork).and_then(|it| it.outer),
                None => return false,
            }
        }
        false
    };
    state.stays.iter().filter(lies_on).map(|it| format!("{:?}", it.step)).collect()
}
