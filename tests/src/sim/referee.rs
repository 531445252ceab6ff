//! The invariants of chains, checked on every change and at the end.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{Change, InstanceId, Key, Machine, Record, Task};
use waypost_machines::chain::{Chain, Event, State, Status, Step, StepStatus};

use super::ledger::Ledger;

/// Remembers what it has seen of each chain.
#[derive(Default)]
pub(super) struct Referee {
    chains: BTreeMap<InstanceId, Seen>,
}

#[derive(Default)]
struct Seen {
    version: u64,
    replayed: State,
    woken_by: BTreeSet<String>,
    /// Tokens of the reports in the history.
    tokens: BTreeSet<String>,
}

type Verdict = Result<(), String>;

impl Referee {
    /// Looks at one change, and at where the chain stands after the latest one.
    pub(super) fn see(&mut self, change: &Change) -> Verdict {
        let record = &change.record;
        let seen = self.chains.entry(record.key.id.clone()).or_default();
        check(record.version.0 == seen.version + 1, "I-11: history has a gap")?;
        seen.version = record.version.0;
        let ended = !matches!(seen.replayed.status, Status::Absent | Status::Running);
        check(!ended, "I12: an ended chain changed")?;
        let events: Vec<Event> = record.events.read().map_err(|error| error.to_string())?;
        for event in &events {
            seen.happened(event)?;
        }
        Ok(())
    }

    /// Compares what is stored with what history says, and checks the shape.
    pub(super) fn stands(&self, key: &Key, stored: Option<&Record>, tasks: &[Task]) -> Verdict {
        let seen = self.chains.get(&key.id).ok_or("a chain without history")?;
        let stored = stored.ok_or("a chain with history is not stored")?;
        let state: State = stored.state.read().map_err(|error| error.to_string())?;
        check(stored.version.0 == seen.version, "the stored version is not the latest")?;
        check(state == seen.replayed, "I-11: history does not explain the state")?;
        shape(&state)?;
        tasks_fit(&state, tasks)?;
        nobody_waits_in_vain(&state, tasks)
    }

    /// When all is calm and done: everything acknowledged is there, everything has ended.
    pub(super) fn finish(&self, ledger: &Ledger) -> Verdict {
        for (request, id) in &ledger.started {
            let seen =
                self.chains.get(id).ok_or(format!("I-1: started chain of {request} is lost"))?;
            let ended = !matches!(seen.replayed.status, Status::Absent | Status::Running);
            check(ended, &format!("I13: {id} did not end: {:?}", seen.replayed))?;
        }
        for (id, token) in &ledger.reported {
            let known = self.chains.get(id).is_some_and(|it| it.tokens.contains(token));
            check(known, &format!("I-1: the report of {token} was acknowledged and is lost"))?;
        }
        let distinct: BTreeSet<_> = ledger.started.values().collect();
        check(distinct.len() == ledger.started.len(), "I-10: two requests, one chain")?;
        check(self.chains.len() <= ledger.asked.len(), "I-10: a request started two chains")
    }

    /// I8: an accepted event was used, waits to be used, or its chain has ended.
    pub(super) fn signals(&self, ledger: &Ledger) -> Verdict {
        for (id, events) in &ledger.signaled {
            let Some(seen) = self.chains.get(id) else { continue };
            if seen.replayed.status != Status::Running {
                continue;
            }
            for event in events {
                let kept =
                    seen.replayed.signals.iter().any(|it| it.event_id.as_ref() == Some(event));
                let used = seen.woken_by.contains(event);
                check(kept || used, &format!("I8: event {event} of {id} is lost"))?;
            }
        }
        Ok(())
    }
}

