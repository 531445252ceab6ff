//! Buckets in memory: for tests, and the model the others are compared with. By the clock they are
//! given, and in trouble when they are told to be.

mod watch;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;
use waypost_kernel::Clock;

use crate::{
    SystemClock,
    bucket::{
        Bucket, BucketError, BucketEvent, BucketWatch, Buckets, Entry, Retained, RetainedValue,
        Revision, check_bucket, check_key,
    },
};

/// Buckets that are gone with the process.
///
/// ```
/// use std::sync::Arc;
/// use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets, SystemClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let buckets = MemoryBuckets::new();
/// let bucket = buckets.create("MISSIONS", 8).await?;
/// let first = bucket.create("m-1", "planned".into()).await?;
/// let second = bucket.update("m-1", "flown".into(), first).await?;
/// assert!(bucket.update("m-1", "lost".into(), first).await.is_err());
/// assert_eq!(bucket.get("m-1").await?.map(|it| it.revision), Some(second));
/// assert!(buckets.bucket("MISSIONS").is_some());
///
/// // A test has a clock of its own.
/// let timed = MemoryBuckets::with_clock(Arc::new(SystemClock));
/// assert!(timed.bucket("MISSIONS").is_none(), "they share nothing");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryBuckets {
    clock: Arc<dyn Clock>,
    buckets: Arc<Mutex<BTreeMap<String, Arc<MemoryBucket>>>>,
}

impl Default for MemoryBuckets {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryBuckets {
    /// No buckets yet; by the machine's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// No buckets yet; by this clock.
    #[must_use]
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { clock, buckets: Arc::default() }
    }

    /// The bucket of that name, if it was created.
    #[must_use]
    pub fn bucket(&self, name: &str) -> Option<Arc<MemoryBucket>> {
        lock(&self.buckets).get(name).cloned()
    }
}

#[async_trait]
impl Buckets for MemoryBuckets {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        let bucket = self.bucket(name).ok_or_else(|| BucketError::Missing(name.to_owned()))?;
        Ok(bucket)
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        check_bucket(name)?;
        let mut buckets = lock(&self.buckets);
        let bucket = buckets
            .entry(name.to_owned())
            .or_insert_with(|| Arc::new(MemoryBucket::new(Arc::clone(&self.clock), depth)));
        Ok(Arc::clone(bucket) as Arc<dyn Bucket>)
    }
}

/// A bucket in memory.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, BucketError, Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let buckets = MemoryBuckets::new();
/// buckets.create("LAMPS", 1).await?;
/// let bucket = buckets.bucket("LAMPS").ok_or("it was made")?;
/// let first = bucket.put("l-1", "dark");
///
/// bucket.inject_conflicts(1);
/// let conflict = bucket.update("l-1", "lit".into(), first).await;
/// assert!(matches!(conflict, Err(BucketError::Conflict(_))));
/// bucket.inject_failures(1);
/// assert!(bucket.delete("l-1").await.is_err());
/// bucket.update("l-1", "lit".into(), first).await?;
/// assert_eq!(bucket.n_updates(), 2);
///
/// let watch = bucket.watch().await?;
/// assert_eq!(bucket.n_watches(), 1);
/// bucket.end_watches();
/// assert_eq!(bucket.n_watches(), 0);
/// # drop(watch);
/// # Ok(())
/// # }
/// ```
pub struct MemoryBucket {
    clock: Arc<dyn Clock>,
    depth: usize,
    content: Arc<Mutex<Content>>,
}

#[derive(Default)]
struct Content {
    keys: BTreeMap<String, VecDeque<Retained>>,
    latest: u64,
    /// All are told the same, so that it is kept once however many do not look.
    watchers: Vec<mpsc::Sender<Arc<BucketEvent>>>,
    /// Updates that will be told of a conflict that is not there.
    conflicts: u32,
    /// Writes that will fail.
    failures: u32,
    n_updates: u64,
}

impl MemoryBucket {
    fn new(clock: Arc<dyn Clock>, depth: u8) -> Self {
        Self { clock, depth: depth.max(1).into(), content: Arc::default() }
    }

    /// Answers the next `count` updates with a conflict, and does nothing about them.
    pub fn inject_conflicts(&self, count: u32) {
        lock(&self.content).conflicts = count;
    }

