//! How it goes with all of it: bodies of `/v1/overview`, `/v1/work`, `/v1/queues`, `/v1/workers`,
//! `/v1/timers`, `/v1/counts`, `/v1/incidents`, `/v1/settings` and `/v1/events/stream`.

mod incident;
mod pace;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

pub use self::{
    incident::{FailedInstance, FailedPage, Incident, IncidentPage},
    pace::{CountQuery, Counts, Member, Queue, QueuePage, Rate, Roots, Worker, WorkerPage},
};
use crate::Timestamp;

/// How it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// When it was so; up to a second ago.
    pub at: Timestamp,
    /// The faces whose instances the engine runs by itself.
    pub faces: Vec<FaceCounts>,
    /// Work for those outside.
    pub tasks: TaskFigures,
    /// What is due later.
    pub timers: TimerFigures,
    /// Messages to the outside.
    pub outbox: OutboxFigures,
    /// Compute members that are connected to this node.
    pub members: u64,
    /// Commits applied since the store was opened.
    pub commits: u64,
    /// What waits to be claimed, by kind of work.
    #[serde(default)]
    pub queues: Vec<Queue>,
    /// What began and ended within the last hour, minute by minute and oldest first, as far as this
    /// node has done it since it was started. Minutes in which nothing happened are left out.
    #[serde(default)]
    pub rates: Vec<Rate>,
}

/// How many instances of a face there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FaceCounts {
    /// Which face.
    pub face: Face,
    /// By status; every status is there.
    pub counts: Vec<StatusCount>,
}

/// How many instances have a status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatusCount {
    /// The status.
    pub status: String,
    /// How many.
    pub count: u64,
}

/// A face that has instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// Graphs of steps.
    Process,
    /// Lines of steps.
    Chain,
    /// Documents with a state. They are told of in the stream, to those who may read them.
    Entity,
}

/// Work for those outside. Counting stops at ten thousand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFigures {
    /// Can be claimed now.
    pub ready: u64,
    /// Since when the oldest of it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_ready_at: Option<Timestamp>,
    /// Is held by somebody.
    pub leased: u64,
    /// Instances that wait for a person, a signal or an event.
    pub awaiting: u64,
}

/// What is due later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimerFigures {
    /// Timers that are due and have not been fired. Counting stops at ten thousand.
    pub due: u64,
    /// When the next one is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Timestamp>,
}

/// Messages to the outside. Counting stops at ten thousand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutboxFigures {
    /// Wait to be sent.
    pub pending: u64,
    /// Since when the oldest of them waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Timestamp>,
    /// Were given up.
    pub dead: u64,
}

/// How much of a list is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SizeQuery {
    /// How many items: 50 if absent, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub page_size: Option<u32>,
}

/// Tasks that are held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkPage {
    /// Those whose lease ends first come first.
    pub items: Vec<HeldTask>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A task in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldTask {
    /// Of which face.
    pub face: Face,
    /// Whose task.
    pub instance_id: String,
    /// The definition's name.
    pub definition: String,
    /// The kind of work: a type of jobs, or of steps.
    pub queue: String,
    /// Who holds it.
    pub worker_id: String,
    /// Until when.
    pub leased_until: Timestamp,
    /// Since when it could be claimed.
    pub ready_at: Timestamp,
}

/// Timers that are armed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimerPage {
    /// Those due first come first.
    pub items: Vec<ArmedTimer>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A timer that is armed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArmedTimer {
    /// Of which face.
    pub face: Face,
    /// Whose timer.
    pub instance_id: String,
    /// Its name within the instance.
    pub name: String,
    /// What it is there for.
    pub kind: TimerKind,
    /// The caller's name for the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// The step that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// What people call the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_name: Option<String>,
    /// The step it leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// When it is due.
    pub due_at: Timestamp,
    /// Whether that is past.
    pub is_overdue: bool,
}

/// What a timer is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimerKind {
    /// It runs while a step of a process rests, and leads elsewhere.
    Boundary,
    /// It starts the process that follows another.
    Next,
    /// It ends the wait of a chain.
    Deadline,
}

/// An instance has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Of which face.
    pub face: Face,
    /// Which one.
    pub instance_id: String,
    /// How many commits it has seen.
    pub version: u64,
    /// When.
    pub at: Timestamp,
}

/// Where to follow from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Go on after this place: the `id` of the last message seen. The header `Last-Event-ID` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// How a server was set up, and what it keeps things in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Its version.
    pub version: String,
    /// Where everything is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreFacts>,
    /// This node, and those that share its store.
    pub nodes: Vec<NodeFacts>,
    /// Everything that can be set, by key. Secrets are not shown.
    pub settings: Vec<SettingFacts>,
}

/// Where everything is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreFacts {
    /// Which kind it is.
    #[schema(example = "sqlite")]
    pub kind: String,
    /// Where it is, without what is secret.
    pub place: String,
    /// How many bytes it takes up, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeFacts {
    /// Its name.
    pub name: String,
    /// Where the others reach it.
    pub address: String,
    /// When it was heard of last; it is the one that answers if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Timestamp>,
}

/// Something that can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingFacts {
    /// Its key, as in the file.
    #[schema(example = "http")]
    pub key: String,
    /// Its value as it may be shown; not set if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where the value comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}
