//! Events from outside.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Document;

/// Tells an instance of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Signal {
    /// What happened. It wakes a step that waits for exactly this.
    #[schema(example = "PAID")]
    pub event_type: String,
    /// Names the event, so that a repeat is recognized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// What there is to know; the worker sees it as `wake`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Document>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignalResponse {
    /// What became of it.
    pub outcome: SignalOutcome,
}

/// What can become of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SignalOutcome {
    /// It ended a wait.
    Woken,
    /// It is kept until a step waits for it.
    Buffered,
    /// It had come before.
    Duplicate,
}

impl SignalOutcome {
    /// The outcome as it travels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Woken => "WOKEN",
            Self::Buffered => "BUFFERED",
            Self::Duplicate => "DUPLICATE",
        }
    }
}
