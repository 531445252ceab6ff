//! What is true of every process at every moment.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{Json, Machine as _};
use waypost_machines::process::{
    Event, Phase, Process, Rest, State, Status, Stay, VisitStatus, Work,
};

use crate::world::World;

/// Everything that must be true after a commit that led from `before` through `events`.
pub(crate) fn hold(world: &World, before: &State, events: &[Event]) {
    let state = &world.state;
    assert_eq!(world.replayed, *state, "history explains the state");
    assert_eq!(world.history.state(), state, "history follows the state");
    assert_eq!(world.audit.state(), state, "the audit follows the state");
    every_deed_at_a_step_names_it(world);
    survives_storage(state);
    the_facets_tell_the_truth(state);
    the_status_is_what_the_rests_say(state);
    visits_are_counted(world);
    every_rest_has_its_task(world);
    every_timer_has_its_rest(world);
    every_fork_has_a_path(state);
    a_fork_joins_once(&world.events);
    the_end_is_the_end(before, state, events);
}

/// The events as a reader of the history gets them.
pub(crate) fn stored(events: &[Event]) -> Vec<Event> {
    let read: Vec<Event> = Json::of(events).read().unwrap();
    assert_eq!(read, events, "the stored events are the events");
    read
}

fn every_deed_at_a_step_names_it(world: &World) {
    for deed in world.audit.deeds().iter().filter(|it| it.visit.is_some()) {
        let step = deed.step.as_deref().unwrap_or_default();
        assert!(world.graph.step(step).is_some(), "{deed:?}");
    }
}

pub(crate) fn survives_storage(state: &State) {
    assert_eq!(Json::of(state).read::<State>().unwrap(), *state, "the stored state is the state");
}

/// What a search finds is what a reader then sees; a key is taken while its instance is under way.
fn the_facets_tell_the_truth(state: &State) {
    let facets = Process::facets(state);
    let is_open = state.phase == Phase::Running;
    assert_eq!(facets.definition.as_ref(), Some(&state.definition));
    assert_eq!(facets.status, state.status().as_str());
    assert_eq!(facets.business_key, state.business_key);
    assert_eq!(facets.unique_key.is_some(), is_open && state.business_key.is_some());
    assert_eq!(facets.awaits.is_some(), state.status() == Status::Waiting, "{state:?}");
    let steps: Vec<&str> = facets.step.iter().flat_map(|it| it.split('\u{1f}')).collect();
    assert_eq!(steps, state.current_steps());
}

/// Waiting while a person or a signal is awaited, active otherwise; each step is listed once.
fn the_status_is_what_the_rests_say(state: &State) {
    let awaits = state.stays.iter().any(|it| matches!(it.rest, Rest::User | Rest::Signal));
    let expected = match state.phase {
        Phase::Absent => Status::Active,
        Phase::Running if awaits => Status::Waiting,
        Phase::Running => Status::Active,
        Phase::Completed => Status::Completed,
        Phase::Failed => Status::Failed,
        Phase::Canceled => Status::Cancelled,
    };
    assert_eq!(state.status(), expected);
    let steps = state.current_steps();
    assert_eq!(steps.iter().collect::<BTreeSet<_>>().len(), steps.len(), "{steps:?}");
    let ended = matches!(state.phase, Phase::Completed | Phase::Failed | Phase::Canceled);
    assert_eq!(state.ended_at.is_some(), ended, "{state:?}");
    let explained = matches!(state.phase, Phase::Failed | Phase::Canceled);
    assert_eq!(state.reason.is_some(), explained, "{state:?}");
    if state.phase == Phase::Failed {
        assert!(state.reason.as_ref().is_some_and(|it| !it.is_empty()), "{state:?}");
        assert!(state.stays.iter().any(|it| it.rest == Rest::Failed), "{state:?}");
    }
}

