//! What can be wrong with a criterion.

use std::fmt;

/// Why something is not a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionError {
    /// Where, such as `conditions[2].operatorType`; empty for the criterion itself.
    pub place: String,
    /// What kind of mistake it is.
    pub mistake: Mistake,
    /// What is wrong there.
    pub detail: String,
}

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// It is not written as conditions are, or goes beyond a limit.
    Condition,
    /// It asks about a place or a field that there cannot be.
    Field,
    /// It compares with a value that the operator has no use for.
    Operand,
}

impl CriterionError {
    pub(super) fn new(place: &str, mistake: Mistake, detail: impl Into<String>) -> Self {
        Self { place: place.to_owned(), mistake, detail: detail.into() }
    }

    pub(super) fn condition(place: &str, detail: impl Into<String>) -> Self {
        Self::new(place, Mistake::Condition, detail)
    }

    /// The same mistake, seen from further outside.
    pub(super) fn inside(mut self, outer: &str) -> Self {
        let separator = if self.place.is_empty() { "" } else { "." };
        self.place = format!("{outer}{separator}{}", self.place);
        self
    }
}

impl fmt::Display for CriterionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(out, "{}: ", self.place)?;
        }
        out.write_str(&self.detail)
    }
}

impl std::error::Error for CriterionError {}
