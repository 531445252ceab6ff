//! What SQLite has acknowledged is stored, on a real disk and when writing fails.
#![cfg(all(feature = "sqlite", unix))]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use tempfile::TempDir;
use waypost_kernel::{
    Commit, EventRecord, Facets, Json, Key, Kind, Records, Store, StoreError, Timestamp, Version,
    Write,
};
use waypost_stores::{SqliteOptions, SqliteStore};
use waypost_testkit::{clock::SimClock, conformance};

/// Names the database to a process that is to run out of room.
const PATH: &str = "WAYPOST_TEST_CRAMPED";

/// More than fit into the room there is.
const COMMITS_MAX: u64 = 10_000;

/// Beside what is built, and so on a disk: a folder for temporary files may be in memory.
fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, SqliteOptions::default(), Arc::new(SimClock::default())).unwrap()
}

fn key() -> Key {
    Key::new("acme".into(), Kind::Chain, "a".into())
}

fn bump(version: u64) -> Commit {
    let (key, version, at) = (key(), Version(version), Timestamp::EPOCH);
    let state = Json::of(&"x".repeat(10_000));
    Commit {
        writes: vec![Write {
            key: key.clone(),
            version,
            facets: Facets::default(),
            state,
            at,
            keeps_past: false,
            terms: None,
        }],
        events: vec![EventRecord { key, version, at, events: Json::of(&["moved"]) }],
        ..Commit::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_syncs_keeps_every_promise() {
    let (directory, n_stores) = (directory(), AtomicU32::new(0));
    conformance::store(async || {
        let number = n_stores.fetch_add(1, Ordering::Relaxed);
        let clock = Arc::new(SimClock::default());
        let path = directory.path().join(format!("{number}.db"));
        (SqliteStore::open(&path, SqliteOptions::default(), clock.clone()).unwrap(), clock)
    })
    .await;
}

/// Where the cramped process says how much was acknowledged.
fn tally(path: &Path) -> PathBuf {
    path.with_extension("tally")
}

/// Does nothing unless the test below runs it in a process of its own.
#[tokio::test]
async fn cramped() {
    let Ok(path) = env::var(PATH) else { return };
    let store = open(Path::new(&path));
    let mut n_acknowledged = 0;
    let error = loop {
        assert!(n_acknowledged < COMMITS_MAX, "there is room for everything");
        match store.commit(bump(n_acknowledged + 1)).await {
            Ok(_) => n_acknowledged += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Unknown(_)), "{error:?}");
    assert!(store.failure().is_some());
    for attempt in [n_acknowledged + 1, n_acknowledged + 2] {
        let after = store.commit(bump(attempt)).await;
        assert!(matches!(after, Err(StoreError::Unavailable(_))), "{after:?}");
    }
    let read = store.load(&[key()]).await;
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "what it shows may not be stored");
    assert!(store.close().await.is_err());
    fs::write(tally(Path::new(&path)), n_acknowledged.to_string()).unwrap();
}

#[tokio::test]
async fn a_store_that_cannot_write_stops_and_keeps_what_it_acknowledged() {
    let directory = directory();
    let path = directory.path().join("waypost.db");
    // Files may grow to a megabyte or two, and the signal that says so is not heard.
    let cramped = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", cramped])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "cramped"])
        .env(PATH, &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let n_acknowledged: u64 = fs::read_to_string(tally(&path)).unwrap().parse().unwrap();
    assert!(n_acknowledged > 0);

    let store = open(&path);
    let found = store.load(&[key()]).await.unwrap().pop().flatten().unwrap().version.0;
    // Nobody could say whether the last one landed; all before it did.
    assert!([n_acknowledged, n_acknowledged + 1].contains(&found), "{found} of {n_acknowledged}");
    let history = store.history(&key(), Version::ABSENT, u32::MAX).await.unwrap();
    assert_eq!(history.len() as u64, found);
    store.commit(bump(found + 1)).await.unwrap();
}
