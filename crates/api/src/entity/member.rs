//! How a compute member and the server meet.

use serde::{Deserialize, Serialize};

/// A member joins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Join {
    /// Names the payload.
    pub id: String,
    /// What it can be chosen by.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// The tenant it joins; that of its credentials if absent or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined_legal_entity_id: Option<String>,
}

/// A member has joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Greet {
    /// The member's id.
    pub id: String,
    /// The member's id.
    pub member_id: String,
    /// The tenant it has joined.
    pub joined_legal_entity_id: String,
    /// Always.
    pub success: bool,
}

/// The server is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeepAlive {
    /// The member's id.
    pub id: String,
    /// The member's id.
    pub member_id: String,
    /// Always.
    pub success: bool,
}
