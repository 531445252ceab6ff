//! Deciding without committing: what would come of a command, while nothing does.
//!
//! Inside of [`foresee`] every decision is made as always, from what is stored; where it would be
//! committed, what it expects is held against the store, and it is noted instead.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use waypost_kernel::{
    Commit, Conflict, Expectation, Key, Lease, Query, Receipt, Store, StoreError, Task, TaskRef,
    Version, Write,
};

tokio::task_local! {
    static NOTES: Arc<Mutex<Foreseen>>;
}

/// What would come of something.
#[derive(Clone, Debug, Default)]
pub struct Foreseen {
    /// What would be committed, in its order.
    pub commits: Vec<Commit>,
    /// Whom compute members would be asked for, by the name of the processor.
    pub asked: Vec<String>,
}

/// Does `work` without committing anything, and tells what it would have come to. What `work` hands
/// to other tasks is not part of it.
pub async fn foresee<T>(work: impl Future<Output = T>) -> (T, Foreseen) {
    let notes = Arc::<Mutex<Foreseen>>::default();
    let done = NOTES.scope(Arc::clone(&notes), work).await;
    let foreseen = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    (done, foreseen)
}

/// Whether nothing may be committed.
pub(crate) fn is_foreseeing() -> bool {
    NOTES.try_with(|_| ()).is_ok()
}

/// Notes that somebody would be asked.
pub(crate) fn note_asked(name: &str) {
    note(|it| it.asked.push(name.to_owned()));
}

/// Commits, or notes what would be committed if it could land.
pub(crate) async fn commit(store: &dyn Store, commit: Commit) -> Result<Receipt, StoreError> {
    if !is_foreseeing() {
        return store.commit(commit).await;
    }
    could_land(store, &commit).await?;
    let key = commit.writes.first().map(|it| it.key.clone());
    let version = commit.writes.first().map_or(Version::ABSENT, |it| it.version);
    note(|it| it.commits.push(commit));
    Ok(Receipt { key, version, at: store.now(), repeated: false })
}

fn note(change: impl FnOnce(&mut Foreseen)) {
    // Nobody listens outside of a foresight, and nothing is noted there.
    let _noted =
        NOTES.try_with(|notes| change(&mut notes.lock().unwrap_or_else(PoisonError::into_inner)));
}

/// The stores' reading of a commit, as far as commands of clients go.
async fn could_land(store: &dyn Store, commit: &Commit) -> Result<(), StoreError> {
    let keys: Vec<Key> = commit.writes.iter().map(|it| it.key.clone()).collect();
    let records = store.load(&keys).await?;
    for (write, record) in commit.writes.iter().zip(records) {
        let stored = record.map_or(Version::ABSENT, |it| it.version);
        if stored.next() != write.version {
            return Err(StoreError::Conflict(Conflict::Version(write.key.clone())));
        }
        is_unique(store, write).await?;
    }
    let tasks = store.tasks(&keys).await?;
    let tasks: BTreeMap<TaskRef, Task> = tasks.into_iter().map(|it| (it.at.clone(), it)).collect();
    for expectation in &commit.expect {
        if let Some(conflict) = unmet(store, expectation, &tasks).await? {
            return Err(StoreError::Conflict(conflict));
        }
    }
    Ok(())
}

async fn is_unique(store: &dyn Store, write: &Write) -> Result<(), StoreError> {
    let Some(unique) = &write.facets.unique_key else { return Ok(()) };
    let query = Query {
        tenant: write.key.tenant.clone(),
        kind: write.key.kind,
        definition: write.facets.definition.as_ref().map(|it| it.name.clone()),
        version: None,
        status: None,
        business_key: write.facets.business_key.clone(),
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: None,
        offset: 0,
        limit: crate::limits::PAGE_MAX,
    };
    let holds = |it: &waypost_kernel::Record| {
        it.key != write.key && it.facets.unique_key.as_ref() == Some(unique)
    };
    match store.search(&query).await?.into_iter().find(holds) {
        Some(other) => Err(StoreError::Conflict(Conflict::Unique(other.key))),
        None => Ok(()),
    }
}

async fn unmet(
    store: &dyn Store,
    expectation: &Expectation,
    tasks: &BTreeMap<TaskRef, Task>,
) -> Result<Option<Conflict>, StoreError> {
    let now = store.now();
    let lease = |task: &TaskRef| tasks.get(task).and_then(|it| it.lease.as_ref());
    let (holds, conflict) = match expectation {
        Expectation::Version { key, version } => {
            let record = store.load(std::slice::from_ref(key)).await?.pop().flatten();
            let stored = record.map_or(Version::ABSENT, |it| it.version);
            (stored == *version, Conflict::Version(key.clone()))
        }
        Expectation::Lease { task, token, worker } => {
            let is_good =
                |it: &Lease| it.token == *token && it.worker == *worker && it.until >= now;
            (lease(task).is_some_and(is_good), Conflict::Lease(task.clone()))
        }
        Expectation::Open { task, worker } => {
            let is_open = |it: &Task| {
                it.lease.as_ref().is_none_or(|it| it.worker == *worker && it.until >= now)
            };
            (tasks.get(task).is_some_and(is_open), Conflict::Lease(task.clone()))
        }
        Expectation::Free { task } => (lease(task).is_none(), Conflict::Held(task.clone())),
        Expectation::Lapsed { task, token } => {
            let is_lapsed = |it: &Lease| it.token == *token && it.until < now;
            (lease(task).is_some_and(is_lapsed), Conflict::NotLapsed(task.clone()))
        }
        // Only what nobody asks for expects these.
        Expectation::Armed { timer, .. } => (true, Conflict::Disarmed(timer.clone())),
        Expectation::Vacant { definition, .. } => (true, Conflict::Occupied(definition.clone())),
    };
    Ok((!holds).then_some(conflict))
}
