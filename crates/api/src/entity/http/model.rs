//! Models.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::entity::Timestamp;

/// Names a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = EntityModelKey)]
pub struct ModelKey {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: i32,
}

/// A model in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelSummary {
    /// Its id, made of its name and version.
    pub id: String,
    /// Its name.
    pub model_name: String,
    /// Its version.
    pub model_version: i32,
    /// `UNLOCKED` or `LOCKED`.
    pub current_state: String,
    /// When samples were imported last.
    #[schema(value_type = String, format = DateTime)]
    pub model_update_date: Timestamp,
}

/// What became of a request about a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelAction {
    /// Whether it is as wished.
    pub success: bool,
    /// What people read.
    pub message: String,
    /// The model's id.
    pub model_id: String,
    /// The model's name and version.
    pub model_key: ModelKey,
}

/// What entities of a model can be looked up by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Indexes {
    /// Paths into the documents.
    #[schema(example = json!(["$.customer.id"]))]
    pub paths: Vec<String>,
}

/// Workflows have been taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Imported {
    /// Always.
    pub success: bool,
}

/// How many entities of a model there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// The model's name.
    pub model_name: String,
    /// The model's version.
    pub model_version: i32,
    /// How many.
    pub count: u64,
}

/// How many entities of a model are in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateCount {
    /// The model's name.
    pub model_name: String,
    /// The model's version.
    pub model_version: i32,
    /// The state.
    pub state: String,
    /// How many.
    pub count: u64,
}
