//! What is, then everything that follows, without a gap.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{Change, Cursor, Scope, Store};

use crate::{
    error::Error,
    limits::{WATCH_BYTES_MAX, WATCH_CHANGES_MAX},
};

/// Follows the changes in a scope from a place on.
pub struct Watch {
    store: Arc<dyn Store>,
    scope: Scope,
    cursor: Cursor,
    /// How many changes to ask for: about as many as fitted the last time.
    n_asked: u32,
}

impl Watch {
    pub(crate) const fn new(store: Arc<dyn Store>, scope: Scope, cursor: Cursor) -> Self {
        Self { store, scope, cursor, n_asked: 1 }
    }

    /// The next changes; none if there are none within `wait`. Limited in number and in bytes. A
    /// watch that is dropped here and taken up again from [`Watch::cursor`] misses nothing.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, wait: Duration) -> Result<Vec<Change>, Error> {
        let n_asked = self.n_asked;
        let mut changes = self.store.watch(&self.scope, &self.cursor, n_asked, wait).await?;
        let (n_found, n_fitting) = (changes.len(), n_fitting(&changes));
        changes.truncate(n_fitting);
        let is_full = u32::try_from(n_found).is_ok_and(|it| it >= n_asked);
        self.n_asked = match (n_fitting < n_found, is_full) {
            (true, _) => u32::try_from(n_fitting).unwrap_or(1),
            (false, true) => (2 * n_asked).min(WATCH_CHANGES_MAX),
            (false, false) => n_asked,
        };
        if let Some(last) = changes.last() {
            self.cursor = last.cursor.clone();
        }
        Ok(changes)
    }

    /// Where to go on.
    #[must_use]
    pub const fn cursor(&self) -> &Cursor {
        &self.cursor
    }
}

/// How many of the changes, from the first on, are no larger than they may be together; at least
/// one, or there would be no way past it.
fn n_fitting(changes: &[Change]) -> usize {
    let sizes = changes.iter().map(|it| it.record.events.as_str().len());
    let sums = sizes.scan(0, |sum, size| {
        *sum += size;
        Some(*sum)
    });
    sums.take_while(|it| *it <= WATCH_BYTES_MAX).count().max(1)
}
