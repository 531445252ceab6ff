//! What would come of a command, told by a dry run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Document, Timestamp};

/// What would be committed. Nothing has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// Always true.
    pub dry_run: bool,
    /// Where instances would stand; none if nothing would change.
    pub instances: Vec<ForeseenInstance>,
    /// Work that would appear.
    pub tasks: Vec<ForeseenTask>,
    /// Work that would go away, by name.
    pub withdrawn: Vec<String>,
    /// Timers that would be armed.
    pub timers: Vec<ForeseenTimer>,
    /// Timers that would be disarmed, by name.
    pub disarmed: Vec<String>,
    /// Types of the messages that would be sent.
    pub messages: Vec<String>,
    /// Processors that would be asked, and are taken to leave the entity alone.
    pub asked: Vec<String>,
}

/// Where an instance would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeseenInstance {
    /// Its id; that of one which would be new is another each time.
    pub instance_id: String,
    /// `process`, `chain`, `entity`, `model` or `lifecycle`.
    pub face: String,
    /// How many commits it would have; of a lifecycle, the revision it was decided from.
    pub version: u64,
    /// Its status.
    pub status: String,
    /// The steps, or the state, it would be at.
    pub steps: Vec<String>,
    /// Its state, as it would be stored.
    pub state: Document,
    /// What would happen to it, as it would be stored, oldest first.
    pub events: Document,
}

/// Work that would appear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeseenTask {
    /// Its name within the instance.
    pub task: String,
    /// The type of the job or step.
    pub queue: String,
    /// Not before this.
    pub ready_at: Timestamp,
}

/// A timer that would be armed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeseenTimer {
    /// Its name within the instance.
    pub timer: String,
    /// When it would fire.
    pub due_at: Timestamp,
}
