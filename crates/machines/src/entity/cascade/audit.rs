//! What is written down about a run.

use waypost_documents::document::Value;

use crate::entity::workflow::object;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    pub kind: AuditKind,
    /// Where the entity was; empty before it had a state.
    pub state: String,
    /// For people.
    pub details: String,
    /// For programs.
    pub facts: Option<Value>,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditKind {
    /// A run began.
    Start,
    /// A run came to its end.
    Finish,
    /// A new entity has its workflow.
    WorkflowFound,
    /// A new entity does not match the criterion of a workflow.
    WorkflowSkip,
    /// A transition was taken.
    TransitionMake,
    /// There is no such transition, or it is disabled.
    TransitionNotFound,
    /// The criterion of a transition does not hold.
    TransitionNotMatchCriterion,
    /// The processors of a transition are about to be asked.
    PauseForProcessing,
    /// A processor has answered, or a transition fails because of one.
    StateProcessResult,
    /// The run was given up at a limit.
    Cancel,
    /// The entity stays where it is, since no workflow knows its state.
    ForceSuccess,
    /// A transition will be taken when its time has come.
    ScheduledTransitionArm,
    /// It will not, since the entity has moved on.
    ScheduledTransitionCancel,
    /// Its time has come, and it is taken.
    ScheduledTransitionFire,
    /// Its time had come, and it is too late for it.
    ScheduledTransitionExpire,
}

/// Why a run that succeeded went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing leads on without being asked for.
    NoAutomatedTransitions,
    /// What would lead on is not possible now.
    AllCriteriaRejected,
    /// No workflow knows the state.
    ForceSuccess,
}

impl AuditKind {
    /// Its stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "STATE_MACHINE_START",
            Self::Finish => "STATE_MACHINE_FINISH",
            Self::WorkflowFound => "WORKFLOW_FOUND",
            Self::WorkflowSkip => "WORKFLOW_SKIP",
            Self::TransitionMake => "TRANSITION_MAKE",
            Self::TransitionNotFound => "TRANSITION_NOT_FOUND",
            Self::TransitionNotMatchCriterion => "TRANSITION_NOT_MATCH_CRITERION",
            Self::PauseForProcessing => "PAUSE_FOR_PROCESSING",
            Self::StateProcessResult => "STATE_PROCESS_RESULT",
            Self::Cancel => "CANCEL",
            Self::ForceSuccess => "FORCE_SUCCESS",
            Self::ScheduledTransitionArm => "SCHEDULED_TRANSITION_ARM",
            Self::ScheduledTransitionCancel => "SCHEDULED_TRANSITION_CANCEL",
            Self::ScheduledTransitionFire => "SCHEDULED_TRANSITION_FIRE",
            Self::ScheduledTransitionExpire => "SCHEDULED_TRANSITION_EXPIRE",
        }
    }
}

impl StopReason {
    /// Its stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoAutomatedTransitions => "COMPLETED_NO_AUTO_TRANSITIONS",
            Self::AllCriteriaRejected => "COMPLETED_ALL_CRITERIA_REJECTED",
            Self::ForceSuccess => "FORCE_SUCCESS",
        }
    }

    /// The same, for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::NoAutomatedTransitions => "the state has no automated transitions",
            Self::AllCriteriaRejected => "no criterion of an automated transition holds",
            Self::ForceSuccess => "no workflow knows the state",
        }
    }

    pub(super) fn facts(self) -> Value {
        let reason =
            object([("type", text(self.name())), ("description", text(self.description()))]);
        object([("success", Value::Bool(true)), ("stopReason", reason)])
    }
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
