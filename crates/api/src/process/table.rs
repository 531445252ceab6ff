//! Decision tables, by themselves.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// Decision tables of the latest version of each definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TablePage {
    /// By definition, in the order of their steps.
    pub items: Vec<TableRef>,
    /// How many definitions there are on all pages; some have no tables.
    pub total: u64,
}

/// Where a decision table is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableRef {
    /// The definition's id.
    pub definition_id: String,
    /// What people call the definition.
    pub definition_name: String,
    /// The definition's version.
    pub definition_version: i32,
    /// The step's id.
    pub step_id: String,
    /// What people call the step.
    pub step_name: String,
}

/// How much is to be found out about a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TableQuery {
    /// How many of the newest instances are looked at to count hits: none if absent, at most 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 0, maximum = 200)]
    pub instances: Option<u32>,
}

/// A decision table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionTable {
    /// Where it is.
    #[serde(flatten)]
    pub at: TableRef,
    /// What happens when several rules match.
    #[schema(example = "F")]
    pub hit_policy: String,
    /// Its rules, in order.
    pub rules: Vec<TableRule>,
    /// What is wrong with it: gaps, overlaps, rules that never decide.
    pub findings: Vec<TableFinding>,
    /// Of what hits were counted.
    pub counted: TableCounted,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableRule {
    /// Conditions by name; all must hold.
    pub when: Map<String, Value>,
    /// What follows, by name.
    pub outputs: Map<String, Value>,
    /// How often it had a say.
    pub hits: u64,
}

/// What hits were counted of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableCounted {
    /// Instances, the newest of this version.
    pub instances: u32,
    /// How often they came to the table.
    pub visits: u64,
}

/// Something that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableFinding {
    /// What kind of finding.
    #[schema(example = "T006")]
    pub code: String,
    /// How bad it is.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// Which rule, counted from 0; the table as a whole if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<u32>,
    /// Variables that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// What a table is to be tried with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TryTable {
    /// What an instance would know.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
}

/// What a table makes of variables. Nothing has come of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedTable {
    /// Of each rule, whether it matches.
    pub rules: Vec<TriedRule>,
    /// What the step would set; absent if it would fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
    /// Why the step would fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Whether a rule matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedRule {
    /// Whether it does.
    pub matches: bool,
    /// Why that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}
