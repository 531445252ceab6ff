//! The values to try for one thing that conditions look at.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::Domain;

/// The largest whole number up to which doubles tell all of them apart.
pub(super) const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// What conditions look at: a variable, or a member of one.
#[derive(Default)]
pub(super) struct Term {
    pub(super) path: Vec<String>,
    pub(super) numbers: Vec<f64>,
    pub(super) texts: BTreeSet<String>,
    pub(super) has_bools: bool,
    pub(super) has_null: bool,
    /// Used in a way that says nothing about its values.
    pub(super) is_unknown: bool,
}

impl Term {
    /// Values one would expect: of the types it is compared with.
    pub(super) fn natural(&self, domain: &Domain) -> Vec<Value> {
        let mut values = numbers(&self.numbers, domain.is_whole);
        values.extend(self.texts.iter().map(|it| Value::String(it.clone())));
        let are_all = !domain.texts.is_empty() || domain.offers_all && self.texts.len() > 1;
        if !self.texts.is_empty() {
            let more = domain.texts.difference(&self.texts);
            values.extend(more.map(|it| Value::String(it.clone())));
        }
        if !self.texts.is_empty() && !are_all {
            values.push(Value::String(self.other_text()));
        }
        if self.has_bools {
            values.extend([Value::Bool(true), Value::Bool(false)]);
        }
        if self.has_null {
            values.push(Value::Null);
        }
        if values.is_empty() || self.has_null && values.len() == 1 || self.is_unknown {
            values.extend([Value::from(1), Value::from(0)]);
        }
        values
    }

    /// One value for each other way to come out. What a number is compared with, every other type
    /// compares with alike; and so with text. Text may stand for a boolean, and for a number where
    /// other things are asked as well.
    pub(super) fn others(&self) -> Vec<Value> {
        let mut values = if self.has_null { vec![] } else { vec![Value::Null] };
        if self.has_bools {
            values.extend(["true", "false"].map(Value::from));
        }
        if !self.texts.is_empty() {
            values.push(Value::String(self.other_text()));
        }
        let kinds =
            [!self.numbers.is_empty(), !self.texts.is_empty(), self.has_bools, self.has_null];
        if kinds.into_iter().filter(|it| *it).count() > 1 {
            let (list, object) = (Value::Array(Vec::new()), Value::Object(Map::new()));
            values.extend([list, object, Value::Bool(true), Value::Bool(false)]);
            values.extend([Value::from(-1), Value::String(self.other_text())]);
        }
        if !self.numbers.is_empty() {
            let texts = numbers(&self.numbers, false).into_iter().map(|it| it.to_string().into());
            values.extend(texts);
        }
        values
    }

    /// A text that nothing is compared with.
    fn other_text(&self) -> String {
        let mut text = "other".to_owned();
        while self.texts.contains(&text) {
            text.push('!');
        }
        text
    }
}

/// The numbers, one between each two of them, one below and one above.
fn numbers(constants: &[f64], is_whole: bool) -> Vec<Value> {
    let mut sorted = constants.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let (Some(first), Some(last)) = (sorted.first().copied(), sorted.last().copied()) else {
        return Vec::new();
    };
    let mut all = vec![(first - 1.0).floor()];
    for pair in sorted.windows(2) {
        let [low, high] = pair else { continue };
        all.extend([*low, between(*low, *high)]);
    }
    all.extend([last, (last + 1.0).ceil()]);
    all.retain(|it| !is_whole || it.fract() == 0.0);
    all.into_iter().filter_map(number).collect()
}

fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    let whole = middle.floor();
    if whole > low { whole } else { middle }
}

#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
fn number(number: f64) -> Option<Value> {
    let is_whole = number.fract() == 0.0 && number.abs() <= EXACT_MAX;
    match is_whole {
        true => Some(Value::from(number as i64)),
        false => Number::from_f64(number).map(Value::Number),
    }
}
