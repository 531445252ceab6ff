//! Handing out steps, and taking them back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{InstanceStatus, StepStatus};
use crate::{Document, Timestamp, object};

/// How many steps a claim takes unless it says otherwise.
const fn claim_max() -> u32 {
    10
}

/// How long a step is held unless the claim says otherwise.
const fn lease_ms() -> u64 {
    30_000
}

/// Asks for work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimRequest {
    /// Who asks.
    #[schema(example = "shop:host-1:4711:0a1b2c3d")]
    pub worker_id: String,
    /// Only steps of these definitions; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_types: Option<Vec<String>>,
    /// Only steps of these types; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_types: Option<Vec<String>>,
    /// How many at the most. Take no more than you can begin at once.
    #[serde(default = "claim_max")]
    #[schema(default = 10, minimum = 1, maximum = 1000)]
    pub max: u32,
    /// For how long, in milliseconds.
    #[serde(default = "lease_ms")]
    #[schema(default = 30_000, minimum = 100, maximum = 86_400_000)]
    pub lease_ms: u64,
    /// How long to wait if there is nothing to do, in milliseconds.
    #[serde(default)]
    #[schema(default = 0, maximum = 30_000)]
    pub wait_ms: u64,
}

impl ClaimRequest {
    /// A claim of any step, with the defaults for the rest.
    #[must_use]
    pub fn new(worker_id: impl Into<String>) -> Self {
        Self {
            worker_id: worker_id.into(),
            workflow_types: None,
            step_types: None,
            max: claim_max(),
            lease_ms: lease_ms(),
            wait_ms: 0,
        }
    }
}

/// What a claim got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimResponse {
    /// The steps, longest ready first.
    pub tasks: Vec<Task>,
}

/// A step in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Whose step.
    pub instance_id: String,
    /// Which step.
    pub step_seq: u32,
    /// What kind of work it is.
    pub step_type: String,
    /// The definition's name.
    pub workflow_type: String,
    /// The version the instance was started by.
    pub workflow_version: i32,
    /// The caller's name for the instance.
    #[serde(default)]
    pub biz_key: Option<String>,
    /// Why the step is executed.
    pub task_type: TaskType,
    /// Failed executions so far.
    pub attempts: u32,
    /// How many are too many.
    pub max_attempts: u32,
    /// Proves the claim. Every report needs it.
    pub lease_token: String,
    /// Until when the step is yours.
    pub leased_until: Timestamp,
    /// What the instance is about.
    pub context: Option<Document>,
    /// The event that ended the latest wait of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Wake>,
}

/// Why a step is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskType {
    /// It is its turn, or its event came.
    ReadyStep,
    /// Its event did not come in time.
    WaitingTimeout,
}

/// The event that ended a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wake {
    /// What happened.
    pub event_type: String,
    /// Its id, if it had one.
    pub event_id: Option<String>,
    /// What there is to know.
    pub payload: Option<Document>,
}

/// A worker's report on the step it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportRequest {
    /// Who reports; the one who claimed.
    pub worker_id: String,
    /// How it went.
    #[serde(deserialize_with = "object::one")]
    pub result: TaskResult,
    /// Merged into the context: members replace, null removes, objects merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_patch: Option<Document>,
    /// Sent after the commit, whatever the result is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object::sparse")]
    #[schema(value_type = Option<Vec<OutboundEvent>>)]
    pub outbound_events: Option<Vec<Option<OutboundEvent>>>,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE", try_from = "FlatResult")]
pub enum TaskResult {
    /// The step is done.
    Completed {},
    /// The step goes on when an event comes.
    #[serde(rename_all = "camelCase")]
    Waiting {
        /// Which event.
        waiting_event_type: String,
        /// How long it waits, in milliseconds; for ever if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
        /// Whether events that came earlier do not count.
        #[serde(skip_serializing_if = "Option::is_none")]
        discard_buffered: Option<bool>,
    },
    /// The step failed and is to be tried again.
    #[serde(rename_all = "camelCase")]
    Retry {
        /// After how long, in milliseconds; the server's policy decides if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        backoff_ms: Option<u64>,
        /// What went wrong.
        error: String,
    },
    /// The step can never succeed.
    Dead {
        /// What went wrong.
        error: String,
    },
}

/// The members of every result: reading them first keeps the place of a mistake.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FlatResult {
    kind: ResultKind,
    waiting_event_type: Option<String>,
    timeout_ms: Option<u64>,
    discard_buffered: Option<bool>,
    backoff_ms: Option<u64>,
    error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ResultKind {
    Completed,
    Waiting,
    Retry,
    Dead,
}

impl TryFrom<FlatResult> for TaskResult {
    type Error = String;

    fn try_from(flat: FlatResult) -> Result<Self, String> {
        flat.refuse_foreign()?;
        let FlatResult { kind, waiting_event_type, timeout_ms, discard_buffered, .. } = flat;
        let error = || flat.error.ok_or_else(|| "missing field `error`".to_owned());
        Ok(match kind {
            ResultKind::Completed => Self::Completed {},
            ResultKind::Waiting => {
                let event = waiting_event_type.ok_or("missing field `waitingEventType`")?;
                Self::Waiting { waiting_event_type: event, timeout_ms, discard_buffered }
            }
            ResultKind::Retry => Self::Retry { backoff_ms: flat.backoff_ms, error: error()? },
            ResultKind::Dead => Self::Dead { error: error()? },
        })
    }
}

impl FlatResult {
    /// A member of another kind is a misunderstanding; dropping it would hide that.
    fn refuse_foreign(&self) -> Result<(), String> {
        use ResultKind::{Dead, Retry, Waiting};
        let members = [
            ("waitingEventType", self.waiting_event_type.is_some(), &[Waiting][..]),
            ("timeoutMs", self.timeout_ms.is_some(), &[Waiting]),
            ("discardBuffered", self.discard_buffered.is_some(), &[Waiting]),
            ("backoffMs", self.backoff_ms.is_some(), &[Retry]),
            ("error", self.error.is_some(), &[Retry, Dead]),
        ];
        let foreign =
            members.into_iter().find(|(_, given, kinds)| *given && !kinds.contains(&self.kind));
        match foreign {
            Some((name, ..)) => Err(format!("a result of this kind has no member `{name}`")),
            None => Ok(()),
        }
    }
}

/// A notice to be sent to the outside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutboundEvent {
    /// A UUID of version 7; receivers drop repeats by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// What happened.
    pub event_type: String,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<Timestamp>,
    /// What there is to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Document>,
    /// What travels beside the payload.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// What a report came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportResponse {
    /// Whose step it was.
    pub instance_id: String,
    /// The step that was reported on.
    pub step_seq: u32,
    /// Its new status.
    pub step_status: StepStatus,
    /// The new status of the instance.
    pub instance_status: InstanceStatus,
    /// The step the instance is at now.
    pub current_step_seq: u32,
    /// The type of that step.
    pub current_step_type: String,
}

/// Asks for a longer hold on a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewRequest {
    /// Who asks; the one who claimed.
    pub worker_id: String,
    /// For how long from now, in milliseconds.
    #[serde(default = "lease_ms")]
    #[schema(default = 30_000, minimum = 100, maximum = 86_400_000)]
    pub lease_ms: u64,
}

/// A prolonged hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenewResponse {
    /// Until when the step is yours.
    pub leased_until: Timestamp,
}

/// Gives a step back that was not begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReleaseRequest {
    /// Who gives it back; the one who claimed.
    pub worker_id: String,
}
