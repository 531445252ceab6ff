//! Instances: definitions that were started.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Variables;
use crate::Timestamp;

/// Asks for a new instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartInstance {
    /// The definition's id.
    #[serde(default)]
    pub definition_id: Option<String>,
    /// The definition's version; the latest if absent or not above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_version: Option<i64>,
    /// What it knows from the beginning.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
    /// The caller's name for it: one instance of a definition is under way with it at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
}

/// Asks for an instance to be cancelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cancel {
    /// Kept with the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Asks for a failed step to be tried again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Retry {
    /// Variables that are to have other values.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
    /// Why, for the audit; the header `Waypost-Reason` says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where an instance stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Its id.
    pub id: String,
    /// The definition's id.
    pub definition_id: String,
    /// The version it runs by, to its end.
    pub definition_version: i32,
    /// Its status.
    pub status: InstanceStatus,
    /// The steps it is at.
    pub current_step_ids: Vec<String>,
    /// What it knows.
    #[schema(value_type = Object)]
    pub variables: Variables,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Why it failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The caller's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// The instance whose end has started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_instance_id: Option<String>,
}

/// How far an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InstanceStatus {
    /// Under way.
    Active,
    /// Under way, and waiting for a person or a signal.
    Waiting,
    /// Reached an END.
    Completed,
    /// A step failed for good.
    Failed,
    /// Somebody did not want it any more.
    Cancelled,
}

impl InstanceStatus {
    /// The status as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Waiting => "WAITING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

/// One page of instances, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstancePage {
    /// Newest first.
    pub items: Vec<Instance>,
    /// How many there are on all pages.
    pub total: u64,
    /// Which page this is, counted from 0.
    #[serde(default)]
    pub page: u32,
    /// How many items a page has at the most.
    #[serde(default)]
    pub page_size: u32,
}
