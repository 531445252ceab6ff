//! A store that is in trouble when it is told to be: everything, or searching alone.

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use waypost_kernel::{
    Change, Claim, ClaimId, Commit, Cursor, Definition, DefinitionQuery, EventRecord, Figures, Key,
    Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId, Scope, Sift, Store,
    StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version, Write,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    None,
    /// What is stored cannot be read.
    Corrupt,
    /// Nobody is there.
    Away,
    /// There is a defect.
    Panics,
    /// Searches cannot be read.
    SearchesCorrupt,
    /// So many pages of a search can be read, and no more.
    SearchesCorruptAfter(u32),
    /// Searches do not come to an end.
    SearchesHang,
    /// So many pages of a search are read, and no more.
    SearchesHangAfter(u32),
}

pub(crate) struct Troubled {
    store: Arc<dyn Store>,
    trouble: Mutex<Trouble>,
}

impl Troubled {
    pub(crate) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self { store, trouble: Mutex::new(Trouble::None) })
    }

    pub(crate) fn be(&self, trouble: Trouble) {
        *self.trouble.lock().unwrap() = trouble;
    }

    async fn meet(&self, what: &str) -> Result<(), StoreError> {
        let trouble = self.now_met(what);
        match (trouble, what) {
            (Trouble::Corrupt, _)
            | (Trouble::SearchesCorrupt | Trouble::SearchesCorruptAfter(0), "sift") => {
                Err(StoreError::Corrupt("page 7 is torn".to_owned()))
            }
            (Trouble::Away, _) => Err(StoreError::Unavailable("no way to db-7".to_owned())),
            (Trouble::Panics, _) => panic!("a defect in the store"),
            (Trouble::SearchesHang | Trouble::SearchesHangAfter(0), "sift") => pending().await,
            (
                Trouble::None
                | Trouble::SearchesCorrupt
                | Trouble::SearchesCorruptAfter(_)
                | Trouble::SearchesHang
                | Trouble::SearchesHangAfter(_),
                _,
            ) => Ok(()),
        }
    }

    /// The trouble there is; some come closer each time.
    fn now_met(&self, what: &str) -> Trouble {
        let mut trouble = self.trouble.lock().unwrap();
        let met = *trouble;
        *trouble = match (met, what) {
            (Trouble::SearchesHangAfter(0), "sift") => Trouble::SearchesHang,
            (Trouble::SearchesCorruptAfter(left), "sift") => {
                Trouble::SearchesCorruptAfter(left.saturating_sub(1))
            }
            (Trouble::SearchesHangAfter(left), "sift") => Trouble::SearchesHangAfter(left - 1),
            _ => met,
        };
        met
    }

    /// Whether a search that read some pages has come to those it will not see.
    pub(crate) fn has_hung(&self) -> bool {
        matches!(*self.trouble.lock().unwrap(), Trouble::SearchesHang)
    }
}

#[async_trait]
impl Records for Troubled {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        self.meet("read").await?;
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
        self.meet("read").await?;
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
impl Store for Troubled {
    fn now(&self) -> Timestamp {
        self.store.now()
    }

    async fn instant(&self) -> Result<Timestamp, StoreError> {
        self.store.instant().await
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        self.meet("commit").await?;
        self.store.commit(commit).await
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
        self.meet("read").await?;
        self.store.search(query).await
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        self.meet("read").await?;
        self.store.count(query).await
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        self.meet("sift").await?;
        self.store.sift(sift).await
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        self.meet("read").await?;
        self.store.tally(query).await
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.meet("read").await?;
        self.store.past(keys, at).await
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        self.meet("read").await?;
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
