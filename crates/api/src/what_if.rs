//! What would become of an instance if others did this or that.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Document, Timestamp};

/// What came of a fork of an instance. The instance itself is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// When the instance was forked: what is earlier has really happened.
    pub forked_at: Timestamp,
    /// Where the fork stands at the end, and those that would follow it.
    pub instances: Vec<TriedInstance>,
    /// Where that is not as expected.
    pub mismatches: Vec<TriedMismatch>,
}

/// Where an instance would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedInstance {
    /// What it runs by.
    pub definition: String,
    /// Its status.
    pub status: String,
    /// The steps it would be at.
    pub at: Vec<String>,
    /// Its variables, or its context.
    pub variables: Document,
    /// Why it would fail or be canceled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The steps it came to and would come to, in this order.
    pub visits: Vec<String>,
    /// What happened, and would happen.
    pub history: Vec<TriedEvent>,
    /// What nobody would do.
    pub unattended: Vec<String>,
}

/// Something that happened or would happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedEvent {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Why, if there is more to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether it has really happened.
    pub real: bool,
}

/// Something that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedMismatch {
    /// Where in the request that is said.
    pub place: String,
    /// What is said there.
    pub expected: String,
    /// What would be so.
    pub actual: String,
}
