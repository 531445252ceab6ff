//! Whether a value compares as asked. What is stored decides how: numbers by value, text by
//! character, times by the calendar. Null compares with nothing.

use std::cmp::Ordering;

use super::{
    operand::{Measure, Operand, OperandError, Scalar},
    operator::Operator,
    text::folded,
};
use crate::document::{Number, Value};

/// An operator with what it compares with.
#[derive(Clone, Debug)]
pub struct Comparison {
    operator: Operator,
    operand: Operand,
}

/// A value that is looked at as a whole.
#[derive(Clone, Copy)]
pub(super) enum Leaf<'a> {
    Null,
    Bool(bool),
    Number(&'a Number),
    Text(&'a str),
    /// In microseconds since 1970.
    Time(i64),
    /// Has no order and no text: there, and nothing more.
    Object,
}

impl Comparison {
    pub(super) fn new(
        operator: Operator,
        value: &Value,
        measure: Measure,
    ) -> Result<Self, OperandError> {
        Ok(Self { operator, operand: Operand::new(operator, value, measure)? })
    }

    /// How it compares.
    #[must_use]
    pub const fn operator(&self) -> Operator {
        self.operator
    }

    /// What it compares with.
    #[must_use]
    pub const fn operand(&self) -> &Operand {
        &self.operand
    }

    /// Whether `value` compares as asked; of a list, whether one of its elements does.
    pub(super) fn matches(&self, value: &Value) -> bool {
        match value {
            Value::List(elements) => elements.iter().any(|it| self.matches(it)),
            Value::Null => self.holds(Leaf::Null),
            Value::Bool(yes) => self.holds(Leaf::Bool(*yes)),
            Value::Number(number) => self.holds(Leaf::Number(number)),
            Value::Text(text) => self.holds(Leaf::Text(text)),
            Value::Object(_) => self.holds(Leaf::Object),
        }
    }

    pub(super) fn holds(&self, leaf: Leaf<'_>) -> bool {
        match self.operator {
            Operator::IsNull => leaf.is_null(),
            Operator::NotNull => !leaf.is_null(),
            Operator::Equals => self.order(leaf).is_some_and(Ordering::is_eq),
            Operator::NotEqual => leaf.is_scalar() && self.order(leaf).is_none_or(Ordering::is_ne),
            Operator::GreaterThan => self.order(leaf).is_some_and(Ordering::is_gt),
            Operator::LessThan => self.order(leaf).is_some_and(Ordering::is_lt),
            Operator::GreaterOrEqual => self.order(leaf).is_some_and(Ordering::is_ge),
            Operator::LessOrEqual => self.order(leaf).is_some_and(Ordering::is_le),
            Operator::Between => self.lies(leaf, Ordering::is_gt, Ordering::is_lt),
            Operator::BetweenInclusive => self.lies(leaf, Ordering::is_ge, Ordering::is_le),
            Operator::Like | Operator::MatchesPattern => self.has_shape(leaf),
            Operator::Contains => self.asks(leaf, |text, part| text.contains(part)),
            Operator::NotContains => self.asks(leaf, |text, part| !text.contains(part)),
            Operator::StartsWith => self.asks(leaf, |text, part| text.starts_with(part)),
            Operator::NotStartsWith => self.asks(leaf, |text, part| !text.starts_with(part)),
            Operator::EndsWith => self.asks(leaf, |text, part| text.ends_with(part)),
            Operator::NotEndsWith => self.asks(leaf, |text, part| !text.ends_with(part)),
            Operator::IEquals => self.asks_folded(leaf, beginning, |text, part| text == part),
            Operator::INotEqual => self.asks_folded(leaf, beginning, |text, part| text != part),
            Operator::IContains => self.asks_folded(leaf, all, |text, part| text.contains(part)),
            Operator::INotContains => {
                self.asks_folded(leaf, all, |text, part| !text.contains(part))
            }
            Operator::IStartsWith => {
                self.asks_folded(leaf, beginning, |text, part| text.starts_with(part))
            }
            Operator::INotStartsWith => {
                self.asks_folded(leaf, beginning, |text, part| !text.starts_with(part))
            }
            Operator::IEndsWith => self.asks_folded(leaf, end, |text, part| text.ends_with(part)),
            Operator::INotEndsWith => {
                self.asks_folded(leaf, end, |text, part| !text.ends_with(part))
            }
        }
    }

    fn order(&self, leaf: Leaf<'_>) -> Option<Ordering> {
        match &self.operand {
            Operand::One(scalar) => leaf.order(scalar),
            Operand::Nothing
            | Operand::Range(..)
            | Operand::Text(_)
            | Operand::Like(_)
            | Operand::Pattern(_) => None,
        }
    }

    fn lies(
        &self,
        leaf: Leaf<'_>,
        above: fn(Ordering) -> bool,
        below: fn(Ordering) -> bool,
    ) -> bool {
        match &self.operand {
            Operand::Range(low, high) => {
                leaf.order(low).is_some_and(above) && leaf.order(high).is_some_and(below)
            }
            Operand::Nothing
            | Operand::One(_)
            | Operand::Text(_)
            | Operand::Like(_)
            | Operand::Pattern(_) => false,
        }
    }

    fn has_shape(&self, leaf: Leaf<'_>) -> bool {
        match (leaf, &self.operand) {
            (Leaf::Text(text), Operand::Like(like)) => like.matches(text),
            (Leaf::Text(text), Operand::Pattern(pattern)) => pattern.is_match(text),
            (_, _) => false,
        }
    }

    fn asks(&self, leaf: Leaf<'_>, question: fn(&str, &str) -> bool) -> bool {
        match (leaf, &self.operand) {
            (Leaf::Text(text), Operand::Text(part)) => question(text, part),
            (_, _) => false,
        }
    }

    /// Asks about as much of the text as `reach` says matters.
    fn asks_folded(
        &self,
        leaf: Leaf<'_>,
        reach: for<'t> fn(&'t str, usize) -> &'t str,
        question: fn(&str, &str) -> bool,
    ) -> bool {
        match (leaf, &self.operand) {
            (Leaf::Text(text), Operand::Text(part)) => {
                question(&folded(reach(text, part.len())), part)
            }
            (_, _) => false,
        }
    }
}

