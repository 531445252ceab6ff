//! The events of a chain as the wire tells them: how they are stored is nobody's business.

use waypost_api::{
    Timestamp,
    chain::{DefinitionStep, Event, EventType},
};
use waypost_kernel::{EventRecord, Note};
use waypost_machines::chain as machine;

use super::convert::{document, seq, time};
use crate::http::problem::Refusal;

/// What happened in one commit, and when.
pub(super) fn events(record: &EventRecord) -> Result<(Timestamp, Vec<Event>), Refusal> {
    let events: Vec<machine::Event> = record.events.read().map_err(|error| {
        Refusal::defect(format!("the events of {} {}: {error}", record.key, record.version))
    })?;
    Ok((time(record.at), events.into_iter().map(event).collect()))
}

fn event(event: machine::Event) -> Event {
    use machine::Event as Stored;
    let new = Event::new;
    let of = |kind, step| Event { step_seq: Some(seq(step)), ..new(kind) };
    let by = |it: &machine::Held| Some(it.worker.as_str().to_owned());
    match event {
        Stored::Started { workflow_type, workflow_version, steps, biz_key, context, at } => Event {
            workflow_type: Some(workflow_type),
            workflow_version: Some(workflow_version),
            steps: Some(steps.into_iter().map(planned).collect()),
            biz_key,
            context: context.as_ref().map(document),
            at: Some(time(at)),
            ..new(EventType::Started)
        },
        Stored::StepReady { step, at } => {
            Event { at: Some(time(at)), ..of(EventType::StepReady, step) }
        }
        Stored::StepDone { step, by: held } => {
            Event { worker_id: by(&held), ..of(EventType::StepDone, step) }
        }
        Stored::StepWaiting { step, event_type, deadline_at, by: held } => Event {
            event_type: Some(event_type),
            deadline_at: deadline_at.map(time),
            worker_id: by(&held),
            ..of(EventType::StepWaiting, step)
        },
        Stored::StepWoken { step, signal: it, at, buffered } => Event {
            step_seq: Some(seq(step)),
            at: Some(time(at)),
            buffered: Some(buffered),
            ..signal(EventType::StepWoken, it)
        },
        Stored::StepRetried { step, next_run_at, error, by: held } => Event {
            next_run_at: Some(time(next_run_at)),
            error: Some(error),
            worker_id: by(&held),
            ..of(EventType::StepRetried, step)
        },
        Stored::StepLapsed { step, at } => {
            Event { at: Some(time(at)), ..of(EventType::StepLapsed, step) }
        }
        Stored::StepDead { step, error, by: held } => Event {
            error: Some(error),
            worker_id: held.and_then(|(held, _)| by(&held)),
            ..of(EventType::StepDead, step)
        },
        Stored::SignalBuffered { signal: it } => signal(EventType::SignalBuffered, it),
        Stored::SignalsDiscarded { event_type } => {
            Event { event_type: Some(event_type), ..new(EventType::SignalsDiscarded) }
        }
        Stored::ContextPatched { patch } => {
            Event { patch: Some(document(&patch)), ..new(EventType::ContextPatched) }
        }
        Stored::Completed { at } => Event { at: Some(time(at)), ..new(EventType::Completed) },
        Stored::Failed { at } => Event { at: Some(time(at)), ..new(EventType::Failed) },
        Stored::Canceled { at, reason, under } => Event {
            at: Some(time(at)),
            reason,
            worker_id: under.map(|it| it.worker.as_str().to_owned()),
            ..new(EventType::Canceled)
        },
        Stored::Asked(Note { by, reason }) => Event { user: by, reason, ..new(EventType::Asked) },
    }
}

fn planned((step_type, max_attempts): (String, u32)) -> DefinitionStep {
    DefinitionStep { step_type, max_attempts: Some(max_attempts) }
}

fn signal(kind: EventType, signal: machine::Signal) -> Event {
    Event {
        event_type: Some(signal.event_type),
        event_id: signal.event_id,
        payload: signal.payload.as_ref().map(document),
        at: Some(time(signal.received_at)),
        ..Event::new(kind)
    }
}
