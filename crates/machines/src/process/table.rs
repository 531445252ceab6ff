//! Decision tables: which rules match, and what they come to together.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::{Number, Value};
use waypost_kernel::Timestamp;

use super::{
    Graph, Variables,
    expression::Assignment,
    graph::{Cell, HitPolicy, Rule, Step, Table, Work},
    moment,
    schema::type_name,
};

/// What the values of one column are, one for each matching rule; none where a rule says nothing.
type Column = Vec<Option<Value>>;

/// What a table makes of some variables, without anything coming of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Of each rule, whether it matches; or why that cannot be told.
    pub rules: Vec<Result<bool, String>>,
    /// What the table would set; or why the step would fail.
    pub outcome: Result<Variables, String>,
}

impl Trial {
    /// The rules that have a say, by the table's policy.
    #[must_use]
    pub fn deciding(&self, policy: HitPolicy) -> Vec<usize> {
        let matching = self.rules.iter().enumerate().filter(|(_, it)| matches!(it, Ok(true)));
        let limit = if policy == HitPolicy::First { 1 } else { usize::MAX };
        matching.map(|(index, _)| index).take(limit).collect()
    }
}

/// What the table at `step` makes of `variables`; nothing if there is no table at that step.
#[must_use]
pub fn trial(graph: &Graph, step: &str, variables: &Variables, now: Timestamp) -> Option<Trial> {
    let step = graph.step(step)?;
    let Work::Table { table, .. } = &step.work else { return None };
    let rules = table.rules.iter().enumerate();
    let rules = rules.map(|(index, rule)| matches(rule, index, graph, variables)).collect();
    Some(Trial { rules, outcome: evaluate(table, step, (graph, variables, now)) })
}

/// What the table sets, given what the instance knows.
///
/// # Errors
/// Why the step fails, in the words clients look for.
pub(super) fn evaluate(
    table: &Table,
    step: &Step,
    (graph, variables, now): (&Graph, &Variables, Timestamp),
) -> Result<Variables, String> {
    let mut matching = Vec::new();
    for (index, rule) in table.rules.iter().enumerate() {
        if matches(rule, index, graph, variables)? {
            matching.push((index, rule));
        }
    }
    let id = &step.id;
    match (table.policy, matching.len()) {
        (_, 0) => return Err(format!("DecisionTableNoRuleMatched: step \"{id}\"")),
        (HitPolicy::Unique, 2..) => {
            let indices: Vec<String> = matching.iter().map(|(it, _)| it.to_string()).collect();
            let indices = indices.join(" ");
            return Err(format!(
                "DecisionTableUniqueViolation: step \"{id}\", matching rule indices [{indices}]"
            ));
        }
        (HitPolicy::First, _) => matching.truncate(1),
        _ => {}
    }
    let columns = columns(&matching, graph, variables, now)?;
    let indices: Vec<usize> = matching.iter().map(|(index, _)| *index).collect();
    columns
        .into_iter()
        .map(|(name, values)| {
            let value = collapse(table.policy, id, (&name, values), &indices)?;
            Ok((name, value))
        })
        .collect()
}

