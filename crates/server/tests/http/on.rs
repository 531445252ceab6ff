//! The stores that the same is expected of. A test is written once, for the one in memory, and done
//! again on the others.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use tempfile::TempDir;
use waypost_kernel::Store;
use waypost_stores::{
    MemoryStore, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock,
};
use waypost_testkit::{clock::SimClock, services};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Memory,
    Sqlite,
    Postgres,
}

thread_local! {
    static ON: Cell<On> = const { Cell::new(On::Memory) };
}

impl On {
    /// The store that tests on this thread are done on.
    pub(crate) fn here() -> Self {
        ON.get()
    }
}

/// A store, and the folder it may lie in.
pub(crate) async fn open(clock: &Arc<SimClock>) -> (Arc<dyn Store>, TempDir) {
    let (clock, folder) = (Arc::clone(clock) as _, TempDir::new().unwrap());
    let store: Arc<dyn Store> = match On::here() {
        On::Memory => Arc::new(MemoryStore::new(clock)),
        On::Sqlite => {
            let path = folder.path().join("waypost.db");
            Arc::new(SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap())
        }
        On::Postgres => {
            let options = PostgresOptions { schema: Some(schema()), ..PostgresOptions::default() };
            let clock = StoreClock::Given(clock);
            Arc::new(PostgresStore::connect(database(), options, clock).await.unwrap())
        }
    };
    (store, folder)
}

/// One database for all tests of this program.
fn database() -> &'static str {
    static DATABASE: OnceLock<String> = OnceLock::new();
    DATABASE.get_or_init(|| services::fresh_database(&services::postgres().unwrap()).unwrap())
}

/// A part of the database that nobody else looks at.
fn schema() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("world_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Does everything on a store, and says what failed.
pub(crate) fn each<'a>(on: On, tests: impl IntoIterator<Item = (&'a str, impl Fn())>) {
    ON.set(on);
    let failed = tests.into_iter().filter_map(|(name, test)| {
        catch_unwind(AssertUnwindSafe(test)).is_err().then(|| name.to_owned())
    });
    let failed: Vec<_> = failed.collect();
    ON.set(On::Memory);
    assert!(failed.is_empty(), "on {on:?}: {failed:?}");
}

/// Tests by their names.
macro_rules! named {
    ($($test:path),* $(,)?) => {
        [$((stringify!($test), $test as fn())),*]
    };
}
pub(crate) use named;
