//! Events in words.

use waypost_api::{
    Timestamp,
    chain::{Event, EventType},
};

use crate::{output::Tone, when::relative};

/// The step an event is about, with its type where that is known.
pub(super) fn step(event: &Event, step_types: &[String]) -> String {
    let Some(seq) = event.step_seq else { return String::new() };
    match usize::try_from(seq).ok().and_then(|index| step_types.get(index)) {
        Some(name) => format!("{seq} {name}"),
        None => seq.to_string(),
    }
}

/// What there is to say about an event beside its type and its step. Times are told from when it
/// happened.
pub(super) fn describe(event: &Event, at: Timestamp) -> String {
    let named = |name: &str, value: Option<&String>| value.map(|it| format!("{name} {it}"));
    let timed = |name: &str, until: Option<Timestamp>| {
        until.map(|it| format!("{name} {}", relative(it, at)))
    };
    let worker = named("by", event.worker_id.as_ref());
    let parts = match event.kind {
        EventType::Started => {
            let version = event.workflow_version.map(|it| format!("version {it}"));
            vec![event.workflow_type.clone(), version, named("for", event.biz_key.as_ref())]
        }
        EventType::StepWaiting => {
            vec![named("for", event.event_type.as_ref()), timed("gives up", event.deadline_at)]
        }
        EventType::StepWoken => {
            let early = event.buffered.unwrap_or(false).then(|| "which had come early".to_owned());
            let id = event.event_id.as_ref().map(|it| format!("({it})"));
            vec![named("by", event.event_type.as_ref()), id, early]
        }
        EventType::StepRetried => {
            vec![event.error.clone(), timed("again", event.next_run_at), worker]
        }
        EventType::StepDead => vec![event.error.clone(), worker],
        EventType::SignalBuffered | EventType::SignalsDiscarded => {
            vec![event.event_type.clone(), event.event_id.as_ref().map(|it| format!("({it})"))]
        }
        EventType::ContextPatched => {
            vec![event.patch.as_ref().map(|it| it.as_str().to_owned())]
        }
        EventType::Canceled => vec![event.reason.clone()],
        EventType::Asked => {
            let user = named("by", event.user.as_ref());
            vec![user, event.reason.as_ref().map(|it| format!("because {it}"))]
        }
        EventType::StepDone => vec![worker],
        EventType::StepReady | EventType::StepLapsed | EventType::Completed | EventType::Failed => {
            Vec::new()
        }
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The step types a chain was started with, if this is how it started.
pub(super) fn step_types(event: &Event) -> Option<Vec<String>> {
    event.steps.as_ref().map(|steps| steps.iter().map(|it| it.step_type.clone()).collect())
}

/// Whether the chain ends with it.
pub(super) const fn is_end(kind: EventType) -> bool {
    matches!(kind, EventType::Completed | EventType::Failed | EventType::Canceled)
}

/// The color of an event.
pub(super) const fn tone(kind: EventType) -> Tone {
    match kind {
        EventType::StepDone | EventType::Completed => Tone::Good,
        EventType::StepReady | EventType::StepWoken | EventType::Started => Tone::Busy,
        EventType::StepWaiting | EventType::StepRetried | EventType::StepLapsed => Tone::Attention,
        EventType::Canceled | EventType::SignalBuffered => Tone::Attention,
        EventType::StepDead | EventType::Failed => Tone::Bad,
        EventType::SignalsDiscarded | EventType::ContextPatched | EventType::Asked => Tone::Faint,
    }
}
