//! What the store and its writer both hold.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use waypost_kernel::{Clock, Figures, StoreError, Timestamp};

use super::{operation::Operation, queue::Queue, watch::Watchers};
use crate::hint::Listeners;

/// Between those who ask and the one who writes.
pub(super) struct Shared {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) queue: Queue<Operation>,
    pub(super) listeners: Listeners,
    pub(super) watchers: Watchers,
    pub(super) tally: Tally,
    /// What happened at this time or before is written, in microseconds.
    settled: AtomicI64,
    failure: OnceLock<String>,
}

/// What was done since the store was opened.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) commits: AtomicU64,
    pub(super) groups: AtomicU64,
    pub(super) refused: AtomicU64,
}

impl Tally {
    pub(super) fn fill(&self, figures: &mut Figures) {
        figures.commits = self.commits.load(Ordering::Relaxed);
        figures.groups = self.groups.load(Ordering::Relaxed);
        figures.refused = self.refused.load(Ordering::Relaxed);
    }
}

impl Shared {
    pub(super) fn new(clock: Arc<dyn Clock>, queue: Queue<Operation>) -> Self {
        Self {
            clock,
            queue,
            listeners: Listeners::default(),
            watchers: Watchers::default(),
            tally: Tally::default(),
            settled: AtomicI64::new(i64::MIN),
            failure: OnceLock::new(),
        }
    }

    /// Takes note that whatever happened at `at` or before is written.
    pub(super) fn settle(&self, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.settled.fetch_max(at.as_micros(), Ordering::Release);
        }
    }

    /// Whether nothing more can land at `at` or before.
    pub(super) fn is_settled(&self, at: Timestamp) -> bool {
        at.as_micros() <= self.settled.load(Ordering::Acquire)
    }

    /// Why the store does nothing any more, if that is so.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// From now on, nothing works. The first reason stays.
    pub(super) fn fail(&self, reason: String) {
        tracing::error!(%reason, "the store stops");
        self.failure.get_or_init(|| reason);
        self.watchers.dismiss();
    }

    /// Goes on only if nothing has failed for good.
    pub(super) fn ensure_works(&self) -> Result<(), StoreError> {
        match self.failure() {
            Some(reason) => Err(stopped(reason)),
            None => Ok(()),
        }
    }
}

pub(super) fn stopped(reason: &str) -> StoreError {
    StoreError::Unavailable(format!("{reason}; restart to go on from what is stored"))
}
