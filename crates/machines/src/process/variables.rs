//! What an instance knows: a map of JSON values, and the ways in which it changes.

use std::io;

use serde_json::{Map, Number, Value};

use super::limits;

/// The variables of an instance, in the order in which they came.
pub type Variables = Map<String, Value>;

/// Goes down into objects: members that are not mentioned stay.
pub(super) fn merge_deeply(into: &mut Variables, from: &Variables) {
    for (name, value) in from {
        if let Value::Object(from) = value
            && let Some(Value::Object(into)) = into.get_mut(name)
        {
            merge_deeply(into, from);
        } else {
            set(into, name, value);
        }
    }
}

/// Replaces what is at the top.
pub(super) fn merge(into: &mut Variables, from: &Variables) {
    from.iter().for_each(|(name, value)| set(into, name, value));
}

fn set(into: &mut Variables, name: &str, value: &Value) {
    into.insert(name.to_owned(), value.clone());
}

/// Writes numbers the one way: `1.0` and `1` are the same, and come back as `1`.
pub(super) fn normalize(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = whole(number) {
                *number = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(members) => members.values_mut().for_each(normalize),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The integer a double stands for, as long as doubles can tell integers apart.
#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
fn whole(number: &Number) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let double = number.as_f64().filter(|_| number.is_f64())?;
    (double.fract() == 0.0 && double.abs() <= EXACT_MAX).then_some(double as i64)
}

/// What is wrong with variables of this size and depth, if anything is.
pub(super) fn problem(variables: &Variables) -> Option<String> {
    let most = limits::DEPTH_MAX;
    if variables.values().any(|it| is_deeper(it, most - 1)) {
        return Some(format!("variables must have at most {most} levels"));
    }
    let (bytes, most) = (size(variables), limits::VARIABLES_MAX);
    (bytes > most).then(|| format!("variables must have at most {most} bytes, have {bytes}"))
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(|it| is_deeper(it, levels - 1)),
        Value::Object(members) => members.values().any(|it| is_deeper(it, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn size(variables: &Variables) -> usize {
    let mut meter = Meter(0);
    serde_json::to_writer(&mut meter, variables).expect("counting does not fail");
    meter.0
}

/// Counts what is written to it.
struct Meter(usize);

impl io::Write for Meter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
