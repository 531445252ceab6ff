//! Where values are kept: a bucket of keys with compare-and-set, and what it must promise.

use std::{fmt, pin::Pin, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use waypost_kernel::Timestamp;

/// The number of a write. Within a bucket later writes have higher ones; within a key no two are
/// the same.
///
/// ```
/// use waypost_lifecycle::Revision;
///
/// let (first, second) = (Revision(1), Revision(2));
/// assert!(first < second);
/// assert_eq!(second.to_string(), "2");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value that is there.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bucket = MemoryBuckets::new().create("LAMPS", 1).await?;
/// let revision = bucket.create("l-1", "dark".into()).await?;
/// let entry = bucket.get("l-1").await?.ok_or("it is there")?;
/// assert_eq!((entry.key.as_str(), &entry.value[..]), ("l-1", &b"dark"[..]));
/// assert_eq!(entry.revision, revision);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// The value.
    pub value: Bytes,
    /// The write that made it.
    pub revision: Revision,
    /// When, by the store's clock.
    pub at: Timestamp,
}

/// A write that is still remembered.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bucket = MemoryBuckets::new().create("LAMPS", 2).await?;
/// let mut last = bucket.create("l-1", "dark".into()).await?;
/// for value in ["lit", "dark"] {
///     last = bucket.update("l-1", value.into(), last).await?;
/// }
/// let retained = bucket.history("l-1").await?;
/// assert_eq!(retained.len(), 2, "as many as the bucket remembers");
/// assert_eq!(retained[1].revision, last);
/// assert!(retained[0].at <= retained[1].at);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// Its number.
    pub revision: Revision,
    /// When, by the store's clock.
    pub at: Timestamp,
    /// What it wrote.
    pub value: RetainedValue,
}

/// What a write has written.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets, RetainedValue};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bucket = MemoryBuckets::new().create("LAMPS", 2).await?;
/// bucket.create("l-1", "dark".into()).await?;
/// bucket.delete("l-1").await?;
/// let values: Vec<_> = bucket.history("l-1").await?.into_iter().map(|it| it.value).collect();
/// assert_eq!(values, [RetainedValue::Put("dark".into()), RetainedValue::Deleted]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetainedValue {
    /// A value.
    Put(Bytes),
    /// The mark of a deletion.
    Deleted,
    /// The mark of a deletion that took all older values with it.
    Purged,
}

/// Something to see in a bucket.
///
/// ```
/// use futures_util::StreamExt as _;
/// use waypost_lifecycle::{Bucket as _, BucketEvent, Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bucket = MemoryBuckets::new().create("LAMPS", 1).await?;
/// bucket.create("l-1", "dark".into()).await?;
/// let mut watch = bucket.watch().await?;
/// assert!(matches!(watch.next().await, Some(Ok(BucketEvent::Put(it))) if it.key == "l-1"));
/// assert_eq!(watch.next().await, Some(Ok(BucketEvent::CaughtUp)));
/// bucket.delete("l-1").await?;
/// assert!(matches!(watch.next().await, Some(Ok(BucketEvent::Deleted { key, .. })) if key == "l-1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BucketEvent {
    /// A value: one that is there, or one that was just written.
    Put(Entry),
    /// A key was deleted or purged.
    Deleted {
        /// Which.
        key: String,
        /// The number of the deletion.
        revision: Revision,
    },
    /// All that was there at the beginning has been shown. Comes once.
    CaughtUp,
    /// Writes were overwritten, and forgotten by the bucket, before they could be shown. What is
    /// there now is shown nevertheless.
    Missed {
        /// How many.
        count: u64,
    },
}

/// What is there, then what comes. It ends after a failure, and is given up by dropping it.
///
/// ```
/// use futures_util::StreamExt as _;
/// use waypost_lifecycle::{BucketEvent, BucketWatch};
///
/// /// How many values there are.
/// async fn count(mut watch: BucketWatch) -> usize {
///     let mut n_values = 0;
///     while let Some(Ok(BucketEvent::Put(_))) = watch.next().await {
///         n_values += 1;
///     }
///     n_values
/// }
/// # use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), waypost_lifecycle::BucketError> {
/// # let bucket = MemoryBuckets::new().create("LAMPS", 1).await?;
/// # bucket.create("l-1", "dark".into()).await?;
/// assert_eq!(count(bucket.watch().await?).await, 1);
/// # Ok(())
/// # }
/// ```
pub type BucketWatch = Pin<Box<dyn Stream<Item = Result<BucketEvent, BucketError>> + Send>>;

