//! Who did what to a definition or an instance.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Which one it is, counted from 1 for the first that was ever done.
    pub sequence: u64,
    /// When it was done.
    pub at: Timestamp,
    /// What was done, such as `DEFINITION_UPLOADED`, `INSTANCE_STARTED` or `JOB_COMPLETED`.
    #[schema(example = "USER_TASK_COMPLETED")]
    pub kind: String,
    /// `client`, `worker` or `engine`.
    pub actor: String,
    /// The user who asked for it, where users sign in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Which worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// The definition's id.
    pub definition_id: String,
    /// The definition's version.
    pub definition_version: i32,
    /// What people call the definition.
    pub definition_name: String,
    /// The instance's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// The step's id, where it was done at one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// What people call the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_name: Option<String>,
    /// The visit of the step, as in the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_execution_id: Option<String>,
    /// Why, in the words of whoever did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// One page of what was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage {
    /// What was done.
    pub items: Vec<AuditEntry>,
    /// On all pages together.
    pub total: u64,
    /// Which page this is, counted from 0.
    pub page: u32,
    /// How many items a page has at most.
    pub page_size: u32,
}
