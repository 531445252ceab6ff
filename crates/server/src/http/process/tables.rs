//! Decision tables: what they say, what is wrong with them, how often which rule had a say, and
//! what they make of variables.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde_json::Value;
use waypost_api::{
    problem::EdgeCode,
    process::{
        DecisionTable, TableCounted, TableFinding, TablePage, TableQuery, TableRef, TableRule,
        TriedRule, TriedTable, TryTable,
    },
};
use waypost_engine::{
    limits::TABLE_INSTANCES_MAX,
    process::{Deployed, Hits, Source, StepSource, TableSource, Trial},
};
use waypost_lint::{DefinitionKind, Finding};

use super::{body::Text, params::Paging};
use crate::http::{
    app::App,
    lint,
    params::{InPath, Params},
    problem::Refusal,
};

/// The decision tables of one page of definitions, the latest version of each.
#[utoipa::path(
    get, path = "/v1/tables", tag = "Decision tables", params(Paging),
    responses((status = 200, description = "Where they are", body = TablePage)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<TablePage>, Refusal> {
    let (offset, limit) = (paging.offset() as usize, paging.size() as usize);
    let found = app.processes.definitions("", offset, limit).await?;
    let mut items = Vec::new();
    for deployed in &found.items {
        let source = source(deployed.definition.body.as_str())?;
        let steps = source.steps.iter().filter(|it| it.decision_table.is_some());
        items.extend(steps.map(|step| place(deployed, step)));
    }
    Ok(Json(TablePage { items, total: found.total as u64 }))
}

fn place(deployed: &Deployed, step: &StepSource) -> TableRef {
    TableRef {
        definition_id: deployed.definition.which.name.clone(),
        definition_name: deployed.label.clone(),
        definition_version: deployed.definition.which.version,
        step_id: step.id.clone(),
        step_name: step.name.clone(),
    }
}

fn source(text: &str) -> Result<Source, Refusal> {
    Source::parse(text).map_err(Refusal::defect)
}

/// A decision table: its rules, what lint finds in it, and how often each rule had a say.
#[utoipa::path(
    get, path = "/v1/definitions/{id}/versions/{version}/tables/{stepId}",
    tag = "Decision tables",
    params(
        ("id" = String, Path, description = "The definition's id"),
        ("version" = i32, Path, description = "The definition's version"),
        ("stepId" = String, Path, description = "The step's id"),
        TableQuery,
    ),
    responses(
        (status = 200, description = "The table", body = DecisionTable),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn show(
    State(app): State<Arc<App>>,
    InPath((id, version, step)): InPath<(String, i32, String)>,
    Params(query): Params<TableQuery>,
) -> Result<Json<DecisionTable>, Refusal> {
    let instances = query.instances.unwrap_or(0);
    if instances > TABLE_INSTANCES_MAX {
        let problem = format!("must be at most {TABLE_INSTANCES_MAX}, is {instances}");
        return Err(Refusal::at(EdgeCode::QueryInvalid, "query.instances", problem));
    }
    let definition = app.processes.definition(&id, Some(version)).await?;
    let hits = app.processes.table_hits((&id, version), &step, instances).await?;
    let text = definition.body.as_str().to_owned();
    let source = source(&text)?;
    let label = source.name.clone();
    let deployed = Deployed { definition, label, existed: true };
    let found = source.steps.iter().enumerate().find(|(_, it)| it.id == step);
    let found = found.and_then(|(index, it)| Some((index, it, it.decision_table.as_ref()?)));
    let Some((index, step, table)) = found else {
        return Err(Refusal::defect("a table was counted that is not there"));
    };
    let findings = findings(text, index).await?;
    let policy = if step.hit_policy.is_empty() { "F" } else { &step.hit_policy };
    Ok(Json(DecisionTable {
        at: place(&deployed, step),
        hit_policy: policy.to_owned(),
        rules: rules(table, &hits),
        findings,
        counted: TableCounted { instances: hits.instances, visits: hits.visits },
    }))
}

fn rules(table: &TableSource, hits: &Hits) -> Vec<TableRule> {
    let hits = hits.rules.iter().copied().chain(std::iter::repeat(0));
    let rule = |(rule, hits): (&waypost_engine::process::RuleSource, u64)| {
        let when = rule.when.iter().filter_map(|(name, it)| Some((name, it.as_ref()?)));
        TableRule {
            when: when.map(|(name, it)| (name.clone(), Value::from(it.as_str()))).collect(),
            outputs: rule.outputs.iter().map(|(name, it)| (name.clone(), it.clone())).collect(),
            hits,
        }
    };
    table.rules.iter().zip(hits).map(rule).collect()
}

/// What lint finds in the table of the step at `index`.
async fn findings(text: String, index: usize) -> Result<Vec<TableFinding>, Refusal> {
    let Some(report) = lint::found(text, DefinitionKind::Process).await else {
        return Ok(Vec::new());
    };
    let root = format!("/steps/{index}/decisionTable");
    let of_table = |it: &Finding| {
        let below = it.place.pointer.strip_prefix(&root)?.to_owned();
        let rule = below.strip_prefix("/rules/").and_then(|it| it.split('/').next());
        Some(TableFinding {
            code: it.code.id.to_owned(),
            severity: it.code.severity.as_str().to_owned(),
            message: it.message.clone(),
            rule: rule.and_then(|it| it.parse().ok()),
            example: it.example.clone(),
        })
    };
    Ok(report.findings.iter().filter_map(of_table).collect())
}

/// Says what a decision table makes of variables. Nothing comes of it.
#[utoipa::path(
    post, path = "/v1/definitions/{id}/versions/{version}/tables/{stepId}/try",
    tag = "Decision tables", request_body = TryTable,
    params(
        ("id" = String, Path, description = "The definition's id"),
        ("version" = i32, Path, description = "The definition's version"),
        ("stepId" = String, Path, description = "The step's id"),
    ),
    responses(
        (status = 200, description = "Which rules match, and what follows", body = TriedTable),
        (status = 404, description = "There is no such table"),
    ),
)]
pub(in crate::http) async fn attempt(
    State(app): State<Arc<App>>,
    InPath((id, version, step)): InPath<(String, i32, String)>,
    text: Text,
) -> Result<Json<TriedTable>, Refusal> {
    let variables = text.expect::<TryTable>()?.variables.unwrap_or_default();
    let Trial { rules, outcome } =
        app.processes.try_table((&id, version), &step, &variables).await?;
    let rule = |it: Result<bool, String>| match it {
        Ok(matches) => TriedRule { matches, failure: None },
        Err(failure) => TriedRule { matches: false, failure: Some(failure) },
    };
    let (outputs, failure) = match outcome {
        Ok(outputs) => (Some(outputs), None),
        Err(failure) => (None, Some(failure)),
    };
    Ok(Json(TriedTable { rules: rules.into_iter().map(rule).collect(), outputs, failure }))
}
