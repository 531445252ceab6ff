//! Keys to look documents up by. Keys sort, byte by byte, as the values they stand for, so that
//! whoever keeps them in order can answer a condition without knowing what it says.
//!
//! A lookup only narrows down: everything that matches is found, and some that does not.

use crate::{
    document::{Number, Sign, Value},
    predicate::{Comparison, Operand, Operator, Path, Predicate, Scalar},
};

/// How many bytes of a text or a number go into its key. Longer ones are told apart afterwards.
const KEY_BYTES_MAX: usize = 128;

/// How many keys a document may have for one path. One with more is found by every lookup.
pub const KEYS_MAX: usize = 1_000;

/// The key of documents with too many of them.
const EVERY: &[u8] = &[];

const BOOL: u8 = b'b';
const NUMBER: u8 = b'n';
const TEXT: u8 = b't';

/// Keys from the first one on, up to but not including the second.
pub type Range = (Vec<u8>, Vec<u8>);

/// The keys of `document` for `path`.
#[must_use]
pub fn keys(path: &Path, document: &Value) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    path.any(document, &mut |value| {
        gather(value, &mut keys);
        keys.len() > KEYS_MAX
    });
    if keys.len() > KEYS_MAX {
        return vec![EVERY.to_vec()];
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Which of `paths` to look up, and where, so that all documents are found that match `predicate`;
/// none if it says too little about any of them.
#[must_use]
pub fn ranges(predicate: &Predicate, paths: &[&Path]) -> Option<(usize, Vec<Range>)> {
    match predicate {
        Predicate::Compare { path, comparison } => {
            let index = paths.iter().position(|it| *it == path)?;
            let mut found = within(comparison)?;
            found.push((EVERY.to_vec(), after(EVERY)));
            Some((index, found))
        }
        // One that says exactly what is wanted finds fewer than one that says between what.
        Predicate::All(all) => {
            let exact = all.iter().filter(|it| is_exact(it));
            exact.chain(all).find_map(|it| ranges(it, paths))
        }
        Predicate::Lifecycle { .. } | Predicate::Any(_) | Predicate::Elements { .. } => None,
    }
}

fn is_exact(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Compare { comparison, .. } => comparison.operator() == Operator::Equals,
        Predicate::Lifecycle { .. }
        | Predicate::All(_)
        | Predicate::Any(_)
        | Predicate::Elements { .. } => false,
    }
}

fn gather(value: &Value, keys: &mut Vec<Vec<u8>>) {
    match value {
        Value::Null | Value::Object(_) => {}
        Value::Bool(yes) => keys.push(of_bool(*yes)),
        Value::Number(number) => keys.push(of_number(number)),
        Value::Text(text) => keys.push(of_text(text)),
        // Until there are too many keys. How many elements have none does not matter.
        Value::List(elements) => {
            for element in elements {
                if keys.len() > KEYS_MAX {
                    return;
                }
                gather(element, keys);
            }
        }
    }
}

fn of_bool(yes: bool) -> Vec<u8> {
    vec![BOOL, u8::from(yes)]
}

fn of_text(text: &str) -> Vec<u8> {
    [TEXT].into_iter().chain(text.bytes().take(KEY_BYTES_MAX)).collect()
}

/// The side of zero, then the power of ten of the first digit, then the digits. Below zero
/// everything is turned around, and what is shorter comes last.
fn of_number(number: &Number) -> Vec<u8> {
    let digits = number.digits();
    let n_digits = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let top = number.power().saturating_add(n_digits);
    // Adding 2^63 makes the order of signed numbers that of their bytes.
    let top = top.wrapping_sub(i64::MIN).to_be_bytes();
    let size = top.into_iter().chain(digits.into_bytes().into_iter().take(KEY_BYTES_MAX));
    let mut key = vec![NUMBER];
    match number.sign() {
        Sign::Minus => {
            key.push(0);
            key.extend(size.map(|it| !it));
            key.push(u8::MAX);
        }
        Sign::Zero => key.push(1),
        Sign::Plus => {
            key.push(2);
            key.extend(size);
        }
    }
    key
}

/// The keys of all values that may compare as asked; none if that says too little.
fn within(comparison: &Comparison) -> Option<Vec<Range>> {
    match (comparison.operator(), comparison.operand()) {
        (Operator::Equals, Operand::One(scalar)) => Some(between(Some(scalar), Some(scalar))),
        (Operator::GreaterThan | Operator::GreaterOrEqual, Operand::One(scalar)) => {
            Some(between(Some(scalar), None))
        }
        (Operator::LessThan | Operator::LessOrEqual, Operand::One(scalar)) => {
            Some(between(None, Some(scalar)))
        }
        (Operator::Between | Operator::BetweenInclusive, Operand::Range(low, high)) => {
            Some(between(Some(low), Some(high)))
        }
        (Operator::StartsWith, Operand::Text(start)) => {
            let from = of_text(start);
            let to = beyond(&from);
            Some(vec![(from, to)])
        }
        (_, _) => None,
    }
}

/// The keys between two values, or from one on, both included. What is stored decides how a value
/// is understood, so there is a range for each way.
fn between(low: Option<&Scalar>, high: Option<&Scalar>) -> Vec<Range> {
    [TEXT, NUMBER, BOOL]
        .into_iter()
        .filter_map(|kind| {
            let from = match low {
                Some(scalar) => key_of(kind, scalar)?,
                None => vec![kind],
            };
            let to = match high {
                // A key that was cut stands for all that begin so.
                Some(scalar) => beyond(&key_of(kind, scalar)?),
                None => vec![kind + 1],
            };
            Some((from, to))
        })
        .collect()
}

fn key_of(kind: u8, scalar: &Scalar) -> Option<Vec<u8>> {
    let Scalar::Written { text, number } = scalar else { return None };
    match kind {
        TEXT => Some(of_text(text)),
        NUMBER => number.as_ref().map(of_number),
        _ => text.parse().ok().map(of_bool),
    }
}

/// The first key that is larger.
fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// The first key that is larger than all that begin with `key`, which is not empty.
fn beyond(key: &[u8]) -> Vec<u8> {
    let mut key = key.to_vec();
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            break;
        }
    }
    key
}