impl Seen {
    fn happened(&mut self, event: &Event) -> Verdict {
        let before = self.replayed.clone();
        Chain::evolve(&mut self.replayed, event);
        attempts_fit(&before, &self.replayed, event)?;
        match event {
            Event::StepWoken { signal, .. } => {
                if let Some(id) = &signal.event_id {
                    check(self.woken_by.insert(id.clone()), "I9: one event ended two waits")?;
                }
            }
            Event::StepDone { by, .. }
            | Event::StepWaiting { by, .. }
            | Event::StepRetried { by, .. }
            | Event::StepDead { by: Some((by, _)), .. } => {
                let fresh = self.tokens.insert(by.token.as_str().to_owned());
                check(fresh, "I-3: one claim was reported on twice")?;
            }
            Event::Started { .. }
            | Event::StepReady { .. }
            | Event::StepLapsed { .. }
            | Event::StepDead { by: None, .. }
            | Event::SignalBuffered { .. }
            | Event::SignalsDiscarded { .. }
            | Event::ContextPatched { .. }
            | Event::Completed { .. }
            | Event::Failed { .. }
            | Event::Canceled { .. }
            | Event::Asked(_) => {}
        }
        Ok(())
    }
}

/// I4: attempts grow by one when an execution fails, and not otherwise.
fn attempts_fit(before: &State, after: &State, event: &Event) -> Verdict {
    let count = |state: &State| -> u32 { state.steps.iter().map(|it| it.attempts).sum() };
    let failed = matches!(
        event,
        Event::StepRetried { .. } | Event::StepLapsed { .. } | Event::StepDead { .. }
    );
    check(count(after) == count(before) + u32::from(failed), "I4: attempts do not fit")
}

/// I1 to I3.
fn shape(state: &State) -> Verdict {
    let all = |steps: &[Step], status| steps.iter().all(|it| it.status == status);
    let (before, rest) = state.steps.split_at(state.current);
    let (current, after) = rest.split_first().ok_or("I1: the chain is at no step")?;
    check(all(before, StepStatus::Done), "I1: a step before the current one is not done")?;
    check(all(after, StepStatus::Pending), "I1: a step after the current one has begun")?;
    let (completed, failed) = (state.completed_at.is_some(), state.failed_at.is_some());
    match state.status {
        Status::Running => check(open(current), "I1: the current step of a running chain is shut"),
        Status::Completed => {
            check(
                current.status == StepStatus::Done && after.is_empty(),
                "I2: completed too early",
            )?;
            check(completed && !failed, "I2: times of a completed chain")
        }
        Status::Failed => {
            check(current.status == StepStatus::Dead, "I2: failed without a dead step")?;
            check(failed && !completed, "I2: times of a failed chain")
        }
        Status::Canceled => check(state.canceled_at.is_some(), "I2: canceled without a time"),
        Status::Absent => Err("I1: a stored chain is absent".into()),
    }?;
    let fits = |it: &Step| match it.status {
        StepStatus::Ready => it.next_run_at.is_some() && it.waiting_event_type.is_none(),
        StepStatus::Waiting => it.waiting_event_type.is_some() && it.next_run_at.is_none(),
        StepStatus::Pending | StepStatus::Done | StepStatus::Dead => {
            it.next_run_at.is_none() && it.waiting_event_type.is_none() && it.deadline_at.is_none()
        }
    };
    check(state.steps.iter().all(fits), "I3: columns do not fit the status")
}

fn open(step: &Step) -> bool {
    matches!(step.status, StepStatus::Ready | StepStatus::Waiting)
}

/// I7: what can go on has exactly one task, and nothing else has one.
fn tasks_fit(state: &State, tasks: &[Task]) -> Verdict {
    let current = state.steps.get(state.current).ok_or("I1: the chain is at no step")?;
    let wanted = match (state.status, current.status) {
        (Status::Running, StepStatus::Ready) => true,
        (Status::Running, StepStatus::Waiting) => current.deadline_at.is_some(),
        _ => false,
    };
    let right = |it: &Task| it.at.id.as_str() == state.current.to_string();
    check(tasks.len() == usize::from(wanted) && tasks.iter().all(right), "I7: tasks do not fit")
}

/// I8: an event is not kept beside a step that waits for it, unless its time-out is being handled.
fn nobody_waits_in_vain(state: &State, tasks: &[Task]) -> Verdict {
    let awaited = state.current_step().and_then(|it| it.waiting_event_type.as_deref());
    let kept = state.signals.iter().any(|it| Some(it.event_type.as_str()) == awaited);
    let held = tasks.iter().any(|it| it.lease.is_some());
    check(!kept || held || !state.is_running(), "I8: an event is kept from the step that waits")
}

fn check(holds: bool, otherwise: &str) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
