//! How a document differs from its model, told with the place.

use std::fmt;

use super::{
    limits::PROBLEMS_MAX,
    types::{Type, Types},
};

/// One difference between a document and its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Names with dots between them, `[i]` for elements. Empty for the document itself.
    pub path: String,
    pub fault: Fault,
}

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A member the model does not have.
    UnexpectedField,
    /// A scalar of another type.
    Type { expected: Types, found: Type },
    /// `null` for an object or an array.
    Null { expected: Kind },
    /// Something of another kind.
    Kind { expected: Kind, found: Kind },
}

/// What a node of a document or of a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Scalar,
    Array,
    Object,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path.as_str(), &self.fault) {
            ("", fault) => write!(out, "{fault}"),
            (path, fault) => write!(out, "{path}: {fault}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedField => out.write_str("unexpected field not present in model"),
            Self::Type { expected, found } => write!(out, "expected {expected}, found {found}"),
            Self::Null { expected } => write!(out, "expected {expected}, found null"),
            Self::Kind { expected, found } => write!(out, "expected {expected}, found {found}"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Scalar => "a scalar",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// Everything that is wrong with a document, in the order of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    listed: Vec<Problem>,
    n_more: usize,
}

impl Problems {
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The first [`PROBLEMS_MAX`] of them.
    #[must_use]
    pub fn listed(&self) -> &[Problem] {
        &self.listed
    }

    /// Adds a problem. Its path is only asked for if it is listed.
    pub(super) fn add(&mut self, fault: Fault, path: impl FnOnce() -> String) {
        if self.listed.len() < PROBLEMS_MAX {
            self.listed.push(Problem { path: path(), fault });
        } else {
            self.n_more += 1;
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.listed.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(out, "{separator}{problem}")?;
        }
        if self.n_more == 0 { Ok(()) } else { write!(out, "; and {} more", self.n_more) }
    }
}
