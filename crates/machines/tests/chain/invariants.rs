//! What is true of every chain at every moment.

use waypost_kernel::{Json, Machine as _};
use waypost_machines::chain::{
    Chain, Event, ReportKind, Signal, State, Status, Step, StepStatus, TaskType, limits,
};

use crate::world::World;

/// Everything that must be true after a commit that led from `before` through `events`.
pub(crate) fn hold(world: &World, before: &State, events: &[Event]) {
    let state = &world.state;
    assert_eq!(world.replayed, *state, "history explains the state");
    // Large states are read back once, at the end of their story.
    if state.seen.len() + state.signals.len() < 100 {
        survives_storage(state);
    }
    the_facets_tell_the_truth(state);
    every_step_is_where_it_belongs(state);
    every_step_has_what_its_status_needs(state);
    the_end_is_dated(state);
    the_open_step_has_the_one_task(world);
    attempts_count_failures(before, state, events);
    a_retry_leaves_an_attempt(state, events);
    what_is_done_has_one_successor(events);
    no_event_is_kept_from_the_step_that_waits_for_it(world);
    if matches!(before.status, Status::Completed | Status::Failed | Status::Canceled) {
        assert_eq!(state, before, "an ended chain stays as it is");
        assert!(events.is_empty(), "nothing happens to an ended chain");
    }
}

/// The events as a reader of the history gets them.
pub(crate) fn stored(events: &[Event]) -> Vec<Event> {
    let read: Vec<Event> = Json::of(events).read().unwrap();
    assert_eq!(read, events, "the stored events are the events");
    read
}

pub(crate) fn survives_storage(state: &State) {
    assert_eq!(Json::of(state).read::<State>().unwrap(), *state, "the stored state is the state");
}

/// What a search finds is what a reader then sees; a key is taken as long as its chain runs.
fn the_facets_tell_the_truth(state: &State) {
    let facets = Chain::facets(state);
    let running = state.current_step().filter(|_| state.is_running());
    assert_eq!(facets.status, state.status.as_str());
    assert_eq!(facets.step.as_ref(), state.current_step().map(|it| &it.step_type));
    assert_eq!(facets.awaits, running.and_then(|it| it.waiting_event_type.clone()));
    assert_eq!(facets.business_key, state.biz_key);
    assert_eq!(facets.unique_key.is_some(), running.is_some() && state.biz_key.is_some());
}

/// Invariants I1 and I2: done before the pointer, pending after it.
fn every_step_is_where_it_belongs(state: &State) {
    let (past, rest) = state.steps.split_at(state.current.min(state.steps.len()));
    assert!(past.iter().all(|it| it.status == StepStatus::Done), "{state:?}");
    let Some((current, future)) = rest.split_first() else {
        return assert_eq!(state.status, Status::Absent, "the pointer is at a step: {state:?}");
    };
    assert!(future.iter().all(|it| it.status == StepStatus::Pending), "{state:?}");
    assert!(future.iter().all(|it| it.attempts == 0), "{state:?}");
    let open = matches!(current.status, StepStatus::Ready | StepStatus::Waiting);
    let fits = match state.status {
        Status::Absent => false,
        Status::Running | Status::Canceled => open,
        Status::Completed => current.status == StepStatus::Done && future.is_empty(),
        Status::Failed => current.status == StepStatus::Dead,
    };
    assert!(fits, "{state:?}");
}

/// Invariant I3, as far as it is about steps.
fn every_step_has_what_its_status_needs(state: &State) {
    for step in &state.steps {
        let is = |status| step.status == status;
        assert_eq!(step.next_run_at.is_some(), is(StepStatus::Ready), "{step:?}");
        assert_eq!(step.waiting_event_type.is_some(), is(StepStatus::Waiting), "{step:?}");
        assert!(step.deadline_at.is_none() || is(StepStatus::Waiting), "{step:?}");
        assert_eq!(step.activated_at.is_some(), !is(StepStatus::Pending), "{step:?}");
        let is_calm = is(StepStatus::Done) || is(StepStatus::Waiting);
        assert!(step.last_error.is_none() || !is_calm, "{step:?}");
        assert!(step.last_error.is_some() || !is(StepStatus::Dead), "{step:?}");
        assert!(step.wake.is_none() || !is_calm, "{step:?}");
        assert!(step.task_type == TaskType::ReadyStep || is(StepStatus::Ready), "{step:?}");
        assert!(step.lapses <= step.attempts, "{step:?}");
    }
}

fn the_end_is_dated(state: &State) {
    let is = |status| state.status == status;
    assert_eq!(state.completed_at.is_some(), is(Status::Completed), "{state:?}");
    assert_eq!(state.failed_at.is_some(), is(Status::Failed), "{state:?}");
    assert_eq!(state.canceled_at.is_some(), is(Status::Canceled), "{state:?}");
    assert!(state.signals.is_empty() || is(Status::Running), "{state:?}");
}

