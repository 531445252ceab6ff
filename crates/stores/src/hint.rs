//! Telling those who wait that there may be something for them.

use std::sync::{Mutex, PoisonError};

use waypost_kernel::{
    Commit, Hint, Listener, MessageChange, TaskChange, TaskRef, TimerChange, Timestamp,
};

/// Everybody who wants to be told.
#[derive(Default)]
pub(crate) struct Listeners(Mutex<Vec<Listener>>);

impl Listeners {
    pub(crate) fn add(&self, listener: Listener) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    pub(crate) fn tell(&self, hints: &[Hint]) {
        let listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for hint in hints {
            listeners.iter().for_each(|listener| listener(hint));
        }
    }
}

/// There is work: the task `at`, of that family and queue.
pub(crate) fn work(at: &TaskRef, family: &str, queue: &str, ready_at: Timestamp) -> Hint {
    Hint::Work {
        tenant: at.key.tenant.clone(),
        kind: at.key.kind,
        family: family.to_owned(),
        queue: queue.to_owned(),
        ready_at,
    }
}

/// What others may want to know once `commit` has landed. It does not say which queues the tasks
/// it releases are in: those the store must add.
pub(crate) fn hints(commit: &Commit) -> Vec<Hint> {
    let tasks = commit.tasks.iter().filter_map(|change| match change {
        TaskChange::Schedule(task) if task.lease.is_none() => {
            Some(work(&task.at, &task.family, &task.queue, task.ready_at))
        }
        TaskChange::Schedule(_)
        | TaskChange::Withdraw(_)
        | TaskChange::Extend { .. }
        | TaskChange::Release(_) => None,
    });
    let timers = commit.timers.iter().filter_map(|change| match change {
        TimerChange::Arm(timer) => Some(Hint::Timer { due_at: timer.due_at }),
        TimerChange::Disarm(_) => None,
    });
    let message = commit.messages.iter().any(|it| matches!(it, MessageChange::Send { .. }));
    tasks.chain(timers).chain(message.then_some(Hint::Message)).collect()
}
