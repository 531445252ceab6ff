//! Connections that only read. They see everything that was answered before they are asked.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use rusqlite::Connection;
use waypost_kernel::StoreError;

use super::fault::fault;

/// A few connections, each used by one reader at a time.
pub(super) struct Readers {
    connections: Vec<Mutex<Option<Connection>>>,
    next: AtomicUsize,
}

impl Readers {
    pub(super) fn new(connections: Vec<Connection>) -> Self {
        let connections = connections.into_iter().map(|it| Mutex::new(Some(it))).collect();
        Self { connections, next: AtomicUsize::new(0) }
    }

    /// Reads with a connection that is free, or waits for one.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let closed = || StoreError::Unavailable("the store is closed".to_owned());
        let guard = self.pick().ok_or_else(closed)?;
        let connection = guard.as_ref().ok_or_else(closed)?;
        read(connection).map_err(fault)
    }

    fn pick(&self) -> Option<MutexGuard<'_, Option<Connection>>> {
        if let Some(free) = self.connections.iter().find_map(|it| it.try_lock().ok()) {
            return Some(free);
        }
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.connections.len().max(1);
        let connection = self.connections.get(turn)?;
        Some(connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Closes all of them, once those who read have finished.
    pub(super) fn close(&self) {
        for connection in &self.connections {
            connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}
