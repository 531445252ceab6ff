//! Entities as they are read, and how the server is.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::ModelKey;
use crate::entity::Timestamp;

/// An entity. Its value is written as it was received, digit by digit.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EntityEnvelope)]
pub struct Envelope<'a> {
    /// `ENTITY`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its value.
    #[schema(value_type = Object)]
    pub data: &'a RawValue,
    /// What is known about it.
    pub meta: Meta<'a>,
}

/// What is known about an entity.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EntityMeta)]
#[serde(rename_all = "camelCase")]
pub struct Meta<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its model; only where a single entity is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_key: Option<ModelKey>,
    /// The state it is in.
    pub state: &'a str,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub creation_date: Timestamp,
    /// When it was saved last.
    #[schema(value_type = String, format = DateTime)]
    pub last_update_time: Timestamp,
    /// The transaction that saved it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub transaction_id: &'a str,
    /// The transition that was asked for when it was saved, or `loopback`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub transition_for_latest_save: &'a str,
}

/// From which level on a node logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLevel {
    /// `debug`, `info`, `warn` or `error`.
    #[serde(default)]
    pub level: String,
}

/// That a node logs from another level on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLevelChange {
    /// From which.
    pub level: String,
    /// From which it did before.
    pub previous: String,
}

/// Which traces a node exports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TraceSampler {
    /// Of traces that begin here: `always`, `never` or `ratio`.
    pub sampler: String,
    /// The share of them: more than 0, at most 1. Only with `ratio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Whether traces that began elsewhere are exported if, and only if, they are exported there.
    #[serde(default = "yes")]
    pub parent_based: bool,
}

/// What counts unless somebody says otherwise.
const fn yes() -> bool {
    true
}

/// How the server is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = EntityHealth)]
pub struct Health {
    /// `UP` or `DOWN`.
    pub status: &'static str,
}
