//! Everything in maps under one lock: the model the other stores are tested against, and a store
//! for tests and simulations. Nothing survives the process.

mod past;
mod query;
mod tables;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Notify;
use waypost_kernel::{
    Change, Claim, ClaimId, Clock, Commit, Cursor, Definition, DefinitionQuery, EventRecord,
    Figures, Key, Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId,
    Scope, Sift, Store, StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version,
    Write,
};

use self::tables::{STREAM, Tables};
use crate::{
    check::{Verdict, judge},
    hint::{Listeners, hints},
    page::room,
};

/// A store in memory, by the clock it is given.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    tables: Mutex<Tables>,
    listeners: Listeners,
    committed: Notify,
}

impl MemoryStore {
    /// An empty store that goes by `clock`.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            tables: Mutex::default(),
            listeners: Listeners::default(),
            committed: Notify::new(),
        }
    }

    fn tables(&self) -> std::sync::MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Records for MemoryStore {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        let tables = self.tables();
        Ok(keys.iter().map(|key| tables.instances.get(key).cloned()).collect())
    }

    async fn replace(&self, write: Write, events: EventRecord) -> Result<Receipt, StoreError> {
        let (writes, events) = (vec![write], vec![events]);
        self.commit(Commit { writes, events, ..Commit::default() }).await
    }

    async fn history(
        &self,
        key: &Key,
        after: Version,
        limit: u32,
    ) -> Result<Vec<EventRecord>, StoreError> {
        let tables = self.tables();
        let wanted = tables.events.values().filter(|it| it.key == *key && it.version > after);
        Ok(wanted.take(limit as usize).cloned().collect())
    }

    async fn head(&self, _: &Scope) -> Result<Cursor, StoreError> {
        Ok(Cursor([(STREAM, self.tables().position)].into()))
    }

    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        let look = async {
            loop {
                let committed = self.committed.notified();
                let changes = self.tables().changes(scope, cursor, limit);
                if !changes.is_empty() {
                    return changes;
                }
                committed.await;
            }
        };
        if wait.is_zero() {
            return Ok(self.tables().changes(scope, cursor, limit));
        }
        Ok(tokio::time::timeout(wait, look).await.unwrap_or_default())
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn instant(&self) -> Result<Timestamp, StoreError> {
        Ok(self.now())
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        let mut hints = hints(&commit);
        let receipt = {
            let mut tables = self.tables();
            // Read when nobody else can land any more: times go up with the order of landing.
            let now = self.clock.now();
            match judge(&commit, &mut *tables, now)? {
                Verdict::Repeat(receipt) => return Ok(receipt),
                Verdict::Refuse(conflict) => {
                    tables.figures.refused += 1;
                    return Err(StoreError::Conflict(conflict));
                }
                Verdict::Apply => {}
            }
            hints.extend(tables.released(&commit));
            tables.count_as_group();
            tables.apply(commit, now)?
        };
        self.committed.notify_waiters();
        self.listeners.tell(&hints);
        Ok(receipt)
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        let now = self.clock.now();
        let mut tables = self.tables();
        let claimed = tables.claim(&claim, now);
        if !claimed.is_empty() {
            tables.count_as_group();
        }
        Ok(claimed)
    }

    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
        let tables = self.tables();
        Ok(tables.tasks.values().filter(|it| keys.contains(&it.at.key)).cloned().collect())
    }

    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        let tables = self.tables();
        let found = tables.deployed(query).skip(query.offset as usize);
        Ok(found.take(query.limit as usize).cloned().collect())
    }

    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError> {
        Ok(self.tables().deployed(query).count() as u64)
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError> {
        let tables = self.tables();
        let mut due: Vec<&Timer> = tables.timers.values().filter(|it| it.due_at <= now).collect();
        due.sort_by_key(|it| it.due_at);
        Ok(due.into_iter().take(limit as usize).cloned().collect())
    }

    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError> {
        let tables = self.tables();
        let end = |it: &Task| it.lease.as_ref().map(|lease| lease.until);
        let mut lapsed: Vec<&Task> =
            tables.tasks.values().filter(|it| end(it).is_some_and(|until| until < now)).collect();
        lapsed.sort_by_key(|it| end(it));
        Ok(lapsed.into_iter().take(limit as usize).cloned().collect())
    }

    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError> {
        let now = self.clock.now();
        let mut tables = self.tables();
        let posted = tables.post(&token, now + lease, now, limit);
        if !posted.is_empty() {
            tables.count_as_group();
        }
        Ok(posted)
    }

    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        let tables = self.tables();
        let is_before = |it: &&Record| query.before.as_ref().is_none_or(|id| it.key.id < *id);
        let found = tables.matching(query).filter(is_before).skip(query.offset as usize);
        Ok(found.take(query.limit as usize).cloned().collect())
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        Ok(self.tables().matching(query).count() as u64)
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        let tables = self.tables();
        let found = tables.sifted(sift).skip(sift.offset as usize);
        let mut room = room();
        let page = found.take(sift.limit as usize).take_while(|it| room(it));
        Ok(page.cloned().collect())
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        Ok(self.tables().tally(query))
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        let tables = self.tables();
        Ok(keys.iter().map(|key| tables.past(key, at).cloned()).collect())
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        let tables = self.tables();
        let mut room = room();
        let page = tables.known(key, before).take(limit as usize).take_while(|it| room(it));
        Ok(page.cloned().collect())
    }

    async fn settle(&self, at: Timestamp) -> Result<(), StoreError> {
        // Nothing lands while the tables are locked, and what lands afterwards is later.
        self.tables().pass(at);
        Ok(())
    }

    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError> {
        Ok(self.tables().receipt(tenant, request))
    }

    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError> {
        let mut tables = self.tables();
        let n_gone = tables.forget(before, limit);
        if n_gone > 0 {
            tables.count_as_group();
        }
        Ok(n_gone)
    }

    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError> {
        let now = self.clock.now();
        Ok(self.tables().queues(tenant, now).into_iter().take(limit as usize).collect())
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        let now = self.clock.now();
        Ok(self.tables().figures(now))
    }

    fn listen(&self, listener: Listener) {
        self.listeners.add(listener);
    }
}
