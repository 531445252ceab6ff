//! What grouping is worth: the same commits, landing together and one by one.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use tokio::{runtime::Runtime, task::JoinSet};
use waypost_kernel::{
    Commit, EventRecord, Facets, Json, Key, Kind, Store, Task, TaskChange, TaskRef, Version, Write,
};
use waypost_stores::{Grouping, MemoryStore, SqliteOptions, SqliteStore};
use waypost_testkit::clock::SimClock;

/// How many callers commit at the same time.
const CALLERS: u64 = 256;

/// A step of a small instance: half a kilobyte of state, the next task, what happened.
fn step(store: &dyn Store, id: u64, version: u64) -> Commit {
    let key = Key::new("acme".into(), Kind::Chain, format!("{id:012}").into());
    let (version, at) = (Version(version), store.now());
    let facets = Facets { status: "running".to_owned(), ..Facets::default() };
    let state = Json::of(&"x".repeat(500));
    let task = Task {
        at: TaskRef { key: key.clone(), id: "0".into() },
        family: "orders".to_owned(),
        queue: "pack".to_owned(),
        ready_at: at,
        version,
        lease: None,
    };
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
        events: vec![EventRecord { key, version, at, events: Json::of(&["moved"]) }],
        tasks: vec![TaskChange::Schedule(task)],
        ..Commit::default()
    }
}

/// Takes every caller's instance one version further.
async fn round(store: &Arc<dyn Store>, version: u64) {
    let mut callers = JoinSet::new();
    for id in 0..CALLERS {
        let store = Arc::clone(store);
        callers.spawn(async move {
            let commit = step(&*store, id, version);
            store.commit(commit).await.expect("nobody else writes this instance");
        });
    }
    callers.join_all().await;
}

/// A file that is synced, as it would be in earnest.
fn sqlite(directory: &TempDir, grouping: Grouping) -> Arc<dyn Store> {
    let path = directory.path().join(format!("{grouping:?}.db"));
    let options = SqliteOptions { grouping, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options, Arc::new(SimClock::default()));
    Arc::new(store.expect("there is room for temporary files"))
}

fn commits(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime starts");
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let mut group = criterion.benchmark_group("commit");
    group.throughput(Throughput::Elements(CALLERS)).sample_size(20);
    let stores: [(&str, Arc<dyn Store>); 3] = [
        ("memory", Arc::new(MemoryStore::new(Arc::new(SimClock::default())))),
        ("sqlite, grouped", sqlite(&directory, Grouping::Grouped)),
        ("sqlite, one by one", sqlite(&directory, Grouping::OneByOne)),
    ];
    for (name, store) in stores {
        let version = AtomicU64::new(0);
        group.bench_function(BenchmarkId::new(name, CALLERS), |bencher| {
            bencher.iter(|| {
                let next = version.fetch_add(1, Ordering::Relaxed) + 1;
                runtime.block_on(round(&store, next));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, commits);
criterion_main!(benches);
