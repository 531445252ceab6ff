//! How a request can fail.

use std::time::Duration;

use waypost_kernel::{Key, Rejection, RejectionCode, StoreError};

/// Why a request was not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Refused, with a reason.
    #[error("{}: {}", .0.code, .0.detail)]
    Rejected(Rejection),
    /// Another running instance has the same business key.
    #[error("DUPLICATE_BIZ_KEY: {} runs under the same business key", .existing.id)]
    Duplicate {
        /// The one that runs.
        existing: Key,
    },
    /// A definition breaks rules: each place with what is wrong there.
    #[error("DEFINITION_INVALID: {}", .violations.iter().map(|(place, problem)| format!("{place} {problem}")).collect::<Vec<_>>().join("; "))]
    Invalid {
        /// Place and problem.
        violations: Vec<(String, String)>,
    },
    /// What was asked for has been overtaken by something else. Nothing is to be done.
    #[error("overtaken by another change")]
    Overtaken,
    /// Lost too many races for the instance.
    #[error("the instance is too busy: lost {attempts} races")]
    Contended {
        /// How many.
        attempts: u32,
    },
    /// More is going on than the engine takes.
    #[error("too many requests: {what}")]
    Overloaded {
        /// What is full.
        what: &'static str,
    },
    /// The store could not do it.
    #[error(transparent)]
    Store(StoreError),
    /// A broken invariant. Nothing was committed.
    #[error("defect: {0}")]
    Defect(String),
}

impl Error {
    /// A refusal for the reason `code`.
    pub(crate) fn rejected(code: RejectionCode, detail: impl Into<String>) -> Self {
        Self::Rejected(Rejection::new(code, detail))
    }

    /// When asking again may help, if it may.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Overloaded { .. } | Self::Contended { .. } => Some(Duration::from_secs(1)),
            Self::Store(StoreError::Busy) => Some(Duration::from_secs(1)),
            Self::Store(StoreError::Unavailable(_) | StoreError::Unknown(_)) => {
                Some(Duration::from_secs(2))
            }
            Self::Store(StoreError::Conflict(_) | StoreError::Corrupt(_))
            | Self::Rejected(_)
            | Self::Duplicate { .. }
            | Self::Invalid { .. }
            | Self::Overtaken
            | Self::Defect(_) => None,
        }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
