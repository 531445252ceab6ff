//! What a chain does about a command.

use std::time::Duration;

use waypost_kernel::{
    ClaimId, Json, Message, NewTask, Note, Rejection, RejectionCode as Code, Timestamp, Turn,
};

use super::{
    Chain, Command, Event, Held, LeaseExhaustion, Outbound, Outcome, Report, ReportKind, Signal,
    Start, Status, Step, StepStatus,
    evolve::LEASE_EXPIRED,
    limits, patch,
    plan::{length_problem, name_problem},
    types::task_id,
};

/// The error of a step that lost too many leases.
const LEASE_EXHAUSTED: &str = "LEASE_EXHAUSTED";

type Decision = Result<(), Rejection>;

pub(super) fn decide(turn: &mut Turn<'_, Chain>, command: Command) -> Decision {
    match (turn.state().status, command) {
        (Status::Absent, Command::Start(start)) => begin(turn, start),
        (Status::Running, Command::Report(it)) => report(turn, it),
        (Status::Running, Command::Wake(signal)) => wake(turn, signal),
        (Status::Running, Command::Lapse { step, token }) => lapse(turn, step, token),
        (Status::Running, Command::Cancel { reason }) => cancel(turn, reason),
        (
            Status::Absent,
            Command::Report(_) | Command::Wake(_) | Command::Lapse { .. } | Command::Cancel { .. },
        ) => refuse(Code::InstanceNotFound, "there is no such chain"),
        (
            Status::Running | Status::Completed | Status::Failed | Status::Canceled,
            Command::Start(_),
        ) => refuse(Code::InstanceExists, "the chain has started already"),
        (Status::Completed | Status::Failed | Status::Canceled, Command::Report(it)) => {
            late(turn, &it)
        }
        (Status::Completed | Status::Failed | Status::Canceled, Command::Wake(_)) => {
            refuse(Code::InstanceEnded, format!("the chain is {}", turn.state().status.as_str()))
        }
        // Nothing to do, and nothing to complain about: what was asked for is so already.
        (
            Status::Completed | Status::Failed | Status::Canceled,
            Command::Lapse { .. } | Command::Cancel { .. },
        ) => Ok(()),
        (
            Status::Absent
            | Status::Running
            | Status::Completed
            | Status::Failed
            | Status::Canceled,
            Command::Asked { note, command },
        ) => {
            decide(turn, *command)?;
            keep(turn, note);
            Ok(())
        }
    }
}

/// What somebody said about what has happened. Of what has not happened there is nothing to tell.
fn keep(turn: &mut Turn<'_, Chain>, note: Note) {
    if !note.is_empty() && !turn.is_quiet() {
        turn.emit(Event::Asked(note));
    }
}

fn begin(turn: &mut Turn<'_, Chain>, start: Start) -> Decision {
    let Start { workflow_type, workflow_version, steps, biz_key, context } = start;
    if let Some(problem) = length_problem(steps.len()) {
        return invalid("steps", &problem);
    }
    if let Some(problem) = biz_key.as_deref().and_then(name_problem) {
        return invalid("bizKey", &problem);
    }
    context_fits(context.as_ref())?;
    let at = turn.now();
    turn.emit(Event::Started { workflow_type, workflow_version, steps, biz_key, context, at });
    activate(turn, 0);
    Ok(())
}

fn report(turn: &mut Turn<'_, Chain>, report: Report) -> Decision {
    if is_repeat(turn, &report) {
        return Ok(());
    }
    if report.step != turn.state().current {
        let Report { step, .. } = report;
        return refuse(Code::LeaseLost, format!("step {step} is not the one the chain is at"));
    }
    turn.expect_lease(&task_id(report.step), report.held.token.clone(), report.held.worker.clone());
    send(turn, &report)?;
    if let Some(patch) = report.patch {
        amend(turn, patch)?;
    }
    let (step, held) = (report.step, report.held);
    match report.outcome {
        Outcome::Completed => {
            turn.emit(Event::StepDone { step, by: held });
            turn.withdraw(task_id(step));
            advance(turn, step + 1);
        }
        Outcome::Waiting { event_type, timeout, discard_buffered } => {
            if let Some(problem) = name_problem(&event_type) {
                return invalid("result.waitingEventType", &problem);
            }
            if discard_buffered {
                turn.emit(Event::SignalsDiscarded { event_type: event_type.clone() });
            }
            wait(turn, (step, held), event_type, timeout);
        }
        Outcome::Retry { backoff, error } => retry(turn, (step, held), backoff, &error),
        Outcome::Dead { error } => die(turn, step, &error, Some((held, ReportKind::Dead))),
    }
    Ok(())
}

