//! What lists can be asked, in the query string.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::InstanceStatus;
use crate::Timestamp;

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Which page, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many items a page has: 50 if absent, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub page_size: Option<u32>,
}

/// Which instances to list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct InstanceQuery {
    /// Only those with this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(inline)]
    pub status: Option<InstanceStatus>,
    /// Only those of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_type: Option<String>,
    /// Only those of this version of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_version: Option<i32>,
    /// Only those started at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub started_after: Option<Timestamp>,
    /// Only those started before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub started_before: Option<Timestamp>,
    /// Only those with this business key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub biz_key: Option<String>,
    /// Only those that wait for this event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaits: Option<String>,
    /// Which page, counted from 0. Deep pages are slow; prefer `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many items a page has: 50 if absent, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub page_size: Option<u32>,
    /// Go on after the instance of this id, the last one seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Which part of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Go on after this version of the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// How many commits: 50 if absent, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub page_size: Option<u32>,
}

/// Which changes to follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangeQuery {
    /// Only those of this instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// Go on after this place: the `id` of the last change seen. The header `Last-Event-ID` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
