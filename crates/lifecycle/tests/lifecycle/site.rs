//! A place for buckets of one's own in each store.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use waypost_lifecycle::{Bucket, BucketError, Buckets, Manager, MemoryBuckets, SqlBuckets};
use waypost_stores::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock};
use waypost_testkit::services;

/// Longer than anything takes on a busy machine: what is not there by then does not come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Buckets, and whatever must stay alive with them.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) buckets: Arc<dyn Buckets>,
    _folder: Option<Arc<tempfile::TempDir>>,
}

fn number() -> u32 {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    COUNTER.fetch_add(1, Ordering::Relaxed)
}

impl Site {
    pub(crate) async fn memory() -> Self {
        Self { buckets: Arc::new(MemoryBuckets::new()), _folder: None }
    }

    pub(crate) async fn sqlite() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let clock = Arc::new(waypost_lifecycle::SystemClock);
        let path = folder.path().join("waypost.db");
        let store = SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap();
        let buckets = SqlBuckets::new(Arc::new(store), "acme".into());
        Self { buckets: Arc::new(buckets), _folder: Some(folder) }
    }

    pub(crate) async fn postgres() -> Self {
        let schema = format!("lifecycle_{}_{}", std::process::id(), number());
        let options = PostgresOptions { schema: Some(schema), ..PostgresOptions::default() };
        let url = services::postgres().unwrap();
        let store = PostgresStore::connect(&url, options, StoreClock::Database).await.unwrap();
        let buckets = SqlBuckets::new(Arc::new(store), "acme".into());
        Self { buckets: Arc::new(buckets), _folder: None }
    }

    #[cfg(feature = "nats")]
    pub(crate) async fn nats() -> Self {
        let client = async_nats::connect(services::nats().unwrap()).await.unwrap();
        let prefix = format!("T{}_{}_", std::process::id(), number());
        let buckets = waypost_lifecycle::NatsBuckets::new(client);
        Self { buckets: Arc::new(Prefixed { buckets, prefix }), _folder: None }
    }

    /// A bucket that remembers a little.
    pub(crate) async fn bucket(&self) -> Arc<dyn Bucket> {
        self.buckets.create("THINGS", 8).await.unwrap()
    }

    /// A manager that makes its buckets.
    pub(crate) fn manager(&self) -> Manager {
        Manager::builder(self.buckets.clone()).create_buckets(16).build()
    }
}

/// Buckets whose names nobody else has.
struct Prefixed<B> {
    buckets: B,
    prefix: String,
}

#[async_trait]
impl<B: Buckets> Buckets for Prefixed<B> {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        self.buckets.open(&format!("{}{name}", self.prefix)).await
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        self.buckets.create(&format!("{}{name}", self.prefix), depth).await
    }
}

/// Runs to the end, or says that it hangs.
pub(crate) async fn in_time<T>(running: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, running).await.unwrap_or_else(|_| panic!("it hangs"))
}

/// Runs each function on every store, under its own name.
macro_rules! on_every_store {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            use crate::site::{Site, in_time};

            #[tokio::test(flavor = "multi_thread")]
            async fn memory() {
                in_time(super::$name(Site::memory().await)).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn sqlite() {
                in_time(super::$name(Site::sqlite().await)).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn postgres() {
                in_time(super::$name(Site::postgres().await)).await;
            }

            #[cfg(feature = "nats")]
            #[tokio::test(flavor = "multi_thread")]
            async fn nats() {
                in_time(super::$name(Site::nats().await)).await;
            }
        }
    )*};
}
pub(crate) use on_every_store;
