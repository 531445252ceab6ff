//! Searches in the background.

use serde::Serialize;
use utoipa::ToSchema;

use super::Envelope;
use crate::entity::Timestamp;

/// Where a search stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchState {
    /// `RUNNING`, `SUCCESSFUL`, `FAILED` or `CANCELLED`.
    pub search_job_status: &'static str,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub create_time: Timestamp,
    /// How many entities it found, once it has succeeded.
    pub entities_count: u64,
    /// How long it has taken.
    pub calculation_time_millis: u64,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finish_time: Option<Timestamp>,
    /// Until when its result is kept.
    #[schema(value_type = String, format = DateTime)]
    pub expiration_date: Timestamp,
}

/// A page of a result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EntityPage)]
pub struct Page<'a> {
    /// The entities.
    pub content: Vec<Envelope<'a>>,
    /// Which page this is.
    pub page: PageFacts,
}

/// Which page this is, of how many.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFacts {
    /// Its number, counted from 0.
    pub number: u64,
    /// How many entities a page has.
    pub size: u64,
    /// How many entities there are on all pages.
    pub total_elements: u64,
    /// How many pages there are.
    pub total_pages: u64,
}

/// Why a search cannot be canceled. Clients know it in this form, which is not that of problems.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchNotRunning {
    /// `about:blank`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The status in words.
    pub title: &'static str,
    /// The status.
    pub status: u16,
    /// What people read.
    pub detail: String,
    /// What programs read.
    pub properties: SearchEnded,
}

/// Which search has ended, and how.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchEnded {
    /// Where it stands.
    pub current_status: &'static str,
    /// Its id.
    pub snapshot_id: String,
}

/// A search that has ended because somebody wished so.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchCanceled {
    /// Always.
    pub is_cancelled: bool,
    /// Always.
    pub cancelled: bool,
    /// `CANCELLED`.
    pub current_search_job_status: &'static str,
}
