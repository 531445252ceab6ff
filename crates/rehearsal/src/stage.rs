//! What a face must offer so that scenarios can be played with it.

use waypost_kernel::{Rejection, Timestamp};

use crate::{Action, Standing};

/// Where every rehearsal begins, unless it goes on from a real instance: 2026-01-05T09:00:00Z, a
/// Monday morning.
pub(crate) const DAWN: Timestamp = Timestamp::from_millis(1_767_603_600_000);

/// An instance, or several that follow one another, in virtual time.
pub trait Stage {
    /// The time.
    fn now(&self) -> Timestamp;

    /// When something happens next by itself.
    fn due(&self) -> Option<Timestamp>;

    /// Lets what is due next happen, at its time.
    fn happen(&mut self);

    /// Moves the clock, while nothing is due.
    fn wait(&mut self, until: Timestamp);

    /// Does something that somebody asks for.
    ///
    /// # Errors
    /// When it is refused; nothing has happened then.
    fn act(&mut self, action: &Action) -> Result<(), Refused>;

    /// Whether it is at that step, state or phase.
    fn is_at(&self, step: &str) -> bool;

    /// Where it stands, and where those stand that follow it.
    fn standings(&self) -> Vec<Standing>;

    /// Takes what was refused of what happened by itself.
    fn refused(&mut self) -> Vec<Refused>;
}

/// A refusal, as expectations name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The stable reason.
    pub code: String,
    /// The reason in words.
    pub detail: String,
}

impl Refused {
    pub(crate) fn new(code: &str, detail: impl Into<String>) -> Self {
        Self { code: code.to_owned(), detail: detail.into() }
    }

    /// What was asked of an instance of the wrong face, or of a step that is not open.
    pub(crate) fn unfit(detail: impl Into<String>) -> Self {
        Self::new("TASK_NOT_FOUND", detail)
    }
}

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Self {
        Self::new(rejection.code.as_str(), rejection.detail)
    }
}
