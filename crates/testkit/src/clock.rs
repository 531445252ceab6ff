//! A clock that moves when it is told to.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use waypost_kernel::{Clock, Timestamp};

/// Stands still until it is moved.
pub struct SimClock(AtomicI64);

impl SimClock {
    /// A clock that shows `start`.
    #[must_use]
    pub const fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.as_micros()))
    }

    /// Moves on by `duration`.
    pub fn advance(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Default for SimClock {
    /// A morning in 2026.
    fn default() -> Self {
        Self::at(Timestamp::from_millis(1_780_000_000_000))
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}