/// The connection may break after the commit: the same report again is answered as before.
fn is_repeat(turn: &Turn<'_, Chain>, report: &Report) -> bool {
    let settled = turn.state().settled.as_ref();
    settled.is_some_and(|it| it.token == report.held.token && it.kind == report.outcome.kind())
}

fn late(turn: &Turn<'_, Chain>, report: &Report) -> Decision {
    match turn.state().status {
        _ if is_repeat(turn, report) => Ok(()),
        Status::Canceled => refuse(Code::InstanceCanceled, "the chain was canceled meanwhile"),
        Status::Absent | Status::Running | Status::Completed | Status::Failed => {
            refuse(Code::LeaseLost, format!("the chain is {}", turn.state().status.as_str()))
        }
    }
}

fn advance(turn: &mut Turn<'_, Chain>, next: usize) {
    if next < turn.state().steps.len() {
        activate(turn, next);
    } else {
        let at = turn.now();
        turn.emit(Event::Completed { at });
    }
}

fn activate(turn: &mut Turn<'_, Chain>, step: usize) {
    let at = turn.now();
    turn.emit(Event::StepReady { step, at });
    schedule(turn, step, at);
}

fn wait(
    turn: &mut Turn<'_, Chain>,
    (step, by): (usize, Held),
    event_type: String,
    timeout: Option<Duration>,
) {
    let early = oldest(turn, &event_type);
    let deadline_at = timeout.map(|timeout| turn.now() + timeout);
    turn.emit(Event::StepWaiting { step, event_type, deadline_at, by });
    match (early, deadline_at) {
        (Some(signal), _) => rouse(turn, signal, true),
        (None, Some(deadline)) if turn.definition().claim_timeouts => {
            schedule(turn, step, deadline);
        }
        (None, Some(_) | None) => turn.withdraw(task_id(step)),
    }
}

fn retry(
    turn: &mut Turn<'_, Chain>,
    (step, by): (usize, Held),
    backoff: Option<Duration>,
    error: &str,
) {
    let (attempts, max_attempts) = attempts(turn);
    if attempts + 1 >= max_attempts {
        return die(turn, step, error, Some((by, ReportKind::Retry)));
    }
    let state = turn.state();
    let step_type = state.current_step().map_or("", |it| &it.step_type);
    let delay = backoff.unwrap_or_else(|| {
        turn.definition().backoff(&state.workflow_type, step_type, attempts + 1)
    });
    let next_run_at = turn.now() + delay;
    turn.emit(Event::StepRetried { step, next_run_at, error: shortened(error), by });
    schedule(turn, step, next_run_at);
}

fn die(turn: &mut Turn<'_, Chain>, step: usize, error: &str, by: Option<(Held, ReportKind)>) {
    turn.emit(Event::StepDead { step, error: shortened(error), by });
    turn.withdraw(task_id(step));
    let at = turn.now();
    turn.emit(Event::Failed { at });
}

fn wake(turn: &mut Turn<'_, Chain>, signal: Signal) -> Decision {
    signal_fits(&signal)?;
    if is_known(turn, &signal) {
        return Ok(());
    }
    if is_awaited(turn, &signal) {
        // An event that came while a worker was busy with the time-out, and gave it back, goes first.
        let Some(earlier) = oldest(turn, &signal.event_type) else {
            rouse(turn, signal, false);
            return Ok(());
        };
        rouse(turn, earlier, true);
    } else if turn.definition().strict_signals {
        let detail = format!("the chain is not waiting for {:?}", signal.event_type);
        return refuse(Code::SignalNotAwaited, detail);
    }
    room_for(turn, &signal)?;
    turn.emit(Event::SignalBuffered { signal });
    Ok(())
}

