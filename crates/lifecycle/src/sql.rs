//! Buckets in the engine's stores: SQLite and PostgreSQL. A key is an instance of the kind
//! *lifecycle*; its history is its events, and all of it is kept.

mod rows;
mod watch;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use waypost_kernel::{
    Commit, Conflict, EventRecord, InstanceId, Key, Kind, Query, Record, Store, StoreError, Tenant,
    Timestamp, Timing, Version, Write,
};

use self::rows::{Body, PRESENT, entry, facets, registered, revision};
use crate::bucket::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Retained, RetainedValue, Revision,
    check_bucket, check_key,
};

/// How many instances or events are read at once.
const PAGE: u32 = 1_000;

/// How many writes of a key: each is a whole value.
const WRITES_PAGE: u32 = 100;

/// How often a write that knows no revision is tried against others.
const ATTEMPTS: usize = 16;

/// How many keys are remembered with the version behind their revision, which saves the reading of
/// it. All are forgotten when there are more.
const REMEMBERED_MAX: usize = 65_536;

/// Buckets in a store of the engine, for one tenant.
///
/// ```
/// use std::sync::Arc;
///
/// use waypost_lifecycle::{Manager, SqlBuckets, SystemClock};
/// use waypost_stores::{SqliteOptions, SqliteStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = SqliteStore::temporary(SqliteOptions::default(), Arc::new(SystemClock))?;
/// let buckets = SqlBuckets::new(Arc::new(store), "acme".into());
/// let manager = Manager::builder(buckets).create_buckets(1).build();
/// assert!(manager.list_workflows().is_empty(), "types are registered next");
/// # Ok(())
/// # }
/// ```
///
/// A revision is the instant at which the store let the write land. Two keys that are written at the
/// same instant may share it.
#[derive(Clone)]
pub struct SqlBuckets {
    store: Arc<dyn Store>,
    tenant: Tenant,
}

impl SqlBuckets {
    /// The buckets of `tenant`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, tenant: Tenant) -> Self {
        Self { store, tenant }
    }

    fn bucket(&self, name: &str) -> Arc<dyn Bucket> {
        let place = Place {
            store: Arc::clone(&self.store),
            tenant: self.tenant.clone(),
            bucket: name.to_owned(),
        };
        Arc::new(SqlBucket { place, versions: Mutex::default() })
    }

    fn key(&self, name: &str) -> Key {
        Key::new(self.tenant.clone(), Kind::Lifecycle, name.into())
    }
}

#[async_trait]
impl Buckets for SqlBuckets {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        check_bucket(name)?;
        let found = self.store.load(&[self.key(name)]).await.map_err(fault)?;
        match found.into_iter().flatten().next() {
            Some(_) => Ok(self.bucket(name)),
            None => Err(BucketError::Missing(name.to_owned())),
        }
    }

    async fn create(&self, name: &str, _: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        check_bucket(name)?;
        match self.store.commit(registered(self.key(name))).await {
            Ok(_) | Err(StoreError::Conflict(Conflict::Version(_))) => Ok(self.bucket(name)),
            Err(error) => Err(fault(error)),
        }
    }
}

/// Where the keys of a bucket are.
#[derive(Clone)]
struct Place {
    store: Arc<dyn Store>,
    tenant: Tenant,
    bucket: String,
}

impl Place {
    /// The name of a bucket has no slash, so no key of another can be met.
    fn key(&self, key: &str) -> Key {
        let id = format!("{}/{key}", self.bucket);
        Key::new(self.tenant.clone(), Kind::Lifecycle, id.into())
    }

    /// The key in this bucket; nothing, if it is in another.
    fn name<'k>(&self, key: &'k Key) -> Option<&'k str> {
        key.id.as_str().strip_prefix(&self.bucket)?.strip_prefix('/')
    }

    /// Asks for what is there, going on after the last one seen.
    fn present(&self, last: Option<InstanceId>, limit: u32) -> Query {
        Query {
            tenant: self.tenant.clone(),
            kind: Kind::Lifecycle,
            definition: Some(self.bucket.clone()),
            version: None,
            status: Some(PRESENT.to_owned()),
            business_key: None,
            awaits: None,
            step: None,
            from: None,
            until: None,
            before: last,
            offset: 0,
            limit,
        }
    }

    async fn load(&self, key: &str) -> Result<Option<Record>, BucketError> {
        let found = self.store.load(&[self.key(key)]).await.map_err(fault)?;
        Ok(found.into_iter().flatten().next())
    }
}

struct SqlBucket {
    place: Place,
    /// What was seen last of a key. A revision stands for one version, whenever it was seen.
    versions: Mutex<HashMap<String, (Revision, Version)>>,
}

