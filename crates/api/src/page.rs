//! One page of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T: ToSchema> {
    /// What was found.
    pub items: Vec<T>,
    /// Which page this is, counted from 0.
    pub page: u32,
    /// How many items a page has at the most.
    pub page_size: u32,
    /// Whether there are more after these.
    pub has_more: bool,
}
