//! The stores that lifecycles are measured on.

use std::sync::Arc;

use async_trait::async_trait;
use waypost_lifecycle::{Bucket, BucketError, Buckets, Manager, MemoryBuckets, SqlBuckets};
use waypost_server::lifecycle::nats_buckets;
use waypost_stores::Grouping;

use super::LifecycleArgs;
use crate::{
    bench::target::Target,
    exit::{Exit, Failure},
    store::OpenStore,
};

/// Writes that a bucket remembers of a key: as few as possible, which is what buckets have by default.
pub(super) const DEPTH: u8 = 1;

/// Writes that a bucket remembers of a key whose every write is to be shown to all who watch, also to
/// those who are a little behind.
pub(super) const DEPTH_SHOWN: u8 = 64;

/// A store to measure.
pub(super) struct Site {
    pub(super) name: &'static str,
    buckets: Arc<dyn Buckets>,
    store: Option<(OpenStore, Target)>,
}

impl Site {
    /// Those there are addresses for. Memory and SQLite need none.
    pub(super) async fn all(args: &LifecycleArgs) -> Result<Vec<Self>, Failure> {
        let buckets = Arc::new(MemoryBuckets::new());
        let mut sites = vec![Self { name: "memory", buckets, store: None }];
        sites.push(Self::sql("sqlite", "sqlite").await?);
        if let Some(url) = &args.postgres {
            sites.push(Self::sql("postgres", url).await?);
        }
        if let Some(url) = &args.nats {
            let buckets = nats_buckets(url).await;
            let buckets = buckets.map_err(|error| Failure::new(Exit::Unavailable, error))?;
            sites.push(Self { name: "nats", buckets: Arc::new(buckets), store: None });
        }
        Ok(sites)
    }

    async fn sql(name: &'static str, address: &str) -> Result<Self, Failure> {
        let target = Target::prepare(address).await?;
        let store = target.open(Grouping::Grouped).await?;
        let buckets = Arc::new(SqlBuckets::new(store.shared(), "bench".into()));
        Ok(Self { name, buckets, store: Some((store, target)) })
    }

    /// Buckets of one measurement, which nobody has used before.
    pub(super) fn buckets(&self, measurement: &str) -> Arc<dyn Buckets> {
        let prefix = format!("BENCH_{}_{measurement}_", std::process::id());
        Arc::new(Prefixed { buckets: Arc::clone(&self.buckets), prefix })
    }

    pub(super) fn manager(buckets: &Arc<dyn Buckets>, depth: u8) -> Manager {
        Manager::builder(Arc::clone(buckets)).create_buckets(depth).build()
    }

    pub(super) async fn close(self) -> Result<(), Failure> {
        if let Some((store, _target)) = self.store {
            store.close().await?;
        }
        Ok(())
    }
}

/// Buckets with names of their own.
struct Prefixed {
    buckets: Arc<dyn Buckets>,
    prefix: String,
}

#[async_trait]
impl Buckets for Prefixed {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        self.buckets.open(&format!("{}{name}", self.prefix)).await
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        self.buckets.create(&format!("{}{name}", self.prefix), depth).await
    }
}
