//! The history of an instance, in the two spellings its readers look for.

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use utoipa::ToSchema;

use super::Variables;
use crate::Timestamp;

/// One visit of a step. Every member travels twice: `stepId` and `StepID` are the same.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepExecution {
    /// Its id.
    pub id: String,
    /// The instance's id.
    pub instance_id: String,
    /// The step's id.
    pub step_id: String,
    /// What people call the step.
    #[serde(default)]
    pub step_name: String,
    /// What the step is.
    pub step_type: String,
    /// Which visit of the step this is, counted from 1.
    pub attempt_number: u32,
    /// `RUNNING`, `COMPLETED` or `FAILED`.
    pub status: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What the instance knew when it began.
    #[schema(value_type = Object)]
    pub input_snapshot: Option<Variables>,
    /// What came of it.
    #[schema(value_type = Option<Object>)]
    pub output_snapshot: Option<Variables>,
    /// Why it failed.
    pub failure_reason: Option<String>,
}

impl Serialize for StepExecution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        macro_rules! both {
            ($($old:literal $new:literal $member:ident)*) => {
                $(
                    map.serialize_entry($old, &self.$member)?;
                    map.serialize_entry($new, &self.$member)?;
                )*
            };
        }
        both! {
            "ID" "id" id
            "InstanceID" "instanceId" instance_id
            "StepID" "stepId" step_id
            "StepName" "stepName" step_name
            "StepType" "stepType" step_type
            "AttemptNumber" "attemptNumber" attempt_number
            "Status" "status" status
            "StartedAt" "startedAt" started_at
            "EndedAt" "endedAt" ended_at
            "InputSnapshot" "inputSnapshot" input_snapshot
            "OutputSnapshot" "outputSnapshot" output_snapshot
            "FailureReason" "failureReason" failure_reason
        }
        map.end()
    }
}

/// The history of an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// In the order in which they began.
    pub items: Vec<StepExecution>,
}