/// Whether it came before: lately, or so long ago that only the event itself is still here.
fn is_known(turn: &Turn<'_, Chain>, signal: &Signal) -> bool {
    let state = turn.state();
    signal.event_id.as_ref().is_some_and(|id| {
        state.seen.contains(id) || state.signals.iter().any(|it| it.event_id.as_ref() == Some(id))
    })
}

fn oldest(turn: &Turn<'_, Chain>, event_type: &str) -> Option<Signal> {
    turn.state().signals.iter().find(|it| it.event_type == event_type).cloned()
}

/// Whether the event ends the present wait. It does not if a worker is already busy with the
/// time-out: of the two, exactly one wins.
fn is_awaited(turn: &mut Turn<'_, Chain>, signal: &Signal) -> bool {
    let current = turn.state().current;
    let Some(step) = turn.state().current_step() else { return false };
    if step.status != StepStatus::Waiting
        || step.waiting_event_type.as_deref() != Some(&signal.event_type)
    {
        return false;
    }
    step.deadline_at.is_none() || turn.lease_on(&task_id(current)).is_none()
}

fn rouse(turn: &mut Turn<'_, Chain>, signal: Signal, buffered: bool) {
    let (step, at) = (turn.state().current, turn.now());
    turn.emit(Event::StepWoken { step, signal, at, buffered });
    schedule(turn, step, at);
}

fn lapse(turn: &mut Turn<'_, Chain>, step: usize, token: ClaimId) -> Decision {
    if step != turn.state().current {
        return Ok(());
    }
    turn.expect_lapsed(&task_id(step), token);
    let (attempts, max_attempts) = attempts(turn);
    let lapses = turn.state().current_step().map_or(0, |it| it.lapses);
    let mode = turn.definition().lease_exhaustion;
    if mode == LeaseExhaustion::MaxAttempts && attempts + 1 >= max_attempts {
        die(turn, step, LEASE_EXPIRED, None);
    } else if lapses + 1 >= limits::LAPSES_MAX {
        die(turn, step, LEASE_EXHAUSTED, None);
    } else {
        let at = turn.now();
        turn.emit(Event::StepLapsed { step, at });
        schedule(turn, step, at);
    }
    Ok(())
}

fn cancel(turn: &mut Turn<'_, Chain>, reason: Option<String>) -> Decision {
    let task = task_id(turn.state().current);
    let under = turn.lease_on(&task).cloned();
    let at = turn.now();
    let reason = reason.as_deref().map(shortened);
    turn.emit(Event::Canceled { at, reason, under });
    turn.withdraw(task);
    Ok(())
}

fn schedule(turn: &mut Turn<'_, Chain>, step: usize, ready_at: Timestamp) {
    let state = turn.state();
    let queue = state.steps.get(step).map(|it| it.step_type.clone()).unwrap_or_default();
    let family = state.workflow_type.clone();
    turn.schedule(NewTask { id: task_id(step), family, queue, ready_at, lease: None });
}

fn attempts(turn: &Turn<'_, Chain>) -> (u32, u32) {
    turn.state().current_step().map_or((0, 0), |step: &Step| (step.attempts, step.max_attempts))
}

fn amend(turn: &mut Turn<'_, Chain>, patch: Json) -> Decision {
    if patch::depth(&patch) > limits::PATCH_DEPTH_MAX {
        let problem = format!("must have at most {} levels", limits::PATCH_DEPTH_MAX);
        return invalid("contextPatch", &problem);
    }
    context_fits(Some(&patch::merged(turn.state().context.as_ref(), &patch)))?;
    turn.emit(Event::ContextPatched { patch });
    Ok(())
}

fn send(turn: &mut Turn<'_, Chain>, report: &Report) -> Decision {
    if report.outbound.len() > limits::OUTBOUND_MAX {
        let problem = format!("must have at most {} events", limits::OUTBOUND_MAX);
        return invalid("outboundEvents", &problem);
    }
    let step_type = turn.state().current_step().map(|it| it.step_type.clone()).unwrap_or_default();
    for (index, outbound) in report.outbound.iter().enumerate() {
        let mut message = message(index, outbound.as_ref())?;
        let about = [
            ("instanceId", turn.key().id.as_str()),
            ("stepSeq", &report.step.to_string()),
            ("stepType", &step_type),
        ];
        message.headers.extend(about.map(|(name, value)| (name.to_owned(), value.to_owned())));
        turn.send(message);
    }
    Ok(())
}

