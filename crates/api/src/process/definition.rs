//! Definitions that were uploaded.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// A definition that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    /// Its id.
    #[schema(example = "LOS::loan-application")]
    pub id: String,
    /// Its version, counted from 1.
    pub version: i32,
    /// What people call it.
    pub name: String,
    /// When this version was first uploaded.
    pub uploaded_at: Timestamp,
}

/// One page of definitions, the latest version of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionPage {
    /// By id.
    pub items: Vec<Uploaded>,
    /// How many there are on all pages.
    pub total: u64,
    /// Which page this is, counted from 0.
    #[serde(default)]
    pub page: u32,
    /// How many items a page has at the most.
    #[serde(default)]
    pub page_size: u32,
}
