//! What has happened so far, in numbers, for whoever measures.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often what has happened since the start.
///
/// ```
/// use waypost_lifecycle::{Buckets as _, Figures, Manager, MemoryBuckets};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let buckets = MemoryBuckets::new();
/// let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
/// let lamps = manager.register::<Lamp>().await?;
/// lamps.create(&lamp("l-1")).await?;
/// assert_eq!(manager.figures(), Figures::default());
/// buckets.bucket("LAMPS").ok_or("it was made")?.inject_conflicts(2);
/// lamps.update("l-1", |_| Ok(())).await?;
/// assert_eq!(manager.figures().conflicts, 2);
/// # Ok(())
/// # }
/// ```
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
    /// A watch was not shown writes, because the bucket had forgotten them by then.
    pub watch_gaps: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) conflicts: AtomicU64,
    pub(crate) exhausted: AtomicU64,
    pub(crate) drifted: AtomicU64,
    pub(crate) skipped: AtomicU64,
    pub(crate) watches_restarted: AtomicU64,
    pub(crate) watch_gaps: AtomicU64,
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
            watch_gaps: read(&self.watch_gaps),
        }
    }
}
