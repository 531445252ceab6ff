//! A schema of one's own on a server shared by all tests, and small things to commit to it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tokio_postgres::NoTls;
use waypost_kernel::{
    Claim, Commit, EventRecord, Facets, Json, Key, Kind, Record, Records as _, Store as _, Task,
    TaskChange, TaskRef, Timestamp, Version, Write,
};
use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};
use waypost_testkit::services;

pub(crate) struct Site {
    pub(crate) url: String,
    pub(crate) schema: String,
}

impl Site {
    pub(crate) fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let schema = format!("site_{}_{number}", std::process::id());
        // The name lets a test end its own connections and nobody else's.
        let url = format!("{}?application_name={schema}", services::postgres().unwrap());
        Self { url, schema }
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        PostgresOptions { schema: Some(self.schema.clone()), ..PostgresOptions::default() }
    }

    pub(crate) async fn node(&self, clock: StoreClock) -> PostgresStore {
        PostgresStore::connect(&self.url, self.options(), clock).await.unwrap()
    }

    /// Two nodes that go by the database's clock.
    pub(crate) async fn two_nodes(&self) -> [Arc<PostgresStore>; 2] {
        let first = self.node(StoreClock::Database).await;
        [Arc::new(first), Arc::new(self.node(StoreClock::Database).await)]
    }

    /// A connection past the store.
    pub(crate) async fn sql(&self) -> tokio_postgres::Client {
        let url = services::postgres().unwrap();
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        drop(tokio::spawn(connection));
        client.batch_execute(&format!("set search_path = {}", self.schema)).await.unwrap();
        client
    }

    /// The single number that a query gives.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        self.sql().await.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// Ends every connection of this site's nodes.
    pub(crate) async fn end_connections(&self) {
        let sql = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1";
        self.sql().await.execute(sql, &[&self.schema]).await.unwrap();
    }
}

pub(crate) fn key(id: &str) -> Key {
    Key::new("acme".into(), Kind::Chain, id.into())
}

/// Takes the instance to `version`.
pub(crate) fn bump(key: &Key, version: u64) -> Commit {
    bump_with(key, version, Facets { status: "running".to_owned(), ..Facets::default() })
}

pub(crate) fn bump_with(key: &Key, version: u64, facets: Facets) -> Commit {
    let (at, version) = (Timestamp::EPOCH, Version(version));
    let state = Json::of(&BTreeMap::from([("moves", version)]));
    let events = Json::of(&[format!("moved to {version}")]);
    Commit {
        writes: vec![Write {
            key: key.clone(),
            version,
            facets,
            state,
            at,
            keeps_past: false,
            terms: None,
        }],
        events: vec![EventRecord { key: key.clone(), version, at, events }],
        ..Commit::default()
    }
}

pub(crate) fn task(key: &Key, id: &str) -> Task {
    Task {
        at: TaskRef { key: key.clone(), id: id.into() },
        family: "orders".to_owned(),
        queue: "pack".to_owned(),
        ready_at: Timestamp::EPOCH,
        version: Version(1),
        lease: None,
    }
}

pub(crate) fn schedule(tasks: impl IntoIterator<Item = Task>) -> Commit {
    let tasks = tasks.into_iter().map(TaskChange::Schedule).collect();
    Commit { tasks, ..Commit::default() }
}

pub(crate) fn claim(token: &str, limit: u32, lease: Duration) -> Claim {
    Claim {
        id: token.into(),
        tenant: "acme".into(),
        kind: Kind::Chain,
        worker: "ann".into(),
        families: None,
        queues: None,
        limit,
        lease,
    }
}

pub(crate) async fn load(store: &PostgresStore, key: &Key) -> Option<Record> {
    store.load(std::slice::from_ref(key)).await.unwrap().remove(0)
}

/// Commits until the store is there again. It is asked rather than slept for.
pub(crate) async fn commit_when_back(store: &PostgresStore, commit: &Commit) {
    let trying = async {
        while store.commit(commit.clone()).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), trying).await.unwrap();
}
