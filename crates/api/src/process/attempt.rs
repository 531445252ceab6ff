//! The jobs of one instance.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// Jobs of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceJobPage {
    /// In the order in which they were offered.
    pub items: Vec<InstanceJob>,
    /// How many there are.
    pub total: u64,
    /// Which page this is, counted from 0.
    pub page: u32,
    /// How many items a page has at the most.
    pub page_size: u32,
}

/// A job of an instance. Each time it is offered again it is another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceJob {
    /// Its id.
    pub id: String,
    /// The step's id.
    pub step_id: String,
    /// What people call the step.
    pub step_name: String,
    /// The kind of work.
    pub job_type: String,
    /// How often the step was tried at this visit, this time included.
    pub attempt_number: u32,
    /// What has become of it.
    #[schema(inline)]
    pub status: InstanceJobStatus,
    /// How often it may still fail and be offered again.
    pub retries_remaining: u32,
    /// When it was offered.
    pub created_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Who holds it, or has ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// When it is taken from whoever holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_expires_at: Option<Timestamp>,
    /// Why it failed, or was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// What has become of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InstanceJobStatus {
    /// Can be had.
    Available,
    /// Somebody holds it.
    Locked,
    /// Out of everybody's reach until the instance, which has failed, is tried again.
    Suspended,
    Completed,
    Failed,
    /// Whoever held it was not heard of again.
    LeaseExpired,
    /// Nobody needs it any more.
    Withdrawn,
}
