//! What can be asked of processes.

use std::time::Duration;

use waypost_kernel::{InstanceId, RequestId, Timestamp, WorkerId};

use super::Variables;

/// A wish to start an instance.
#[derive(Clone, Debug, Default)]
pub struct StartProcess {
    /// The definition's name.
    pub definition: String,
    /// The highest if absent.
    pub version: Option<i32>,
    /// What it knows from the beginning.
    pub variables: Variables,
    /// One instance under way per definition and key.
    pub business_key: Option<String>,
    /// The same wish under the same name again starts nothing.
    pub request: Option<RequestId>,
}

/// Which instances to list, newest first.
#[derive(Clone, Debug, Default)]
pub struct ListProcesses {
    /// Only those of this definition.
    pub definition: Option<String>,
    /// Only those of this version of it.
    pub version: Option<i32>,
    /// In the words of clients. One that does not exist finds nothing.
    pub status: Option<String>,
    /// Only those with this business key.
    pub business_key: Option<String>,
    /// Only those that are at this step.
    pub step: Option<String>,
    /// Only those started at or after this.
    pub from: Option<Timestamp>,
    /// Only those started before this.
    pub until: Option<Timestamp>,
    /// Only those older than this one.
    pub before: Option<InstanceId>,
    /// How many to pass over.
    pub offset: u32,
    /// How many at the most.
    pub limit: u32,
}

/// A worker's wish for tasks.
#[derive(Clone, Debug)]
pub struct Poll {
    /// Who asks.
    pub worker: WorkerId,
    /// The kinds of work it can do.
    pub queues: Vec<String>,
    /// How many at the most.
    pub max: u32,
    /// For how long.
    pub lease: Duration,
    /// How long to wait for the first.
    pub wait: Duration,
}

/// What became of a worker's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callback {
    /// It had an effect.
    Accepted,
    /// It came too late, or from somebody else; nothing has changed.
    Ignored,
}