/// A step that can run has a task, ready when the step is; nothing else has one.
fn the_open_step_has_the_one_task(world: &World) {
    let state = &world.state;
    let ready_at = |step: &Step| match step.status {
        StepStatus::Ready => step.next_run_at,
        StepStatus::Waiting => step.deadline_at.filter(|_| world.policy.claim_timeouts),
        StepStatus::Pending | StepStatus::Done | StepStatus::Dead => None,
    };
    let open = state.current_step().filter(|_| state.is_running());
    let wanted = open.and_then(|step| {
        let at = ready_at(step)?;
        Some((state.current.to_string(), &step.step_type, &state.workflow_type, at))
    });
    let found: Vec<_> = world
        .tasks
        .iter()
        .map(|(id, it)| (id.as_str().to_owned(), &it.queue, &it.family, it.ready_at))
        .collect();
    assert_eq!(found, Vec::from_iter(wanted), "{state:?}");
}

/// Invariant I4: one more for each failed execution, and never otherwise.
fn attempts_count_failures(before: &State, after: &State, events: &[Event]) {
    for (index, now) in after.steps.iter().enumerate() {
        let failures = events.iter().filter(|it| failed_step(it) == Some(index)).count();
        assert!(failures <= 1, "{events:?}");
        let earlier = before.steps.get(index).map_or(0, |it| it.attempts);
        assert_eq!((now.attempts - earlier) as usize, failures, "{now:?}");
    }
}

fn failed_step(event: &Event) -> Option<usize> {
    match event {
        Event::StepRetried { step, .. }
        | Event::StepLapsed { step, .. }
        | Event::StepDead { step, .. } => Some(*step),
        Event::Started { .. }
        | Event::StepReady { .. }
        | Event::StepDone { .. }
        | Event::StepWaiting { .. }
        | Event::StepWoken { .. }
        | Event::SignalBuffered { .. }
        | Event::SignalsDiscarded { .. }
        | Event::ContextPatched { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. }
        | Event::Asked(_) => None,
    }
}

/// The ceiling of attempts: retried below it, dead when it is reached.
fn a_retry_leaves_an_attempt(after: &State, events: &[Event]) {
    let Some(step) = after.current_step() else { return };
    for event in events {
        if matches!(event, Event::StepRetried { .. }) {
            assert!(step.attempts < step.max_attempts, "{step:?}");
        }
        if matches!(event, Event::StepDead { by: Some((_, ReportKind::Retry)), .. }) {
            assert!(step.attempts >= step.max_attempts, "{step:?}");
        }
    }
}

/// Invariant I7: the next step is activated or the chain is completed, in the same commit.
fn what_is_done_has_one_successor(events: &[Event]) {
    let mut rest = events.iter().skip_while(|it| !matches!(it, Event::StepDone { .. }));
    let Some(Event::StepDone { step: done, .. }) = rest.next() else { return };
    let follows = match (rest.next(), rest.next()) {
        (Some(Event::StepReady { step, .. }), None) => *step == done + 1,
        (next, more) => matches!(next, Some(Event::Completed { .. })) && more.is_none(),
    };
    assert!(follows, "{events:?}");
}

/// Invariant I8: a step waits for an event that is at hand only when it is being given up anyway.
fn no_event_is_kept_from_the_step_that_waits_for_it(world: &World) {
    let state = &world.state;
    let Some(step) = state.current_step().filter(|_| state.is_running()) else { return };
    let Some(awaited) = &step.waiting_event_type else { return };
    if state.signals.iter().any(|it| it.event_type == *awaited) {
        assert!(step.deadline_at.is_some_and(|at| at <= world.now), "{state:?}");
    }
}

/// Invariant I9, and first come, first served: what the whole history of a chain does with the
/// events from outside. Returns those still kept at its end.
pub(crate) fn signals_left(events: &[Event]) -> Vec<Signal> {
    let mut kept: Vec<Signal> = Vec::new();
    let mut accepted: Vec<String> = Vec::new();
    let mut accept = |signal: &Signal| {
        let Some(id) = &signal.event_id else { return };
        let remembered = accepted.iter().rev().take(limits::SEEN_MAX);
        assert!(!remembered.into_iter().any(|it| it == id), "{id} was accepted twice");
        accepted.push(id.clone());
    };
    for event in events {
        match event {
            Event::SignalBuffered { signal } => {
                accept(signal);
                kept.push(signal.clone());
            }
            Event::StepWoken { signal, buffered, .. } => {
                let oldest = kept.iter().position(|it| it.event_type == signal.event_type);
                let found = oldest.map(|at| kept.remove(at));
                assert_eq!(found.as_ref(), buffered.then_some(signal), "{events:?}");
                if !*buffered {
                    accept(signal);
                }
            }
            Event::SignalsDiscarded { event_type } => {
                kept.retain(|it| it.event_type != *event_type);
            }
            Event::Completed { .. } | Event::Failed { .. } | Event::Canceled { .. } => kept.clear(),
            Event::Started { .. }
            | Event::StepReady { .. }
            | Event::StepDone { .. }
            | Event::StepWaiting { .. }
            | Event::StepRetried { .. }
            | Event::StepLapsed { .. }
            | Event::StepDead { .. }
            | Event::ContextPatched { .. }
            | Event::Asked(_) => {}
        }
    }
    kept
}
