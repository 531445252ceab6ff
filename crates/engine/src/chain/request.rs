//! What can be asked of chains, and what comes back.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{Definition, InstanceId, Json, RequestId, Timestamp, WorkerId};
use waypost_machines::chain::{State, Status};

use super::view::ChainView;

/// What a deployment came to.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// The definition that stands.
    pub definition: Definition,
    /// Whether it was there before.
    pub existed: bool,
}

/// Asks for a new chain.
#[derive(Clone, Debug, Default)]
pub struct StartRequest {
    /// The definition's name.
    pub workflow_type: String,
    /// The definition's version; the highest if absent.
    pub workflow_version: Option<i32>,
    /// The caller's name for the chain. Only one chain of a type runs under it at a time.
    pub biz_key: Option<String>,
    /// What the chain is about.
    pub context: Option<Json>,
    /// Makes asking twice the same as asking once.
    pub request: Option<RequestId>,
}

/// What a start came to.
#[derive(Clone, Debug)]
pub struct Started {
    /// The chain.
    pub chain: ChainView,
    /// Whether an earlier request of the same name had started it.
    pub repeated: bool,
}

/// Asks for work.
#[derive(Clone, Debug)]
pub struct ClaimRequest {
    /// Who asks.
    pub worker: WorkerId,
    /// Only chains of these types; all if absent.
    pub workflow_types: Option<Vec<String>>,
    /// Only steps of these types; all if absent.
    pub step_types: Option<Vec<String>>,
    /// How many at the most.
    pub max: u32,
    /// For how long.
    pub lease: Duration,
    /// How long to wait if there is nothing to do.
    pub wait: Duration,
}

/// What a report came to.
#[derive(Clone, Debug)]
pub struct Reported {
    /// Where the chain stands now.
    pub state: Arc<State>,
    /// The step that was reported on.
    pub step: usize,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalOutcome {
    /// It ended a wait.
    Woken,
    /// It is kept until a step waits for it.
    Buffered,
    /// It had come before.
    Duplicate,
}

impl SignalOutcome {
    /// The outcome as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Woken => "WOKEN",
            Self::Buffered => "BUFFERED",
            Self::Duplicate => "DUPLICATE",
        }
    }
}

/// Asks for a list of chains, newest first.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only those of this type.
    pub workflow_type: Option<String>,
    /// Only those of this version of it.
    pub workflow_version: Option<i32>,
    /// Only those started at or after this.
    pub from: Option<Timestamp>,
    /// Only those started before this.
    pub until: Option<Timestamp>,
    /// Only those with this status.
    pub status: Option<Status>,
    /// Only those with this business key.
    pub biz_key: Option<String>,
    /// Only those that wait for this event.
    pub awaits: Option<String>,
    /// Only those older than this one.
    pub before: Option<InstanceId>,
    /// How many to pass over.
    pub offset: u32,
    /// How many at the most.
    pub limit: u32,
}
