//! The conditions of a transition, one by one, with the values they look at.

use serde_json::Value as Json;
use waypost_documents::{
    document::Value,
    predicate::{Field, Path, Subject},
};

use crate::{
    entity::{
        cascade::Entity,
        criterion::{Criterion, Function, limits::DEPTH_MAX},
        judge::subject,
        told::shown,
        workflow::Transition,
    },
    explanation::{Condition, Outcome, Tense, told},
};

/// Values of one condition that are told: a path may lead to many.
const VALUES_MAX: usize = 5;

pub(super) fn of_transition(entity: &Entity<'_>, transition: &Transition) -> Vec<Condition> {
    let subject = subject(entity);
    let leaves = transition.guard().map(leaves).unwrap_or_default();
    let told = |leaf: &Value| Condition {
        at: transition.name.clone(),
        text: shown(leaf),
        outcome: outcome(leaf, &subject),
        values: values(leaf, &subject),
        tense: Tense::Here,
    };
    leaves.into_iter().map(told).collect()
}

/// The functions that a criterion may ask.
#[must_use]
pub fn functions(criterion: &Value) -> Vec<Function> {
    let function = |leaf: &Value| match Criterion::parse(leaf) {
        Ok(Criterion::Function(function)) => Some(function),
        Ok(_) | Err(_) => None,
    };
    leaves(criterion).into_iter().filter_map(function).collect()
}

/// The conditions inside of groups, in their order.
fn leaves(criterion: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut pending = vec![(criterion, 0)];
    while let Some((condition, depth)) = pending.pop() {
        let is_group = condition.member("type").and_then(Value::as_text) == Some("group");
        match condition.member("conditions") {
            Some(Value::List(inner)) if is_group && depth < DEPTH_MAX => {
                pending.extend(inner.iter().rev().map(|it| (it, depth + 1)));
            }
            Some(_) | None => found.push(condition),
        }
    }
    found
}

fn outcome(leaf: &Value, subject: &Subject<'_>) -> Outcome {
    let criterion = match Criterion::parse(leaf) {
        Ok(criterion) => criterion,
        Err(error) => return Outcome::Error(error.to_string()),
    };
    match criterion.evaluate(subject, &mut |_| Err(())) {
        Ok(true) => Outcome::True,
        Ok(false) => Outcome::False,
        Err(()) => Outcome::Asked,
    }
}

fn values(leaf: &Value, subject: &Subject<'_>) -> Vec<(String, Json)> {
    let text = |name: &str| leaf.member(name).and_then(Value::as_text).unwrap_or_default();
    match text("type") {
        "simple" | "array" => {
            let place = text("jsonPath");
            let Ok(path) = Path::parse(place) else { return Vec::new() };
            let mut found = Vec::new();
            path.any(subject.value, &mut |it| {
                found.push(json(it));
                found.len() >= VALUES_MAX
            });
            if found.is_empty() {
                found.push(Json::Null);
            }
            let name = place.trim_start_matches("$.");
            found.into_iter().map(|it| (name.to_owned(), it)).collect()
        }
        "lifecycle" => {
            let name = text("field");
            Field::named(name)
                .map(|it| (name.to_owned(), beside(it, subject)))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

fn json(value: &Value) -> Json {
    told(&serde_json::from_str(&value.to_string()).unwrap_or(Json::Null))
}

fn beside(field: Field, subject: &Subject<'_>) -> Json {
    match field {
        Field::State => subject.state.into(),
        Field::CreatedAt => subject.created_at.into(),
        Field::UpdatedAt => subject.updated_at.into(),
        Field::PreviousTransition => subject.previous_transition.into(),
        Field::Transaction => subject.transaction.into(),
        Field::Id => subject.id.into(),
    }
}
