//! Names that are probably not what was meant.

use std::collections::{BTreeMap, BTreeSet};

use waypost_machines::process::{
    StepSource,
    expression::{Assignment, Compiled, Limits},
};

use super::Definition;
use crate::{
    code,
    ledger::{At, Ledger, Note},
    near::nearest,
    source::down,
};

/// Names that are compared with each other: it takes the square of their number.
const NAMES_MAX: usize = 300;

pub(super) fn check(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    let source = definition.source;
    if source.auto_start_next_workflow
        && source.next_workflow_id == source.id
        && !source.id.is_empty()
    {
        let at = At::value(definition.subject.at("nextWorkflowId"));
        let message = format!("{:?} is followed by itself", source.id);
        ledger.add(Note::new(&code::P041, at, message));
    }
    job_types(definition, ledger);
    variables(definition, ledger);
}

fn job_types(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    let mut seen: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    let at = |index| At::value(down(&definition.step(index), "jobType"));
    let steps = definition.source.steps.iter().enumerate();
    for (index, step) in steps.filter(|(_, it)| it.step_type == "SERVICE_TASK") {
        let name = step.job_type.as_str();
        let (first, written) = *seen.entry(name.to_lowercase()).or_insert((index, name));
        if written != name {
            let message = format!("{name:?} is not {written:?}");
            let note = Note::new(&code::P040, at(index), message);
            ledger.add(note.related(at(first), "written so here"));
        }
    }
}

/// Workers, people and whoever starts an instance bring variables nobody can know of here. But a
/// name that is almost one that is set here, and is itself set nowhere, is worth a look; and where
/// all of them declare what they bring, every other name is.
fn variables(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    let set = set(definition);
    let is_all = is_declared(definition);
    let mut told = BTreeSet::new();
    if !is_all && set.is_empty() || set.len() > NAMES_MAX {
        return;
    }
    for (at, compiled) in expressions(definition) {
        for variable in compiled.variables() {
            let name = variable.name.as_str();
            let is_told = told.len() > NAMES_MAX || set.contains(name);
            if is_told || !told.insert(name.to_owned()) {
                continue;
            }
            let message = match nearest(name, set.iter().copied()) {
                Some(near) => format!("{name:?} is set nowhere here, but {near:?} is"),
                None if is_all => format!("{name:?} is set nowhere, and no schema declares it"),
                None => continue,
            };
            let span = variable.spans.first().map_or((0, 1), |it| (it.start, it.end));
            ledger.add(Note::new(&code::P038, at.clone().part(span), message));
        }
    }
}

/// Whether everybody declares what they bring: who starts an instance, and who answers at a step.
fn is_declared(definition: &Definition<'_>) -> bool {
    let source = definition.source;
    let rests =
        |it: &&StepSource| matches!(it.step_type.as_str(), "SERVICE_TASK" | "USER_TASK" | "WAIT");
    source.input_schema.is_some()
        && source.steps.iter().filter(rests).all(|it| it.outputs_schema.is_some())
}

/// The variables that the definition itself speaks of setting.
fn set<'d>(definition: &Definition<'d>) -> BTreeSet<&'d str> {
    let source = definition.source;
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let schemas = source.steps.iter().filter_map(|it| it.outputs_schema.as_ref());
    for schema in schemas.chain(source.input_schema.as_ref()) {
        names.extend(schema.properties.keys().map(String::as_str));
    }
    for step in &source.steps {
        names.extend(step.transformations.keys().map(String::as_str));
        let rules = step.decision_table.iter().flat_map(|it| &it.rules);
        names.extend(rules.flat_map(|it| it.outputs.keys()).map(String::as_str));
    }
    names
}

fn expressions(definition: &Definition<'_>) -> Vec<(At, Compiled)> {
    let mut found = Vec::new();
    for (index, step) in definition.source.steps.iter().enumerate() {
        let base = definition.step(index);
        for condition in step.conditional_next_steps.keys() {
            let at = At::name(down(&down(&base, "conditionalNextSteps"), condition));
            found.extend(Compiled::parse(condition, Limits::default()).ok().map(|it| (at, it)));
        }
        for (name, value) in &step.transformations {
            let at = At::value(down(&down(&base, "transformations"), name));
            if let Assignment::Expression(compiled) = Assignment::parse(value, Limits::default()) {
                found.push((at, compiled));
            }
        }
        let rules = step.decision_table.iter().flat_map(|it| &it.rules).enumerate();
        for (number, rule) in rules {
            let when = down(&down(&down(&down(&base, "decisionTable"), "rules"), number), "when");
            for (column, cell) in &rule.when {
                let Some(cell) = cell.as_deref().map(str::trim) else { continue };
                let at = At::value(down(&when, column));
                found.extend(Compiled::parse(cell, Limits::default()).ok().map(|it| (at, it)));
            }
        }
    }
    found
}
