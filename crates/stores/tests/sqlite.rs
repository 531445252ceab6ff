//! The SQLite store keeps every promise, and some of its own.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use tokio::task::JoinSet;
use waypost_kernel::{
    Claim, Commit, Conflict, Cursor, EventRecord, Expectation, Facets, Json, Key, Kind, Query,
    Records, Scope, Store, StoreError, Task, TaskChange, TaskRef, Timer, TimerChange, TimerRef,
    Timestamp, Urgency, Version, Write,
};
use waypost_stores::{Grouping, SqliteMigrations, SqliteOptions, SqliteStore};
use waypost_testkit::{clock::SimClock, conformance};

const NOW: Timestamp = Timestamp::from_millis(1_780_000_000_000);

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_store_keeps_every_promise() {
    conformance::store(async || {
        let clock = Arc::new(SimClock::default());
        (SqliteStore::temporary(SqliteOptions::default(), clock.clone()).unwrap(), clock)
    })
    .await;
}

fn temporary(options: SqliteOptions) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::temporary(options, Arc::new(SimClock::at(NOW))).unwrap())
}

fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, SqliteOptions::default(), Arc::new(SimClock::at(NOW)))
}

/// Why the file at `path` cannot be opened.
fn refusal(path: &Path) -> String {
    open(path).err().expect("the file was opened").to_string()
}

fn key(id: &str) -> Key {
    Key::new("acme".into(), Kind::Chain, id.into())
}

/// Takes the instance `id` to `version`.
fn bump(id: &str, version: u64) -> Commit {
    let (key, version) = (key(id), Version(version));
    let facets = Facets { status: "running".to_owned(), ..Facets::default() };
    let state = Json::of(&version);
    let events = Json::of(&["moved"]);
    Commit {
        writes: vec![Write {
            key: key.clone(),
            version,
            facets,
            state,
            at: NOW,
            keeps_past: false,
            terms: None,
        }],
        events: vec![EventRecord { key, version, at: NOW, events }],
        ..Commit::default()
    }
}

fn task(id: &str) -> Task {
    Task {
        at: TaskRef { key: key(id), id: "0".into() },
        family: "orders".to_owned(),
        queue: "pack".to_owned(),
        ready_at: NOW,
        version: Version(1),
        lease: None,
    }
}

fn with_task(id: &str) -> Commit {
    Commit { tasks: vec![TaskChange::Schedule(task(id))], ..bump(id, 1) }
}

fn claim(token: &str) -> Claim {
    Claim {
        id: token.into(),
        tenant: "acme".into(),
        kind: Kind::Chain,
        worker: "ann".into(),
        families: None,
        queues: None,
        limit: 10,
        lease: Duration::from_secs(30),
    }
}

async fn version(store: &SqliteStore, id: &str) -> u64 {
    let found = store.load(&[key(id)]).await.unwrap().pop().unwrap();
    found.map_or(0, |it| it.version.0)
}

/// Holds the writer up in the middle of its work, so that things pile up before it.
struct Holdup(mpsc::Sender<()>);

impl Holdup {
    /// The writer stops after a commit that schedules work, until [`Holdup::end`].
    async fn begin(store: &Arc<SqliteStore>) -> Self {
        let (stopped, is_stopped) = tokio::sync::oneshot::channel();
        let (end, ended) = mpsc::channel::<()>();
        let once = Mutex::new(Some((stopped, ended)));
        store.listen(Arc::new(move |_| {
            if let Some((stopped, ended)) = once.lock().unwrap().take() {
                stopped.send(()).unwrap();
                assert!(ended.recv().is_err(), "it ends by being dropped");
            }
        }));
        store.commit(with_task("holdup")).await.unwrap();
        is_stopped.await.unwrap();
        Self(end)
    }

    fn end(self) {
        drop(self.0);
    }
}

