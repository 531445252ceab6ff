//! What a home for instances must offer, and how it can fail.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::{
    Claim, ClaimId, Commit, Definition, DefinitionQuery, DefinitionRef, EventRecord, InstanceId,
    Key, Kind, Posted, Receipt, Record, RequestId, Sift, Tally, TallyQuery, Task, TaskRef, Tenant,
    Timer, TimerRef, Timestamp, Version, Write,
};

/// A durable home for single instances. A key-value bucket can be one.
#[async_trait]
pub trait Records: Send + Sync {
    /// The instances of these keys, in the same order.
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError>;

    /// Writes one instance if it is still at the version before `write`'s.
    async fn replace(&self, write: Write, events: EventRecord) -> Result<Receipt, StoreError>;

    /// What happened to an instance after `after`, oldest first, at most `limit` commits.
    async fn history(
        &self,
        key: &Key,
        after: Version,
        limit: u32,
    ) -> Result<Vec<EventRecord>, StoreError>;

    /// The place after everything in `scope` that is committed now: watching from here shows what comes.
    async fn head(&self, scope: &Scope) -> Result<Cursor, StoreError>;

    /// The changes in `scope` after `cursor`, at most `limit`. Waits up to `wait` for the first.
    ///
    /// Each instance's changes come in order and without a gap. Every cursor handed out can be
    /// gone on from.
    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError>;
}

/// A durable home for instances and their pending work.
#[async_trait]
pub trait Store: Records {
    /// The clock that judges leases and due times.
    fn now(&self) -> Timestamp;

    /// The same, asked of the clock that commits get their times from, now: not before the time of
    /// any commit that somebody, here or on another node, was answered. Only what had to be later
    /// than another write may be ahead of it.
    async fn instant(&self) -> Result<Timestamp, StoreError> {
        // A commit without content leaves no trace, and is told its time.
        Ok(self.commit(Commit::default()).await?.at)
    }

    /// Applies all of it, durably, or nothing.
    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError>;

    /// Leases free tasks that are ready by the store's clock, longest ready first.
    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError>;

    /// The tasks of an instance, held or free.
    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError>;

    /// Deployed definitions.
    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError>;

    /// How many definitions match, on all pages together.
    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError>;

    /// Timers that are due, longest due first.
    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError>;

    /// Tasks whose lease has passed its end, longest first.
    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError>;

    /// Takes messages that wait to be sent, or whose sender disappeared, for as long as `lease`.
    /// Those that occurred first come first.
    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError>;

    /// Instances that match, newest first.
    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError>;

    /// How many instances match, on all pages together: `before`, `offset` and `limit` count for
    /// nothing.
    async fn count(&self, query: &Query) -> Result<u64, StoreError>;

    /// Instances of one definition as they are, or were at an instant, by id. A page ends early
    /// with the record that takes it to [`PAGE_BYTES_MAX`](crate::PAGE_BYTES_MAX) bytes.
    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError>;

    /// How many instances there are, or were at an instant, by definition and step.
    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError>;

    /// The instances of these keys as they were at `at`, in the same order: the version written
    /// last at that instant or before. Those that were there, but whose past was not kept, are only
    /// known as they are.
    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError>;

    /// The versions of an instance that are known, newest first, from the present one on through
    /// those that were kept: those before `before`, or all, at most `limit`. Pages end early like
    /// those of [`Self::sift`].
    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError>;

    /// Waits until nothing more can land with a time of `at` or before, so that what is read about
    /// `at` from then on is always the same. `at` is not in the future.
    async fn settle(&self, at: Timestamp) -> Result<(), StoreError>;

    /// The receipt of a request that has landed and is not forgotten.
    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError>;

    /// Forgets requests made before `before`, oldest first, at most `limit`; says how many.
    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError>;

    /// The free tasks of a tenant, queue by queue, at most `limit` queues in the order of face,
    /// queue and family.
    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError>;

    /// How much is pending, and what the store has done so far.
    async fn figures(&self) -> Result<Figures, StoreError>;

    /// Calls `listener` whenever a commit, here or on another node, may have made work or news.
    fn listen(&self, listener: Listener);
}

/// Told of [`Hint`]s. Must be quick, and must not call the store.
pub type Listener = Arc<dyn Fn(&Hint) + Send + Sync>;

/// Something may be worth a look. Hints can be lost and repeated; correctness never rests on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// There is a task, now or at `ready_at`.
    Work {
        /// Whose.
        tenant: Tenant,
        /// Of which face.
        kind: Kind,
        /// The definition's name.
        family: String,
        /// The kind of work.
        queue: String,
        /// From when on.
        ready_at: Timestamp,
    },
    /// A timer was armed.
    Timer {
        /// When it is due.
        due_at: Timestamp,
    },
    /// A message waits to be sent.
    Message,
}