/// How a bucket can fail.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, BucketError, Buckets as _, MemoryBuckets, Revision};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let buckets = MemoryBuckets::new();
/// let missing = buckets.open("LAMPS").await.err();
/// assert_eq!(missing, Some(BucketError::Missing("LAMPS".to_owned())));
/// let bucket = buckets.create("LAMPS", 1).await?;
/// bucket.create("l-1", "dark".into()).await?;
/// let late = bucket.update("l-1", "lit".into(), Revision(99)).await;
/// assert_eq!(late, Err(BucketError::Conflict("l-1".to_owned())));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BucketError {
    /// There is no such bucket.
    #[error("there is no bucket {0:?}")]
    Missing(String),
    /// There is nothing at the key.
    #[error("there is nothing at {0:?}")]
    NotFound(String),
    /// There is something at the key.
    #[error("there is something at {0:?} already")]
    Exists(String),
    /// Somebody else has written the key meanwhile. The only failure that is worth trying again.
    #[error("{0:?} was written meanwhile")]
    Conflict(String),
    /// A bucket or a key cannot have this name.
    #[error("{0:?} is not a name for a bucket or a key")]
    InvalidName(String),
    /// The store does not take a value of this size.
    #[error("the value at {key:?} has {size} bytes, which is more than the store takes")]
    TooLarge {
        /// Where it was to be.
        key: String,
        /// How large it is, with what the library keeps beside it.
        size: usize,
    },
    /// A watch could not keep up, and has missed something.
    #[error("the watch fell behind")]
    Lagged,
    /// The store cannot be reached, or did not answer. A write may have landed nevertheless.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// Anything else.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// What a watch shows to be there at its beginning, by key.
pub(crate) async fn present(mut watch: BucketWatch) -> Result<Vec<Entry>, BucketError> {
    let mut entries = std::collections::BTreeMap::new();
    while let Some(event) = watch.next().await {
        match event? {
            BucketEvent::Put(entry) => drop(entries.insert(entry.key.clone(), entry)),
            BucketEvent::Deleted { key, .. } => drop(entries.remove(&key)),
            BucketEvent::CaughtUp => return Ok(entries.into_values().collect()),
            BucketEvent::Missed { .. } => {}
        }
    }
    Err(BucketError::Unavailable("what is there was not shown to the end".to_owned()))
}

