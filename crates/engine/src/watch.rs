//! What is, then everything that follows, without a gap.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{Change, Cursor, Scope, Store};

use crate::{error::Error, limits::SWEEP_BATCH};

/// Follows the changes in a scope from a place on.
pub struct Watch {
    store: Arc<dyn Store>,
    scope: Scope,
    cursor: Cursor,
}

impl Watch {
    pub(crate) const fn new(store: Arc<dyn Store>, scope: Scope, cursor: Cursor) -> Self {
        Self { store, scope, cursor }
    }

    /// The next changes; none if there are none within `wait`. A watch that is dropped here and
    /// taken up again from [`Watch::cursor`] misses nothing.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, wait: Duration) -> Result<Vec<Change>, Error> {
        let changes = self.store.watch(&self.scope, &self.cursor, SWEEP_BATCH, wait).await?;
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
