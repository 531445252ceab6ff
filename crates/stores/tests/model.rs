//! The stores agree with the one in memory, whatever is done to them.
#![cfg(any(feature = "sqlite", feature = "postgres"))]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "model/check.rs"]
mod check;
#[path = "model/draft.rs"]
mod draft;
#[path = "model/operation.rs"]
mod operation;

use std::{env, sync::Arc};

use check::Pair;
use proptest::test_runner::{Config, TestRunner};
use waypost_kernel::Store;
use waypost_testkit::clock::SimClock;

/// Enough for operations to meet, few enough to read when they disagree.
const OPERATIONS_MAX: usize = 100;

/// Does random things to the stores `make` gives and to the model, and compares.
fn check<F>(cases: u32, make: impl Fn(Arc<SimClock>) -> F)
where
    F: Future<Output = Arc<dyn Store>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // The default reads the number of cases from the environment, for a longer look.
    let asked = env::var_os("PROPTEST_CASES").is_some();
    let config = if asked { Config::default() } else { Config::with_cases(cases) };
    // What fails is printed in full, and short enough to become a case of the conformance suite.
    let config = Config { failure_persistence: None, ..config };
    let result =
        TestRunner::new(config).run(&operation::operations(OPERATIONS_MAX), |operations| {
            let clock = Arc::new(SimClock::default());
            runtime.block_on(async {
                let store = make(clock.clone()).await;
                Pair::new(store, clock).run(operations).await;
            });
            Ok(())
        });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

#[cfg(feature = "sqlite")]
#[test]
fn sqlite_does_as_the_model_does() {
    use waypost_stores::{SqliteOptions, SqliteStore};

    check(48, async |clock| {
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::temporary(SqliteOptions::default(), clock).unwrap());
        store
    });
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_does_as_the_model_does() {
    use std::sync::atomic::{AtomicU32, Ordering};

    use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};
    use waypost_testkit::services;

    // Without a server there is nothing to compare; `cargo xtask test` sees to it that there is.
    let Ok(url) = services::postgres() else { return };
    let schemas = AtomicU32::new(0);
    check(16, async |clock| {
        let number = schemas.fetch_add(1, Ordering::Relaxed);
        let schema = Some(format!("model_{}_{number}", std::process::id()));
        let options = PostgresOptions { schema, ..PostgresOptions::default() };
        let clock = StoreClock::Given(clock);
        let store: Arc<dyn Store> =
            Arc::new(PostgresStore::connect(&url, options, clock).await.unwrap());
        store
    });
}
