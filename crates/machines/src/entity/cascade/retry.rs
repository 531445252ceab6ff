//! How often a member is asked, and how long apart. The engine does the asking.

use std::time::Duration;

use super::Cause;

/// What to do when a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Nothing: one attempt.
    Once,
    /// To ask again, always as long apart.
    Fixed,
}

/// How [`Retry::Fixed`] asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Attempts after the first.
    pub further_max: u32,
    /// How long to wait between two attempts.
    pub apart: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { further_max: 3, apart: Duration::from_millis(500) }
    }
}

impl Retry {
    /// The policy of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" | "NONE" => Some(Self::Once),
            "FIXED" => Some(Self::Fixed),
            _ => None,
        }
    }

    /// How long to wait before the next attempt, if there is to be one: `n_attempts` were made, the
    /// last of which failed because of `cause`.
    #[must_use]
    pub fn wait(self, n_attempts: u32, cause: Cause, pace: Pace) -> Option<Duration> {
        match self {
            Self::Once => None,
            Self::Fixed => {
                (cause.is_retryable() && n_attempts <= pace.further_max).then_some(pace.apart)
            }
        }
    }
}
