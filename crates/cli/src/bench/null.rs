//! A store that checks nothing and keeps hardly anything, to see what the engine itself costs.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use waypost_engine::SystemClock;
use waypost_kernel::{
    Change, Claim, ClaimId, Clock, Commit, Cursor, Definition, DefinitionQuery, EventRecord,
    Figures, Key, Lease, Listener, Posted, Query, QueueFigures, Receipt, Record, Records,
    RequestId, Scope, Sift, Store, StoreError, Tally, TallyQuery, Task, TaskChange, Tenant, Timer,
    Timestamp, Version, Write,
};

#[derive(Default)]
pub(super) struct NullStore(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    definitions: Vec<Definition>,
    records: HashMap<Key, Record>,
    ready: VecDeque<Task>,
    commits: u64,
}

impl NullStore {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn land(&mut self, commit: Commit) -> Receipt {
        self.commits += 1;
        self.definitions.extend(commit.definitions);
        for write in commit.writes {
            let Write { key, version, facets, state, at, .. } = write;
            let (created_at, updated_at) = (at, at);
            let record =
                Record { key: key.clone(), version, facets, state, created_at, updated_at };
            self.records.insert(key, record);
        }
        for change in commit.tasks {
            if let TaskChange::Schedule(task) = change {
                self.ready.push_back(task);
            }
        }
        Receipt { key: None, version: Version::ABSENT, at: SystemClock.now(), repeated: false }
    }
}

#[async_trait]
impl Records for NullStore {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        let inside = self.inside();
        Ok(keys.iter().map(|key| inside.records.get(key).cloned()).collect())
    }

    async fn replace(&self, write: Write, events: EventRecord) -> Result<Receipt, StoreError> {
        let (writes, events) = (vec![write], vec![events]);
        self.commit(Commit { writes, events, ..Commit::default() }).await
    }

    async fn history(&self, _: &Key, _: Version, _: u32) -> Result<Vec<EventRecord>, StoreError> {
        Ok(Vec::new())
    }

    async fn head(&self, _: &Scope) -> Result<Cursor, StoreError> {
        Ok(Cursor::default())
    }

    async fn watch(
        &self,
        _: &Scope,
        _: &Cursor,
        _: u32,
        _: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Store for NullStore {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        Ok(self.inside().land(commit))
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        let until = self.now() + claim.lease;
        let mut inside = self.inside();
        let limit = (claim.limit as usize).min(inside.ready.len());
        let mut tasks: Vec<Task> = inside.ready.drain(..limit).collect();
        for task in &mut tasks {
            let (token, worker) = (claim.id.clone(), claim.worker.clone());
            task.lease = Some(Lease { token, worker, until });
        }
        Ok(tasks)
    }

    async fn tasks(&self, _: &[Key]) -> Result<Vec<Task>, StoreError> {
        Ok(Vec::new())
    }

    async fn definitions(&self, _: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        Ok(self.inside().definitions.clone())
    }

    async fn count_definitions(&self, _: &DefinitionQuery) -> Result<u64, StoreError> {
        Ok(self.inside().definitions.len() as u64)
    }

    async fn due(&self, _: Timestamp, _: u32) -> Result<Vec<Timer>, StoreError> {
        Ok(Vec::new())
    }

    async fn lapsed(&self, _: Timestamp, _: u32) -> Result<Vec<Task>, StoreError> {
        Ok(Vec::new())
    }

    async fn outbox(&self, _: ClaimId, _: Duration, _: u32) -> Result<Vec<Posted>, StoreError> {
        Ok(Vec::new())
    }

    async fn search(&self, _: &Query) -> Result<Vec<Record>, StoreError> {
        Ok(Vec::new())
    }

    async fn count(&self, _: &Query) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn sift(&self, _: &Sift) -> Result<Vec<Record>, StoreError> {
        Ok(Vec::new())
    }

    async fn tally(&self, _: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        Ok(Vec::new())
    }

    async fn past(&self, keys: &[Key], _: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.load(keys).await
    }

    async fn versions(
        &self,
        _: &Key,
        _: Option<Version>,
        _: u32,
    ) -> Result<Vec<Record>, StoreError> {
        Ok(Vec::new())
    }

    async fn settle(&self, _: Timestamp) -> Result<(), StoreError> {
        Ok(())
    }

    async fn receipt(&self, _: &Tenant, _: &RequestId) -> Result<Option<Receipt>, StoreError> {
        Ok(None)
    }

    async fn forget(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Ok(0)
    }

    async fn queues(&self, _: &Tenant, _: u32) -> Result<Vec<QueueFigures>, StoreError> {
        Ok(Vec::new())
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        let commits = self.inside().commits;
        Ok(Figures { commits, groups: commits, ..Figures::default() })
    }

    fn listen(&self, _: Listener) {}
}