fn all(text: &str, _: usize) -> &str {
    text
}

/// As much of it as `n_bytes` without case can begin with or be, and a character more. None of them
/// becomes less than a byte.
fn beginning(text: &str, n_bytes: usize) -> &str {
    let end = text.char_indices().nth(n_bytes.saturating_add(1));
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// The same from its end.
fn end(text: &str, n_bytes: usize) -> &str {
    let beginning = text.char_indices().rev().nth(n_bytes);
    beginning.and_then(|(at, _)| text.get(at..)).unwrap_or(text)
}

impl Leaf<'_> {
    const fn is_null(self) -> bool {
        matches!(self, Self::Null)
    }

    const fn is_scalar(self) -> bool {
        !matches!(self, Self::Null | Self::Object)
    }

    /// How this compares with `scalar`, if the two can be compared.
    fn order(self, scalar: &Scalar) -> Option<Ordering> {
        match (self, scalar) {
            (Self::Number(mine), Scalar::Written { number, .. }) => {
                number.as_ref().map(|it| mine.cmp(it))
            }
            (Self::Text(mine), Scalar::Written { text, .. }) => Some(mine.cmp(text)),
            (Self::Bool(mine), Scalar::Written { text, .. }) => {
                text.parse().ok().map(|it| mine.cmp(&it))
            }
            (Self::Time(mine), Scalar::Time(at)) => Some((i128::from(mine) * 1_000).cmp(at)),
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked of a part of a text is what is asked of all of it.
    #[test]
    fn as_much_is_looked_at_as_matters() {
        let texts = ["", "a", "Ab", "İİ", "ßS", "aaaa", "ΣΑΣ", "ıI", "straße und STRASSE"];
        let parts = ["", "a", "ab", "i̇i̇", "ßs", "aaa", "σασ", "e", "strasse", "s"];
        for (text, part) in texts.iter().flat_map(|it| parts.iter().map(move |part| (*it, *part))) {
            let (text, part) = (text, folded(part));
            let whole = folded(text);
            let first = folded(beginning(text, part.len()));
            let last = folded(end(text, part.len()));
            assert_eq!(first == part, whole == part, "{text} {part}");
            assert_eq!(first.starts_with(&part), whole.starts_with(&part), "{text} {part}");
            assert_eq!(last.ends_with(&part), whole.ends_with(&part), "{text} {part}");
        }
        let long = "é".repeat(1_000_000);
        assert!(beginning(&long, 3).len() <= 8 && end(&long, 3).len() <= 8);
    }
}
