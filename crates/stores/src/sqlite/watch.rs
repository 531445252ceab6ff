//! Reading what was committed, and waiting for what comes. Each commit wakes only those who watch
//! what it changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, Result, params};
use tokio::sync::{Notify, futures::Notified};
use waypost_kernel::{Change, Cursor, EventRecord, InstanceId, Key, Kind, Scope, Tenant};

use super::rows::{self, signed};

/// The stream number in the cursors of a store with one writer.
const STREAM: u64 = 0;

/// The changes in `scope` after `cursor`.
pub(super) fn changes(
    connection: &Connection,
    scope: &Scope,
    cursor: &Cursor,
    limit: u32,
) -> Result<Vec<Change>> {
    let after = cursor.0.get(&STREAM).copied().unwrap_or(0);
    let sql = match &scope.instance {
        Some(_) => {
            "select position, id, version, happened_at, events from events indexed by events_history
             where instance = (
                 select number from instances where tenant = ?1 and kind = ?2 and id = ?3)
               and position > ?4
             order by version limit ?5"
        }
        None => {
            "select position, id, version, happened_at, events from events indexed by events_scope
             where tenant = ?1 and kind = ?2 and ?3 is null and position > ?4
             order by position limit ?5"
        }
    };
    let instance = scope.instance.as_ref().map(InstanceId::as_str);
    connection
        .prepare_cached(sql)?
        .query_map(
            params![scope.tenant.as_str(), scope.kind.code(), instance, signed(after), limit],
            |row| {
                let record = EventRecord {
                    key: Key::new(scope.tenant.clone(), scope.kind, rows::id(row, 1)?),
                    version: rows::version(row, 2)?,
                    at: rows::timestamp(row, 3)?,
                    events: rows::json(row, 4)?,
                };
                Ok(Change { record, cursor: Cursor([(STREAM, rows::number(row, 0)?)].into()) })
            },
        )?
        .collect()
}

/// The place after the latest change.
pub(super) fn head(connection: &Connection) -> Result<Cursor> {
    connection
        .prepare_cached("select coalesce(max(position), 0) from events")?
        .query_row([], |row| Ok(Cursor([(STREAM, rows::number(row, 0)?)].into())))
}

/// What can be watched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    tenant: Tenant,
    kind: Kind,
    instance: Option<InstanceId>,
}

impl Spot {
    /// Where a change of `key` is seen.
    pub(super) fn of(key: &Key) -> [Self; 2] {
        let (tenant, kind) = (key.tenant.clone(), key.kind);
        let face = Self { tenant: tenant.clone(), kind, instance: None };
        [face, Self { tenant, kind, instance: Some(key.id.clone()) }]
    }
}

/// Everybody who waits for changes.
#[derive(Default)]
pub(super) struct Watchers(Mutex<HashMap<Spot, Arc<Notify>>>);

impl Watchers {
    pub(super) fn is_anybody_there(&self) -> bool {
        !self.spots().is_empty()
    }

    /// Wakes those who watch one of `spots`.
    pub(super) fn wake(&self, spots: &[Spot]) {
        if spots.is_empty() {
            return;
        }
        let watched = self.spots();
        spots.iter().filter_map(|spot| watched.get(spot)).for_each(|it| it.notify_waiters());
    }

    /// Wakes all, because there will be nothing more to see.
    pub(super) fn dismiss(&self) {
        self.spots().values().for_each(|it| it.notify_waiters());
    }

    /// Watches `scope` until the answer is dropped.
    pub(super) fn watch(&self, scope: &Scope) -> Watch<'_> {
        let Scope { tenant, kind, instance } = scope.clone();
        let spot = Spot { tenant, kind, instance };
        let news = Arc::clone(self.spots().entry(spot.clone()).or_default());
        Watch { watchers: self, spot, news }
    }

    fn spots(&self) -> MutexGuard<'_, HashMap<Spot, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who waits for changes of a spot.
pub(super) struct Watch<'w> {
    watchers: &'w Watchers,
    spot: Spot,
    news: Arc<Notify>,
}

impl Watch<'_> {
    /// The next change from now on. Ask before looking: what comes in between is not missed.
    pub(super) fn next(&self) -> Notified<'_> {
        self.news.notified()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut watched = self.watchers.spots();
        // One hold is the map's, one is this one's.
        if Arc::strong_count(&self.news) == 2 {
            watched.remove(&self.spot);
        }
    }
}
