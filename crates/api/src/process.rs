//! Processes: bodies under `/v1/definitions`, `/v1/instances`, `/v1/jobs` and `/v1/user-tasks`.
//!
//! The format is older than Waypost: requests may have members nobody knows, and `null` says the
//! same as nothing.

mod attempt;
mod audit;
mod definition;
mod instance;
mod step;
mod table;
mod work;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use self::{
    attempt::{InstanceJob, InstanceJobPage, InstanceJobStatus},
    audit::{AuditEntry, AuditPage},
    definition::{DefinitionPage, Uploaded},
    instance::{Cancel, Instance, InstancePage, InstanceStatus, Retry, StartInstance},
    step::{History, StepExecution},
    table::{
        DecisionTable, TableCounted, TableFinding, TablePage, TableQuery, TableRef, TableRule,
        TriedRule, TriedTable, TryTable,
    },
    work::{
        CallbackResult, CompleteJob, CompleteJobs, CompleteJobsResponse, CompleteUserTask,
        CompletedJob, FailJob, Heartbeat, HeartbeatResponse, Job, PollJobs, PollResponse, UserTask,
        UserTaskPage,
    },
};

/// Variables, by name.
pub type Variables = Arc<Map<String, Value>>;

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What programs act on: `bad-request`, `not-found`, `conflict`, …
    #[schema(example = "not-found")]
    pub error: String,
    /// What people read; one line or several.
    pub reason: String,
    /// The same text, for clients that look for it under this name.
    #[serde(default)]
    pub message: String,
    /// Waypost's own code; a page at `/docs/errors/CODE` tells more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Names the request in the log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_id: String,
}
