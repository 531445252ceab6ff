//! What can be chosen about a SQLite store, each with a default that is right for most.

use crate::Grouping;

/// How a SQLite store behaves.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Whether commits share a transaction.
    pub grouping: Grouping,
    /// How many operations may wait to be written. Beyond it, they are refused as busy.
    pub queue_max: usize,
    /// How many bytes they may have together.
    pub queue_bytes_max: usize,
    /// How many connections read single instances, and how many read lists.
    pub readers: usize,
    /// How many operations land together at the most.
    pub group_max: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            grouping: Grouping::Grouped,
            queue_max: 4_096,
            queue_bytes_max: 64 * 1024 * 1024,
            readers: 2,
            group_max: 256,
        }
    }
}
