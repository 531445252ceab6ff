//! What can be asked of a process, and what can happen to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use waypost_kernel::{ClaimId, DefinitionRef, InstanceId, Lease, Note, Timestamp, WorkerId};

use super::{
    StepId, Variables,
    types::{Branch, Fork, Path, Stay},
};

/// What an instance can be asked to do.
#[derive(Clone, Debug)]
pub enum Command {
    Start(Start),
    /// A worker has done a task.
    Complete {
        task: u32,
        worker: WorkerId,
        output: Variables,
    },
    /// A worker could not do a task.
    Fail {
        task: u32,
        worker: WorkerId,
        error: Option<String>,
        retryable: bool,
    },
    /// A worker has disappeared.
    Lapse {
        task: u32,
        token: ClaimId,
    },
    /// A person has done a task.
    CompleteUserTask {
        step: String,
        output: Variables,
    },
    /// What a step waited for has happened.
    Signal {
        step: String,
        output: Variables,
    },
    /// A timer at a step is due.
    Fire {
        visit: u32,
        timer: usize,
    },
    /// A failed step is to be tried again.
    Retry {
        step: String,
        patch: Variables,
    },
    Cancel {
        reason: Option<String>,
    },
    /// Something somebody has said more about.
    Asked {
        note: Note,
        command: Box<Command>,
    },
}

/// What an instance starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub business_key: Option<String>,
    pub variables: Variables,
    pub parent: Option<InstanceId>,
    pub at: Timestamp,
}

/// What can happen to an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Started {
        definition: DefinitionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        business_key: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<InstanceId>,
        variables: Variables,
        at: Timestamp,
    },
    /// It rests at a step.
    Entered(Stay),
    /// It went through a step without resting.
    Passed {
        visit: u32,
        step: StepId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<Variables>,
    },
    /// One path became several.
    Forked {
        fork: u32,
        made: Fork,
    },
    /// A path came to a join. One that is not awaited there is absorbed.
    Arrived {
        visit: u32,
        step: StepId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<Branch>,
        at: Timestamp,
    },
    /// Several paths became one.
    Joined {
        fork: u32,
    },
    /// No path is left that could come to where the branches meet.
    Forgotten {
        fork: u32,
    },
    /// What came back was taken over.
    Merged {
        visit: u32,
        output: Variables,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        deeply: bool,
    },
    /// It left a step it rested at.
    Left {
        visit: u32,
        /// Who reported it, if it was a task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<WorkerId>,
    },
    /// A timer fired.
    Fired {
        visit: u32,
        timer: usize,
    },
    /// A timer has ended a rest.
    Interrupted {
        visit: u32,
    },
    /// A task failed and is offered again under another number.
    Retried {
        visit: u32,
        task: u32,
        error: String,
        /// Who reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<WorkerId>,
    },
    /// A task was lost by its worker and is offered again under another number.
    Lapsed {
        visit: u32,
        task: u32,
    },
    /// A rest ended badly.
    StepFailed {
        visit: u32,
        reason: String,
        /// Who reported it, if it was a task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<WorkerId>,
    },
    /// A step could not be gone through.
    Stumbled {
        visit: u32,
        step: StepId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<Branch>,
        reason: String,
        at: Timestamp,
    },
    /// A failed step is tried again.
    Resumed {
        step: StepId,
        patch: Variables,
    },
    Completed {
        at: Timestamp,
    },
    Failed {
        at: Timestamp,
        reason: String,
        /// Who was at which task.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        held: BTreeMap<u32, Lease>,
        /// Paths that had not begun, the first of them last.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pending: Vec<Path>,
    },
    Canceled {
        at: Timestamp,
        reason: String,
    },
    /// Who asked for what has just happened, and why.
    Asked(Note),
}
