//! What a member is asked during a run, and what it may answer.

use std::{collections::BTreeMap, time::Duration};

use waypost_documents::document::Value;

use super::FailureKind;
use crate::entity::workflow::Config;

/// Answers by the key of the call.
pub type Replies = BTreeMap<u32, Reply>;

/// A question that must be answered before the run can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of the call in its run, from 0: the same in every round.
    pub key: u32,
    pub asked: Asked,
    /// The workflow that runs or, for its own criterion, the one in question.
    pub workflow: String,
    /// The transition in question, except for the criterion of a workflow.
    pub transition: Option<Passage>,
    /// Where the entity is now: the state it leaves, or empty before it is created.
    pub state: String,
    /// The entity's value as it stands in this run.
    pub value: Value,
    pub terms: Terms,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A processor. What it does `apart` must not outlive its failure.
    Processor { name: String, is_apart: bool },
    /// A function that decides a criterion, or a part of one.
    Function { name: String, target: Target },
}

/// What a criterion belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It selects a workflow.
    Workflow,
    /// It guards a transition.
    Transition,
}

/// A transition with its two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub name: String,
    pub from: String,
    pub to: String,
}

/// How somebody is to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub attach_entity: bool,
    /// All of what the member must be tagged with.
    pub tags: Vec<String>,
    /// How long it may take; the server's own limit if absent.
    pub timeout: Option<Duration>,
    /// See [`super::Retry::named`].
    pub retry_policy: String,
    /// Passed on if not empty.
    pub context: String,
}

/// A function that must decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub terms: Terms,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A processor is done. No value, or `null`, leaves the entity alone.
    Processed { value: Option<Value>, warnings: Vec<String> },
    /// A processor is done, and has written the entity itself meanwhile. What it may have returned
    /// counts for nothing.
    Written { value: Value, warnings: Vec<String> },
    /// A function has decided.
    Matched { matches: bool, reason: Option<String>, warnings: Vec<String> },
    /// There is no answer, or it is a failure.
    Failed { cause: Cause, message: String, warnings: Vec<String> },
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nobody has all the tags.
    NoMember,
    /// The member went away before it answered.
    Disconnected,
    /// The question could not be sent.
    NotSent,
    /// The node that has the member cannot be reached, or was lost before it passed the answer on.
    Unreachable,
    /// The member did not answer in time.
    TimedOut,
    /// The member said no, and whether asking again makes sense.
    Refused { is_retryable: bool },
}

impl From<&Config> for Terms {
    fn from(config: &Config) -> Self {
        let tags = config.tags.split(',').map(str::trim).filter(|it| !it.is_empty());
        let millis = u64::try_from(config.timeout_millis).ok().filter(|it| *it > 0);
        Self {
            attach_entity: config.attach_entity,
            tags: tags.map(ToOwned::to_owned).collect(),
            timeout: millis.map(Duration::from_millis),
            retry_policy: config.retry_policy.clone(),
            context: config.context.clone(),
        }
    }
}

impl Reply {
    pub(super) fn warnings(&self) -> &[String] {
        match self {
            Self::Processed { warnings, .. }
            | Self::Written { warnings, .. }
            | Self::Matched { warnings, .. }
            | Self::Failed { warnings, .. } => warnings,
        }
    }
}

impl Reply {
    /// What was said in earlier attempts comes first.
    pub fn warn_before(&mut self, mut earlier: Vec<String>) {
        match self {
            Self::Processed { warnings, .. }
            | Self::Written { warnings, .. }
            | Self::Matched { warnings, .. }
            | Self::Failed { warnings, .. } => {
                earlier.append(warnings);
                *warnings = earlier;
            }
        }
    }

    /// What was said besides.
    #[must_use]
    pub fn into_warnings(self) -> Vec<String> {
        match self {
            Self::Processed { warnings, .. }
            | Self::Written { warnings, .. }
            | Self::Matched { warnings, .. }
            | Self::Failed { warnings, .. } => warnings,
        }
    }
}

impl Cause {
    /// How callers see it. To be late is to fail; only members that are not there are another kind.
    #[must_use]
    pub const fn kind(self) -> FailureKind {
        match self {
            Self::NoMember => FailureKind::NoComputeMemberForTag,
            Self::Disconnected | Self::NotSent => FailureKind::ComputeMemberDisconnected,
            Self::Unreachable => FailureKind::DispatchForwardFailed,
            Self::TimedOut | Self::Refused { .. } => FailureKind::WorkflowFailed,
        }
    }

    /// Whether a retry policy may ask again.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::NoMember
            | Self::Disconnected
            | Self::NotSent
            | Self::Unreachable
            | Self::TimedOut => true,
            Self::Refused { is_retryable } => is_retryable,
        }
    }
}
