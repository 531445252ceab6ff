//! How a request can fail.

use waypost_api::Problem;

/// Why a request was not carried out, or why nobody knows whether it was.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server says no, and why.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// The server cannot be reached. Nothing has happened.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The request went out and no answer came back: it may or may not have been carried out.
    #[error("{url} did not answer: {reason}")]
    Interrupted {
        /// Where it is.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// What answers there is not a Waypost server, or not one of this version.
    #[error("{url} answered with {status}, which is not understood: {detail}")]
    Unexpected {
        /// Where it is.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What is not understood.
        detail: String,
    },
    /// The address of the server is not one.
    #[error("{url:?} is not an address of a server such as http://127.0.0.1:8080: {reason}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What a client signs in with cannot be sent.
    #[error("the bearer token cannot be sent: {reason}")]
    Authorization {
        /// What is wrong with it.
        reason: String,
    },
    /// Two functions were given for one step.
    #[error("{workflow_type}/{step_type} has two functions")]
    StepTwice {
        /// The definition's name.
        workflow_type: String,
        /// The step.
        step_type: String,
    },
    /// Two functions were given for one type of job.
    #[error("{job_type} has two functions")]
    JobTwice {
        /// The type of job.
        job_type: String,
    },
    /// Two functions of a compute node have one name.
    #[error("{name} has two functions")]
    NameTwice {
        /// The name.
        name: String,
    },
}

impl Error {
    /// The stable code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.problem().map(|it| it.code.as_str())
    }

    /// What the server says about a refusal.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            Self::Unreachable { .. }
            | Self::Interrupted { .. }
            | Self::Unexpected { .. }
            | Self::Address { .. }
            | Self::Authorization { .. }
            | Self::StepTwice { .. }
            | Self::JobTwice { .. }
            | Self::NameTwice { .. } => None,
        }
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused(problem) => problem.retryable,
            Self::Unreachable { .. } | Self::Interrupted { .. } => true,
            Self::Unexpected { status, .. } => *status >= 500,
            Self::Address { .. }
            | Self::Authorization { .. }
            | Self::StepTwice { .. }
            | Self::JobTwice { .. }
            | Self::NameTwice { .. } => false,
        }
    }
}
