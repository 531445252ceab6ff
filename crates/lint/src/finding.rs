//! What is found, and where.

use std::{fmt, ops::Range};

use serde_json::Value;

use crate::{Code, DefinitionKind, Severity};

/// Everything that was found in one text, in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The kinds of definitions in it.
    pub kinds: Vec<DefinitionKind>,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong, or might be.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which kind of mistake it is.
    pub code: &'static Code,
    /// What is wrong here.
    pub message: String,
    /// How to mend it.
    pub help: String,
    /// Where.
    pub place: Place,
    /// What else is part of it.
    pub related: Vec<Related>,
    /// An input that shows it.
    pub example: Option<Value>,
}

/// Where something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As a JSON pointer.
    pub pointer: String,
    /// In bytes of the text.
    pub span: Range<usize>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// Another place, and what it has to do with the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What is there.
    pub message: String,
}

/// A text that nothing can be said about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Why.
    pub problem: String,
    /// Where reading stopped: line and column, from 1.
    pub at: Option<(usize, usize)>,
    /// Whether it can be read, and is no definition of any kind that is known.
    pub is_other: bool,
}

impl Report {
    /// How many findings are of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.code.severity == severity).count()
    }

    /// Whether a deployment should not go on: with errors, or with warnings where it is `strict`.
    #[must_use]
    pub fn is_refused(&self, strict: bool) -> bool {
        self.count(Severity::Error) > 0 || strict && self.count(Severity::Warning) > 0
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(out, "{line}:{column}: {}", self.problem),
            None => out.write_str(&self.problem),
        }
    }
}

impl std::error::Error for Unreadable {}
