//! A writer: takes the commits that wait, lands them together, answers all of them. Several work
//! side by side, each with its own connection; the commits of one instance all go to the same one.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::Instant,
};
use waypost_kernel::{
    Commit, Conflict, Expectation, Key, MessageChange, Receipt, StoreError, TaskChange,
};

use super::{
    clock::Watch,
    dial::Dialer,
    gate::{Gate, Pass, weight},
    group::{self, Failure, Outcomes},
    notify::News,
    options::PostgresOptions,
    session::Session,
};
use crate::{Grouping, hint::hints};

/// How often a commit is tried while others are faster.
const RACES_MAX: u32 = 8;
/// How long to wait before connecting again, at first and at the most.
const BACKOFF_MIN: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(1);

/// What was done since the store was opened.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) commits: AtomicU64,
    pub(super) groups: AtomicU64,
    pub(super) refused: AtomicU64,
}

impl Tally {
    /// Counts a transaction that applied `n_applied` commits or claims.
    pub(super) fn count_group(&self, n_applied: u64) {
        self.commits.fetch_add(n_applied, Ordering::Relaxed);
        self.groups.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the writers share.
pub(super) struct Shared {
    pub(super) dialer: Dialer,
    pub(super) clock: Watch,
    pub(super) news: News,
    pub(super) tally: Tally,
}

/// All the writers of a node.
pub(super) struct Lanes {
    gate: Arc<Gate>,
    senders: Vec<mpsc::UnboundedSender<Item>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// What a writer is given.
enum Item {
    Land(Box<Waiting>),
    /// Take nothing more; land what waits, then stop.
    Close,
}

/// A commit and whoever waits for its outcome.
struct Waiting {
    commit: Commit,
    answer: oneshot::Sender<Result<Receipt, StoreError>>,
    _pass: Pass,
}

impl Lanes {
    pub(super) fn start(options: &PostgresOptions, shared: &Arc<Shared>) -> Self {
        let group_max = match options.grouping {
            Grouping::Grouped => options.group_max.max(1),
            Grouping::OneByOne => 1,
        };
        let start = |_| {
            let (sender, queue) = mpsc::unbounded_channel();
            let shared = Arc::clone(shared);
            let lane = Lane { shared, group_max, session: None, backoff: Backoff::default() };
            (sender, tokio::spawn(lane.run(queue)))
        };
        let (senders, tasks) = (0..options.lanes.max(1)).map(start).unzip();
        let gate = Gate::new(options.queue_max, options.queue_bytes_max);
        Self { gate, senders, tasks: Mutex::new(tasks) }
    }

    /// Hands a commit to its writer and waits for the outcome.
    pub(super) async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        let pass = self.gate.enter(weight(&commit), commit.urgency)?;
        let (answer, outcome) = oneshot::channel();
        let index = place(&commit, self.senders.len());
        let waiting = Box::new(Waiting { commit, answer, _pass: pass });
        let sender = self.senders.get(index).ok_or_else(closed)?;
        sender.send(Item::Land(waiting)).map_err(|_| closed())?;
        outcome.await.unwrap_or_else(|_| {
            Err(StoreError::Unknown("the store was closed during the commit".to_owned()))
        })
    }

    /// Lands what waits, then stops.
    pub(super) async fn close(&self) {
        for sender in &self.senders {
            // One that is gone is closed already.
            drop(sender.send(Item::Close));
        }
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a writer failed");
            }
        }
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".to_owned())
}

/// Which of `n_lanes` lands a commit.
fn place(commit: &Commit, n_lanes: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    first_key(commit).hash(&mut hasher);
    let n_lanes = u64::try_from(n_lanes).unwrap_or(1).max(1);
    usize::try_from(hasher.finish() % n_lanes).unwrap_or(0)
}

fn first_key(commit: &Commit) -> Option<&Key> {
    let expected = commit.expect.iter().find_map(|it| match it {
        Expectation::Version { key, .. } => Some(key),
        Expectation::Lease { task, .. }
        | Expectation::Lapsed { task, .. }
        | Expectation::Free { task }
        | Expectation::Open { task, .. } => Some(&task.key),
        Expectation::Armed { timer, .. } => Some(&timer.key),
        Expectation::Vacant { .. } => None,
    });
    let changed = || match commit.tasks.first()? {
        TaskChange::Schedule(task) => Some(&task.at.key),
        TaskChange::Withdraw(at) | TaskChange::Release(at) => Some(&at.key),
        TaskChange::Extend { task, .. } => Some(&task.key),
    };
    let messaged = || match commit.messages.first()? {
        MessageChange::Send { key, .. } => Some(key),
        MessageChange::Settle { message, .. } => Some(&message.key),
    };
    let written = commit.writes.first().map(|it| &it.key).or(commit.erased.first());
    written.or(expected).or_else(changed).or_else(messaged)
}

/// One writer.
struct Lane {
    shared: Arc<Shared>,
    group_max: usize,
    session: Option<Session>,
    backoff: Backoff,
}

impl Lane {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Item>) {
        let mut items = Vec::with_capacity(self.group_max);
        while queue.recv_many(&mut items, self.group_max).await > 0 {
            let mut group = Vec::with_capacity(items.len());
            for item in items.drain(..) {
                match item {
                    Item::Land(waiting) => group.push(*waiting),
                    Item::Close => queue.close(),
                }
            }
            for part in apart(group) {
                self.land(part).await;
            }
        }
        if let Some(session) = self.session.take() {
            session.close().await;
        }
    }

