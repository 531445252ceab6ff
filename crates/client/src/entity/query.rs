//! Which entities are asked for, and as of when.

use serde::Serialize;
use waypost_api::Timestamp;

/// As of when an entity is asked for: as it is, unless one of them is given.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct When {
    /// As it was then.
    #[serde(rename = "pointInTime", skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// As that transaction left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// As that version of it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// Which page of the entities of a model.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityQuery {
    /// Which page, counted from 0.
    #[serde(rename = "pageNumber", skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many on a page; 20 unless given, at most 10000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    /// As they were then.
    #[serde(rename = "pointInTime", skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// How far to search.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SearchQuery {
    /// How many at the most; 1000 unless given, at most 10000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// As they were then.
    #[serde(rename = "pointInTime", skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// Which page of what happened to an entity.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AuditQuery {
    /// How many; 20 unless given, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
