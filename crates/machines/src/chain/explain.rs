//! Why a chain is where it is.

use std::collections::BTreeMap;

use waypost_kernel::{ClaimId, Key, Lease, Machine as _, TaskId, Turn, WorkerId};

use super::{
    Chain, Command, Event, Held, Outcome, Policy, Report, Signal, State, Status, Step, StepStatus,
    types::task_id,
};
use crate::explanation::{Around, Cause, Explanation, Next, Wait};

/// What canceling is called.
const CANCEL: &str = "cancel";

/// A chain, and all that is known about it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub key: &'a Key,
    pub policy: &'a Policy,
    pub state: &'a State,
    /// Who holds its task.
    pub leases: &'a BTreeMap<TaskId, Lease>,
}

/// Why the chain is where it is.
#[must_use]
pub fn explain(subject: Subject<'_>, around: Around<'_>) -> Explanation {
    let state = subject.state;
    let status = state.status.as_str();
    let next = next(subject, around);
    let ended =
        |summary: String| Explanation { next: next.clone(), ..Explanation::ended(status, summary) };
    match (state.status, state.current_step()) {
        (Status::Completed, _) => ended("It has completed.".to_owned()),
        (Status::Canceled, _) => ended(match &state.cancel_reason {
            Some(reason) => format!("It was canceled: {reason}"),
            None => "It was canceled.".to_owned(),
        }),
        (Status::Failed, step) => ended(dead(step)),
        (Status::Absent | Status::Running, None) => ended("It has no steps.".to_owned()),
        (Status::Absent | Status::Running, Some(step)) => {
            let wait = wait(subject, around, step);
            let summary = format!("It waits at {:?} for {}.", wait.at, wait.what);
            let (status, waits) = (status.to_owned(), vec![wait]);
            Explanation { status, summary, waits, next, ..Explanation::default() }
        }
    }
}

fn dead(step: Option<&Step>) -> String {
    let Some(step) = step else { return "It has failed.".to_owned() };
    let error = step.last_error.as_deref().unwrap_or("no error was kept");
    let (kind, tried, most) = (&step.step_type, step.attempts, step.max_attempts);
    format!("It has failed: step {kind:?} is dead after {tried} of {most} attempts: {error}")
}

fn wait(subject: Subject<'_>, around: Around<'_>, step: &Step) -> Wait {
    let (at, kind) = (step.step_type.clone(), &step.step_type);
    let lease = subject.leases.get(&task_id(subject.state.current));
    let of = |cause, what, since, until| Wait { at: at.clone(), cause, what, since, until };
    if let Some(lease) = lease {
        let (worker, until) = (lease.worker.as_str(), (around.show)(lease.until));
        let what = match lease.until < around.now {
            false => format!("worker {worker:?}, who has the step until {until}"),
            true => format!(
                "the step to be offered again: worker {worker:?} has let its lease run out at \
                 {until}"
            ),
        };
        return of(Cause::Lease, what, step.activated_at, Some(lease.until));
    }
    let tried = tried(step);
    match (step.status, step.next_run_at.filter(|it| *it > around.now)) {
        (StepStatus::Waiting, _) => {
            let event = step.waiting_event_type.as_deref().unwrap_or_default();
            let deadline = match step.deadline_at {
                Some(at) if at > around.now => format!(", until {}", (around.show)(at)),
                Some(at) => format!(
                    ", which did not come before {}: now for a worker who deals with that",
                    (around.show)(at)
                ),
                None => ", however long it takes".to_owned(),
            };
            let what = format!("the event {event:?}{deadline}");
            of(Cause::Signal, what, step.activated_at, step.deadline_at)
        }
        (_, Some(at)) => {
            let until = (around.show)(at);
            let what = format!("its next attempt, at {until}{tried}");
            of(Cause::Backoff, what, step.activated_at, Some(at))
        }
        (_, None) => {
            let asking = around.asking(kind);
            let what = format!("a worker for steps of type {kind:?}; {asking}{tried}");
            of(Cause::Worker, what, step.activated_at, None)
        }
    }
}

/// What has been tried so far.
fn tried(step: &Step) -> String {
    let (tried, most) = (step.attempts, step.max_attempts);
    let error = step.last_error.as_deref().map(|it| format!(", the last failed: {it}"));
    match tried {
        0 => String::new(),
        _ => format!(" ({tried} of {most} attempts are used up{})", error.unwrap_or_default()),
    }
}

fn next(subject: Subject<'_>, around: Around<'_>) -> Vec<Next> {
    let state = subject.state;
    let mut found = Vec::new();
    if let Some(step) = state.current_step() {
        let holder = subject.leases.get(&task_id(state.current));
        let by = match holder {
            Some(lease) => format!("worker {:?}", lease.worker.as_str()),
            None => format!("a worker for {:?}, who claims it first", step.step_type),
        };
        let next = decided(subject, around, report(state.current, holder));
        found.push(Next { what: format!("complete {:?}", step.step_type), by, ..next });
        if let Some(event) = &step.waiting_event_type {
            let (event_type, event_id) = (event.clone(), None);
            let signal = Signal { event_type, event_id, payload: None, received_at: around.now };
            let next = decided(subject, around, Command::Wake(signal));
            let by = "whoever knows that it has happened".to_owned();
            found.push(Next { what: format!("signal {event:?}"), by, ..next });
        }
    }
    let next = decided(subject, around, Command::Cancel { reason: None });
    found.push(Next { what: CANCEL.to_owned(), by: "an operator".to_owned(), ..next });
    found
}

fn report(step: usize, holder: Option<&Lease>) -> Command {
    let held = match holder {
        Some(Lease { token, worker, .. }) => Held { token: token.clone(), worker: worker.clone() },
        None => Held { token: ClaimId::from("nobody's"), worker: WorkerId::from("anybody") },
    };
    let outcome = Outcome::Completed;
    Command::Report(Report { step, held, outcome, patch: None, outbound: Vec::new() })
}

/// What the command would come to, on a turn that is thrown away.
fn decided(subject: Subject<'_>, around: Around<'_>, command: Command) -> Next {
    let state = subject.state.clone();
    let mut turn = Turn::new(subject.key, subject.policy, state, around.now, subject.leases);
    let refused = Chain::decide(&mut turn, command).err();
    let decided = turn.finish();
    let refused = match refused {
        Some(rejection) => Some(rejection.detail),
        None => decided.events.is_empty().then(|| "it would change nothing".to_owned()),
    };
    let leads_to =
        if refused.is_some() { Vec::new() } else { ends(&decided.events, &decided.state) };
    Next { what: String::new(), by: String::new(), leads_to, refused }
}

fn ends(events: &[Event], state: &State) -> Vec<String> {
    let is_kept = |it: &Event| matches!(it, Event::SignalBuffered { .. });
    match (state.status, state.current_step()) {
        (Status::Running, Some(_)) if events.iter().all(is_kept) => {
            vec!["the event is kept".to_owned()]
        }
        (Status::Running, Some(step)) => vec![step.step_type.clone()],
        (status, _) => vec![status.as_str().to_owned()],
    }
}
