//! How fast it goes, what waits to be claimed, who is at work, and how many there are of a kind.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Face, StatusCount};
use crate::Timestamp;

/// What happened to the instances of a face within a minute, as far as this node has done it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rate {
    /// Which face.
    pub face: Face,
    /// When the minute began.
    pub from: Timestamp,
    /// Instances that were started.
    pub started: u64,
    /// Instances that have completed.
    pub completed: u64,
    /// Instances that have failed.
    pub failed: u64,
}

/// What waits to be claimed of one kind of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// Of which face.
    pub face: Face,
    /// The kind of work: a type of jobs, or of steps.
    pub queue: String,
    /// The definition's name.
    pub definition: String,
    /// How many can be claimed now. Counting stops at ten thousand.
    pub ready: u64,
    /// Since when the first can be claimed, or from when on.
    pub first_at: Timestamp,
}

/// What waits to be claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueuePage {
    /// By face, kind of work and definition; at most a thousand.
    pub items: Vec<Queue>,
}

/// Who is at work, and who could be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerPage {
    /// Who holds something, and who has asked this node for work since it was started.
    pub workers: Vec<Worker>,
    /// Programs that are connected to this node to work on entities.
    pub members: Vec<Member>,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Worker {
    /// Of which face.
    pub face: Face,
    /// Who.
    pub worker_id: String,
    /// What it asked for last, or holds; empty if it takes everything.
    pub queues: Vec<String>,
    /// When it has asked this node last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Timestamp>,
    /// How much it holds.
    pub held: u64,
    /// When the first of that is taken from it unless it says something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leased_until: Option<Timestamp>,
}

/// A program that works on entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The name it was given.
    pub id: String,
    /// What it says it can do.
    pub tags: Vec<String>,
    /// Questions that it has not answered yet.
    pub pending: u64,
    /// How long ago something came from it.
    pub seen_ms_ago: u64,
}

/// Which instances count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CountQuery {
    /// Of which face.
    #[param(inline)]
    pub face: Face,
    /// Only those of this definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Only those of this version of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Only those with this business key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// Only those that are at this step. Chains are not found by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Only those started at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub started_after: Option<Timestamp>,
    /// Only those started before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub started_before: Option<Timestamp>,
}

/// How many instances there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// By status; every status is there.
    pub counts: Vec<StatusCount>,
}

/// Where the server has what can lie elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Roots {
    /// What the paths of entities lie below.
    pub entities: String,
    /// What the paths of lifecycles lie below; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycles: Option<String>,
}
