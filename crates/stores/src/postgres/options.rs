//! What can be chosen about a PostgreSQL store, each with a default that is right for most.

use crate::Grouping;

/// How a PostgreSQL store behaves.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Whether commits share a transaction.
    pub grouping: Grouping,
    /// How many writers work side by side, each with a connection of its own.
    pub lanes: usize,
    /// How many commits may wait to be written. Beyond it, they are refused as busy.
    pub queue_max: usize,
    /// How many bytes they may have together.
    pub queue_bytes_max: usize,
    /// How many commits land together at the most.
    pub group_max: usize,
    /// How many connections read.
    pub readers: usize,
    /// How many claims run at once. More of them only get into each other's way.
    pub claimers: usize,
    /// The schema that holds the tables; the user's own if absent. Made if it is missing.
    pub schema: Option<String>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            grouping: Grouping::Grouped,
            lanes: 2,
            queue_max: 4_096,
            queue_bytes_max: 64 * 1024 * 1024,
            group_max: 256,
            readers: 4,
            claimers: 4,
            schema: None,
        }
    }
}
