//! The store on trial, with short words for what the cases ask of it.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{
    Change, Claim, Commit, Conflict, Cursor, EventRecord, Key, Kind, Posted, Receipt, Record,
    Scope, Sift, Store, StoreError, Tally, TallyQuery, Task, Tenant, Timestamp, Version,
};

use super::sample::TENANT;
use crate::clock::SimClock;

/// More than any case stores.
pub(super) const MANY: u32 = 100_000;

/// A store and the clock it goes by.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<SimClock>,
}

impl Subject {
    pub(super) fn now(&self) -> Timestamp {
        self.store.now()
    }

    pub(super) fn advance(&self, duration: Duration) {
        self.clock.advance(duration);
    }

    /// Commits what must land.
    pub(super) async fn land(&self, commit: Commit) -> Receipt {
        self.store.commit(commit).await.expect("every expectation holds")
    }

    /// Commits what must not land.
    pub(super) async fn refused(&self, commit: Commit) -> Conflict {
        conflict(self.store.commit(commit).await)
    }

    pub(super) async fn record(&self, key: &Key) -> Option<Record> {
        let found = self.store.load(std::slice::from_ref(key)).await.expect("loads");
        assert_eq!(found.len(), 1, "one answer for one key");
        found.into_iter().next().flatten()
    }

    pub(super) async fn version(&self, key: &Key) -> Version {
        self.record(key).await.map_or(Version::ABSENT, |it| it.version)
    }

    pub(super) async fn history(&self, key: &Key) -> Vec<EventRecord> {
        self.store.history(key, Version::ABSENT, MANY).await.expect("reads history")
    }

    pub(super) async fn claim(&self, claim: Claim) -> Vec<Task> {
        self.store.claim(claim).await.expect("claims")
    }

    /// The tasks of an instance, by name.
    pub(super) async fn tasks(&self, key: &Key) -> Vec<Task> {
        let mut tasks = self.store.tasks(std::slice::from_ref(key)).await.expect("lists tasks");
        tasks.sort_by(|a, b| a.at.cmp(&b.at));
        tasks
    }

    /// The names of the timers that are due now, in the order they come.
    pub(super) async fn due(&self) -> Vec<String> {
        let due = self.store.due(self.now(), MANY).await.expect("lists timers");
        due.into_iter().map(|it| it.at.id.as_str().to_owned()).collect()
    }

    /// The names of the tasks whose lease has lapsed, in the order they come.
    pub(super) async fn lapsed(&self) -> Vec<String> {
        names(&self.store.lapsed(self.now(), MANY).await.expect("lists leases"))
    }

    /// The ids of the instances that `sift` finds, in the order they come.
    pub(super) async fn sift(&self, sift: &Sift) -> Vec<String> {
        let found = self.store.sift(sift).await.expect("goes through instances");
        found.into_iter().map(|it| it.key.id.as_str().to_owned()).collect()
    }

    /// How many there are at each step: `name version step count`.
    pub(super) async fn tally(&self, query: &TallyQuery) -> Vec<String> {
        let line = |it: Tally| {
            format!("{} {} {} {}", it.definition.name, it.definition.version, it.step, it.count)
        };
        self.store.tally(query).await.expect("counts").into_iter().map(line).collect()
    }

    /// The instance as it was.
    pub(super) async fn past(&self, key: &Key, at: Timestamp) -> Option<Record> {
        let found = self.store.past(std::slice::from_ref(key), at).await.expect("looks back");
        assert_eq!(found.len(), 1, "one answer for one key");
        found.into_iter().next().flatten()
    }

    /// Everything known of an instance, newest first.
    pub(super) async fn versions(&self, key: &Key) -> Vec<Record> {
        self.store.versions(key, None, MANY).await.expect("looks back")
    }

    /// Takes everything there is to send.
    pub(super) async fn outbox(&self, token: &str, lease: Duration) -> Vec<Posted> {
        self.store.outbox(token.into(), lease, MANY).await.expect("takes messages")
    }

    /// Everything that is there to watch after `cursor` in the face the samples belong to.
    pub(super) async fn changes(&self, cursor: &Cursor) -> Vec<Change> {
        self.store.watch(&face(), cursor, MANY, Duration::ZERO).await.expect("watches")
    }
}

/// The conflict a store answered with.
pub(super) fn conflict<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> Conflict {
    match answer {
        Err(StoreError::Conflict(conflict)) => conflict,
        other => unreachable!("a conflict was due, not {other:?}"),
    }
}

/// The face the samples belong to.
pub(super) fn face() -> Scope {
    Scope { tenant: Tenant::from(TENANT), kind: Kind::Chain, instance: None }
}

/// The names of tasks, in the order they come.
pub(super) fn names(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|it| it.at.id.as_str().to_owned()).collect()
}

/// The names of messages, in the order they come.
pub(super) fn message_names(posted: &[Posted]) -> Vec<String> {
    posted.iter().map(|it| it.message.id.as_str().to_owned()).collect()
}
