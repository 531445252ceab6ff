//! What a run is given, and how it can end.

use waypost_documents::document::Value;
use waypost_kernel::Timestamp;

use super::{Armed, AuditEvent, Call};
use crate::entity::workflow::Workflow;

/// How far a run goes, and why not further.
pub mod limits {
    use std::time::Duration;

    /// How often a cascade may come to one state. A workflow that needs more runs in circles.
    pub const VISITS_MAX: usize = 10;
    /// Rounds of a cascade, the last of which must find the entity at rest.
    pub const ROUNDS_MAX: usize = 100;
    /// Bytes kept of what a member says: a reason, a message, a warning. They are for people.
    pub const SAID_MAX: usize = 2_048;
    /// How long a scheduled transition that comes too late may be neither taken nor given up: the
    /// time two clocks may be apart. More than an hour is no tolerance any more.
    pub const GRACE_MAX: Duration = Duration::from_secs(60 * 60);
    /// The same, if nobody says otherwise.
    pub const GRACE: Duration = Duration::from_millis(100);
}

/// One run in full: the same run with the same replies always ends in the same way.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub command: Command<'a>,
    pub entity: Entity<'a>,
    /// The workflows of the model, in their order.
    pub workflows: &'a [Workflow],
    pub limits: Limits,
    /// What time it is where the entity comes to rest. Nothing but schedules depends on it.
    pub now: Timestamp,
}

/// What is asked of the entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// To begin, and to take a transition at once if one is named.
    Create { transition: Option<&'a str> },
    /// To take the transition of this name.
    Take { transition: &'a str },
    /// To go on from where it is, because its value is another.
    Loopback,
    /// To take the scheduled transition of this name, whose time has come.
    Fire { transition: &'a str },
}

/// The entity as a criterion sees it.
#[derive(Clone, Copy, Debug)]
pub struct Entity<'a> {
    pub id: &'a str,
    /// The new value, if the command brings one.
    pub value: &'a Value,
    /// Empty before it is created.
    pub state: &'a str,
    /// The name of the workflow that created it.
    pub workflow: Option<&'a str>,
    /// The transition stored with the version that is being replaced; empty for a new entity.
    pub previous_transition: &'a str,
    /// What is armed with the version that is being replaced.
    pub armed: &'a [Armed],
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub transaction: &'a str,
}

/// How far the cascade may go. See [`limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub visits_max: usize,
    pub rounds_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { visits_max: limits::VISITS_MAX, rounds_max: limits::ROUNDS_MAX }
    }
}

/// Where the entity came to rest. One version is saved, however many transitions there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// What processors made of the value; none if they left it alone.
    pub value: Option<Value>,
    pub state: String,
    /// The name to remember as that of the workflow that created the entity.
    pub workflow: Option<String>,
    pub transition_for_latest_save: String,
    /// What is armed from now on, and nothing else.
    pub armed: Vec<Armed>,
    pub audit: Vec<AuditEvent>,
    pub warnings: Vec<String>,
}

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A member must be asked first; decide again when its reply is known.
    Call(Box<Call>),
    /// Nothing may be saved.
    Failed(Box<Failure>),
}

/// What went wrong, and what had happened until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub text: String,
    pub audit: Vec<AuditEvent>,
    pub warnings: Vec<String>,
}

/// The kinds of failure that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such transition in this state, or it cannot be asked for.
    TransitionNotFound,
    /// A criterion, a processor, a limit or the workflow itself stands in the way.
    WorkflowFailed,
    /// Nobody is there who could be asked.
    NoComputeMemberForTag,
    /// Whoever was asked went away.
    ComputeMemberDisconnected,
    /// The node cannot be reached that has somebody who could be asked.
    DispatchForwardFailed,
}

impl FailureKind {
    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TransitionNotFound => "TRANSITION_NOT_FOUND",
            Self::WorkflowFailed => "WORKFLOW_FAILED",
            Self::NoComputeMemberForTag => "NO_COMPUTE_MEMBER_FOR_TAG",
            Self::ComputeMemberDisconnected => "COMPUTE_MEMBER_DISCONNECTED",
            Self::DispatchForwardFailed => "DISPATCH_FORWARD_FAILED",
        }
    }

    /// Whether the same request may succeed a little later.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::TransitionNotFound | Self::WorkflowFailed => false,
            Self::NoComputeMemberForTag
            | Self::ComputeMemberDisconnected
            | Self::DispatchForwardFailed => true,
        }
    }
}
