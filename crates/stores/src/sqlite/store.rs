//! The store itself: what writes goes to the writer, what reads is read.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::Connection;
use waypost_kernel::{
    Change, Claim, ClaimId, Clock, Commit, Cursor, Definition, DefinitionQuery, EventRecord,
    Figures, Key, Listener, MessageChange, Posted, Query, QueueFigures, Receipt, Record, Records,
    RequestId, Scope, Sift, Store, StoreError, Tally, TallyQuery, Task, Tenant, Timer, TimerChange,
    Timestamp, Urgency, Version, Write,
};

use super::{
    SqliteMigrations, SqliteOptions,
    checkpoint::Checkpoints,
    figures,
    open::{self, Claimed, Durability},
    operation::{Answer, Forget, Operation, Submission, Take, Ticket},
    queue::Queue,
    read,
    readers::Readers,
    schema, search,
    shared::Shared,
    sift,
    temporary::TemporaryDirectory,
    watch, writer,
};
use crate::{Grouping, hint::hints};

/// What an operation weighs beside its texts.
const OPERATION_BYTES: usize = 512;

/// A store in one SQLite file. Dropping it writes what waits, as [`SqliteStore::close`] does.
pub struct SqliteStore {
    path: PathBuf,
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// For single instances: short reads, on the thread that asks.
    points: Readers,
    /// For lists, on threads that may block.
    lists: Arc<Readers>,
    // Let go in this order: the file is given up before its directory disappears.
    _claimed: Claimed,
    _directory: Option<TemporaryDirectory>,
}

impl SqliteStore {
    /// Opens the database at `path`, which is created if it does not exist. Leases and due times
    /// are judged by `clock`.
    ///
    /// # Errors
    /// When the file cannot be used; the text says what to do.
    pub fn open(
        path: &Path,
        options: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        Self::assemble(path.to_owned(), None, options, clock)
    }

    /// A store in a file of its own that is removed when the store is dropped, and never synced.
    ///
    /// # Errors
    /// When there is no place for temporary files.
    pub fn temporary(options: SqliteOptions, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let directory = TemporaryDirectory::new().map_err(|error| {
            StoreError::Unavailable(format!("no directory for temporary files: {error}"))
        })?;
        let path = directory.path().join("waypost.db");
        Self::assemble(path, Some(directory), options, clock)
    }

    /// Which schema changes the database at `path` has. Changes nothing, and works while another
    /// program has the store open.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn migrations(path: &Path) -> Result<SqliteMigrations, StoreError> {
        if !path.exists() {
            return Ok(schema::status_of_nothing());
        }
        schema::status(&open::reader(path)?)
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the store has stopped for good, if it has: what it wrote last may not be stored.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.shared.failure().map(str::to_owned)
    }

    /// Writes what waits, folds the log into the database and closes it. Nothing works afterwards.
    ///
    /// # Errors
    /// When the store has failed before.
    pub async fn close(&self) -> Result<(), StoreError> {
        if let Some(writer) = self.hang_up() {
            let joined = tokio::task::spawn_blocking(move || writer.join()).await;
            drop(joined);
        }
        self.shared.ensure_works()
    }

    fn assemble(
        path: PathBuf,
        directory: Option<TemporaryDirectory>,
        options: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let claimed = open::claim_file(&path)?;
        // What goes away with its directory need not outlive a power cut.
        let durability =
            if directory.is_some() { Durability::Fleeting } else { Durability::Synced };
        let connection = open::writer(&path, durability, clock.now())?;
        let no_thread = |error| StoreError::Unavailable(format!("no thread to write: {error}"));
        let checkpoints = open::checkpointer(&path, durability)?;
        let checkpoints = Checkpoints::start(checkpoints).map_err(no_thread)?;
        let readers = || {
            let connections: Result<Vec<Connection>, StoreError> =
                (0..options.readers.max(1)).map(|_| open::reader(&path)).collect();
            connections.map(Readers::new)
        };
        let (points, lists) = (readers()?, Arc::new(readers()?));
        let queue = Queue::new(options.queue_max, options.queue_bytes_max);
        let shared = Arc::new(Shared::new(clock, queue));
        let group_max = match options.grouping {
            Grouping::Grouped => options.group_max,
            Grouping::OneByOne => 1,
        };
        let writers = Arc::clone(&shared);
        let writer = thread::Builder::new()
            .name("waypost-writer".to_owned())
            .spawn(move || writer::run(connection, checkpoints, &writers, group_max))
            .map_err(no_thread)?;
        let writer = Mutex::new(Some(writer));
        Ok(Self { path, shared, writer, points, lists, _claimed: claimed, _directory: directory })
    }

    /// Takes no more operations, and gives the thread that is still writing those that wait.
    ///
    /// Readers go first: the last connection to close, the writer's, removes the log.
    fn hang_up(&self) -> Option<JoinHandle<()>> {
        self.points.close();
        self.lists.close();
        self.shared.queue.close();
        self.shared.watchers.dismiss();
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Hands an operation to the writer.
    fn submit(
        &self,
        operation: Operation,
        bytes: usize,
        urgency: Urgency,
    ) -> Result<(), StoreError> {
        self.shared.ensure_works()?;
        self.shared.queue.push(operation, OPERATION_BYTES + bytes, urgency)
    }

    /// Reads a few rows, here and now: a hop to another thread would cost more than the read.
    fn point<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.shared.ensure_works()?;
        self.points.read(read)
    }

    /// Reads many rows, on a thread that may block.
    async fn list<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.shared.ensure_works()?;
        let lists = Arc::clone(&self.lists);
        tokio::task::spawn_blocking(move || lists.read(read))
            .await
            .unwrap_or_else(|error| Err(StoreError::Unavailable(error.to_string())))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        let Some(writer) = self.hang_up() else { return };
        // A listener may hold the last reference; the writer cannot wait for itself.
        if writer.thread().id() != thread::current().id() {
            drop(writer.join());
        }
    }
}

