//! The conditions that have led a process here, and those on its way on.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use super::Subject;
use crate::{
    explanation::{Condition, Outcome, Tense, limits::CONDITIONS_MAX, told},
    process::{
        Choice, Graph, Rest, StepId, Variables, Visit, Work,
        advance::exit_of,
        expression::{Compiled, ExpressionError},
        graph::{Cell, Step, Table},
        schema::type_name,
    },
};

/// Decisions on the way here that are told, the latest of them.
const PASSED_MAX: usize = 20;

pub(super) fn conditions(subject: Subject<'_>) -> Vec<Condition> {
    let mut found = failed(subject);
    found.extend(ahead(subject));
    found.extend(passed(subject));
    found.truncate(CONDITIONS_MAX);
    found
}

/// At the steps that have failed: what they were decided by.
fn failed(subject: Subject<'_>) -> Vec<Condition> {
    let Subject { graph, state, .. } = subject;
    let mut found = Vec::new();
    for stay in state.stays.iter().filter(|it| it.rest == Rest::Failed) {
        let Some(step) = graph.step(&stay.step) else { continue };
        let own = of_step(graph, step, (&state.variables, Tense::Here));
        found.extend(own);
        if let Some(exit) = exit_of(graph, stay) {
            found.extend(choices(graph, step, &exit.choices, (&state.variables, Tense::Here)));
        }
    }
    found
}

/// From where the instance rests, through all that needs nobody.
fn ahead(subject: Subject<'_>) -> Vec<Condition> {
    let Subject { graph, state, .. } = subject;
    let mut seen: BTreeSet<StepId> = BTreeSet::new();
    let mut pending: Vec<StepId> = Vec::new();
    let mut found = Vec::new();
    let at = (&*state.variables, Tense::Ahead);
    for stay in state.stays.iter().filter(|it| it.rest != Rest::Failed) {
        let Some(step) = graph.step(&stay.step) else { continue };
        if let Some(exit) = exit_of(graph, stay) {
            found.extend(choices(graph, step, &exit.choices, at));
            pending.extend(exit.next.iter().map(Arc::clone));
            pending.extend(exit.choices.iter().map(|it| Arc::clone(&it.target)));
        }
    }
    while let Some(id) = pending.pop() {
        if found.len() >= CONDITIONS_MAX || !seen.insert(Arc::clone(&id)) {
            continue;
        }
        let Some(step) = graph.step(&id) else { continue };
        found.extend(of_step(graph, step, at));
        pending.extend(onward(&step.work));
    }
    found
}

/// Where a step leads that nobody rests at.
fn onward(work: &Work) -> Vec<StepId> {
    match work {
        Work::Decide(choices) => choices.iter().map(|it| Arc::clone(&it.target)).collect(),
        Work::Table { next, .. } | Work::Transform { next, .. } | Work::Join { next } => {
            vec![Arc::clone(next)]
        }
        Work::Fork { branches, .. } => branches.clone(),
        Work::Service { .. } | Work::User { .. } | Work::Wait { .. } | Work::End { .. } => {
            Vec::new()
        }
    }
}

/// The decisions on the way here, latest first, with what was known then.
fn passed(subject: Subject<'_>) -> Vec<Condition> {
    let graph = subject.graph;
    let decides = |it: &&Visit| {
        let step = graph.step(&it.step).map(|it| &it.work);
        it.reason.is_none() && matches!(step, Some(Work::Decide(_) | Work::Table { .. }))
    };
    let latest = subject.visits.iter().rev().filter(decides).take(PASSED_MAX);
    let told = |visit: &Visit| {
        let step = graph.step(&visit.step);
        step.map(|it| of_step(graph, it, (&visit.input, Tense::Passed))).unwrap_or_default()
    };
    latest.flat_map(told).collect()
}

fn of_step(graph: &Graph, step: &Step, at: (&Variables, Tense)) -> Vec<Condition> {
    match &step.work {
        Work::Decide(of) => choices(graph, step, of, at),
        Work::Table { table, .. } => rules(graph, step, table, at),
        Work::Service { .. }
        | Work::User { .. }
        | Work::Wait { .. }
        | Work::Transform { .. }
        | Work::Fork { .. }
        | Work::Join { .. }
        | Work::End { .. } => Vec::new(),
    }
}

/// As they are tried: those behind the first that holds, or fails, are not looked at.
fn choices(
    graph: &Graph,
    step: &Step,
    choices: &[Choice],
    (variables, tense): (&Variables, Tense),
) -> Vec<Condition> {
    let mut found = Vec::new();
    for choice in choices {
        let text = format!("{} → {}", choice.source, choice.target);
        let (outcome, values) = judged(graph, choice.condition.as_ref(), variables);
        let is_last = outcome != Outcome::False;
        found.push(Condition { at: step.id.to_string(), text, outcome, values, tense });
        if is_last {
            break;
        }
    }
    found
}

/// Of each rule the cell that rules it out, or that it holds.
fn rules(
    graph: &Graph,
    step: &Step,
    table: &Table,
    (variables, tense): (&Variables, Tense),
) -> Vec<Condition> {
    let rule = |(number, cells): (usize, &[Cell])| {
        let mut values = Vec::new();
        for cell in cells {
            let (outcome, of_cell) = judged(graph, cell.condition.as_ref(), variables);
            if outcome != Outcome::True {
                let text = format!("rule {number}, {}: {}", cell.column, cell.source);
                return Condition {
                    at: step.id.to_string(),
                    text,
                    outcome,
                    values: of_cell,
                    tense,
                };
            }
            values.extend(of_cell);
        }
        let text = format!("rule {number}");
        Condition { at: step.id.to_string(), text, outcome: Outcome::True, values, tense }
    };
    let numbered = (1..).zip(table.rules.iter().map(|it| it.cells.as_slice()));
    numbered.take(CONDITIONS_MAX).map(rule).collect()
}

/// What came of a condition, and the variables it needs.
fn judged(
    graph: &Graph,
    condition: Result<&Compiled, &ExpressionError>,
    variables: &Variables,
) -> (Outcome, Vec<(String, Value)>) {
    let compiled = match condition {
        Ok(compiled) => compiled,
        Err(error) => return (Outcome::Error(error.to_string()), Vec::new()),
    };
    let value = |name: &str| variables.get(name).map_or(Value::Null, told);
    let values = compiled.variables().iter().map(|it| (it.name.clone(), value(&it.name)));
    let outcome = match compiled.evaluate(variables, graph.coercion) {
        Ok(Value::Bool(true)) => Outcome::True,
        Ok(Value::Bool(false)) => Outcome::False,
        Ok(other) => Outcome::Error(format!("the result is {}, not bool", type_name(&other))),
        Err(error) => Outcome::Error(error.to_string()),
    };
    (outcome, values.collect())
}