fn matches(
    rule: &Rule,
    index: usize,
    graph: &Graph,
    variables: &Variables,
) -> Result<bool, String> {
    for cell in &rule.cells {
        if !holds(cell, index, graph, variables)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds(cell: &Cell, index: usize, graph: &Graph, variables: &Variables) -> Result<bool, String> {
    let Cell { column, source, condition } = cell;
    let place = || {
        format!("DecisionTableCellError: ruleIndex={index} column=\"{column}\" expr=\"{source}\"")
    };
    let compiled = condition.as_ref().map_err(|error| format!("{} err={error}", place()))?;
    match compiled.evaluate(variables, graph.coercion) {
        Ok(Value::Bool(holds)) => Ok(holds),
        Ok(other) => Err(format!("{} result={} not bool", place(), type_name(&other))),
        Err(error) => Err(format!("{} err={error}", place())),
    }
}

fn columns(
    matching: &[(usize, &Rule)],
    graph: &Graph,
    variables: &Variables,
    now: Timestamp,
) -> Result<IndexMap<String, Column>, String> {
    let mut columns: IndexMap<String, Column> = IndexMap::new();
    for (row, (index, rule)) in matching.iter().enumerate() {
        for (name, assignment) in &rule.outputs {
            let value = value(assignment, graph, variables, now).map_err(|(source, detail)| {
                format!(
                    "DecisionTableOutputError: ruleIndex={index} output=\"{name}\" \
                     expr=\"{source}\" err={detail}"
                )
            })?;
            let column = columns.entry(name.clone()).or_default();
            column.resize(row, None);
            column.push(Some(value));
        }
    }
    columns.values_mut().for_each(|it| it.resize(matching.len(), None));
    Ok(columns)
}

/// What an assignment comes to; or its source, and why it comes to nothing.
pub(super) fn value(
    assignment: &Assignment,
    graph: &Graph,
    variables: &Variables,
    now: Timestamp,
) -> Result<Value, (String, String)> {
    match assignment {
        Assignment::Literal(value) => Ok(value.clone()),
        Assignment::Now => Ok(moment::text(now).into()),
        Assignment::Expression(compiled) => compiled
            .evaluate(variables, graph.coercion)
            .map_err(|error| (compiled.source().to_owned(), error.to_string())),
        Assignment::Malformed(error) => Err((error.expression().to_owned(), error.to_string())),
    }
}

fn collapse(
    policy: HitPolicy,
    id: &str,
    (name, values): (&str, Column),
    indices: &[usize],
) -> Result<Value, String> {
    let count = values.len();
    let list = |values: Column| values.into_iter().map(Option::unwrap_or_default).collect();
    match policy {
        HitPolicy::Unique | HitPolicy::First => {
            Ok(values.into_iter().next().flatten().unwrap_or_default())
        }
        HitPolicy::Any => agreed(id, name, values, indices),
        HitPolicy::RuleOrder | HitPolicy::Collect => Ok(list(values)),
        HitPolicy::Count => Ok(count.into()),
        HitPolicy::Sum | HitPolicy::Max | HitPolicy::Min => {
            let numbers = numbers(id, name, values)?;
            aggregate(policy, &numbers).ok_or_else(|| {
                format!(
                    "DecisionTableAggregatorTypeError: step \"{id}\", column=\"{name}\": the \
                     result is not a number"
                )
            })
        }
    }
}

fn agreed(id: &str, name: &str, values: Column, indices: &[usize]) -> Result<Value, String> {
    let mut values = values.into_iter().enumerate();
    let Some((_, first)) = values.next() else { return Ok(Value::Null) };
    for (row, other) in values {
        let is_same = match (&first, &other) {
            (Some(one), Some(other)) => same(one, other),
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => true,
        };
        if !is_same {
            let at = |row: usize| indices.get(row).copied().unwrap_or(row);
            let shown = |it: &Option<Value>| it.as_ref().map_or("nothing".into(), Value::to_string);
            return Err(format!(
                "DecisionTableAnyConflict: step \"{id}\", column=\"{name}\" values=[{}, {}] \
                 (ruleIndex {} vs {})",
                shown(&first),
                shown(&other),
                at(0),
                at(row)
            ));
        }
    }
    Ok(first.unwrap_or_default())
}

/// Whether two values say the same: numbers by what they are worth, objects whatever their order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let names = |it: &Variables| it.keys().cloned().collect::<BTreeSet<_>>();
            names(one) == names(other)
                && one.iter().all(|(name, it)| other.get(name).is_some_and(|more| same(it, more)))
        }
        (one, other) => one == other,
    }
}

fn numbers(id: &str, name: &str, values: Column) -> Result<Vec<Number>, String> {
    let number = |(index, value): (usize, Option<Value>)| match value.unwrap_or_default() {
        Value::Number(number) => Ok(number),
        other @ (Value::Null
        | Value::Bool(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_)) => Err(format!(
            "DecisionTableAggregatorTypeError: step \"{id}\", column=\"{name}\": value {other} \
             (type {}) at index {index} is not numeric",
            type_name(&other)
        )),
    };
    values.into_iter().enumerate().map(number).collect()
}

/// Exact where all are integers and so is the result; nothing if it is no number at all.
fn aggregate(policy: HitPolicy, numbers: &[Number]) -> Option<Value> {
    let integers: Option<Vec<i64>> = numbers.iter().map(Number::as_i64).collect();
    let whole = integers.and_then(|it| match policy {
        HitPolicy::Max => it.into_iter().max(),
        HitPolicy::Min => it.into_iter().min(),
        HitPolicy::Sum
        | HitPolicy::Unique
        | HitPolicy::First
        | HitPolicy::Any
        | HitPolicy::RuleOrder
        | HitPolicy::Collect
        | HitPolicy::Count => it.into_iter().try_fold(0_i64, i64::checked_add),
    });
    if let Some(whole) = whole {
        return Some(whole.into());
    }
    let doubles = numbers.iter().filter_map(Number::as_f64);
    let double = match policy {
        HitPolicy::Max => doubles.fold(f64::NEG_INFINITY, f64::max),
        HitPolicy::Min => doubles.fold(f64::INFINITY, f64::min),
        HitPolicy::Sum
        | HitPolicy::Unique
        | HitPolicy::First
        | HitPolicy::Any
        | HitPolicy::RuleOrder
        | HitPolicy::Collect
        | HitPolicy::Count => doubles.sum(),
    };
    let mut value = Value::Number(Number::from_f64(double)?);
    super::variables::normalize(&mut value);
    Some(value)
}