/// The history has one visit per entry, in order, and the state's numbers are the history's.
fn visits_are_counted(world: &World) {
    let visits = world.history.clone().visits();
    assert!(visits.is_sorted_by_key(|it| it.number), "{visits:?}");
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for visit in &visits {
        let count = counts.entry(&visit.step).or_default();
        *count += 1;
        assert_eq!(visit.attempt, *count, "{visit:?}");
        assert_eq!(visit.ended_at.is_some(), visit.status != VisitStatus::Running, "{visit:?}");
        assert_eq!(visit.reason.is_some(), visit.status == VisitStatus::Failed, "{visit:?}");
    }
    for (step, known) in &world.state.visits {
        assert_eq!(counts.get(&**step), Some(&known.count), "{step}");
        let last = visits.iter().rfind(|it| it.step == *step).unwrap();
        assert_eq!(known.failed, last.status == VisitStatus::Failed, "{step}");
    }
    assert_eq!(counts.len(), world.state.visits.len());
    for stay in &world.state.stays {
        let visit = visits.iter().find(|it| it.number == stay.visit).unwrap();
        let expected = match stay.rest {
            Rest::Task { .. } | Rest::User | Rest::Signal => VisitStatus::Running,
            Rest::Join { .. } => VisitStatus::Completed,
            Rest::Failed => VisitStatus::Failed,
        };
        assert_eq!((visit.status, &visit.step), (expected, &stay.step), "{stay:?}");
        if matches!(stay.rest, Rest::Task { .. }) {
            assert_eq!(*world.state.input_of(stay), visit.input, "a task tells what it told");
        }
    }
}

/// Tasks are in their queues while the instance is under way, and no others.
fn every_rest_has_its_task(world: &World) {
    let state = &world.state;
    let mut wanted = BTreeMap::new();
    for stay in state.stays.iter().filter(|_| state.phase == Phase::Running) {
        let Rest::Task { number, .. } = &stay.rest else { continue };
        let Work::Service { queue, .. } = &world.graph.step(&stay.step).unwrap().work else {
            panic!("{stay:?} is at no service task");
        };
        wanted.insert(number.to_string(), queue.as_str());
    }
    let found: BTreeMap<String, &str> =
        world.tasks.iter().map(|(id, it)| (id.to_string(), it.queue.as_str())).collect();
    assert_eq!(found, wanted, "{state:?}");
    assert!(world.tasks.values().all(|it| it.family == world.graph.which.name));
    let inputs = state.stays.iter().filter_map(|it| match it.rest {
        Rest::Task { input, .. } => input,
        Rest::User | Rest::Signal | Rest::Join { .. } | Rest::Failed => None,
    });
    let known: Vec<u32> = state.snapshots.keys().copied().collect();
    assert_eq!(Vec::from_iter(BTreeSet::from_iter(inputs)), known, "what is kept is needed");
    for (id, lease) in world.tasks.iter().filter_map(|(id, it)| Some((id, it.lease.as_ref()?))) {
        let known = world.lease(crate::world::number(id));
        assert_eq!(known, Some(lease), "who had a task still has it");
    }
}

/// Timers run at rests that are open, each as long as it should; and one after the end.
fn every_timer_has_its_rest(world: &World) {
    let state = &world.state;
    let fired: Vec<(u32, usize)> = world.events.iter().filter_map(fired).collect();
    assert_eq!(fired.iter().collect::<BTreeSet<_>>().len(), fired.len(), "a timer fires once");
    for (id, timer) in &world.timers {
        if id.as_str() == "next" {
            assert_eq!(state.phase, Phase::Completed);
            assert_eq!(Some(timer.due_at), state.ended_at);
            continue;
        }
        let open = |it: &&Stay| id.as_str().starts_with(&format!("{}.", it.visit));
        let stay = state.stays.iter().find(open).unwrap_or_else(|| panic!("{id}: {state:?}"));
        assert!(matches!(stay.rest, Rest::Task { .. } | Rest::User | Rest::Signal), "{stay:?}");
        assert!(matches!(state.phase, Phase::Running | Phase::Failed), "{state:?}");
        let index: usize = id.as_str().split_once('.').unwrap().1.parse().unwrap();
        let boundary = world.graph.step(&stay.step).unwrap().timers.get(index).unwrap();
        assert_eq!(timer.due_at, stay.since + boundary.after);
        assert!(!fired.contains(&(stay.visit, index)), "a timer that fired is not armed");
    }
}

