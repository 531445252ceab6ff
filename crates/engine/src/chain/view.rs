//! Chains as people and workers see them: the state, and who holds what.

use std::sync::Arc;

use waypost_kernel::{Json, Key, Lease, Task, Timestamp, WorkerId};
use waypost_machines::chain::{Signal, State, Step, StepStatus, TaskType};

use super::token::LeaseToken;

/// A chain with its steps.
#[derive(Clone, Debug)]
pub struct ChainView {
    /// Its address.
    pub key: Key,
    /// How many commits it has seen.
    pub version: u64,
    /// Where it stands.
    pub state: Arc<State>,
    /// Who is at work on the current step.
    pub lease: Option<Lease>,
}

/// One step as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView<'a> {
    /// Its place in the line.
    pub seq: usize,
    /// The step.
    pub step: &'a Step,
    /// Its status.
    pub status: ViewStatus,
    /// Who is at work on it, if somebody is.
    pub lease: Option<&'a Lease>,
}

/// The status of a step, as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewStatus {
    /// Somebody is at work on it.
    Running,
    /// Nobody is; it stands as its state says.
    Stored(StepStatus),
}

impl ViewStatus {
    /// The status as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Stored(StepStatus::Pending) => "PENDING",
            Self::Stored(StepStatus::Ready) => "READY",
            Self::Stored(StepStatus::Waiting) => "WAITING",
            Self::Stored(StepStatus::Done) => "DONE",
            Self::Stored(StepStatus::Dead) => "DEAD",
        }
    }
}

impl ChainView {
    pub(super) fn new(key: Key, version: u64, state: Arc<State>, tasks: &[Task]) -> Self {
        let current = state.current.to_string();
        let held = tasks
            .iter()
            .find(|it| it.at.key == key && it.at.id.as_str() == current)
            .and_then(|it| it.lease.clone());
        let lease = held.or_else(|| state.canceled_under.clone());
        Self { key, version, state, lease }
    }

    /// The steps in order.
    pub fn steps(&self) -> impl Iterator<Item = StepView<'_>> {
        self.state.steps.iter().enumerate().map(|(seq, step)| {
            let lease = self.lease.as_ref().filter(|_| seq == self.state.current);
            let status = match lease {
                Some(_) => ViewStatus::Running,
                None => ViewStatus::Stored(step.status),
            };
            StepView { seq, step, status, lease }
        })
    }
}

/// Work in the hands of a worker.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// The proof of the lease.
    pub token: LeaseToken,
    /// Who holds it.
    pub worker: WorkerId,
    /// Until when.
    pub leased_until: Timestamp,
    /// Why the step is executed.
    pub task_type: TaskType,
    state: Arc<State>,
}

impl TaskView {
    /// Nothing if the chain has moved on since the claim.
    pub(super) fn new(task: &Task, state: Arc<State>) -> Option<Self> {
        let lease = task.lease.as_ref()?;
        let step: usize = task.at.id.as_str().parse().ok()?;
        let task_type =
            state.current_step().filter(|_| step == state.current).map(Step::claimed_as)?;
        let (instance, claim) = (task.at.key.id.clone(), lease.token.clone());
        Some(Self {
            token: LeaseToken { instance, step, claim },
            worker: lease.worker.clone(),
            leased_until: lease.until,
            task_type,
            state,
        })
    }

    /// The step to execute.
    #[must_use]
    pub fn step(&self) -> &Step {
        self.state.steps.get(self.token.step).expect("a view is made of a step of its chain")
    }

    /// The chain's workflow type.
    #[must_use]
    pub fn workflow_type(&self) -> &str {
        &self.state.workflow_type
    }

    /// The version the chain was started by.
    #[must_use]
    pub fn workflow_version(&self) -> i32 {
        self.state.workflow_version
    }

    /// The caller's name for the chain.
    #[must_use]
    pub fn biz_key(&self) -> Option<&str> {
        self.state.biz_key.as_deref()
    }

    /// What the chain is about.
    #[must_use]
    pub fn context(&self) -> Option<&Json> {
        self.state.context.as_ref()
    }

    /// The event that ended the latest wait of the step.
    #[must_use]
    pub fn wake(&self) -> Option<&Signal> {
        self.step().wake.as_ref()
    }
}
