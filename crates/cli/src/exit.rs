//! How a command ends when it does not succeed: one clear message, and a code scripts can rely on.

use std::{fmt, io, process::ExitCode};

use serde_json::json;
use waypost_kernel::StoreError;

/// What `--help` says about the codes.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  not found
  4  conflict: it does not fit where things stand
  5  unavailable: the server or the store cannot be reached or used";

/// The ways to fail, by their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed = 1,
    Usage = 2,
    NotFound = 3,
    Conflict = 4,
    Unavailable = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What went wrong, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// What and why.
    pub(crate) what: String,
    /// What to do.
    pub(crate) advice: Option<String>,
    /// The stable code of a refusal.
    pub(crate) code: Option<String>,
    /// Whether nobody is there to be told: the reader of our output has left.
    pub(crate) is_silent: bool,
}

impl Failure {
    pub(crate) fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), advice: None, code: None, is_silent: false }
    }

    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    pub(crate) fn coded(self, code: impl Into<String>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    /// The same for machines, in one line.
    pub(crate) fn to_json(&self) -> String {
        let Self { exit, what, advice, code, .. } = self;
        json!({ "error": what, "code": code, "advice": advice, "exit": *exit as u8 }).to_string()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(code) = &self.code {
            write!(f, " ({code})")?;
        }
        if let Some(advice) = &self.advice {
            write!(f, "\n  {advice}")?;
        }
        Ok(())
    }
}

/// Writing the output failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let is_silent = error.kind() == io::ErrorKind::BrokenPipe;
        let failure = Self::new(Exit::Failed, format!("the output cannot be written: {error}"));
        Self { is_silent, ..failure }
    }
}

/// The store's texts already say what to do.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match &error {
            StoreError::Conflict(_) => Exit::Conflict,
            StoreError::Busy
            | StoreError::Unavailable(_)
            | StoreError::Unknown(_)
            | StoreError::Corrupt(_) => Exit::Unavailable,
        };
        Self::new(exit, error.to_string())
    }
}

/// What the engine refuses inside this process.
impl From<waypost_engine::Error> for Failure {
    fn from(error: waypost_engine::Error) -> Self {
        let what = error.to_string();
        if let waypost_engine::Error::Store(error) = error {
            return error.into();
        }
        Self::new(Exit::Failed, what)
    }
}
