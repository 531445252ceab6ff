//! A store in trouble: it does what the one behind it does, except for commits it is told to refuse.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use waypost_kernel::{
    Change, Claim, ClaimId, Commit, Cursor, Definition, DefinitionQuery, EventRecord, Figures, Key,
    Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId, Scope, Sift, Store,
    StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version, Write,
};

type Refuses = Box<dyn Fn(&Commit) -> bool + Send>;

/// A store that refuses some commits, and has done nothing about them then.
pub struct Refusing {
    store: Arc<dyn Store>,
    refuses: Mutex<Refuses>,
}

impl Refusing {
    /// A store that refuses nothing yet.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, refuses: Mutex::new(Box::new(|_| false)) }
    }

    /// Refuses those commits, and no others, from now on.
    pub fn refuse(&self, refuses: impl Fn(&Commit) -> bool + Send + 'static) {
        *self.refuses.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(refuses);
    }
}

#[async_trait]
impl Records for Refusing {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        self.store.load(keys).await
    }

    async fn replace(&self, write: Write, events: EventRecord) -> Result<Receipt, StoreError> {
        self.store.replace(write, events).await
    }

    async fn history(
        &self,
        key: &Key,
        after: Version,
        limit: u32,
    ) -> Result<Vec<EventRecord>, StoreError> {
        self.store.history(key, after, limit).await
    }

    async fn head(&self, scope: &Scope) -> Result<Cursor, StoreError> {
        self.store.head(scope).await
    }

    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        self.store.watch(scope, cursor, limit, wait).await
    }
}

#[async_trait]
impl Store for Refusing {
    fn now(&self) -> Timestamp {
        self.store.now()
    }

    async fn instant(&self) -> Result<Timestamp, StoreError> {
        self.store.instant().await
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        let is_refused = self.refuses.lock().unwrap_or_else(PoisonError::into_inner)(&commit);
        match is_refused {
            true => Err(StoreError::Unavailable("refused".to_owned())),
            false => self.store.commit(commit).await,
        }
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        self.store.claim(claim).await
    }

    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
        self.store.tasks(keys).await
    }

    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        self.store.definitions(query).await
    }

    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError> {
        self.store.count_definitions(query).await
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError> {
        self.store.due(now, limit).await
    }

    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError> {
        self.store.lapsed(now, limit).await
    }

    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError> {
        self.store.outbox(token, lease, limit).await
    }

    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        self.store.search(query).await
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        self.store.count(query).await
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        self.store.sift(sift).await
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        self.store.tally(query).await
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.store.past(keys, at).await
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        self.store.versions(key, before, limit).await
    }

    async fn settle(&self, at: Timestamp) -> Result<(), StoreError> {
        self.store.settle(at).await
    }

    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError> {
        self.store.receipt(tenant, request).await
    }

    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError> {
        self.store.forget(before, limit).await
    }

    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError> {
        self.store.queues(tenant, limit).await
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        self.store.figures().await
    }

    fn listen(&self, listener: Listener) {
        self.store.listen(listener);
    }
}
