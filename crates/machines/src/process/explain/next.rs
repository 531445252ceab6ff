//! What can be asked of a process. Each command is decided on a turn that is thrown away.

use waypost_kernel::{Machine as _, Turn, WorkerId};

use super::Subject;
use crate::{
    explanation::{Around, Next, limits::NEXT_MAX},
    process::{Command, Event, Process, Rest, Stay, Variables, Work, timers, types::task_id},
};

/// What canceling is called. It always helps, and never on.
pub(super) const CANCEL: &str = "cancel";

/// How the reason of a step begins that did not get what it wants.
const VIOLATION: &str = "schema violation: ";

pub(super) fn next(subject: Subject<'_>, around: Around<'_>) -> Vec<Next> {
    let mut found = Vec::new();
    let stays = &subject.state.stays;
    for stay in stays.iter().take(NEXT_MAX) {
        let Some((what, by, command)) = command(subject, stay) else { continue };
        let next = decided(subject, around, command);
        found.push(Next { what, by, ..next });
    }
    for due in timers(subject.graph, subject.state, around.now).into_iter().take(NEXT_MAX) {
        let next = decided(subject, around, Command::Fire { visit: due.visit, timer: due.timer });
        let what = format!("the timer at {:?} fires", due.step);
        found.push(Next { what, by: format!("the clock, at {}", (around.show)(due.at)), ..next });
    }
    let cancel = decided(subject, around, Command::Cancel { reason: None });
    found.push(Next { what: CANCEL.to_owned(), by: "an operator".to_owned(), ..cancel });
    found
}

/// What can be done about a stay, by whom, and how that is asked for.
fn command(subject: Subject<'_>, stay: &Stay) -> Option<(String, String, Command)> {
    let (step, output) = (stay.step.to_string(), Variables::new());
    Some(match stay.rest {
        Rest::Task { number, .. } => {
            let holder = subject.leases.get(&task_id(number)).map(|it| it.worker.clone());
            let by = match &holder {
                Some(worker) => format!("worker {:?}", worker.as_str()),
                None => format!("a worker for {:?}", queue(subject, stay)),
            };
            let worker = holder.unwrap_or_else(|| WorkerId::from("anybody"));
            let command = Command::Complete { task: number, worker, output };
            (format!("complete the job at {step:?}"), by, command)
        }
        Rest::User => {
            let what = format!("complete the task at {step:?}");
            (what, "a person".to_owned(), Command::CompleteUserTask { step, output })
        }
        Rest::Signal => {
            let what = format!("signal {step:?}");
            (
                what,
                "whoever knows that it has happened".to_owned(),
                Command::Signal { step, output },
            )
        }
        Rest::Failed => {
            let what = format!("try {step:?} again");
            (what, "an operator".to_owned(), Command::Retry { step, patch: output })
        }
        Rest::Join { .. } => return None,
    })
}

fn queue<'g>(subject: Subject<'g>, stay: &Stay) -> &'g str {
    match subject.graph.step(&stay.step).map(|it| &it.work) {
        Some(Work::Service { queue, .. }) => queue,
        _ => "",
    }
}

/// What the command would come to.
fn decided(subject: Subject<'_>, around: Around<'_>, command: Command) -> Next {
    let state = subject.state.clone();
    let mut turn = Turn::new(subject.key, subject.graph, state, around.now, subject.leases);
    let refused = Process::decide(&mut turn, command).err();
    let events = turn.finish().events;
    let late = || "it would change nothing".to_owned();
    let refused = match refused {
        Some(rejection) => Some(rejection.detail),
        None => events.is_empty().then(late),
    };
    let leads_to = if refused.is_some() { Vec::new() } else { ends(&events) };
    Next { what: String::new(), by: String::new(), leads_to, refused }
}

/// Where events lead: the steps at which something rests then, or how it ends.
fn ends(events: &[Event]) -> Vec<String> {
    let mut ends = Vec::new();
    for event in events {
        match event {
            Event::Entered(stay) => ends.push(stay.step.to_string()),
            Event::Arrived { step, .. } => ends.push(step.to_string()),
            Event::Joined { .. } => drop(ends.pop()),
            Event::Completed { .. } => ends.push("COMPLETED".to_owned()),
            // The worker's answer is not known: nothing was taken for it.
            Event::Failed { reason, .. } if reason.starts_with(VIOLATION) => {
                ends.push("what the worker gives back decides".to_owned());
            }
            Event::Failed { reason, .. } => ends.push(format!("FAILED: {reason}")),
            Event::Canceled { .. } => ends.push("CANCELLED".to_owned()),
            Event::Started { .. }
            | Event::Passed { .. }
            | Event::Forked { .. }
            | Event::Forgotten { .. }
            | Event::Merged { .. }
            | Event::Left { .. }
            | Event::Fired { .. }
            | Event::Interrupted { .. }
            | Event::Retried { .. }
            | Event::Lapsed { .. }
            | Event::StepFailed { .. }
            | Event::Stumbled { .. }
            | Event::Resumed { .. }
            | Event::Asked(_) => {}
        }
    }
    ends
}
