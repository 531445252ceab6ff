//! Criteria that never hold.
//!
//! A place in a document may hold a list, which is as asked if one of its elements is; so two
//! conditions on one place seldom exclude each other. What excludes itself does.

use waypost_documents::predicate::{Comparison, Field, Operand, Operator, Predicate, Scalar};
use waypost_machines::entity::criterion::Criterion;

use super::Placed;
use crate::{
    code,
    ledger::{At, Ledger, Note},
    source::down,
};

pub(super) fn check(placed: &Placed<'_>, ledger: &mut Ledger<'_>) {
    let mut look = |written: Option<&_>, state: Option<&str>, pointer: String| {
        let Some(Ok(criterion)) = written.map(Criterion::parse) else { return };
        if let Some(why) = never(&criterion, state) {
            let at = At::value(down(&pointer, "criterion"));
            ledger.add(Note::new(&code::E007, at, format!("this never holds: {why}")));
        }
    };
    look(placed.workflow.guard(), None, placed.pointer.clone());
    for (state, index, transition) in placed.transitions() {
        look(transition.guard(), Some(state), placed.transition(state, index));
    }
}

/// Why a criterion never holds of an entity in `state`, if it does not.
fn never(criterion: &Criterion, state: Option<&str>) -> Option<String> {
    match criterion {
        Criterion::Predicate(predicate) => impossible(predicate, state),
        Criterion::Function(_) => None,
        Criterion::All(all) => {
            let own = all.iter().find_map(|it| never(it, state));
            own.or_else(|| apart(all.iter().filter_map(named)))
        }
        Criterion::Any(any) if any.is_empty() => Some("one of no conditions must hold".to_owned()),
        Criterion::Any(any) => {
            let reasons: Option<Vec<String>> = any.iter().map(|it| never(it, state)).collect();
            reasons.and_then(|it| it.into_iter().next())
        }
    }
}

fn impossible(predicate: &Predicate, state: Option<&str>) -> Option<String> {
    match predicate {
        Predicate::Compare { comparison, .. } => alone(comparison),
        Predicate::Lifecycle { field: Field::State, comparison } => {
            let elsewhere = state.zip(equal_to(comparison)).filter(|(here, it)| here != it);
            let elsewhere = elsewhere
                .map(|(here, it)| format!("the entity is in {here:?} then, not in {it:?}"));
            elsewhere.or_else(|| alone(comparison))
        }
        Predicate::Lifecycle { comparison, .. } => alone(comparison),
        Predicate::All(all) => all.iter().find_map(|it| impossible(it, state)),
        Predicate::Any(_) | Predicate::Elements { .. } => None,
    }
}

/// Why nothing compares so.
fn alone(comparison: &Comparison) -> Option<String> {
    match (comparison.operator(), comparison.operand()) {
        (Operator::Equals, Operand::One(Scalar::Null)) => {
            Some("nothing is equal to null; IS_NULL asks for that".to_owned())
        }
        (
            operator @ (Operator::Between | Operator::BetweenInclusive),
            Operand::Range(low, high),
        ) => is_above(low, high)
            .then(|| format!("the low bound of {operator} is above the high one")),
        (_, _) => None,
    }
}

/// Whether the first is above the second, both as numbers and as text.
fn is_above(low: &Scalar, high: &Scalar) -> bool {
    match (low, high) {
        (
            Scalar::Written { text: low, number: low_number },
            Scalar::Written { text: high, number: high_number },
        ) => {
            let numbers = low_number.as_ref().zip(high_number.as_ref());
            low > high && numbers.is_none_or(|(low, high)| low > high)
        }
        (Scalar::Time(low), Scalar::Time(high)) => low > high,
        (_, _) => false,
    }
}

fn equal_to(comparison: &Comparison) -> Option<&str> {
    match (comparison.operator(), comparison.operand()) {
        (Operator::Equals, Operand::One(Scalar::Written { text, .. })) => Some(text),
        (_, _) => None,
    }
}

/// What is asked of the state, if it is asked to be one.
fn named(criterion: &Criterion) -> Option<&str> {
    match criterion {
        Criterion::Predicate(Predicate::Lifecycle { field: Field::State, comparison }) => {
            equal_to(comparison)
        }
        Criterion::Predicate(_)
        | Criterion::Function(_)
        | Criterion::All(_)
        | Criterion::Any(_) => None,
    }
}

/// An entity is in one state at a time.
fn apart<'c>(mut states: impl Iterator<Item = &'c str>) -> Option<String> {
    let first = states.next()?;
    let other = states.find(|it| *it != first)?;
    Some(format!("no entity is in {first:?} and {other:?} at once"))
}
