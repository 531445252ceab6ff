//! Whether a document may be written under a model, and what the model becomes by it.

use std::fmt;

use waypost_documents::document::Value;

use super::{
    compare::Comparison,
    infer::infer,
    problem::Problems,
    schema::{Schema, TooLarge},
    state::ChangeLevel,
};

/// Why a document may not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not follow the model, and the model has no change level.
    Invalid(Problems),
    /// It differs from the model further than the change level permits.
    Level { level: ChangeLevel, problems: Problems },
    /// It has a scalar, an array or an object where the model, or itself, has another of these. No
    /// change level permits that.
    PolymorphicSlot(Problems),
    /// The model would exceed a limit.
    TooLarge(TooLarge),
}

impl Schema {
    /// Everything about `document` that does not follow this schema. What the schema has and the
    /// document has not is no problem: a schema says what may appear, not what must.
    #[must_use]
    pub fn problems(&self, document: &Value) -> Problems {
        Comparison::of(self, document, None).problems
    }

    /// Whether `document` may be written under this schema: strictly, or extending it as far as
    /// `level` permits. Gives the schema that takes its place if it has to be extended.
    ///
    /// A schema that is extended is merged with what the document shows and nothing else, so the
    /// order in which documents are admitted does not matter.
    ///
    /// # Errors
    /// When it may not.
    pub fn admit(
        &self,
        document: &Value,
        level: Option<ChangeLevel>,
    ) -> Result<Option<Self>, Refusal> {
        let compared = Comparison::of(self, document, level);
        match (compared.problems.is_empty(), level) {
            (false, None) => Err(Refusal::Invalid(compared.problems)),
            (false, Some(_)) if compared.is_polymorphic => {
                Err(Refusal::PolymorphicSlot(compared.problems))
            }
            (false, Some(level)) => Err(Refusal::Level { level, problems: compared.problems }),
            (true, Some(level)) if compared.has_permitted => self.extended(document, level),
            (true, _) => Ok(None),
        }
    }

    fn extended(&self, document: &Value, level: ChangeLevel) -> Result<Option<Self>, Refusal> {
        let extended = self.clone().merged(infer(document)).limited().map_err(Refusal::TooLarge)?;
        // What is new to the schema can still contradict itself: an array of scalars and objects
        // would pass once, and never again.
        let compared = Comparison::of(&extended, document, Some(level));
        if compared.is_polymorphic {
            return Err(Refusal::PolymorphicSlot(compared.problems));
        }
        Ok((extended != *self).then_some(extended))
    }
}

impl From<TooLarge> for Refusal {
    fn from(too_large: TooLarge) -> Self {
        Self::TooLarge(too_large)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problems) => write!(out, "validation failed: {problems}"),
            Self::Level { level, problems } => {
                write!(out, "change level violation: {problems} (the model is at {level})")
            }
            Self::PolymorphicSlot(problems) => write!(out, "polymorphic slot: {problems}"),
            Self::TooLarge(too_large) => write!(out, "{too_large}"),
        }
    }
}

impl std::error::Error for Refusal {}