/// Lets the commit wait in the queue; its outcome comes later.
async fn send(
    store: &Arc<SqliteStore>,
    commit: Commit,
) -> tokio::task::JoinHandle<Result<u64, StoreError>> {
    let store = Arc::clone(store);
    let mut sent = Box::pin(async move { store.commit(commit).await.map(|it| it.version.0) });
    // The first poll puts it into the queue.
    let polled = poll_once(&mut sent).await;
    match polled {
        Some(outcome) => tokio::spawn(async move { outcome }),
        None => tokio::spawn(sent),
    }
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|context| match std::pin::Pin::new(&mut *future).poll(context) {
        std::task::Poll::Ready(output) => std::task::Poll::Ready(Some(output)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn what_waits_at_the_same_time_lands_together() {
    let store = temporary(SqliteOptions::default());
    let holdup = Holdup::begin(&store).await;
    let before = store.figures().await.unwrap();
    let mut sent = Vec::new();
    for index in 0..100 {
        sent.push(send(&store, bump(&format!("i-{index}"), 1)).await);
    }
    holdup.end();
    for outcome in sent {
        assert_eq!(outcome.await.unwrap(), Ok(1));
    }
    let after = store.figures().await.unwrap();
    assert_eq!(after.commits - before.commits, 100);
    assert_eq!(after.groups - before.groups, 1);
}

#[tokio::test]
async fn one_by_one_means_a_transaction_each() {
    let options = SqliteOptions { grouping: Grouping::OneByOne, ..SqliteOptions::default() };
    let store = temporary(options);
    let holdup = Holdup::begin(&store).await;
    let mut sent = Vec::new();
    for index in 0..10 {
        sent.push(send(&store, bump(&format!("i-{index}"), 1)).await);
    }
    holdup.end();
    for outcome in sent {
        assert_eq!(outcome.await.unwrap(), Ok(1));
    }
    let figures = store.figures().await.unwrap();
    assert_eq!((figures.commits, figures.groups), (11, 11));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_commits_share_transactions() {
    let store = temporary(SqliteOptions::default());
    let mut callers = JoinSet::new();
    for caller in 0..64 {
        let store = Arc::clone(&store);
        callers.spawn(async move {
            for version in 1..=10 {
                store.commit(bump(&format!("i-{caller}"), version)).await.unwrap();
            }
        });
    }
    callers.join_all().await;
    let figures = store.figures().await.unwrap();
    assert_eq!(figures.commits, 640);
    assert!(figures.groups < figures.commits, "{} groups", figures.groups);
}

#[tokio::test]
async fn a_refused_commit_in_a_group_spoils_nobody() {
    let store = temporary(SqliteOptions::default());
    let holdup = Holdup::begin(&store).await;
    let first = send(&store, bump("a", 1)).await;
    let refused = send(&store, bump("a", 1)).await;
    let last = send(&store, bump("a", 2)).await;
    let other = send(&store, bump("b", 1)).await;
    holdup.end();
    assert_eq!(first.await.unwrap(), Ok(1));
    let conflict = StoreError::Conflict(Conflict::Version(key("a")));
    assert_eq!(refused.await.unwrap(), Err(conflict));
    assert_eq!(last.await.unwrap(), Ok(2));
    assert_eq!(other.await.unwrap(), Ok(1));
    let figures = store.figures().await.unwrap();
    assert_eq!((figures.commits, figures.groups, figures.refused), (4, 2, 1));
}

#[tokio::test]
async fn a_commit_that_cannot_be_written_spoils_nobody() {
    let store = temporary(SqliteOptions::default());
    // Something is wrong with one row, and found out only while it is written.
    let saboteur = rusqlite::Connection::open(store.path()).unwrap();
    saboteur
        .execute_batch(
            "create trigger sabotage before insert on instances when new.id = 'ghost'
             begin select raise(abort, 'sabotage'); end",
        )
        .unwrap();
    drop(saboteur);
    let holdup = Holdup::begin(&store).await;
    let first = send(&store, bump("a", 1)).await;
    let broken = send(&store, bump("ghost", 1)).await;
    let last = send(&store, bump("b", 1)).await;
    holdup.end();
    assert_eq!(first.await.unwrap(), Ok(1));
    assert!(matches!(broken.await.unwrap(), Err(StoreError::Unavailable(_))));
    assert_eq!(last.await.unwrap(), Ok(1));
    assert_eq!(version(&store, "a").await, 1);
    assert_eq!(version(&store, "ghost").await, 0);
    assert_eq!(version(&store, "b").await, 1);
    assert_eq!(store.failure(), None);
}

#[tokio::test]
async fn under_load_new_work_is_refused_first_and_the_end_of_work_last() {
    let store = temporary(SqliteOptions { queue_max: 8, ..SqliteOptions::default() });
    let holdup = Holdup::begin(&store).await;
    let mut accepted = Vec::new();
    for (urgency, n_accepted) in [(Urgency::New, 4), (Urgency::News, 2), (Urgency::Finish, 2)] {
        for _ in 0..n_accepted {
            let commit = bump(&format!("i-{}", accepted.len()), 1);
            accepted.push(send(&store, Commit { urgency, ..commit }).await);
        }
        let refused = send(&store, Commit { urgency, ..bump("refused", 1) }).await;
        assert_eq!(refused.await.unwrap(), Err(StoreError::Busy), "{urgency:?}");
    }
    assert_eq!(store.claim(claim("c-1")).await, Err(StoreError::Busy));
    holdup.end();
    for outcome in accepted {
        assert_eq!(outcome.await.unwrap(), Ok(1));
    }
    assert_eq!(version(&store, "refused").await, 0);
    assert_eq!(store.claim(claim("c-2")).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_waits_is_bounded_in_bytes() {
    let options = SqliteOptions { queue_bytes_max: 100_000, ..SqliteOptions::default() };
    let store = temporary(options);
    let holdup = Holdup::begin(&store).await;
    let large = |id: &str| {
        let mut commit = bump(id, 1);
        commit.writes[0].state = Json::of(&"x".repeat(60_000));
        Commit { urgency: Urgency::Finish, ..commit }
    };
    let first = send(&store, large("a")).await;
    let second = send(&store, large("b")).await;
    assert_eq!(second.await.unwrap(), Err(StoreError::Busy));
    holdup.end();
    assert_eq!(first.await.unwrap(), Ok(1));
}

#[tokio::test]
async fn a_claim_nobody_waits_for_takes_nothing() {
    let store = temporary(SqliteOptions::default());
    let holdup = Holdup::begin(&store).await;
    {
        let mut gone = store.claim(claim("gone"));
        assert!(poll_once(&mut gone).await.is_none());
    }
    holdup.end();
    let tasks = store.claim(claim("here")).await.unwrap();
    assert_eq!(tasks.len(), 1);
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_everything() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    let timer = Timer {
        at: TimerRef { key: key("a"), id: "t".into() },
        due_at: NOW,
        command: Json::of(&"wake"),
    };
    {
        let store = open(&path).unwrap();
        let commit = Commit { timers: vec![TimerChange::Arm(timer.clone())], ..with_task("a") };
        store.commit(commit).await.unwrap();
        store.claim(claim("c-1")).await.unwrap();
        store.commit(bump("a", 2)).await.unwrap();
    }
    let store = open(&path).unwrap();
    assert_eq!(version(&store, "a").await, 2);
    assert_eq!(store.history(&key("a"), Version::ABSENT, 10).await.unwrap().len(), 2);
    assert_eq!(store.due(NOW, 10).await.unwrap(), [timer]);
    let task = TaskRef { key: key("a"), id: "0".into() };
    let lease = Expectation::Lease { task, token: "c-1".into(), worker: "ann".into() };
    store.commit(Commit { expect: vec![lease], ..Commit::default() }).await.unwrap();
}

#[tokio::test]
async fn closing_writes_what_waits_and_leaves_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    let store = Arc::new(open(&path).unwrap());
    let holdup = Holdup::begin(&store).await;
    let waiting = send(&store, bump("a", 1)).await;
    let mut closing = Box::pin(store.close());
    assert!(poll_once(&mut closing).await.is_none());
    holdup.end();
    assert_eq!(closing.await, Ok(()));
    assert_eq!(waiting.await.unwrap(), Ok(1));
    let closed = |outcome| matches!(outcome, Err(StoreError::Unavailable(_)));
    assert!(closed(store.commit(bump("a", 2)).await.map(drop)));
    assert!(closed(store.load(&[key("a")]).await.map(drop)));
    assert_eq!(store.close().await, Ok(()));
    drop(store);
    let mut names: Vec<String> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["waypost.db", "waypost.db.lock"]);
    assert_eq!(version(&open(&path).unwrap(), "a").await, 1);
}

#[tokio::test]
async fn closing_ends_the_wait_of_those_who_watch() {
    let store = temporary(SqliteOptions::default());
    let scope = Scope { tenant: "acme".into(), kind: Kind::Chain, instance: None };
    let watching = {
        let store = Arc::clone(&store);
        let an_hour = Duration::from_secs(3_600);
        tokio::spawn(async move { store.watch(&scope, &Cursor::default(), 10, an_hour).await })
    };
    // The store looks once before it waits.
    tokio::task::yield_now().await;
    store.close().await.unwrap();
    assert!(matches!(watching.await.unwrap(), Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_temporary_store_leaves_nothing_behind() {
    let store = temporary(SqliteOptions::default());
    store.commit(bump("a", 1)).await.unwrap();
    let directory = store.path().parent().unwrap().to_owned();
    assert!(store.path().exists());
    drop(store);
    assert!(!directory.exists());
}

#[test]
fn a_second_store_on_the_same_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    let first = open(&path).unwrap();
    assert!(refusal(&path).contains("in use by another waypost"), "{}", refusal(&path));
    drop(first);
    open(&path).unwrap();
}

#[test]
fn a_file_that_cannot_be_used_is_refused_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);

    assert!(refusal(&at("missing/waypost.db")).contains("does not exist; create it first"));
    assert!(refusal(directory.path()).contains("is a directory; name a file in it"));

    fs::write(at("letter.txt"), "Dear database, ".repeat(1_000)).unwrap();
    let text = refusal(&at("letter.txt"));
    assert!(text.contains("letter.txt is not a database"), "{text}");

    let foreign = rusqlite::Connection::open(at("foreign.db")).unwrap();
    foreign.execute_batch("create table songs (name text)").unwrap();
    let text = refusal(&at("foreign.db"));
    assert!(text.contains("a database of another program"), "{text}");
}

#[tokio::test]
async fn a_damaged_file_is_called_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    open(&path).unwrap().commit(bump("a", 1)).await.unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let text = refusal(&path);
    assert!(text.contains("damaged; restore it from a backup"), "{text}");
}

#[test]
fn a_schema_of_the_future_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    drop(open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("insert into migrations values (999, 'future', 'x', 0)", []).unwrap();
    drop(connection);
    assert!(refusal(&path).contains("use a newer waypost"), "{}", refusal(&path));
}

#[test]
fn migrations_can_be_listed_whether_or_not_the_store_is_open() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("waypost.db");
    let before = SqliteStore::migrations(&path).unwrap();
    assert_eq!(before, SqliteMigrations { applied: vec![], pending: vec![1, 2] });
    assert!(!path.exists());
    let store = open(&path).unwrap();
    let current = SqliteMigrations { applied: vec![1, 2], pending: vec![] };
    assert_eq!(SqliteStore::migrations(&path).unwrap(), current);
    drop(store);
    assert_eq!(SqliteStore::migrations(&path).unwrap(), current);
}

#[tokio::test]
async fn a_definition_is_listed_across_its_statuses_in_one_order() {
    let store = temporary(SqliteOptions::default());
    for (index, status) in ["running", "failed", "running", "done", "failed"].iter().enumerate() {
        let mut commit = bump(&format!("i-{index}"), 1);
        commit.writes[0].facets = Facets {
            status: (*status).to_owned(),
            definition: Some(waypost_kernel::DefinitionRef { name: "order".into(), version: 1 }),
            ..Facets::default()
        };
        store.commit(commit).await.unwrap();
    }
    let query = Query {
        tenant: "acme".into(),
        kind: Kind::Chain,
        definition: Some("order".to_owned()),
        version: None,
        status: None,
        business_key: None,
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: Some("i-4".into()),
        offset: 1,
        limit: 2,
    };
    let found = store.search(&query).await.unwrap();
    let ids: Vec<&str> = found.iter().map(|it| it.key.id.as_str()).collect();
    assert_eq!(ids, ["i-2", "i-1"]);
}
