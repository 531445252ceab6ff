//! Which definitions, instances and tasks to list.

use serde::Serialize;
use waypost_api::{Timestamp, process::InstanceStatus};

/// Which definitions to list.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionQuery {
    /// Only those with this text in their id or name, whatever the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// Which page, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many on a page; 20 unless given, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
}

/// Which instances to list.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessQuery {
    /// Only those of this definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_id: Option<String>,
    /// Only those with this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<InstanceStatus>,
    /// Only those with this business key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// Only those that are at this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// Only those started at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_after: Option<Timestamp>,
    /// Only those started before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_before: Option<Timestamp>,
    /// Only those older than the instance with this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Which page, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many on a page; 20 unless given, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
}

/// Which page of what was done.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditQuery {
    /// Which page, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many on a page; 20 unless given, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
}
