//! What happened to instances.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::DefinitionStep;
use crate::{Document, Timestamp};

/// A part of an instance's history, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// One entry per commit.
    pub items: Vec<HistoryEntry>,
    /// How many entries were asked for at the most.
    pub page_size: u32,
    /// Whether there are more: ask again with `after` set to the last version.
    pub has_more: bool,
}

/// What happened in one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// The version the commit made; they have no gaps.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// What happened, oldest first.
    pub events: Vec<Event>,
}

/// One commit, as the stream of changes tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// To which instance.
    pub instance_id: String,
    /// The version the commit made; they have no gaps.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// What happened, oldest first.
    pub events: Vec<Event>,
}

/// Something that happened. Which members it has depends on its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// To which step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_seq: Option<u32>,
    /// When, if it is not said by the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The worker that said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// From when on the step can be claimed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    /// The event that is awaited, that came, or that is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// The id of the event that came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The payload of the event that came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Document>,
    /// Whether the event had come before the step waited for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffered: Option<bool>,
    /// Until when the step waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<Timestamp>,
    /// What was merged into the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Document>,
    /// The user who asked for it, where users sign in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Why it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the instance runs by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_type: Option<String>,
    /// The version it runs by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_version: Option<i32>,
    /// Its whole plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<DefinitionStep>>,
    /// The caller's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub biz_key: Option<String>,
    /// What it was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Document>,
}

impl Event {
    /// An event with nothing but its type.
    #[must_use]
    pub const fn new(kind: EventType) -> Self {
        Self {
            kind,
            step_seq: None,
            at: None,
            worker_id: None,
            error: None,
            next_run_at: None,
            event_type: None,
            event_id: None,
            payload: None,
            buffered: None,
            deadline_at: None,
            patch: None,
            user: None,
            reason: None,
            workflow_type: None,
            workflow_version: None,
            steps: None,
            biz_key: None,
            context: None,
        }
    }
}

/// What can happen to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    /// It was started.
    Started,
    /// It came to a step.
    StepReady,
    /// A step is done.
    StepDone,
    /// A step waits for an event.
    StepWaiting,
    /// The event came, and the step can be claimed.
    StepWoken,
    /// A step failed and will be tried again.
    StepRetried,
    /// The worker of a step disappeared.
    StepLapsed,
    /// A step is given up.
    StepDead,
    /// An event came that nobody waits for yet.
    SignalBuffered,
    /// Events that came earlier do not count any more.
    SignalsDiscarded,
    /// The context was changed.
    ContextPatched,
    /// The last step is done.
    Completed,
    /// A step died.
    Failed,
    /// It was canceled.
    Canceled,
    /// Who asked for what has just happened, and why.
    Asked,
}

impl EventType {
    /// The type as it travels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "STARTED",
            Self::StepReady => "STEP_READY",
            Self::StepDone => "STEP_DONE",
            Self::StepWaiting => "STEP_WAITING",
            Self::StepWoken => "STEP_WOKEN",
            Self::StepRetried => "STEP_RETRIED",
            Self::StepLapsed => "STEP_LAPSED",
            Self::StepDead => "STEP_DEAD",
            Self::SignalBuffered => "SIGNAL_BUFFERED",
            Self::SignalsDiscarded => "SIGNALS_DISCARDED",
            Self::ContextPatched => "CONTEXT_PATCHED",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Canceled => "CANCELED",
            Self::Asked => "ASKED",
        }
    }
}
