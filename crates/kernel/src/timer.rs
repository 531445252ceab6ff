//! Commands due later.

use crate::{Json, Key, TimerId, Timestamp};

/// Names a timer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerRef {
    /// The instance it belongs to.
    pub key: Key,
    /// Which of the instance's timers.
    pub id: TimerId,
}

/// A timer a turn wants armed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTimer {
    /// Its name within the instance. A timer of that name that is armed already is replaced.
    pub id: TimerId,
    /// Not before this.
    pub due_at: Timestamp,
    /// The command it stands for, in the face's own form.
    pub command: Json,
}

/// An armed timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// Its name.
    pub at: TimerRef,
    /// Not before this.
    pub due_at: Timestamp,
    /// The command it stands for.
    pub command: Json,
}

/// What a commit does to a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerChange {
    /// Arms it, replacing what has its name.
    Arm(Timer),
    /// Takes it away.
    Disarm(TimerRef),
}
