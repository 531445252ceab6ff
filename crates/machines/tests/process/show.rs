//! How consequences look in a story.

use serde_json::Value;
use waypost_kernel::{Note, Timestamp};
use waypost_machines::process::{Branch, By, Deed, Event, Rest, Stay, Variables, Visit};

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
    let again = landed.again.then(|| "~ a task is held: decided again".to_owned());
    let mut lines: Vec<String> = again.into_iter().collect();
    match decided.events.as_slice() {
        many if many.len() > 100 => {
            lines.push(format!("{} events, the last ones:", many.len()));
            lines.extend(many.iter().skip(many.len() - 3).filter_map(happened));
        }
        few => lines.extend(few.iter().filter_map(happened)),
    }
    let withdrawn = decided.withdrawn.iter().map(ToString::to_string);
    let scheduled = decided.scheduled.iter().map(|it| {
        let held = it.lease.as_ref();
        let held = held.map(|it| format!(" ({} has it until {})", it.worker, at(it.until)));
        format!("{} {}{}", it.id, it.queue, held.unwrap_or_default())
    });
    let disarmed = decided.disarmed.iter().map(ToString::to_string);
    let armed = decided.armed.iter().map(|it| format!("{} at {}", it.id, at(it.due_at)));
    lines.extend(effect("- task", withdrawn));
    lines.extend(effect("+ task", scheduled));
    lines.extend(effect("- timer", disarmed));
    lines.extend(effect("+ timer", armed));
    lines
}

fn effect(name: &str, those: impl Iterator<Item = String>) -> Option<String> {
    let those: Vec<String> = those.collect();
    (!those.is_empty()).then(|| format!("{name} {}", those.join(", ")))
}

pub(crate) fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Rejected(rejection) => format!("! {} {}", rejection.code, rejection.detail),
        Refusal::Conflict(conflict) => format!("= nothing changes: {conflict}"),
    }
}

fn happened(event: &Event) -> Option<String> {
    Some(match event {
        Event::Started { .. } => return None,
        Event::Entered(stay) => entered(stay),
        Event::Passed { visit, step, set: None } => format!("{step}#{visit} passed"),
        Event::Passed { visit, step, set: Some(set) } => {
            format!("{step}#{visit} passed, sets {}", json(set))
        }
        Event::Forked { fork, made } => {
            format!("fork {fork} of {}{}", made.branches, on(made.outer))
        }
        Event::Arrived { visit, step, branch: None, .. } => format!("{step}#{visit} absorbed"),
        Event::Arrived { visit, step, branch, .. } => {
            format!("{step}#{visit} reached{}", on(*branch))
        }
        Event::Joined { fork } => format!("fork {fork} joined"),
        Event::Forgotten { fork } => format!("fork {fork} forgotten"),
        Event::Merged { visit, output, deeply: true } => {
            format!("#{visit} deeply merges {}", json(output))
        }
        Event::Merged { visit, output, .. } => format!("#{visit} merges {}", json(output)),
        Event::Left { visit, .. } => format!("#{visit} left"),
        Event::Fired { visit, timer } => format!("timer {visit}.{timer} fired"),
        Event::Interrupted { visit } => format!("#{visit} interrupted"),
        Event::Retried { visit, task, error, .. } => format!("#{visit} retried as {task}: {error}"),
        Event::Lapsed { visit, task } => format!("#{visit} lapsed, again as {task}"),
        Event::StepFailed { visit, reason, .. } => format!("#{visit} failed: {}", brief(reason)),
        Event::Stumbled { visit, step, branch, reason, .. } => {
            format!("{step}#{visit}{} failed: {}", on(*branch), brief(reason))
        }
        Event::Resumed { step, patch } => format!("{step} tried again with {}", json(patch)),
        Event::Completed { .. } => "completed".into(),
        Event::Failed { held, pending, .. } => {
            let holders = held.iter().map(|(task, it)| format!(", {} has {task}", it.worker));
            let later = pending.iter().map(|it| format!(", {} not begun", it.step));
            format!("failed{}", holders.chain(later).collect::<String>())
        }
        Event::Canceled { reason, .. } => format!("canceled: {reason:?}"),
        Event::Asked(Note { by, reason }) => {
            format!("asked by {}: {:?}", by.as_deref().unwrap_or("somebody"), reason)
        }
    })
}

