//! Lifecycles as operators see them, in the words of the gateway. Entities themselves are whatever
//! JSON their program stores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Document, Timestamp};

/// A type, with how many of its entities are where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleType)]
pub struct Type {
    /// Its name.
    #[schema(example = "drone-survey")]
    pub workflow: String,
    /// Where its entities are.
    #[schema(example = "MISSIONS")]
    pub kv_bucket: String,
    /// Its phases, sorted.
    pub phases: Vec<String>,
    /// Those that nothing leads out of.
    pub terminal_phases: Vec<String>,
    /// What operators may write, sorted.
    pub operator_writable_fields: Vec<String>,
    /// Entities in each phase that occurs, declared or not.
    pub counts_by_phase: BTreeMap<String, u64>,
    /// Why they could not be counted, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts_error: Option<String>,
}

/// A type, with the moves between its phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleDefinition)]
pub struct Definition {
    /// Its name.
    #[schema(example = "drone-survey")]
    pub workflow: String,
    /// Where each phase leads. A phase that leads nowhere is terminal.
    pub transitions: BTreeMap<String, Vec<String>>,
    /// Where its entities are.
    #[schema(example = "MISSIONS")]
    pub kv_bucket: String,
    /// What operators may write, sorted.
    pub operator_writable_fields: Vec<String>,
}

/// An entity with what is known about it, for those who ask with `snapshot=true`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleSnapshot)]
pub struct Snapshot {
    /// Its type.
    pub workflow: String,
    /// Its identity.
    pub entity_id: String,
    /// The phase it is in.
    pub phase: String,
    /// Whether it has come to its end.
    pub is_terminal: bool,
    /// Whether its phase is not declared.
    pub degraded: bool,
    /// The entity it belongs to.
    #[serde(default)]
    pub parent: Option<String>,
    /// The write that made it.
    pub revision: u64,
    /// What its program stores.
    pub value: Document,
}

/// A move of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleMove)]
pub struct Move {
    /// The phase before; empty if it was made.
    pub from: String,
    /// The phase after; `<deleted>` if there is none.
    pub to: String,
    /// When it was stored.
    pub at: Timestamp,
    /// What caused it: `rule`, `operator`, `component` or `framework`.
    pub triggered: String,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Where an operator wants an entity to go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleTransition)]
pub struct Transition {
    /// The phase.
    #[serde(default)]
    pub phase: String,
    /// Why; kept in its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// It was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleDone)]
pub struct Done {
    /// Always true.
    pub ok: bool,
    /// The phase that was asked for, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// It was not done, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LifecycleError)]
#[serde(deny_unknown_fields)]
pub struct Denied {
    /// What was being done, and what is wrong.
    #[schema(example = "get: there is no entity \"m-9\" in workflow \"drone-survey\"")]
    pub error: String,
}
