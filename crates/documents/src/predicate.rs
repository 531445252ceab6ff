//! Conditions over documents. A criterion and a search ask the same [`Predicate`], so they can
//! never disagree about what matches.

mod comparison;
mod like;
mod moment;
mod operand;
mod operator;
mod path;
mod pattern;
mod text;

pub use self::{
    comparison::Comparison,
    like::Like,
    operand::{Operand, OperandError, PATTERN_LENGTH_MAX, Scalar},
    operator::Operator,
    path::{Path, PathError, Step},
};

use self::{comparison::Leaf, operand::Measure};
use crate::document::Value;

/// What a predicate is asked about: a document and what is known beside it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The document.
    pub value: &'a Value,
    /// The state it is in.
    pub state: &'a str,
    /// The transition that saved it last; empty if none did.
    pub previous_transition: &'a str,
    /// When it was created, in microseconds since 1970.
    pub created_at: i64,
    /// When it was saved last, in microseconds since 1970.
    pub updated_at: i64,
    /// The transaction that saved it last.
    pub transaction: &'a str,
    /// Its id.
    pub id: &'a str,
}

/// What is known of a document beside its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// [`Subject::state`]
    State,
    /// [`Subject::created_at`]
    CreatedAt,
    /// [`Subject::updated_at`]
    UpdatedAt,
    /// [`Subject::previous_transition`]
    PreviousTransition,
    /// [`Subject::transaction`]
    Transaction,
    /// [`Subject::id`]
    Id,
}

impl Field {
    /// The fields and what conditions call them. One has two names.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("state", Self::State),
        ("creationDate", Self::CreatedAt),
        ("lastUpdateTime", Self::UpdatedAt),
        ("previousTransition", Self::PreviousTransition),
        ("transitionForLatestSave", Self::PreviousTransition),
        ("transactionId", Self::Transaction),
        ("id", Self::Id),
    ];

    /// The field of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(it, _)| *it == name).map(|(_, field)| *field)
    }

    const fn measure(self) -> Measure {
        match self {
            Self::CreatedAt | Self::UpdatedAt => Measure::Time,
            Self::State | Self::PreviousTransition | Self::Transaction | Self::Id => Measure::Plain,
        }
    }

    fn of<'a>(self, subject: &Subject<'a>) -> Leaf<'a> {
        match self {
            Self::State => Leaf::Text(subject.state),
            Self::CreatedAt => Leaf::Time(subject.created_at),
            Self::UpdatedAt => Leaf::Time(subject.updated_at),
            Self::PreviousTransition => Leaf::Text(subject.previous_transition),
            Self::Transaction => Leaf::Text(subject.transaction),
            Self::Id => Leaf::Text(subject.id),
        }
    }
}

/// A condition over a [`Subject`]. Whoever builds one from foreign input limits how deep it goes.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// Some value at a place in the document compares as asked.
    Compare {
        /// Where the values are.
        path: Path,
        /// What is asked of them.
        comparison: Comparison,
    },
    /// What is known beside the document compares as asked.
    Lifecycle {
        /// What is looked at.
        field: Field,
        /// What is asked of it.
        comparison: Comparison,
    },
    /// All of them match; so do none at all.
    All(Vec<Self>),
    /// One of them matches.
    Any(Vec<Self>),
    /// The elements of a list compare as asked, each with the comparison of its position.
    Elements {
        /// Where the list is.
        path: Path,
        /// What is asked of each position; nothing of those that are absent here.
        comparisons: Vec<Option<Comparison>>,
    },
}

impl Predicate {
    /// Asks about the values at `path`.
    ///
    /// # Errors
    /// When `value` is nothing that `operator` can compare with.
    pub fn compare(path: Path, operator: Operator, value: &Value) -> Result<Self, OperandError> {
        let comparison = Comparison::new(operator, value, Measure::Plain)?;
        Ok(Self::Compare { path, comparison })
    }

    /// Asks about a field beside the document.
    ///
    /// # Errors
    /// When `value` is nothing that `operator` can compare with, or not a time where one is needed.
    pub fn lifecycle(
        field: Field,
        operator: Operator,
        value: &Value,
    ) -> Result<Self, OperandError> {
        let comparison = Comparison::new(operator, value, field.measure())?;
        Ok(Self::Lifecycle { field, comparison })
    }

    /// Asks for a list at `path` that begins with `values`, of which `null` stands for anything.
    ///
    /// # Errors
    /// The index of the first value that no element can be equal to, and why.
    pub fn elements(path: Path, values: &[Value]) -> Result<Self, (usize, OperandError)> {
        let comparison = |(index, value): (usize, &Value)| match value {
            Value::Null => Ok(None),
            Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Object(_) => Comparison::new(Operator::Equals, value, Measure::Plain)
                .map(Some)
                .map_err(|error| (index, error)),
        };
        let comparisons = values.iter().enumerate().map(comparison).collect::<Result<_, _>>()?;
        Ok(Self::Elements { path, comparisons })
    }

    /// Whether `subject` is as this predicate wants it.
    #[must_use]
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::Compare { path, comparison } => compares(path, comparison, subject.value),
            Self::Lifecycle { field, comparison } => comparison.holds(field.of(subject)),
            Self::All(all) => all.iter().all(|it| it.matches(subject)),
            Self::Any(any) => any.iter().any(|it| it.matches(subject)),
            Self::Elements { path, comparisons } => {
                comparisons.iter().all(Option::is_none)
                    || path.any(subject.value, &mut |value| is_list_of(comparisons, value))
            }
        }
    }
}

fn compares(path: &Path, comparison: &Comparison, document: &Value) -> bool {
    let mut is_absent = true;
    let is_found = path.any(document, &mut |value| {
        is_absent = false;
        comparison.matches(value)
    });
    // Of many values none is nothing to speak of; the one value of a plain path is then null.
    is_found || is_absent && path.is_plain() && comparison.holds(Leaf::Null)
}

fn is_list_of(comparisons: &[Option<Comparison>], value: &Value) -> bool {
    comparisons.iter().enumerate().all(|(index, comparison)| match comparison {
        Some(comparison) => value.element(index).is_some_and(|it| comparison.matches(it)),
        None => true,
    })
}
