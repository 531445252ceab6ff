//! What has happened so far, in numbers, for whoever measures.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often what has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// A write found that somebody else had been faster.
    pub conflicts: u64,
    /// A change was given up because of that.
    pub exhausted: u64,
    /// An entity was found in a phase that is not in the table, each counted once.
    pub drifted: u64,
    /// A stored value could not be read and was passed over.
    pub skipped: u64,
    /// A watch that feeds an index broke and was begun again.
    pub watches_restarted: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) conflicts: AtomicU64,
    pub(crate) exhausted: AtomicU64,
    pub(crate) drifted: AtomicU64,
    pub(crate) skipped: AtomicU64,
    pub(crate) watches_restarted: AtomicU64,
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(crate) fn figures(&self) -> Figures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            conflicts: read(&self.conflicts),
            exhausted: read(&self.exhausted),
            drifted: read(&self.drifted),
            skipped: read(&self.skipped),
            watches_restarted: read(&self.watches_restarted),
        }
    }
}
