//! Criteria: conditions over an entity, some of which only a program outside can judge.

mod error;
mod parse;

use waypost_documents::{
    document::Value,
    predicate::{Predicate, Subject},
};

pub use self::error::{CriterionError, Mistake};

/// What the limits of criteria are, and why.
pub mod limits {
    /// How deep conditions may lie inside of groups; the outermost one lies at zero. Nobody reads
    /// deeper ones, and judging them needs a stack.
    pub const DEPTH_MAX: usize = 50;

    /// How many conditions a criterion may have, the values of lists included. All of them may be
    /// looked at for every entity.
    pub const CONDITIONS_MAX: usize = 10_000;

    /// How many regular expressions a criterion may have, since each may take some mebibytes. One
    /// can hold many alternatives.
    pub const PATTERNS_MAX: usize = 20;

    /// How many shapes for `LIKE` a criterion may have, and pieces of text that are looked for
    /// whatever their case. Each may be looked for in all of a document, and take some kibibytes.
    pub const SHAPES_MAX: usize = 1_000;
}

/// A condition that decides which workflow an entity gets, whether a transition may be taken, or
/// what a search finds.
#[derive(Clone, Debug)]
pub enum Criterion {
    /// What can be judged here.
    Predicate(Predicate),
    /// What somebody outside must judge.
    Function(Function),
    /// All of them hold; so do none at all.
    All(Vec<Self>),
    /// One of them holds.
    Any(Vec<Self>),
}

/// A question to a program outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What the program calls it.
    pub name: String,
    /// The program must have all of these tags.
    pub tags: Vec<String>,
    /// Whether the entity is sent along.
    pub attach_entity: bool,
    /// How long an answer may take, if that is said.
    pub timeout_ms: Option<u64>,
    /// What is done if there is no answer. Empty if nothing is said.
    pub retry_policy: String,
    /// Sent along as it is.
    pub context: String,
}

impl Criterion {
    /// Reads a criterion as conditions are written.
    ///
    /// # Errors
    /// The first mistake and its place.
    pub fn parse(condition: &Value) -> Result<Self, CriterionError> {
        parse::parse(condition)
    }

    /// Whether the criterion holds. Conditions are judged in their order, and only as far as they
    /// matter: a cheap one in front may spare the question behind it.
    ///
    /// # Errors
    /// What `ask` failed with.
    pub fn evaluate<E>(
        &self,
        subject: &Subject<'_>,
        ask: &mut dyn FnMut(&Function) -> Result<bool, E>,
    ) -> Result<bool, E> {
        match self {
            Self::Predicate(predicate) => Ok(predicate.matches(subject)),
            Self::Function(function) => ask(function),
            Self::All(all) => {
                for criterion in all {
                    if !criterion.evaluate(subject, ask)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(any) => {
                for criterion in any {
                    if criterion.evaluate(subject, ask)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// The criterion as a predicate; none if somebody outside must be asked.
    #[must_use]
    pub fn predicate(&self) -> Option<Predicate> {
        let each = |all: &[Self]| all.iter().map(Self::predicate).collect::<Option<Vec<_>>>();
        match self {
            Self::Predicate(predicate) => Some(predicate.clone()),
            Self::Function(_) => None,
            Self::All(all) => each(all).map(Predicate::All),
            Self::Any(any) => each(any).map(Predicate::Any),
        }
    }
}
