//! Jobs for workers, and tasks for people.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Variables;
use crate::Timestamp;

/// A worker asks for jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PollJobs {
    /// Who asks: the same name must complete or fail the jobs.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// The kinds of jobs it can do.
    #[serde(default)]
    pub job_types: Option<Vec<String>>,
    /// How many at the most; 10 if absent or not above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_jobs: Option<i64>,
    /// For how long, 5 to 3600 seconds; 30 if absent or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<i64>,
    /// How long to wait for the first job, in milliseconds; at once if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// The answer to a poll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollResponse {
    /// Longest waiting first.
    pub jobs: Vec<Job>,
}

/// A job that is leased to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Names this delivery; another delivery has another id.
    pub id: String,
    /// The instance's id.
    pub instance_id: String,
    /// The step's id.
    pub step_id: String,
    /// Names the visit of the step; the same for every delivery.
    pub step_execution_id: String,
    /// The kind of job.
    pub job_type: String,
    /// `LOCKED`.
    pub status: String,
    /// Who has it.
    pub worker_id: String,
    /// Since when.
    pub locked_at: Timestamp,
    /// Until when.
    pub lock_expires_at: Timestamp,
    /// Since when it could be had.
    pub created_at: Timestamp,
    /// How often it may still fail and be offered again.
    pub retries_remaining: u32,
    /// What the instance knew when it came to the step.
    #[schema(value_type = Object)]
    pub variables: Variables,
}

/// A worker has done a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteJob {
    /// Who has done it.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// What came of it: merged into the instance's variables, objects member by member.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
}

/// A worker has done several jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteJobs {
    /// Who has done them.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// The jobs. Each is taken on its own.
    pub jobs: Vec<CompletedJob>,
}

/// One of several jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CompletedJob {
    /// The job's id.
    pub id: String,
    /// What came of it.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
}

/// What became of several jobs, in the order of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompleteJobsResponse {
    /// One for each job.
    pub results: Vec<CallbackResult>,
}

/// What became of one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallbackResult {
    /// The job's id.
    pub id: String,
    /// Whether it had an effect. Late callbacks have none.
    pub accepted: bool,
    /// Why it could not be taken at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A worker could not do a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailJob {
    /// Who has tried.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// What went wrong.
    #[serde(default)]
    pub error_message: Option<String>,
    /// Whether trying again may help; if not, the instance fails.
    #[serde(default)]
    pub retryable: Option<bool>,
}

/// A worker needs more time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// Who has the job.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// For how long from now, 5 to 3600 seconds; 30 if absent or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<i64>,
}

/// A worker has more time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatResponse {
    /// True.
    pub accepted: bool,
    /// Until when.
    pub lock_expires_at: Timestamp,
}

/// A person has done a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteUserTask {
    /// Who has done it.
    #[serde(default, alias = "completedBy", skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// What came of it: replaces the instance's variables of the same names.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
    /// The same under another name, taken when `variables` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Map<String, Value>>,
    /// Why, for the audit; the header `Waypost-Reason` says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A task that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserTask {
    /// Its id.
    pub id: String,
    /// The instance's id.
    pub instance_id: String,
    /// The definition's id.
    pub definition_id: String,
    /// The caller's name for the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// The step's id: names the task within the instance.
    pub step_id: String,
    /// What people call the step.
    pub step_name: String,
    /// Which form to show.
    pub job_type: String,
    /// Since when it waits.
    pub created_at: Timestamp,
    /// What the instance knows.
    #[schema(value_type = Object)]
    pub variables: Variables,
}

/// Tasks that wait for people, newest instance first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserTaskPage {
    /// The tasks of as many instances as were asked for.
    pub items: Vec<UserTask>,
    /// Ask for what comes `before` this to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