fn message(index: usize, outbound: Option<&Outbound>) -> Result<Message, Rejection> {
    let place = format!("outboundEvents[{index}]");
    let no = |code, text: &str| Rejection::new(code, format!("{place}{text}"));
    let event = outbound.ok_or_else(|| no(Code::EventRequired, " must be an event"))?;
    if let Some(problem) = name_problem(&event.event_type) {
        return Err(no(Code::FieldInvalid, &format!(".eventType {problem}")));
    }
    let id = event.event_id.as_deref().filter(|id| !id.trim().is_empty());
    let id = id.ok_or_else(|| no(Code::EventIdRequired, ".eventId is required"))?;
    if !is_uuid_v7(id) {
        return Err(no(Code::EventIdNotUuidV7, ".eventId must be a UUID of version 7"));
    }
    let occurred_at = event
        .occurred_at
        .ok_or_else(|| no(Code::EventOccurredAtRequired, ".occurredAt is required"))?;
    let payload = event.payload.clone().unwrap_or_else(|| Json::of(&()));
    if payload.as_str().len() > limits::PAYLOAD_MAX {
        return Err(no(Code::FieldInvalid, &format!(".payload {}", too_long(limits::PAYLOAD_MAX))));
    }
    let named = |(name, _): &(&String, &String)| !name.trim().is_empty();
    let headers = event.headers.iter().filter(named);
    Ok(Message {
        id: id.into(),
        event_type: event.event_type.clone(),
        occurred_at,
        payload,
        headers: headers.map(|(name, value)| (name.clone(), value.clone())).collect(),
    })
}

fn is_uuid_v7(text: &str) -> bool {
    let is_hyphen_place = |index| matches!(index, 8 | 13 | 18 | 23);
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match (is_hyphen_place(index), byte) {
            (true, byte) => byte == b'-',
            (false, byte) => byte.is_ascii_hexdigit(),
        })
        && text.as_bytes().get(14) == Some(&b'7')
        && text.as_bytes().get(19).is_some_and(|it| b"89abAB".contains(it))
}

fn signal_fits(signal: &Signal) -> Decision {
    if let Some(problem) = name_problem(&signal.event_type) {
        return invalid("eventType", &problem);
    }
    if let Some(problem) = signal.event_id.as_deref().and_then(name_problem) {
        return invalid("eventId", &problem);
    }
    if size(signal) > limits::PAYLOAD_MAX {
        return invalid("payload", &too_long(limits::PAYLOAD_MAX));
    }
    Ok(())
}

fn room_for(turn: &Turn<'_, Chain>, signal: &Signal) -> Decision {
    let kept = &turn.state().signals;
    let bytes: usize = kept.iter().map(size).sum();
    if kept.len() >= limits::SIGNALS_MAX || bytes + size(signal) > limits::SIGNAL_BYTES_MAX {
        let detail = format!("{} events of {bytes} bytes wait for the chain already", kept.len());
        return refuse(Code::SignalBufferFull, detail);
    }
    Ok(())
}

fn size(signal: &Signal) -> usize {
    signal.payload.as_ref().map_or(0, |it| it.as_str().len())
}

fn context_fits(context: Option<&Json>) -> Decision {
    match context {
        Some(it) if it.as_str().len() > limits::CONTEXT_MAX => {
            invalid("context", &too_long(limits::CONTEXT_MAX))
        }
        Some(_) | None => Ok(()),
    }
}

fn too_long(most: usize) -> String {
    format!("must have at most {most} bytes")
}

fn shortened(error: &str) -> String {
    error.chars().take(limits::ERROR_MAX).collect()
}

fn invalid(field: &str, problem: &str) -> Decision {
    refuse(Code::FieldInvalid, format!("{field} {problem}"))
}

fn refuse(code: Code, detail: impl Into<String>) -> Decision {
    Err(Rejection::new(code, detail))
}