fn entered(stay: &Stay) -> String {
    let Stay { visit, step, branch, rest, .. } = stay;
    let what = match rest {
        Rest::Task { number, retries: 0, .. } => format!("task {number}"),
        Rest::Task { number, retries, .. } => format!("task {number} with {retries} retries"),
        Rest::User => "a person".into(),
        Rest::Signal => "a signal".into(),
        Rest::Join { fork } => format!("the rest of {fork}"),
        Rest::Failed => "help".into(),
    };
    format!("{step}#{visit}{} waits for {what}", on(*branch))
}

fn on(branch: Option<Branch>) -> String {
    branch.map(|it| format!(" on {}.{}", it.fork, it.index)).unwrap_or_default()
}

/// Where the instance stands.
pub(crate) fn state(world: &World) -> String {
    let state = &world.state;
    let reason = state.reason.as_deref().map(|it| format!(" because {:?}", brief(it)));
    let steps = state.current_steps().join(" ");
    format!("=> {} [{steps}]{}", state.status().as_str(), reason.unwrap_or_default())
}

pub(crate) fn variables(world: &World) -> String {
    format!("   {}", json(&world.state.variables))
}

/// The visits as their users read them.
pub(crate) fn audit(world: &World) -> Vec<String> {
    world.audit.deeds().iter().map(deed).collect()
}

fn deed(deed: &Deed) -> String {
    let by = match &deed.by {
        By::Client => deed.user.clone().unwrap_or_else(|| "a client".to_owned()),
        By::Worker(Some(worker)) => worker.to_string(),
        By::Worker(None) => "a worker".to_owned(),
        By::Engine => "the engine".to_owned(),
    };
    let visit = deed.visit.map(|it| format!("#{it}")).unwrap_or_default();
    let step = deed.step.as_ref().map(|it| format!(" {it}{visit}")).unwrap_or_default();
    let detail = deed.detail.as_ref().map(|it| format!(" {:?}", brief(it))).unwrap_or_default();
    format!("{} {:?}{step} by {by}{detail}", at(deed.at), deed.what)
}

pub(crate) fn history(world: &World) -> Vec<String> {
    world.history.clone().visits().iter().map(visit).collect()
}

fn visit(visit: &Visit) -> String {
    let Visit { number, step, attempt, status, started_at, ended_at, .. } = visit;
    let ended = ended_at.map(|it| format!("..{}", at(it))).unwrap_or_default();
    let (input, status) = (json(&visit.input), status.as_str());
    let output = visit.output.as_ref().map(|it| format!(" -> {}", json(it)));
    let reason = visit.reason.as_ref().map(|it| format!(" {it:?}"));
    let (output, reason) = (output.unwrap_or_default(), reason.unwrap_or_default());
    format!(
        "{step}#{number} {attempt}. {status} {}{ended} {input}{output}{reason}",
        at(*started_at)
    )
}

pub(crate) fn json(variables: &Variables) -> String {
    brief(&Value::Object(variables.clone()).to_string())
}

/// Time as an offset from the beginning of the story.
pub(crate) fn at(at: Timestamp) -> String {
    let micros = at.as_micros() - DAWN.as_micros();
    match micros {
        it if it % 3_600_000_000 == 0 && it != 0 => format!("+{}h", it / 3_600_000_000),
        it if it % 1_000_000 == 0 => format!("+{}s", it / 1_000_000),
        it => format!("+{it}us"),
    }
}

/// A long text by its beginning and its length.
fn brief(text: &str) -> String {
    let length = text.chars().count();
    if length <= 200 {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(8).collect();
    format!("{beginning}… ({length} characters)")
}