fn fired(event: &Event) -> Option<(u32, usize)> {
    if let Event::Fired { visit, timer } = event { Some((*visit, *timer)) } else { None }
}

/// What is kept about a gateway's branches is needed by somebody, and complete.
fn every_fork_has_a_path(state: &State) {
    for (number, fork) in &state.forks {
        let distinct: BTreeSet<&u32> = fork.arrived.iter().collect();
        assert_eq!(distinct.len(), fork.arrived.len(), "a branch arrives once: {fork:?}");
        assert!(fork.arrived.iter().all(|it| *it < fork.branches), "{fork:?}");
        let waits = |it: &&Stay| it.rest == Rest::Join { fork: *number };
        let n_waiting = state.stays.iter().filter(waits).count();
        let is_awaited = !fork.arrived.is_empty() && !fork.is_over();
        assert_eq!(n_waiting, usize::from(is_awaited), "the join is at hand: {state:?}");
        let on_it = state.stays.iter().any(|it| it.branch.is_some_and(|it| it.fork == *number));
        let around = state.forks.values().any(|it| it.outer.is_some_and(|it| it.fork == *number));
        if state.phase == Phase::Running {
            assert!(on_it || around || n_waiting > 0, "fork {number} has no path: {state:?}");
        }
        let outer = fork.outer.is_none_or(|it| state.forks.contains_key(&it.fork));
        assert!(outer, "fork {number} lies on a branch that is known: {state:?}");
    }
    for stay in &state.stays {
        if let Rest::Join { fork } = stay.rest {
            assert!(state.forks.contains_key(&fork), "{stay:?}");
        }
    }
}

fn a_fork_joins_once(events: &[Event]) {
    let mut arrived: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut joined = BTreeSet::new();
    let mut made = BTreeMap::new();
    for event in events {
        if let Event::Forked { fork, made: it } = event {
            assert!(made.insert(*fork, it.branches).is_none(), "{fork}");
        } else if let Event::Arrived { branch: Some(it), .. } = event {
            assert!(arrived.entry(it.fork).or_default().insert(it.index), "{it:?}");
        } else if let Event::Joined { fork } = event {
            assert!(joined.insert(*fork), "{fork} joined twice");
            let n_arrived = arrived.get(fork).map_or(0, BTreeSet::len);
            assert_eq!(Some(&u32::try_from(n_arrived).unwrap()), made.get(fork), "{fork}");
        }
    }
}

fn the_end_is_the_end(before: &State, state: &State, events: &[Event]) {
    if matches!(before.phase, Phase::Completed | Phase::Canceled) {
        assert_eq!(state, before, "what has ended stays as it is");
        assert!(events.is_empty(), "nothing happens after the end");
    }
    if before.phase == Phase::Failed && !events.is_empty() {
        assert!(matches!(events.first(), Some(Event::Resumed { .. })), "{events:?}");
    }
    let ends = |it: &&Event| {
        matches!(it, Event::Completed { .. } | Event::Failed { .. } | Event::Canceled { .. })
    };
    // Who asked for it is told after everything that came of it.
    let happened: Vec<&Event> = events.iter().filter(|it| !matches!(it, Event::Asked(_))).collect();
    let end = happened.iter().position(ends);
    assert!(end.is_none_or(|at| at + 1 == happened.len()), "nothing follows the end: {events:?}");
    assert!(state.pending.is_empty() || state.phase == Phase::Failed, "{state:?}");
    if state.phase == Phase::Completed {
        assert!(state.stays.is_empty() && state.forks.is_empty(), "{state:?}");
    }
}
