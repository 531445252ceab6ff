//! What a deployment refuses, with the engine's own words and the place they speak of.

use waypost_machines::process::violations;

use super::Definition;
use crate::{
    code,
    ledger::{At, Ledger, Note},
    source::{down, pointer_of},
};

/// Members a violation may speak of. Those whose names contain others come first.
const MEMBERS: [&str; 14] = [
    "conditionalNextSteps",
    "parallelNextSteps",
    "outputs_schema",
    "transformations",
    "decisionTable",
    "delegateClass",
    "hitPolicy",
    "retryCount",
    "joinStep",
    "nextStep",
    "jobType",
    "unsupported type",
    "rules",
    "name",
];

pub(super) fn check(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    for violation in violations(definition.source) {
        let at = place(definition, &violation);
        let code = match violation.ends_with("is unreachable from the first step") {
            true => &code::P003,
            false => &code::P002,
        };
        ledger.add(Note::new(code, at, violation));
    }
}

fn place(definition: &Definition<'_>, violation: &str) -> At {
    match step_of(definition, violation) {
        Some((index, rest)) => {
            let step = definition.step(index);
            match member_of(rest).filter(|it| has(definition, &step, it)) {
                Some(member) => At::value(pointer_of(&step, &member)),
                None => definition.at(index),
            }
        }
        None => {
            let member = violation.split([' ', ':']).next().unwrap_or_default();
            At::value(down(&definition.subject.pointer, member))
        }
    }
}

fn has(definition: &Definition<'_>, step: &str, member: &str) -> bool {
    let name = member.split(['[', '.']).next().unwrap_or_default();
    let own = step.strip_prefix(&definition.subject.pointer).unwrap_or(step);
    definition.subject.node.find(own).node.has(name)
}

/// The step that a violation begins with, and what it says of it.
fn step_of<'v>(definition: &Definition<'_>, violation: &'v str) -> Option<(usize, &'v str)> {
    if let Some(rest) = violation.strip_prefix("step[") {
        let (index, rest) = rest.split_once(']')?;
        return Some((index.parse().ok()?, rest));
    }
    let repeated =
        violation.strip_prefix("duplicate step id: \"").and_then(|it| it.strip_suffix('"'));
    let steps = definition.source.steps.iter().enumerate();
    if let Some(id) = repeated {
        return steps.filter(|(_, it)| it.id == id).nth(1).map(|(index, _)| (index, ""));
    }
    let named = |(index, id): (usize, &str)| {
        let rest = violation.strip_prefix("step \"")?.strip_prefix(id)?.strip_prefix('"')?;
        Some((index, rest))
    };
    // The longest id is the one that is meant: ids may have quotes inside.
    let found = steps.filter_map(|(index, it)| named((index, &it.id)));
    found.min_by_key(|(_, rest)| rest.len())
}

fn member_of(rest: &str) -> Option<String> {
    if let Some(at) = rest.find("boundaryEvents[") {
        let place = rest.get(at..)?.split([':', ' ']).next()?;
        return Some(place.to_owned());
    }
    // What stands in quotes are names of others.
    let unquoted: String = rest.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let member = MEMBERS.into_iter().find(|it| unquoted.contains(it))?;
    let member = match member {
        "unsupported type" => "type",
        "rules" => "decisionTable",
        other => other,
    };
    Some(member.to_owned())
}
