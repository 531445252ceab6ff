//! A place for buckets of one's own in each store.

use std::{
    collections::VecDeque,
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, ready},
};
use waypost_kernel::Store;
use waypost_lifecycle::{
    Bucket, BucketError, BucketEvent, BucketWatch, Buckets, Entry, Manager, MemoryBuckets,
    Retained, Revision, SqlBuckets,
};
use waypost_stores::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock};
use waypost_testkit::services;

/// Longer than anything takes on a busy machine: what is not there by then does not come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// Buckets, and whatever must stay alive with them.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) buckets: Arc<dyn Buckets>,
    /// The same without a prefix of one's own, for names that are refused anyway.
    bare: Arc<dyn Buckets>,
    /// How much buckets remember of a key.
    depth: u8,
    /// Counts something of which every watch holds one while it is open.
    pub(crate) n_held: Arc<dyn Fn() -> BoxFuture<'static, usize> + Send + Sync>,
    _folder: Option<Arc<tempfile::TempDir>>,
}

fn number() -> u32 {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    COUNTER.fetch_add(1, Ordering::Relaxed)
}

impl Site {
    pub(crate) async fn memory() -> Self {
        let buckets = MemoryBuckets::new();
        let things = buckets.clone();
        let n_held = move || ready(things.bucket("THINGS").map_or(0, |it| it.n_watches())).boxed();
        Self::of(Arc::new(buckets), n_held)
    }

    fn of(
        buckets: Arc<dyn Buckets>,
        n_held: impl Fn() -> BoxFuture<'static, usize> + Send + Sync + 'static,
    ) -> Self {
        let bare = Arc::clone(&buckets);
        Self { buckets, bare, depth: 16, n_held: Arc::new(n_held), _folder: None }
    }

    /// Buckets by the names they are asked for.
    pub(crate) fn unprefixed(&self) -> &dyn Buckets {
        &*self.bare
    }

    pub(crate) async fn sqlite() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let clock = Arc::new(waypost_lifecycle::SystemClock);
        let path = folder.path().join("waypost.db");
        let store = SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap();
        Self { _folder: Some(folder), ..Self::sql(Arc::new(store)) }
    }

    fn sql<S: Store + 'static>(store: Arc<S>) -> Self {
        let buckets = SqlBuckets::new(Arc::clone(&store) as Arc<dyn Store>, "acme".into());
        Self::of(Arc::new(buckets), move || ready(Arc::strong_count(&store)).boxed())
    }

    pub(crate) async fn postgres() -> Self {
        let schema = format!("lifecycle_{}_{}", std::process::id(), number());
        let options = PostgresOptions { schema: Some(schema), ..PostgresOptions::default() };
        let url = services::postgres().unwrap();
        let store = PostgresStore::connect(&url, options, StoreClock::Database).await.unwrap();
        Self::sql(Arc::new(store))
    }

    #[cfg(feature = "nats")]
    pub(crate) async fn nats() -> Self {
        Self::nats_at(&services::nats().unwrap()).await
    }

    /// The oldest server that is worked with.
    #[cfg(feature = "nats")]
    pub(crate) async fn old_nats() -> Self {
        Self::nats_at(&services::old_nats().unwrap()).await
    }

    #[cfg(feature = "nats")]
    async fn nats_at(url: &str) -> Self {
        let client = async_nats::connect(url).await.unwrap();
        let prefix = format!("T{}_{}_", std::process::id(), number());
        let context = async_nats::jetstream::new(client.clone());
        let buckets = waypost_lifecycle::NatsBuckets::new(client);
        let stream = format!("KV_{prefix}THINGS");
        let n_held = move || {
            let (context, stream) = (context.clone(), stream.clone());
            let count = async move {
                let stream = context.get_stream(stream).await.unwrap();
                stream.cached_info().state.consumer_count
            };
            count.boxed()
        };
        let bare = Arc::new(buckets.clone());
        Self { bare, ..Self::of(Arc::new(Prefixed { buckets, prefix }), n_held) }
    }

    /// Buckets that remember all of a test: what is written while a watch finds back is shown to it.
    #[cfg(feature = "nats")]
    pub(crate) fn deep(buckets: Arc<dyn Buckets>) -> Self {
        Self { depth: 64, ..Self::of(buckets, || ready(0).boxed()) }
    }

    /// A bucket that remembers a little.
    pub(crate) async fn bucket(&self) -> Arc<dyn Bucket> {
        self.buckets.create("THINGS", 8).await.unwrap()
    }

    /// A manager that makes its buckets.
    pub(crate) fn manager(&self) -> Manager {
        Manager::builder(self.buckets.clone()).create_buckets(self.depth).build()
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

/// What becomes of an update.
#[derive(Clone, Copy)]
pub(crate) enum Fate {
    Lands,
    /// It gets lost.
    Fails,
    /// The answer gets lost.
    LandsUnsaid,
    /// Watches miss it.
    LandsUnseen,
    /// Somebody else was faster.
    Conflicts,
    /// Somebody else is faster, and writes the second text where the first was.
    Overtaken(&'static str, &'static str),
}

/// Buckets whose updates have the fates they are given, in turn, and land after those.
#[derive(Clone)]
pub(crate) struct Fateful {
    buckets: Arc<dyn Buckets>,
    fates: Arc<Mutex<VecDeque<Fate>>>,
    /// Values that watches miss.
    unseen: Arc<Mutex<Vec<Bytes>>>,
    n_gets: Arc<AtomicUsize>,
    /// Whether they say that values may go without a word.
    pub(crate) forgets: bool,
}

impl Fateful {
    pub(crate) fn over(buckets: Arc<dyn Buckets>) -> Self {
        let (fates, unseen, n_gets) = (Arc::default(), Arc::default(), Arc::default());
        Self { buckets, fates, unseen, n_gets, forgets: false }
    }

    fn of(&self, bucket: Arc<dyn Bucket>) -> Arc<dyn Bucket> {
        Arc::new(FatefulBucket { bucket, of: self.clone() })
    }

    /// How often a key was read.
    pub(crate) fn n_gets(&self) -> usize {
        self.n_gets.load(Ordering::Relaxed)
    }

    pub(crate) fn next(&self, fates: impl IntoIterator<Item = Fate>) {
        self.fates.lock().unwrap().extend(fates);
    }
}

#[async_trait]
impl Buckets for Fateful {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        Ok(self.of(self.buckets.open(name).await?))
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        Ok(self.of(self.buckets.create(name, depth).await?))
    }
}

