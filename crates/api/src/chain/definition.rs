//! Definitions: named and versioned lines of steps.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Timestamp, object};

/// A definition to deploy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    /// The name all its versions share.
    #[schema(example = "order.process")]
    pub workflow_type: String,
    /// Counted from 1.
    #[schema(example = 1, minimum = 1)]
    pub workflow_version: i32,
    /// In the order they are executed.
    #[serde(deserialize_with = "object::list")]
    pub steps: Vec<DefinitionStep>,
}

/// One step of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefinitionStep {
    /// What kind of work it is: workers ask by it.
    #[schema(example = "VALIDATE")]
    pub step_type: String,
    /// How many failed executions end the chain; the server's policy decides if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
}

/// A definition that is deployed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeployedDefinition {
    /// The name all its versions share.
    pub workflow_type: String,
    /// Counted from 1.
    pub workflow_version: i32,
    /// In the order they are executed.
    pub steps: Vec<DefinitionStep>,
    /// When it was deployed.
    pub deployed_at: Timestamp,
}