impl SqlBucket {
    fn versions(&self) -> MutexGuard<'_, HashMap<String, (Revision, Version)>> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, key: &str, revision: Revision, version: Version) {
        let mut versions = self.versions();
        if versions.len() >= REMEMBERED_MAX {
            versions.clear();
        }
        versions.insert(key.to_owned(), (revision, version));
    }

    fn version_of(&self, key: &str, expected: Revision) -> Option<Version> {
        let versions = self.versions();
        versions.get(key).filter(|(revision, _)| *revision == expected).map(|(_, it)| *it)
    }

    fn seen(&self, key: &str, record: &Record) -> Option<Entry> {
        let found = entry(key, record)?;
        self.remember(key, found.revision, record.version);
        Some(found)
    }

    /// Writes the version after `before`; a conflict if that is not the last one.
    async fn write(
        &self,
        key: &str,
        body: &Body,
        before: Version,
    ) -> Result<Revision, BucketError> {
        let (at, version, instance) = (Timestamp::EPOCH, before.next(), self.place.key(key));
        let write = Write {
            key: instance.clone(),
            version,
            facets: facets(&self.place.bucket, body),
            state: body.state(),
            at,
            keeps_past: false,
            terms: None,
        };
        let events = EventRecord { key: instance, version, at, events: body.events() };
        let commit = Commit {
            writes: vec![write],
            events: vec![events],
            timing: Timing::Landed,
            ..Commit::default()
        };
        match self.place.store.commit(commit).await {
            Ok(receipt) => {
                let revision = revision(receipt.at);
                self.remember(key, revision, version);
                Ok(revision)
            }
            Err(StoreError::Conflict(_)) => Err(BucketError::Conflict(key.to_owned())),
            Err(error) => Err(fault(error)),
        }
    }

    /// Whether it is a conflict, or there is nothing any more to be in conflict with.
    async fn conflict(&self, key: &str) -> BucketError {
        match self.get(key).await {
            Ok(Some(_)) => BucketError::Conflict(key.to_owned()),
            Ok(None) => BucketError::NotFound(key.to_owned()),
            Err(error) => error,
        }
    }
}

#[async_trait]
impl Bucket for SqlBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        check_key(key)?;
        let record = self.place.load(key).await?;
        Ok(record.and_then(|it| self.seen(key, &it)))
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        check_key(key)?;
        let body = Body::put(&value);
        for _ in 0..ATTEMPTS {
            let record = self.place.load(key).await?;
            if record.as_ref().is_some_and(|it| entry(key, it).is_some()) {
                return Err(BucketError::Exists(key.to_owned()));
            }
            let before = record.map_or(Version::ABSENT, |it| it.version);
            match self.write(key, &body, before).await {
                Err(BucketError::Conflict(_)) => {}
                written => return written,
            }
        }
        Err(contended())
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        check_key(key)?;
        let version = match self.version_of(key, expected) {
            Some(version) => version,
            None => {
                let record = self.place.load(key).await?;
                let found = record.as_ref().and_then(|it| entry(key, it));
                match (found, record) {
                    (Some(entry), Some(record)) if entry.revision == expected => record.version,
                    (Some(_), _) => return Err(BucketError::Conflict(key.to_owned())),
                    (None, _) => return Err(BucketError::NotFound(key.to_owned())),
                }
            }
        };
        match self.write(key, &Body::put(&value), version).await {
            Err(BucketError::Conflict(_)) => Err(self.conflict(key).await),
            written => written,
        }
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        check_key(key)?;
        for _ in 0..ATTEMPTS {
            let Some(record) = self.place.load(key).await? else { return Ok(()) };
            if entry(key, &record).is_none() {
                return Ok(());
            }
            match self.write(key, &Body::Deleted, record.version).await {
                Err(BucketError::Conflict(_)) => {}
                Err(error) => return Err(error),
                Ok(_) => {
                    self.versions().remove(key);
                    return Ok(());
                }
            }
        }
        Err(contended())
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        let mut retained = Vec::new();
        self.recall(key, &mut |it| retained.push(it)).await?;
        Ok(retained)
    }

    async fn recall(
        &self,
        key: &str,
        see: &mut (dyn FnMut(Retained) + Send),
    ) -> Result<(), BucketError> {
        check_key(key)?;
        let (instance, mut after) = (self.place.key(key), Version::ABSENT);
        loop {
            let page =
                self.place.store.history(&instance, after, WRITES_PAGE).await.map_err(fault)?;
            let Some(last) = page.last() else { break };
            after = last.version;
            for record in page {
                let value = Body::of_events(&record.events);
                let value = value.map_or(RetainedValue::Deleted, RetainedValue::Put);
                see(Retained { revision: revision(record.at), at: record.at, value });
            }
        }
        match after == Version::ABSENT {
            true => Err(BucketError::NotFound(key.to_owned())),
            false => Ok(()),
        }
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        watch::watch(self.place.clone()).await
    }

    fn remembers_all(&self) -> bool {
        true
    }

    async fn entries(&self) -> Result<Vec<Entry>, BucketError> {
        let (mut entries, mut last) = (Vec::new(), None);
        loop {
            let records = self.place.store.search(&self.place.present(last, PAGE)).await;
            let records = records.map_err(fault)?;
            for record in &records {
                let Some(name) = self.place.name(&record.key) else { continue };
                entries.extend(entry(name, record));
            }
            last = match records.last() {
                Some(record) if records.len() == PAGE as usize => Some(record.key.id.clone()),
                Some(_) | None => break,
            };
        }
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(entries)
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Entry>>, BucketError> {
        let instances: Vec<_> = keys.iter().map(|it| self.place.key(it)).collect();
        let records = self.place.store.load(&instances).await.map_err(fault)?;
        let found = keys.iter().zip(records);
        Ok(found.map(|(key, it)| it.and_then(|it| self.seen(key, &it))).collect())
    }
}

fn contended() -> BucketError {
    BucketError::Unavailable("others kept writing the same key".to_owned())
}

fn fault(error: StoreError) -> BucketError {
    match error {
        StoreError::Busy | StoreError::Unavailable(_) | StoreError::Unknown(_) => {
            BucketError::Unavailable(error.to_string())
        }
        StoreError::Conflict(_) | StoreError::Corrupt(_) => BucketError::Failed(error.to_string()),
    }
}
