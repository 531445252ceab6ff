//! What each event does to a chain.

use waypost_kernel::Timestamp;

use super::{
    Event, Held, ReportKind, Settled, Signal, State, Status, Step, StepStatus, TaskType, limits,
    patch,
};

/// The error of a step whose worker disappeared.
pub(super) const LEASE_EXPIRED: &str = "LEASE_EXPIRED";

pub(super) fn evolve(state: &mut State, event: &Event) {
    match event {
        Event::Started { workflow_type, workflow_version, steps, biz_key, context, at } => {
            state.status = Status::Running;
            state.workflow_type.clone_from(workflow_type);
            state.workflow_version = *workflow_version;
            state.steps = steps.iter().map(planned).collect();
            state.biz_key.clone_from(biz_key);
            state.context.clone_from(context);
            state.started_at = *at;
        }
        Event::StepReady { step, at } => {
            state.current = *step;
            ready(at_step(state, *step), *at);
            at_step(state, *step).activated_at = Some(*at);
        }
        Event::StepDone { step, by } => {
            finish(at_step(state, *step));
            settle(state, by, ReportKind::Completed);
        }
        Event::StepWaiting { step, event_type, deadline_at, by } => {
            let waiting = at_step(state, *step);
            leave(waiting, StepStatus::Waiting);
            waiting.last_error = None;
            waiting.wake = None;
            waiting.waiting_event_type = Some(event_type.clone());
            waiting.deadline_at = *deadline_at;
            settle(state, by, ReportKind::Waiting);
        }
        Event::StepWoken { step, signal, at, buffered } => {
            if *buffered {
                forget_oldest(state, &signal.event_type);
            } else {
                remember(state, signal);
            }
            let woken = at_step(state, *step);
            ready(woken, *at);
            woken.wake = Some(signal.clone());
        }
        Event::StepRetried { step, next_run_at, error, by } => {
            let retried = at_step(state, *step);
            ready(retried, *next_run_at);
            fail(retried, error);
            settle(state, by, ReportKind::Retry);
        }
        Event::StepLapsed { step, at } => lapse(at_step(state, *step), *at),
        Event::StepDead { step, error, by } => {
            let dead = at_step(state, *step);
            leave(dead, StepStatus::Dead);
            fail(dead, error);
            match by {
                Some((held, kind)) => settle(state, held, *kind),
                None => dead.lapses += 1,
            }
        }
        Event::SignalBuffered { signal } => {
            remember(state, signal);
            state.signals.push(signal.clone());
        }
        Event::SignalsDiscarded { event_type } => {
            state.signals.retain(|it| it.event_type != *event_type);
        }
        Event::ContextPatched { patch } => {
            state.context = Some(patch::merged(state.context.as_ref(), patch));
        }
        Event::Completed { .. } | Event::Failed { .. } | Event::Canceled { .. } => {
            end(state, event);
        }
        Event::Asked(_) => {}
    }
}

fn planned((step_type, max_attempts): &(String, u32)) -> Step {
    Step { step_type: step_type.clone(), max_attempts: *max_attempts, ..Step::default() }
}

fn at_step(state: &mut State, step: usize) -> &mut Step {
    state.steps.get_mut(step).expect("events name steps of the plan")
}

fn leave(step: &mut Step, status: StepStatus) {
    step.status = status;
    step.task_type = TaskType::ReadyStep;
    step.next_run_at = None;
    step.waiting_event_type = None;
    step.deadline_at = None;
}

fn ready(step: &mut Step, at: Timestamp) {
    leave(step, StepStatus::Ready);
    step.next_run_at = Some(at);
}

/// What woke the step goes, too: nobody asks for it any more, and every later report would write it
/// again.
fn finish(step: &mut Step) {
    leave(step, StepStatus::Done);
    step.last_error = None;
    step.wake = None;
}

fn fail(step: &mut Step, error: &str) {
    step.attempts += 1;
    step.last_error = Some(error.to_owned());
}

/// A run because of a time-out stays one when its worker disappears.
fn lapse(step: &mut Step, at: Timestamp) {
    let task_type = step.claimed_as();
    ready(step, at);
    step.task_type = task_type;
    step.lapses += 1;
    fail(step, LEASE_EXPIRED);
}

fn settle(state: &mut State, held: &Held, kind: ReportKind) {
    state.settled = Some(Settled { token: held.token.clone(), kind });
}

fn remember(state: &mut State, signal: &Signal) {
    let Some(id) = &signal.event_id else { return };
    if state.seen.len() >= limits::SEEN_MAX {
        state.seen.remove(0);
    }
    state.seen.push(id.clone());
}

fn forget_oldest(state: &mut State, event_type: &str) {
    if let Some(oldest) = state.signals.iter().position(|it| it.event_type == event_type) {
        state.signals.remove(oldest);
    }
}

/// What still waits for a chain dies with it.
fn end(state: &mut State, event: &Event) {
    state.signals.clear();
    match event {
        Event::Completed { at } => {
            state.status = Status::Completed;
            state.completed_at = Some(*at);
        }
        Event::Failed { at } => {
            state.status = Status::Failed;
            state.failed_at = Some(*at);
        }
        Event::Canceled { at, reason, under } => {
            state.status = Status::Canceled;
            state.canceled_at = Some(*at);
            state.cancel_reason.clone_from(reason);
            state.canceled_under.clone_from(under);
        }
        Event::Started { .. }
        | Event::StepReady { .. }
        | Event::StepDone { .. }
        | Event::StepWaiting { .. }
        | Event::StepWoken { .. }
        | Event::StepRetried { .. }
        | Event::StepLapsed { .. }
        | Event::StepDead { .. }
        | Event::SignalBuffered { .. }
        | Event::SignalsDiscarded { .. }
        | Event::ContextPatched { .. }
        | Event::Asked(_) => {}
    }
}
