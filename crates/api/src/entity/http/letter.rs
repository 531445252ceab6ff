//! Messages that are kept for somebody to fetch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Document;

/// A message as it is fetched.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EdgeMessage)]
#[serde(rename_all = "camelCase")]
pub struct Letter {
    /// What was said about it.
    pub header: LetterHeader,
    /// What else was said about it.
    pub meta_data: LetterMeta,
    /// What it says: JSON as text.
    pub content: String,
}

/// What is said about a message.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = EdgeMessageHeader)]
#[serde(rename_all = "camelCase")]
pub struct LetterHeader {
    /// What it is about.
    pub subject: String,
    /// What its body was called.
    pub content_type: String,
    /// How many bytes its body had.
    pub content_length: u64,
    /// How its body was written.
    pub content_encoding: String,
    /// The sender's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Whom it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// Who is to be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

/// What the sender wished to say about a message.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[schema(as = EdgeMessageMeta)]
#[serde(rename_all = "camelCase")]
pub struct LetterMeta {
    /// Nothing.
    pub values: LetterValues,
    /// All of it, by name.
    pub indexed_values: LetterValues,
}

/// Values by name.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[schema(as = EdgeMessageValues)]
#[serde(rename_all = "camelCase")]
pub struct LetterValues {
    /// Always empty.
    #[schema(value_type = Object)]
    pub type_references: BTreeMap<String, String>,
    /// The values.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Document>,
}

/// A message that is gone.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// Which.
    pub entity_ids: Vec<String>,
}

/// Messages that are gone.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErasedAll {
    /// Which.
    pub entity_ids: Vec<String>,
    /// Always.
    pub success: bool,
}