/// Keys with values. All writes to a key have one order.
///
/// ```
/// use waypost_lifecycle::{Bucket as _, Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bucket = MemoryBuckets::new().create("LAMPS", 4).await?;
/// let made = bucket.create("l-1", "dark".into()).await?;
/// let lit = bucket.update("l-1", "lit".into(), made).await?;
/// bucket.create("l-2", "dark".into()).await?;
///
/// assert_eq!(bucket.get("l-1").await?.map(|it| it.revision), Some(lit));
/// let wanted = ["l-2".to_owned(), "l-3".to_owned()];
/// let found = bucket.get_many(&wanted).await?;
/// assert!(found[0].is_some() && found[1].is_none());
/// assert_eq!(bucket.keys().await?, ["l-1", "l-2"]);
/// assert_eq!(bucket.entries().await?.len(), 2);
///
/// assert_eq!(bucket.history("l-1").await?.len(), 2);
/// let mut n_writes = 0;
/// bucket.recall("l-1", &mut |_| n_writes += 1).await?;
/// assert_eq!(n_writes, 2);
/// assert!(!bucket.remembers_all(), "the last four are remembered");
/// assert!(!bucket.forgets(), "and the last of a key until it is deleted");
/// bucket.delete("l-1").await?;
/// assert_eq!(bucket.get("l-1").await?, None);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Bucket: Send + Sync {
    /// What is at the key; nothing, if it was deleted.
    ///
    /// # Errors
    /// When the store fails.
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError>;

    /// Writes to a key at which there is nothing, or nothing any more.
    ///
    /// # Errors
    /// [`BucketError::Exists`] if there is something.
    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError>;

    /// Writes to a key whose last write is `expected`.
    ///
    /// # Errors
    /// [`BucketError::Conflict`] if another write came after it, [`BucketError::NotFound`] if there
    /// is nothing. Only a conflict means that trying again makes sense.
    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError>;

    /// Leaves a mark that says: nothing here any more. It is fine if there was nothing.
    ///
    /// # Errors
    /// When the store fails.
    async fn delete(&self, key: &str) -> Result<(), BucketError>;

    /// The writes to a key that are still remembered, oldest first.
    ///
    /// # Errors
    /// [`BucketError::NotFound`] if there has never been one.
    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError>;

    /// Shows these writes one after the other, so that nobody holds them all.
    ///
    /// # Errors
    /// As [`Self::history`] does; what was shown by then was.
    async fn recall(
        &self,
        key: &str,
        see: &mut (dyn FnMut(Retained) + Send),
    ) -> Result<(), BucketError> {
        self.history(key).await?.into_iter().for_each(see);
        Ok(())
    }

    /// What is there now, then a mark, then every later write. The writes to a key come in order.
    ///
    /// What is there is read as it is asked for, so that a watch that nobody reads holds little. A
    /// value that was overwritten before it was its turn may be left out: the writes that replaced it
    /// are shown, before the mark.
    ///
    /// # Errors
    /// When it cannot begin.
    async fn watch(&self) -> Result<BucketWatch, BucketError>;

    /// Whether every write of a key stays remembered, so that values need not carry their past.
    fn remembers_all(&self) -> bool {
        false
    }

    /// Whether values may go without a word, as when they grow too old. What is there is then known
    /// to whoever reads it all, and to no index.
    fn forgets(&self) -> bool {
        false
    }

    /// Several keys at once, in the same order.
    ///
    /// # Errors
    /// When the store fails.
    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Entry>>, BucketError> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.get(key).await?);
        }
        Ok(found)
    }

    /// Everything there is, by key.
    ///
    /// # Errors
    /// When the store fails.
    async fn entries(&self) -> Result<Vec<Entry>, BucketError> {
        present(self.watch().await?).await
    }

    /// The keys at which there is something, sorted.
    ///
    /// # Errors
    /// When the store fails.
    async fn keys(&self) -> Result<Vec<String>, BucketError> {
        Ok(self.entries().await?.into_iter().map(|it| it.key).collect())
    }
}

/// Buckets by name.
///
/// ```
/// use waypost_lifecycle::{Buckets as _, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let buckets = MemoryBuckets::new();
/// assert!(buckets.open("LAMPS").await.is_err(), "nobody has made it");
/// buckets.create("LAMPS", 8).await?;
/// assert!(buckets.open("LAMPS").await.is_ok());
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Buckets: Send + Sync {
    /// A bucket that is there.
    ///
    /// # Errors
    /// [`BucketError::Missing`] if it is not.
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError>;

    /// A bucket that remembers `depth` writes of each key if it can choose, made unless it is there.
    ///
    /// # Errors
    /// When it cannot be made.
    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError>;
}

#[async_trait]
impl<B: Buckets + ?Sized> Buckets for Arc<B> {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        (**self).open(name).await
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        (**self).create(name, depth).await
    }
}

/// Letters, digits, `_` and `-`.
pub(crate) fn check_bucket(name: &str) -> Result<(), BucketError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    match !name.is_empty() && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(BucketError::InvalidName(name.to_owned())),
    }
}

/// Letters, digits, `-`, `/`, `_`, `=` and dots that stand between something.
pub(crate) fn check_key(key: &str) -> Result<(), BucketError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-/_=.".contains(it);
    let is_split = key.split('.').all(|it| !it.is_empty());
    match is_split && key.chars().all(is_plain) {
        true => Ok(()),
        false => Err(BucketError::InvalidName(key.to_owned())),
    }
}
