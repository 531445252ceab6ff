//! What the outside knows: who was handed what, what was acknowledged, what arrived.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{
    ClaimId, Commit, Expectation, InstanceId, MessageChange, Task, TaskChange, TaskRef, Timestamp,
};
use waypost_machines::chain::Event;

/// Who holds what, seen from beside the store: it does not trust the store's own bookkeeping.
#[derive(Default)]
pub(super) struct Leases {
    held: BTreeMap<TaskRef, (ClaimId, Timestamp)>,
    tokens: BTreeSet<(TaskRef, ClaimId)>,
    /// Messages that were committed.
    pub(super) posted: BTreeSet<String>,
    pub(super) violations: Vec<String>,
}

impl Leases {
    pub(super) fn claimed(&mut self, tasks: &[Task], now: Timestamp) {
        for task in tasks {
            let Some(lease) = &task.lease else {
                self.violations.push("a claim gave a task without a lease".into());
                continue;
            };
            if let Some((token, until)) = self.held.get(&task.at) {
                self.violations.push(format!(
                    "I5: {} was claimed while {token} holds it until {until:?}, now {now:?}",
                    task.at.key
                ));
            }
            if !self.tokens.insert((task.at.clone(), lease.token.clone())) {
                self.violations.push(format!("I6: token {} was given twice", lease.token));
            }
            self.held.insert(task.at.clone(), (lease.token.clone(), lease.until));
        }
    }

    pub(super) fn committed(&mut self, commit: &Commit, now: Timestamp) {
        self.check_fence(commit, now);
        for change in &commit.tasks {
            self.change(change, commit, now);
        }
    }

    /// What the engine meant to send, whatever became of it.
    pub(super) fn promised(&mut self, meant: &Commit) {
        for change in &meant.messages {
            if let MessageChange::Send { message, .. } = change {
                self.posted.insert(message.id.as_str().to_owned());
            }
        }
    }

    /// Every event that names a lease was written while that lease was held and good.
    fn check_fence(&mut self, commit: &Commit, now: Timestamp) {
        for record in &commit.events {
            let events: Vec<Event> = record.events.read().unwrap_or_default();
            for (step, token) in events.iter().filter_map(held_by) {
                let task = TaskRef { key: record.key.clone(), id: step.to_string().into() };
                let good =
                    self.held.get(&task).is_some_and(|(t, until)| t == token && *until >= now);
                if !good {
                    self.violations.push(format!("I6: a late write by {token} on {}", record.key));
                }
            }
        }
    }

    fn change(&mut self, change: &TaskChange, commit: &Commit, now: Timestamp) {
        match change {
            TaskChange::Schedule(task) => self.freed(&task.at, commit, now),
            TaskChange::Withdraw(at) | TaskChange::Release(at) => {
                self.held.remove(at);
            }
            TaskChange::Extend { task, until } => {
                if let Some((_, end)) = self.held.get_mut(task) {
                    *end = *until;
                }
            }
        }
    }

    /// A task that is scheduled again was nobody's, its holder's, or its holder's time was over.
    fn freed(&mut self, task: &TaskRef, commit: &Commit, now: Timestamp) {
        let Some((token, until)) = self.held.remove(task) else { return };
        let by_holder = commit.expect.iter().any(|it| match it {
            Expectation::Lease { task: at, token: by, .. } => at == task && *by == token,
            Expectation::Version { .. }
            | Expectation::Lapsed { .. }
            | Expectation::Free { .. }
            | Expectation::Open { .. }
            | Expectation::Armed { .. }
            | Expectation::Vacant { .. } => false,
        });
        if !by_holder && until >= now {
            self.violations.push(format!("I5: {} was taken from {token} in its time", task.key));
        }
    }
}

fn held_by(event: &Event) -> Option<(usize, &ClaimId)> {
    match event {
        Event::StepDone { step, by }
        | Event::StepWaiting { step, by, .. }
        | Event::StepRetried { step, by, .. }
        | Event::StepDead { step, by: Some((by, _)), .. } => Some((*step, &by.token)),
        Event::Started { .. }
        | Event::StepReady { .. }
        | Event::StepWoken { .. }
        | Event::StepLapsed { .. }
        | Event::StepDead { by: None, .. }
        | Event::SignalBuffered { .. }
        | Event::SignalsDiscarded { .. }
        | Event::ContextPatched { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. }
        | Event::Asked(_) => None,
    }
}

/// What clients, workers and receivers were told.
#[derive(Default)]
pub(super) struct Ledger {
    /// Request ids and the chains they were told to have started.
    pub(super) started: BTreeMap<String, InstanceId>,
    /// Request ids that were asked for.
    pub(super) asked: BTreeSet<String>,
    /// Events that were accepted.
    pub(super) signaled: BTreeMap<InstanceId, BTreeSet<String>>,
    /// Reports that were accepted: chain and token.
    pub(super) reported: BTreeSet<(InstanceId, String)>,
    /// Messages that arrived, with how often.
    pub(super) received: BTreeMap<String, u32>,
    pub(super) n_refused: u64,
    pub(super) n_steps: u64,
}
