//! Instances: chains that were started.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::{Document, Timestamp};

/// Asks for a new instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartInstance {
    /// The definition's name.
    #[schema(example = "order.process")]
    pub workflow_type: String,
    /// The definition's version; the highest if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_version: Option<i32>,
    /// The caller's name for it. One instance of a type runs under it at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub biz_key: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Document>,
}

/// Asks for an instance to be canceled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cancel {
    /// Kept with the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where an instance stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Its id.
    pub instance_id: String,
    /// How many commits it has seen.
    pub version: u64,
    /// The definition's name.
    pub workflow_type: String,
    /// The version it was started by.
    pub workflow_version: i32,
    /// The caller's name for it.
    pub biz_key: Option<String>,
    /// Its status.
    pub status: InstanceStatus,
    /// The step it is at; the last one it was at when it has ended.
    pub current_step_seq: u32,
    /// The type of that step.
    pub current_step_type: String,
    /// What it is about.
    pub context: Option<Document>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its last step was done.
    pub completed_at: Option<Timestamp>,
    /// When a step of it died.
    pub failed_at: Option<Timestamp>,
    /// When it was canceled.
    pub canceled_at: Option<Timestamp>,
    /// Why it was canceled.
    pub cancel_reason: Option<String>,
}

/// An instance with its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceDetail {
    /// The instance.
    #[serde(flatten)]
    pub instance: Instance,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

impl<'de> Deserialize<'de> for InstanceDetail {
    /// Reads the text twice: documents cannot be carried through a flattened member.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Rest {
            steps: Vec<Step>,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let instance = serde_json::from_str(text.get()).map_err(de::Error::custom)?;
        let Rest { steps } = serde_json::from_str(text.get()).map_err(de::Error::custom)?;
        Ok(Self { instance, steps })
    }
}

/// The status of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InstanceStatus {
    /// It goes on.
    Running,
    /// Its last step is done.
    Completed,
    /// A step of it died.
    Failed,
    /// It was canceled.
    Canceled,
}

impl InstanceStatus {
    /// The status as it travels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Canceled => "CANCELED",
        }
    }
}

/// One step of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its place in the line, counted from 0.
    pub step_seq: u32,
    /// What kind of work it is.
    pub step_type: String,
    /// Its status.
    pub status: StepStatus,
    /// Failed executions so far.
    pub attempts: u32,
    /// How many are too many.
    pub max_attempts: u32,
    /// From when on it can be claimed.
    pub next_run_at: Option<Timestamp>,
    /// The event it waits for.
    pub waiting_event_type: Option<String>,
    /// Until when it waits.
    pub deadline_at: Option<Timestamp>,
    /// Who is at work on it.
    pub locked_by: Option<String>,
    /// For how long it is theirs.
    pub locked_until: Option<Timestamp>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StepStatus {
    /// Its turn has not come.
    Pending,
    /// It can be claimed, now or at `nextRunAt`.
    Ready,
    /// Somebody is at work on it.
    Running,
    /// It waits for an event.
    Waiting,
    /// It is done.
    Done,
    /// It is given up.
    Dead,
}

impl StepStatus {
    /// The status as it travels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Ready => "READY",
            Self::Running => "RUNNING",
            Self::Waiting => "WAITING",
            Self::Done => "DONE",
            Self::Dead => "DEAD",
        }
    }
}
