//! The store: each promise of the kernel, handed to the file that keeps it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::task::JoinHandle;
use waypost_kernel::{
    Change, Claim, ClaimId, Commit, Cursor, Definition, DefinitionQuery, EventRecord, Figures, Key,
    Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId, Scope, Sift, Store,
    StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version, Write,
};

use super::{
    clock::{StoreClock, Watch},
    counter::Counter,
    dial::Dialer,
    figures,
    lane::{self, Lanes, Shared},
    lock, migrate,
    notify::{self, News},
    options::PostgresOptions,
    outbox,
    pool::Connections,
    read, search,
    session::{READING, WRITING},
    sift, watch,
};

/// A store in PostgreSQL, together with other nodes.
pub struct PostgresStore {
    shared: Arc<Shared>,
    lanes: Lanes,
    readers: Connections,
    counter: Arc<Counter>,
    notifier: JoinHandle<()>,
}

impl PostgresStore {
    /// Connects to the database at `url` and brings its tables up to date.
    ///
    /// # Errors
    /// When the database cannot be reached or written to, with what to check.
    pub async fn connect(
        url: &str,
        options: PostgresOptions,
        clock: StoreClock,
    ) -> Result<Self, StoreError> {
        let dialer = Dialer::new(url, options.schema.as_deref())?;
        let clock = Watch::new(clock);
        let (client, now) = dialer.open().await?;
        clock.observe(now);
        migrate::run(&client, options.schema.as_deref()).await?;
        let readers = Connections::new(&dialer, options.readers, READING)?;
        let claimers = Connections::new(&dialer, options.claimers, WRITING)?;
        let (news, tally) = (News::default(), lane::Tally::default());
        let shared = Arc::new(Shared { dialer, clock, news, tally });
        let lanes = Lanes::start(&options, &shared);
        let counter = Counter::new(claimers, Arc::clone(&shared), options.grouping);
        let notifier = tokio::spawn(notify::run(Arc::clone(&shared)));
        Ok(Self { shared, lanes, readers, counter, notifier })
    }

    /// Lands what waits and takes nothing more.
    pub async fn close(&self) {
        self.lanes.close().await;
        self.notifier.abort();
    }

    /// Counts a statement that is a transaction by itself.
    fn count(&self, has_changed: bool) {
        if has_changed {
            self.shared.tally.count_group(1);
        }
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.notifier.abort();
    }
}

#[async_trait]
impl Records for PostgresStore {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        read::load(&self.readers, keys).await
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
        read::history(&self.readers, key, after, limit).await
    }

    async fn head(&self, scope: &Scope) -> Result<Cursor, StoreError> {
        watch::head(&self.readers, scope).await
    }

    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        watch::watch((&self.readers, &self.shared.news), scope, cursor, limit, wait).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    async fn instant(&self) -> Result<Timestamp, StoreError> {
        read::instant(&self.readers, &self.shared.clock).await
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        self.lanes.commit(commit).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        self.counter.claim(claim).await
    }

    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
        read::tasks(&self.readers, keys).await
    }

    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        read::definitions(&self.readers, query).await
    }

    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError> {
        read::count_definitions(&self.readers, query).await
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError> {
        read::due(&self.readers, now, limit).await
    }

    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError> {
        read::lapsed(&self.readers, now, limit).await
    }

    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError> {
        let clock = &self.shared.clock;
        let posted = outbox::take(&self.counter.connections, clock, &token, lease, limit).await?;
        self.count(!posted.is_empty());
        Ok(posted)
    }

    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        search::search(&self.readers, query).await
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        search::count(&self.readers, query).await
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        sift::sift(&self.readers, sift).await
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        sift::tally(&self.readers, query).await
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        sift::past(&self.readers, keys, at).await
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        sift::versions(&self.readers, key, before, limit).await
    }

    async fn settle(&self, at: Timestamp) -> Result<(), StoreError> {
        let clock = &self.shared.clock;
        if !clock.is_settled(at) {
            clock.close(at);
            self.readers.read(&lock::settling(), &[]).await?;
            clock.pass(at);
        }
        Ok(())
    }

    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError> {
        read::receipt(&self.readers, tenant, request).await
    }

    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError> {
        let n_gone = outbox::forget(&self.counter.connections, before, limit).await?;
        self.count(n_gone > 0);
        Ok(n_gone)
    }

    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError> {
        figures::queues(&self.readers, &self.shared.clock, (tenant, limit)).await
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        figures::figures(&self.readers, &self.shared.clock, &self.shared.tally).await
    }

    fn listen(&self, listener: Listener) {
        self.shared.news.listen(listener);
    }
}