/// Waits for the writer's answer. No answer means that it stopped in the middle.
async fn answer<A>(answer: Answer<A>) -> Result<A, StoreError> {
    let gone = || StoreError::Unknown("the writer has stopped".to_owned());
    answer.await.unwrap_or_else(|_| Err(gone()))
}

/// About how much memory a commit takes while it waits.
fn weight(commit: &Commit) -> usize {
    let writes = commit.writes.iter().map(|it| it.state.as_str().len());
    let terms = commit.writes.iter().filter_map(|it| it.terms.as_ref()).flatten();
    let terms = terms.map(|it| it.path.len() + it.key.len());
    let events = commit.events.iter().map(|it| it.events.as_str().len());
    let definitions = commit.definitions.iter().map(|it| it.body.as_str().len());
    let timers = commit.timers.iter().map(|it| match it {
        TimerChange::Arm(timer) => timer.command.as_str().len(),
        TimerChange::Disarm(_) => 0,
    });
    let messages = commit.messages.iter().map(|it| match it {
        MessageChange::Send { message, .. } => message.payload.as_str().len(),
        MessageChange::Settle { .. } => 0,
    });
    writes.chain(terms).chain(events).chain(definitions).chain(timers).chain(messages).sum()
}

#[async_trait]
impl Records for SqliteStore {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        self.point(|connection| read::load(connection, keys))
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
        self.point(|connection| read::history(connection, key, after, limit))
    }

    async fn head(&self, _: &Scope) -> Result<Cursor, StoreError> {
        self.list(watch::head).await
    }

    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        let look = || {
            let (scope, cursor) = (scope.clone(), cursor.clone());
            self.list(move |connection| watch::changes(connection, &scope, &cursor, limit))
        };
        if wait.is_zero() || limit == 0 {
            return look().await;
        }
        let watching = self.shared.watchers.watch(scope);
        let until_seen = async {
            loop {
                let next = watching.next();
                let changes = look().await?;
                if !changes.is_empty() {
                    return Ok(changes);
                }
                next.await;
            }
        };
        tokio::time::timeout(wait, until_seen).await.unwrap_or_else(|_| Ok(Vec::new()))
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    async fn instant(&self) -> Result<Timestamp, StoreError> {
        Ok(self.now().max(self.point(read::landed_at)?))
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        let (bytes, urgency) = (weight(&commit), commit.urgency);
        let (ticket, receiver) = Ticket::new(Submission { hints: hints(&commit), commit });
        self.submit(Operation::Commit(ticket), bytes, urgency)?;
        answer(receiver).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        let (ticket, receiver) = Ticket::new(claim);
        self.submit(Operation::Claim(ticket), 0, Urgency::Finish)?;
        answer(receiver).await
    }

    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
        self.point(|connection| read::tasks(connection, keys))
    }

    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        // Every start asks for one by its name.
        if query.name.is_some() && query.limit == 1 {
            return self.point(|connection| read::definitions(connection, query));
        }
        let query = query.clone();
        self.list(move |connection| read::definitions(connection, &query)).await
    }

    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError> {
        let query = query.clone();
        self.list(move |connection| read::count_definitions(connection, &query)).await
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError> {
        self.list(move |connection| read::due(connection, now, limit)).await
    }

    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError> {
        self.list(move |connection| read::lapsed(connection, now, limit)).await
    }

    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError> {
        let (ticket, receiver) = Ticket::new(Take { token, lease, limit });
        self.submit(Operation::Post(ticket), 0, Urgency::Finish)?;
        answer(receiver).await
    }

    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        let query = query.clone();
        self.list(move |connection| search::search(connection, &query)).await
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        let query = query.clone();
        self.list(move |connection| search::count(connection, &query)).await
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        let sift = sift.clone();
        self.list(move |connection| sift::sift(connection, &sift)).await
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        let query = query.clone();
        self.list(move |connection| sift::tally(connection, &query)).await
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.point(|connection| sift::past(connection, keys, at))
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        self.point(|connection| sift::versions(connection, key, before, limit))
    }

    async fn settle(&self, at: Timestamp) -> Result<(), StoreError> {
        // Times go up with the order of writing: once a later one is written, so is all before.
        if self.shared.is_settled(at) {
            return self.shared.ensure_works();
        }
        let (ticket, receiver) = Ticket::new(at);
        self.submit(Operation::Settle(ticket), 0, Urgency::Finish)?;
        answer(receiver).await
    }

    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError> {
        self.point(|connection| read::receipt(connection, tenant, request))
    }

    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError> {
        let (ticket, receiver) = Ticket::new(Forget { before, limit });
        self.submit(Operation::Forget(ticket), 0, Urgency::Finish)?;
        answer(receiver).await
    }

    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError> {
        let (tenant, now) = (tenant.clone(), self.now());
        self.list(move |connection| figures::queues(connection, &tenant, (now, limit))).await
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        let now = self.now();
        let mut figures = self.list(move |connection| figures::figures(connection, now)).await?;
        self.shared.tally.fill(&mut figures);
        Ok(figures)
    }

    fn listen(&self, listener: Listener) {
        self.shared.listeners.add(listener);
    }
}