struct FatefulBucket {
    bucket: Arc<dyn Bucket>,
    of: Fateful,
}

#[async_trait]
impl Bucket for FatefulBucket {
    fn forgets(&self) -> bool {
        self.of.forgets
    }

    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        self.of.n_gets.fetch_add(1, Ordering::Relaxed);
        self.bucket.get(key).await
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        self.bucket.create(key, value).await
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        let lost = || BucketError::Unavailable("secret: the line is cut".to_owned());
        let fate = self.of.fates.lock().unwrap().pop_front();
        match fate {
            Some(Fate::Lands) | None => self.bucket.update(key, value, expected).await,
            Some(Fate::Fails) => Err(lost()),
            Some(Fate::LandsUnsaid) => {
                self.bucket.update(key, value, expected).await?;
                Err(lost())
            }
            Some(Fate::LandsUnseen) => {
                self.of.unseen.lock().unwrap().push(value.clone());
                self.bucket.update(key, value, expected).await
            }
            Some(Fate::Conflicts) => Err(BucketError::Conflict(key.to_owned())),
            Some(Fate::Overtaken(from, to)) => {
                let entry = self.bucket.get(key).await?.unwrap();
                let text = String::from_utf8(entry.value.to_vec()).unwrap().replace(from, to);
                self.bucket.update(key, text.into(), entry.revision).await?;
                self.bucket.update(key, value, expected).await
            }
        }
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        self.bucket.delete(key).await
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        self.bucket.history(key).await
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        let unseen = Arc::clone(&self.of.unseen);
        let shown = move |event| match event {
            Ok(BucketEvent::Put(it)) if unseen.lock().unwrap().contains(&it.value) => {
                Ok(BucketEvent::Missed { count: 1 })
            }
            event => event,
        };
        Ok(self.bucket.watch().await?.map(shown).boxed())
    }
}

/// Runs to the end, or says that it hangs.
pub(crate) async fn in_time<T>(running: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, running).await.unwrap_or_else(|_| panic!("it hangs"))
}

/// Runs each function on every store, under its own name; with `@mortal` also on NATS servers that
/// are killed in the middle.
macro_rules! on_every_store {
    (@mortal $($name:ident),* $(,)?) => {
        $crate::site::on_every_store![$($name),*];

        #[cfg(feature = "nats")]
        mod mortal {
            use std::sync::Arc;

            use crate::{
                mortal::{Patient, Server},
                site::{Site, in_time},
            };
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    for server in [Server::start(), Server::start_old()] {
                        let buckets = Arc::new(Patient::over(server).await);
                        in_time(super::$name(Site::deep(buckets.clone()))).await;
                        assert!(buckets.n_kills() >= 3);
                    }
                }
            )*
        }
    };
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

            #[cfg(feature = "nats")]
            #[tokio::test(flavor = "multi_thread")]
            async fn old_nats() {
                in_time(super::$name(Site::old_nats().await)).await;
            }
        }
    )*};
}
pub(crate) use on_every_store;