    /// Lets the next `count` writes fail, and does nothing about them.
    pub fn inject_failures(&self, count: u32) {
        lock(&self.content).failures = count;
    }

    /// How often an update was asked for.
    #[must_use]
    pub fn n_updates(&self) -> u64 {
        lock(&self.content).n_updates
    }

    /// How many watches there are. Those that were dropped are noticed with the next write.
    #[must_use]
    pub fn n_watches(&self) -> usize {
        let mut content = lock(&self.content);
        content.watchers.retain(|it| !it.is_closed());
        content.watchers.len()
    }

    /// Writes whatever is there, as somebody would who knows nothing of lifecycles.
    pub fn put(&self, key: &str, value: impl Into<Bytes>) -> Revision {
        lock(&self.content).write(self, key, RetainedValue::Put(value.into()))
    }

    /// Ends every watch, as a broken connection would.
    pub fn end_watches(&self) {
        lock(&self.content).watchers.clear();
    }
}

impl Content {
    fn last(&self, key: &str) -> Option<&Retained> {
        self.keys.get(key).and_then(VecDeque::back)
    }

    fn current(&self, key: &str) -> Option<Entry> {
        let last = self.last(key)?;
        entry(key, last)
    }

    fn write(&mut self, bucket: &MemoryBucket, key: &str, value: RetainedValue) -> Revision {
        self.latest += 1;
        let (revision, at) = (Revision(self.latest), bucket.clock.now());
        let retained = Retained { revision, at, value };
        let event = Arc::new(shown(key, &retained));
        let revisions = self.keys.entry(key.to_owned()).or_default();
        revisions.push_back(retained);
        while revisions.len() > bucket.depth {
            revisions.pop_front();
        }
        // One that is full has stopped reading, and one that is closed is gone.
        self.watchers.retain(|it| it.try_send(Arc::clone(&event)).is_ok());
        revision
    }

    fn fails(&mut self) -> Result<(), BucketError> {
        match self.failures.checked_sub(1) {
            Some(left) => {
                self.failures = left;
                Err(BucketError::Unavailable("told to fail".to_owned()))
            }
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Bucket for MemoryBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        check_key(key)?;
        Ok(lock(&self.content).current(key))
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        check_key(key)?;
        let mut content = lock(&self.content);
        content.fails()?;
        if content.current(key).is_some() {
            return Err(BucketError::Exists(key.to_owned()));
        }
        Ok(content.write(self, key, RetainedValue::Put(value)))
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        check_key(key)?;
        let mut content = lock(&self.content);
        content.n_updates += 1;
        content.fails()?;
        if let Some(left) = content.conflicts.checked_sub(1) {
            content.conflicts = left;
            return Err(BucketError::Conflict(key.to_owned()));
        }
        match content.current(key) {
            None => Err(BucketError::NotFound(key.to_owned())),
            Some(entry) if entry.revision != expected => Err(BucketError::Conflict(key.to_owned())),
            Some(_) => Ok(content.write(self, key, RetainedValue::Put(value))),
        }
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        check_key(key)?;
        let mut content = lock(&self.content);
        content.fails()?;
        if content.current(key).is_some() {
            content.write(self, key, RetainedValue::Deleted);
        }
        Ok(())
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        check_key(key)?;
        let content = lock(&self.content);
        let revisions = content.keys.get(key);
        let revisions = revisions.ok_or_else(|| BucketError::NotFound(key.to_owned()))?;
        Ok(revisions.iter().cloned().collect())
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        Ok(watch::watch(Arc::clone(&self.content)))
    }
}

fn entry(key: &str, retained: &Retained) -> Option<Entry> {
    let Retained { revision, at, value } = retained;
    match value {
        RetainedValue::Put(value) => {
            let (key, value) = (key.to_owned(), value.clone());
            Some(Entry { key, value, revision: *revision, at: *at })
        }
        RetainedValue::Deleted | RetainedValue::Purged => None,
    }
}

fn shown(key: &str, retained: &Retained) -> BucketEvent {
    let deleted = || BucketEvent::Deleted { key: key.to_owned(), revision: retained.revision };
    entry(key, retained).map_or_else(deleted, BucketEvent::Put)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
