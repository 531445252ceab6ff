//! Ways from state to state.

use std::collections::{BTreeMap, BTreeSet};

use waypost_machines::entity::{
    criterion::Criterion,
    workflow::{State, Transition},
};

use super::Placed;
use crate::{
    code,
    ledger::{At, Ledger, Note},
    limits::WALKED_MAX,
    source::down,
};

pub(super) fn check(placed: &Placed<'_>, ledger: &mut Ledger<'_>) {
    unreached(placed, ledger);
    traps(placed, ledger);
    circles(placed, ledger);
    for (name, state) in &placed.workflow.states {
        masked(placed, (name, state), ledger);
        let all = &state.transitions;
        if !all.is_empty() && all.iter().all(|it| it.is_disabled) {
            let message =
                format!("entities cannot leave {name:?}: all its transitions are disabled");
            ledger.add(Note::new(&code::E005, placed.state(name), message));
        }
    }
}

/// Where a state leads, as far as transitions can be taken.
fn ways(state: &State) -> impl Iterator<Item = &Transition> {
    let free = state.transitions.iter().position(is_free).unwrap_or(usize::MAX);
    // Behind one that is always taken nothing is, by itself, by name or when time has passed.
    let taken = state.transitions.iter().enumerate();
    taken
        .filter(move |(index, it)| {
            !it.is_disabled && (*index <= free && it.is_automated() || free == usize::MAX)
        })
        .map(|(_, it)| it)
}

/// Whether a transition is taken as soon as it is tried.
fn is_free(transition: &Transition) -> bool {
    transition.is_automated() && transition.guard().is_none()
}

fn unreached(placed: &Placed<'_>, ledger: &mut Ledger<'_>) {
    let states = &placed.workflow.states;
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut pending = vec![placed.workflow.initial_state.as_str()];
    while let Some(name) = pending.pop() {
        if reached.insert(name) {
            // What is masked is told as such.
            let leads = states.get(name).into_iter().flat_map(|it| &it.transitions);
            pending.extend(leads.filter(|it| !it.is_disabled).map(|it| it.next.as_str()));
        }
    }
    for name in states.keys().filter(|it| !reached.contains(it.as_str())) {
        let message = format!("nothing leads to {name:?}");
        ledger.add(Note::new(&code::E003, placed.state(name), message));
    }
}

/// States that lead nowhere are meant to be final. Where there are some, all others should have a
/// way to them.
fn traps(placed: &Placed<'_>, ledger: &mut Ledger<'_>) {
    let states = &placed.workflow.states;
    let is_final = |it: &State| ways(it).next().is_none();
    let mut free: BTreeSet<&str> =
        states.iter().filter(|(_, it)| is_final(it)).map(|(name, _)| name.as_str()).collect();
    if free.is_empty() {
        return;
    }
    let mut back: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, state) in states {
        for way in ways(state) {
            back.entry(&way.next).or_default().push(name);
        }
    }
    let mut pending: Vec<&str> = free.iter().copied().collect();
    while let Some(name) = pending.pop() {
        for before in back.get(name).into_iter().flatten() {
            if free.insert(before) {
                pending.push(before);
            }
        }
    }
    let mut lost = states.keys().filter(|it| !free.contains(it.as_str()));
    if let Some(first) = lost.next() {
        let message = format!("from {first:?} no state can be reached that entities may stay in");
        let note = Note::new(&code::E004, placed.state(first), message);
        ledger.add(lost.fold(note, |note, it| note.related(placed.state(it), "nor from here")));
    }
}

fn masked(placed: &Placed<'_>, (name, state): (&str, &State), ledger: &mut Ledger<'_>) {
    let Some(free) = state.transitions.iter().position(is_free) else { return };
    let at = |index: usize| At::value(down(&placed.transition(name, index), "name"));
    for (index, transition) in state.transitions.iter().enumerate() {
        let is_behind = if transition.is_automated() { index > free } else { index != free };
        if !is_behind || transition.is_disabled {
            continue;
        }
        let message = format!("{:?} is never taken: {name:?} is left at once", transition.name);
        let note = Note::new(&code::E006, at(index), message);
        ledger.add(note.related(at(free), "this has no criterion and is always taken"));
    }
}

/// Circles that nothing on the way can break: no processor changes the entity, and nobody outside
/// is asked. The engine refuses those without any criterion.
fn circles(placed: &Placed<'_>, ledger: &mut Ledger<'_>) {
    let states = &placed.workflow.states;
    let is_idle = |it: &&Transition| {
        it.is_automated() && it.processors.is_empty() && !it.guard().is_some_and(asks)
    };
    let idle: BTreeMap<&str, Vec<&str>> = states
        .iter()
        .map(|(name, state)| {
            let next = ways(state).filter(is_idle).map(|it| it.next.as_str());
            (name.as_str(), next.collect())
        })
        .collect();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut n_walked = 0;
    for start in idle.keys().copied() {
        if told.contains(start) || n_walked > WALKED_MAX {
            continue;
        }
        let circle = circle(&idle, start, &mut n_walked);
        if circle.is_empty() {
            continue;
        }
        let message = format!("entities can go round from {start:?} without being changed");
        let note = Note::new(&code::E009, placed.state(start), message);
        let others = circle.iter().filter(|it| **it != start);
        ledger.add(others.fold(note, |note, it| note.related(placed.state(it), "and this")));
        told.extend(circle);
    }
}

fn asks(criterion: &waypost_documents::document::Value) -> bool {
    Criterion::parse(criterion).is_ok_and(|it| it.predicate().is_none())
}

/// The states that `start` leads to and that lead back to it; none if it does not come back. Counts
/// the ways it has walked.
fn circle<'s>(
    ways: &BTreeMap<&'s str, Vec<&'s str>>,
    start: &'s str,
    n_walked: &mut usize,
) -> BTreeSet<&'s str> {
    let mut from: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut pending = vec![start];
    while let Some(name) = pending.pop() {
        if !seen.insert(name) {
            continue;
        }
        for next in ways.get(name).into_iter().flatten() {
            *n_walked += 1;
            from.entry(next).or_default().insert(name);
            pending.push(next);
        }
    }
    let mut circle = BTreeSet::new();
    let mut pending: Vec<&str> = from.get(start).into_iter().flatten().copied().collect();
    while let Some(name) = pending.pop() {
        if circle.insert(name) && name != start {
            pending.extend(from.get(name).into_iter().flatten().copied());
        }
    }
    circle
}
