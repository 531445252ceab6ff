//! Why an instance is where it is, and what is different between two moments of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::Timestamp;

/// Why an instance is where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// Its status, phase or state.
    pub status: String,
    /// All of it in a sentence or two.
    pub summary: String,
    /// What it waits for, what matters most first.
    pub waits: Vec<Wait>,
    /// Conditions that have led here, keep it here, or come next.
    pub conditions: Vec<Condition>,
    /// What can be asked of it, and what would come of it.
    pub next: Vec<Next>,
    /// Why nothing can move it any more; absent if something can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<String>,
}

/// One thing an instance waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Wait {
    /// The step or state.
    pub at: String,
    /// What kind of thing: `worker`, `lease`, `backoff`, `person`, `signal`, `timer`, `join`,
    /// `member`, `operator`, `data` or `program`.
    pub cause: String,
    /// For whom or what, in words that follow "it waits for".
    #[serde(rename = "for")]
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub since: Option<Timestamp>,
    /// When the wait is over, whatever happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub until: Option<Timestamp>,
}

/// A condition, what came of it, and the values that decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Condition {
    /// The step or transition it belongs to.
    pub at: String,
    pub text: String,
    /// `true`, `false`, `asked` when somebody outside decides, or `error`.
    pub outcome: String,
    /// Why it could not be evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it looks at, by name.
    #[schema(value_type = Object)]
    pub values: Map<String, Value>,
    /// `passed` on the way here, `here` where it is, or `ahead` on the way on.
    pub tense: String,
}

/// Something that can be asked of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Next {
    pub what: String,
    /// Who can cause it.
    pub by: String,
    /// Where it leads, as things are now.
    pub leads_to: Vec<String>,
    /// Why it would be refused; absent if it would not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_because: Option<String>,
}

/// What is different between two moments of an instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Difference {
    pub from: Moment,
    pub to: Moment,
    /// Place by place; none if nothing is.
    pub changes: Vec<Change>,
}

/// A moment in the life of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Moment {
    /// How many commits it had seen by then.
    pub version: u64,
}

/// One place where two moments differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Change {
    /// `add`, `remove` or `replace`.
    pub op: String,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What was there; absent if nothing was.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub from: Option<Value>,
    /// What is there; absent if nothing is.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub to: Option<Value>,
}

/// A value that is there, even if it is `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
