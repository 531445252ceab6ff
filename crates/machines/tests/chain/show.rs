//! How consequences look in a story.

use waypost_kernel::{Message, Timestamp};
use waypost_machines::chain::{Event, Signal, Step, StepStatus, TaskType};

use crate::world::{DAWN, Landed, Refusal, World};

/// What a commit led to, or why there was none.
pub(crate) fn answer(answer: &Result<Landed, Refusal>) -> Vec<String> {
    let landed = match answer {
        Err(refusal) => return vec![refused(refusal)],
        Ok(landed) if landed.decided.events.is_empty() => {
            return vec!["= nothing changes".into()];
        }
        Ok(landed) => landed,
    };
    let decided = &landed.decided;
    let again = landed.again.then(|| "~ the task is held: decided again".to_owned());
    let messages = match decided.messages.as_slice() {
        many @ [_, _, _, ..] => vec![format!("> {} messages", many.len())],
        few => few.iter().map(message).collect(),
    };
    let news = decided.events.iter().filter_map(news);
    let withdrawn = decided.withdrawn.iter().map(|id| format!("- task {id}"));
    let scheduled = decided.scheduled.iter().map(|it| {
        let family = (it.family != "order").then(|| format!(" of {}", it.family));
        let family = family.unwrap_or_default();
        format!("+ task {} {}{family} at {}", it.id, it.queue, at(it.ready_at))
    });
    again.into_iter().chain(messages).chain(news).chain(withdrawn).chain(scheduled).collect()
}

pub(crate) fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Rejected(rejection) => format!("! {} {}", rejection.code, rejection.detail),
        Refusal::Conflict(waypost_kernel::Conflict::Lease(_)) => {
            "! LEASE_LOST by the store's judgment".into()
        }
        Refusal::Conflict(conflict) => format!("= nothing changes: {conflict}"),
    }
}

/// What neither tasks nor steps show.
fn news(event: &Event) -> Option<String> {
    match event {
        Event::SignalBuffered { signal: it } => Some(format!("~ {} is kept", signal(it))),
        Event::SignalsDiscarded { event_type } => Some(format!("~ {event_type} counts afresh")),
        Event::Asked(it) => Some(format!("~ asked by {:?}: {:?}", it.by, it.reason)),
        Event::Started { .. }
        | Event::StepReady { .. }
        | Event::StepDone { .. }
        | Event::StepWaiting { .. }
        | Event::StepWoken { .. }
        | Event::StepRetried { .. }
        | Event::StepLapsed { .. }
        | Event::StepDead { .. }
        | Event::ContextPatched { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. } => None,
    }
}

fn message(message: &Message) -> String {
    let headers: Vec<_> = message.headers.iter().map(|(name, it)| format!("{name}:{it}")).collect();
    let payload = brief(message.payload.as_str());
    let (id, occurred_at) = (&message.id, at(message.occurred_at));
    format!("> {} {payload} {id} of {occurred_at} with {}", message.event_type, headers.join(" "))
}

/// Everything about the chain that matters to somebody.
pub(crate) fn state(world: &World) -> Vec<String> {
    let state = &world.state;
    let mut line = format!("=> {}", state.status.as_str());
    for ended_at in [state.completed_at, state.failed_at, state.canceled_at].into_iter().flatten() {
        line.push_str(&format!(" at {}", at(ended_at)));
    }
    for (index, it) in state.steps.iter().enumerate() {
        let details = details(world, index, it);
        let details = if details.is_empty() { details } else { format!("({details})") };
        line.push_str(&format!(" {index}:{}{details}", name(it.status)));
    }
    let mut lines = vec![line];
    let reason = state.cancel_reason.as_deref().map(|it| format!("   canceled: {}", brief(it)));
    let under = state
        .canceled_under
        .as_ref()
        .map(|it| format!("   canceled while {} {} until {}", it.worker, it.token, at(it.until)));
    let kept: Vec<_> = state.signals.iter().map(signal).collect();
    let kept = (!kept.is_empty()).then(|| format!("   kept: {}", brief(&kept.join(", "))));
    let context = state.context.as_ref().map(|it| format!("   context: {}", brief(it.as_str())));
    lines.extend([reason, under, kept, context].into_iter().flatten());
    lines
}

fn details(world: &World, index: usize, step: &Step) -> String {
    let started = step.attempts > 0 || step.lapses > 0;
    let type_ = (step.task_type != TaskType::ReadyStep).then(|| step.task_type.as_str().to_owned());
    let task = world.tasks.get(&index.to_string().into());
    let lease = task.and_then(|it| it.lease.as_ref());
    let details = [
        lease.map(|it| format!("{} {} until {}", it.worker, it.token, at(it.until))),
        type_,
        started.then(|| format!("attempts {}/{}", step.attempts, step.max_attempts)),
        (step.lapses > 0).then(|| format!("lapses {}", step.lapses)),
        step.next_run_at.map(|it| format!("next_run_at {}", at(it))),
        step.waiting_event_type.as_ref().map(|it| format!("for {}", brief(it))),
        step.deadline_at.map(|it| format!("deadline {}", at(it))),
        step.last_error.as_ref().map(|it| format!("error {:?}", brief(it))),
        step.wake.as_ref().map(|it| format!("woken by {}", signal(it))),
    ];
    Vec::from_iter(details.into_iter().flatten()).join(", ")
}

const fn name(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "PENDING",
        StepStatus::Ready => "READY",
        StepStatus::Waiting => "WAITING",
        StepStatus::Done => "DONE",
        StepStatus::Dead => "DEAD",
    }
}

fn signal(signal: &Signal) -> String {
    let id = signal.event_id.as_ref().map(|it| format!("#{}", brief(it))).unwrap_or_default();
    let payload = signal.payload.as_ref().map(|it| format!(" {}", brief(it.as_str())));
    format!("{}{id}{}", brief(&signal.event_type), payload.unwrap_or_default())
}

/// Time as an offset from the beginning of the story.
pub(crate) fn at(at: Timestamp) -> String {
    let micros = at.as_micros() - DAWN.as_micros();
    if micros % 1_000 == 0 { format!("+{}ms", micros / 1_000) } else { format!("+{micros}us") }
}

/// A long text by its beginning and its length.
fn brief(text: &str) -> String {
    let length = text.chars().count();
    if length <= 80 {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(8).collect();
    format!("{beginning}… ({length} characters)")
}