    /// Lands all of them together, or each alone if together does not work.
    async fn land(&mut self, group: Vec<Waiting>) {
        match self.land_together(&group).await {
            Ok(outcomes) => self.tell(group, outcomes),
            Err(Failure::Lost(error) | Failure::Unknown(error)) => {
                let receipts = group.iter().map(|_| Err(error.clone())).collect();
                self.tell(group, Outcomes { receipts, released: Vec::new() });
            }
            Err(Failure::Race | Failure::Refused(_)) => {
                for waiting in group {
                    let outcomes = self.land_alone(&waiting.commit).await.unwrap_or_else(|error| {
                        Outcomes { receipts: vec![Err(error)], released: Vec::new() }
                    });
                    self.tell(vec![waiting], outcomes);
                }
            }
        }
    }

    async fn land_together(&mut self, group: &[Waiting]) -> Result<Outcomes, Failure> {
        let commits: Vec<&Commit> = group.iter().map(|it| &it.commit).collect();
        match self.attempt(&commits).await {
            // Nothing has changed, and a connection that broke while it was idle is no reason to
            // fail.
            Err(Failure::Lost(_)) => self.attempt(&commits).await,
            outcome => outcome,
        }
    }

    /// A commit that others are faster than is judged again: then it is refused, or it is not.
    async fn land_alone(&mut self, commit: &Commit) -> Result<Outcomes, StoreError> {
        for _ in 0..RACES_MAX {
            match self.attempt(&[commit]).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(Failure::Race) => tokio::task::yield_now().await,
                Err(Failure::Lost(error) | Failure::Refused(error) | Failure::Unknown(error)) => {
                    return Err(error);
                }
            }
        }
        // Whoever was faster has most likely changed what this one writes.
        let overtaken = commit.writes.first().map(|it| Conflict::Version(it.key.clone()));
        Err(overtaken.map_or(StoreError::Busy, StoreError::Conflict))
    }

    /// One transaction. A connection that fails is not used again.
    async fn attempt(&mut self, commits: &[&Commit]) -> Result<Outcomes, Failure> {
        let mut session = match self.session.take().filter(|it| !it.client.is_closed()) {
            Some(session) => session,
            None => self.connect().await.map_err(Failure::Lost)?,
        };
        session.renew_plans().await.map_err(Failure::Lost)?;
        let landed = group::land(&mut session, commits, &self.shared.clock).await;
        match landed {
            Ok(_) | Err(Failure::Race | Failure::Refused(_)) => self.session = Some(session),
            Err(Failure::Lost(_) | Failure::Unknown(_)) => {}
        }
        landed
    }

    /// While the database is away, whoever asks is told at once, and it is tried now and then.
    async fn connect(&mut self) -> Result<Session, StoreError> {
        self.backoff.check()?;
        match Session::open(&self.shared.dialer).await {
            Ok((session, now)) => {
                self.backoff = Backoff::default();
                self.shared.clock.observe(now);
                Ok(session)
            }
            Err(error) => {
                tracing::warn!(%error, "a writer has no connection");
                Err(self.backoff.failed(error))
            }
        }
    }

    /// Whoever is answered can rely on the listeners having been told.
    fn tell(&self, group: Vec<Waiting>, outcomes: Outcomes) {
        let tally = &self.shared.tally;
        let (mut news, mut n_landed) = (outcomes.released, 0);
        for (waiting, outcome) in group.iter().zip(&outcomes.receipts) {
            match outcome {
                Ok(receipt) if !receipt.repeated => {
                    n_landed += 1;
                    news.extend(hints(&waiting.commit));
                }
                Err(StoreError::Conflict(_)) => {
                    tally.refused.fetch_add(1, Ordering::Relaxed);
                }
                Ok(_) | Err(_) => {}
            }
        }
        if n_landed > 0 {
            tally.count_group(n_landed);
            self.shared.news.tell(&news);
        }
        for (waiting, outcome) in group.into_iter().zip(outcomes.receipts) {
            // Whoever asked may have gone away; the commit has landed all the same.
            drop(waiting.answer.send(outcome));
        }
    }
}

/// Whether a definition is in use cannot be told before the commits that come first have landed, so
/// whoever expects that lands alone.
fn apart(group: Vec<Waiting>) -> Vec<Vec<Waiting>> {
    let is_alone = |waiting: &Waiting| {
        waiting.commit.expect.iter().any(|it| matches!(it, Expectation::Vacant { .. }))
    };
    let (mut parts, mut is_open): (Vec<Vec<Waiting>>, bool) = (Vec::new(), false);
    for waiting in group {
        let alone = is_alone(&waiting);
        match parts.last_mut().filter(|_| is_open && !alone) {
            Some(part) => part.push(waiting),
            None => parts.push(vec![waiting]),
        }
        is_open = !alone;
    }
    parts
}

/// When to try again, and what to say until then.
#[derive(Default)]
struct Backoff {
    pause: Duration,
    failed: Option<(Instant, StoreError)>,
}

impl Backoff {
    fn check(&self) -> Result<(), StoreError> {
        match &self.failed {
            Some((at, error)) if at.elapsed() < self.pause => Err(error.clone()),
            Some(_) | None => Ok(()),
        }
    }

    fn failed(&mut self, error: StoreError) -> StoreError {
        self.pause = (self.pause * 2).clamp(BACKOFF_MIN, BACKOFF_MAX);
        self.failed = Some((Instant::now(), error.clone()));
        error
    }
}
