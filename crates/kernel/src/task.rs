//! Work for someone outside, and the hold one worker has on it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ClaimId, Key, Kind, TaskId, Tenant, Timestamp, Version, WorkerId};

/// Names a task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskRef {
    /// The instance it belongs to.
    pub key: Key,
    /// Which of the instance's tasks.
    pub id: TaskId,
}

/// Work a turn wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// Its name within the instance. A task of that name that is there already is replaced.
    pub id: TaskId,
    /// The definition's name: workers may ask for the tasks of some definitions only.
    pub family: String,
    /// The kind of work: workers ask by it.
    pub queue: String,
    /// Not before this.
    pub ready_at: Timestamp,
    /// Who has it from the beginning, if it is not free.
    pub lease: Option<Lease>,
}

/// A task in its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub at: TaskRef,
    /// The definition's name.
    pub family: String,
    /// The kind of work.
    pub queue: String,
    /// Not before this.
    pub ready_at: Timestamp,
    /// The instance's version that scheduled it. A state at least this new has all a worker needs.
    pub version: Version,
    /// Who holds it, if somebody does.
    pub lease: Option<Lease>,
}

/// One worker's hold on one task: exclusive, for a while, proved by its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The claim that took it.
    pub token: ClaimId,
    /// Who took it.
    pub worker: WorkerId,
    /// The last instant at which it is good.
    pub until: Timestamp,
}

/// A worker's request for work.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Becomes the token of every lease it takes; never used twice.
    pub id: ClaimId,
    /// Whose tasks.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// Who asks.
    pub worker: WorkerId,
    /// Only tasks of these definitions; all if absent.
    pub families: Option<Vec<String>>,
    /// Only tasks of these queues; all if absent.
    pub queues: Option<Vec<String>>,
    /// How many at the most.
    pub limit: u32,
    /// For how long.
    pub lease: Duration,
}

impl Claim {
    /// Whether a task of that family and queue is wanted.
    #[must_use]
    pub fn wants(&self, family: &str, queue: &str) -> bool {
        let among = |wanted: &Option<Vec<String>>, name: &str| {
            wanted.as_ref().is_none_or(|it| it.iter().any(|one| one == name))
        };
        among(&self.families, family) && among(&self.queues, queue)
    }
}

/// What a commit does to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskChange {
    /// Puts it into its queue, replacing what has its name. It is free, unless it comes with a
    /// lease: then that hold is restored.
    Schedule(Task),
    /// Takes it away, held or not.
    Withdraw(TaskRef),
    /// Prolongs the hold on it.
    Extend {
        /// Which task.
        task: TaskRef,
        /// The new end.
        until: Timestamp,
    },
    /// Ends the hold on it; it is free again, and those who wait for such work are told.
    Release(TaskRef),
}
