//! What has failed, by cause.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Face;
use crate::Timestamp;

/// What has failed, by cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncidentPage {
    /// The most frequent first.
    pub items: Vec<Incident>,
    /// Whether more instances have failed than were looked at: the newest ten thousand of each face
    /// are.
    pub is_cut: bool,
}

/// What instances that have failed have in common: the definition, the step, and an error that
/// differs in numbers and names at the most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// Names the cause, and stays the same.
    pub id: String,
    /// Of which face.
    pub face: Face,
    /// The definition's name.
    pub definition: String,
    /// The definition's version.
    pub definition_version: i32,
    /// The step that has failed.
    pub step: String,
    /// The error of the newest.
    pub error: String,
    /// How many have failed of it.
    pub count: u64,
    /// When the first has.
    pub first_at: Timestamp,
    /// When the last has.
    pub last_at: Timestamp,
    /// One of them: the newest.
    pub sample: FailedInstance,
}

/// An instance that has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedInstance {
    /// Its id.
    pub instance_id: String,
    /// The caller's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// Why it has.
    pub error: String,
    /// When it has.
    pub failed_at: Timestamp,
}

/// Those that have failed of one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedPage {
    /// The newest instance first; none if nothing has failed of the cause any more.
    pub items: Vec<FailedInstance>,
    /// Whether more instances have failed than were looked at.
    pub is_cut: bool,
}
