//! How a SQL store gathers commits.

/// Whether commits that wait at the same time share a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Everything that waits lands together, and is synced once.
    #[default]
    Grouped,
    /// Each lands alone. Slow; for comparison.
    OneByOne,
}