/// What to watch: one instance, or all of a tenant's face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Whose.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// Only this one.
    pub instance: Option<InstanceId>,
}

/// A change that was committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What happened.
    pub record: EventRecord,
    /// Where to go on after this change.
    pub cursor: Cursor,
}

/// A place in the stream of changes: for each writer, how far it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor(pub BTreeMap<u64, u64>);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (stream, position)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{stream}:{position}")?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pair = |pair: &str| {
            let (stream, position) = pair.split_once(':')?;
            Some((stream.parse().ok()?, position.parse().ok()?))
        };
        text.split(',')
            .filter(|it| !it.is_empty())
            .map(|it| pair(it).ok_or_else(|| format!("{it:?} is not STREAM:POSITION")))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Which instances to list, newest first.
#[derive(Clone, Debug)]
pub struct Query {
    /// Whose.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// Only those that run by a definition of this name.
    pub definition: Option<String>,
    /// Only those whose definition has this version.
    pub version: Option<i32>,
    /// Only those with this status.
    pub status: Option<String>,
    /// Only those with this business key.
    pub business_key: Option<String>,
    /// Only those that wait for this event.
    pub awaits: Option<String>,
    /// Only those that are at the step of this name, alone or among others.
    pub step: Option<String>,
    /// Only those that began at this instant or later.
    pub from: Option<Timestamp>,
    /// Only those that began before this instant.
    pub until: Option<Timestamp>,
    /// Only those whose id sorts before this one: go on after the last one seen.
    pub before: Option<InstanceId>,
    /// How many to pass over.
    pub offset: u32,
    /// How many at the most.
    pub limit: u32,
}

/// Numbers for operators. Counts of pending things stop at [`Figures::COUNT_MAX`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Free tasks that are ready.
    pub tasks_ready: u64,
    /// Since when the oldest of them is ready.
    pub oldest_ready_at: Option<Timestamp>,
    /// Tasks under a lease.
    pub tasks_leased: u64,
    /// Instances that wait for an event.
    pub awaiting: u64,
    /// Timers that are due.
    pub timers_due: u64,
    /// Messages that wait to be sent.
    pub messages_pending: u64,
    /// Since when the oldest of them waits.
    pub oldest_message_at: Option<Timestamp>,
    /// Messages given up.
    pub messages_dead: u64,
    /// Commits applied since the store was opened; a claim that took something counts as one, as
    /// does taking messages or forgetting requests.
    pub commits: u64,
    /// Transactions they were grouped into, each synced once.
    pub groups: u64,
    /// Commits refused because an expectation did not hold.
    pub refused: u64,
}

impl Figures {
    /// Counting stops here: an operator needs "too many", not how many too many.
    pub const COUNT_MAX: u32 = 10_000;
}

/// The free tasks of one queue and family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueFigures {
    /// Of which face.
    pub kind: Kind,
    /// The kind of work.
    pub queue: String,
    /// The definition's name.
    pub family: String,
    /// How many are ready. Counting stops at [`Figures::COUNT_MAX`].
    pub ready: u64,
    /// Since when, or from when on, the first is ready.
    pub first_at: Timestamp,
}

/// How a store can fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// An expectation no longer holds. Nothing has changed.
    #[error("{0}")]
    Conflict(Conflict),
    /// Too much is queued. Nothing has changed.
    #[error("the store has more to do than it can; ask again")]
    Busy,
    /// The store cannot be reached or cannot write. Nothing has changed.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The commit may or may not have landed: ask again with the same request id.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
    /// What is stored cannot be read.
    #[error("stored data cannot be read: {0}")]
    Corrupt(String),
}

/// The expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The instance is at another version.
    #[error("{0} has changed meanwhile")]
    Version(Key),
    /// The lease is not held, or not any more; or the task is not open to the worker.
    #[error("the lease on task {} of {} is not held", .0.id, .0.key)]
    Lease(TaskRef),
    /// The lease has not lapsed, or is another one by now.
    #[error("the lease on task {} of {} has not lapsed", .0.id, .0.key)]
    NotLapsed(TaskRef),
    /// Somebody holds the task.
    #[error("task {} of {} is held", .0.id, .0.key)]
    Held(TaskRef),
    /// The timer is not armed, or for another time.
    #[error("timer {} of {} is not armed", .0.id, .0.key)]
    Disarmed(TimerRef),
    /// Another instance holds the unique key.
    #[error("{0} has the same unique key")]
    Unique(Key),
    /// An instance runs by the definition.
    #[error("definition {} version {} is in use", .0.name, .0.version)]
    Occupied(DefinitionRef),
    /// The definition's name and version is taken.
    #[error("definition {0} version {1} exists")]
    Definition(String, i32),
    /// The request id was used for another request.
    #[error("the request id was used for another request")]
    Request,
}
