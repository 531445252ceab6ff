//! Where keys and clients are kept: in the store, so that nodes that share it agree, and so that
//! they are there after a restart. Every change expects the version that was read.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use waypost_kernel::{
    Commit, Expectation, Facets, Json, Key, Kind, Query, Record, Store, StoreError, Tenant,
    Timestamp, Version, Write,
};

use super::identity::is_name;

/// Keys and clients in the store.
#[derive(Clone)]
pub(super) struct Register {
    store: Arc<dyn Store>,
}

/// A place for things of one kind.
#[derive(Clone)]
pub(super) struct Shelf {
    /// Whose things lie there.
    pub(super) tenant: Tenant,
    /// What they are; part of their ids.
    pub(super) category: &'static str,
    /// Only those marked with this, and new ones are.
    pub(super) mark: Option<String>,
}

/// A thing as it was read.
pub(super) struct Entry<T> {
    pub(super) version: Version,
    pub(super) value: T,
}

impl<T> Entry<T> {
    /// A thing that is not there yet.
    pub(super) const fn new(value: T) -> Self {
        Self { version: Version::ABSENT, value }
    }
}

impl Register {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// The thing of that name, if there is one. Nothing is called what is no name, which some
    /// stores could not even be asked for.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        shelf: &Shelf,
        id: &str,
    ) -> Result<Option<Entry<T>>, StoreError> {
        if !is_name(id) {
            return Ok(None);
        }
        let found = self.store.load(&[shelf.key(id)]).await?.into_iter().flatten().next();
        found.map(read).transpose()
    }

    /// All that lie there, at most `limit`.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        shelf: &Shelf,
        limit: u32,
    ) -> Result<Vec<Entry<T>>, StoreError> {
        let found = self.store.search(&shelf.query(limit)).await?;
        found.into_iter().map(read).collect()
    }

    /// How many lie there.
    pub(super) async fn count(&self, shelf: &Shelf) -> Result<u64, StoreError> {
        self.store.count(&shelf.query(0)).await
    }

    /// Keeps a thing, if it is still as it was read.
    pub(super) async fn keep<T: Serialize>(
        &self,
        shelf: &Shelf,
        id: &str,
        entry: &Entry<T>,
    ) -> Result<(), StoreError> {
        self.commit(self.kept(shelf, (id, entry))).await
    }

    /// The same, if another thing is still as it was read, too.
    pub(super) async fn keep_beside<T: Serialize>(
        &self,
        shelf: &Shelf,
        this: (&str, &Entry<T>),
        other: (&str, &Entry<T>),
    ) -> Result<(), StoreError> {
        let (Commit { expect, writes, .. }, mut commit) =
            (self.kept(shelf, this), self.held(shelf, other));
        commit.expect.extend(expect);
        commit.writes.extend(writes);
        self.commit(commit).await
    }

    /// Forgets a thing, if it is still as it was read.
    pub(super) async fn forget(
        &self,
        shelf: &Shelf,
        id: &str,
        version: Version,
    ) -> Result<(), StoreError> {
        let expect = vec![expected(shelf, id, version)];
        self.commit(Commit { expect, erased: vec![shelf.key(id)], ..Commit::default() }).await
    }

    /// The same, if another thing is still as it was read, too.
    pub(super) async fn forget_beside<T: Serialize>(
        &self,
        shelf: &Shelf,
        (id, version): (&str, Version),
        other: (&str, &Entry<T>),
    ) -> Result<(), StoreError> {
        let mut commit = self.held(shelf, other);
        commit.expect.push(expected(shelf, id, version));
        commit.erased.push(shelf.key(id));
        self.commit(commit).await
    }

    /// Lands only while the thing is as it was read. One that is not there yet is kept from now on:
    /// a database cannot see to it that what is not there stays so.
    fn held<T: Serialize>(&self, shelf: &Shelf, (id, entry): (&str, &Entry<T>)) -> Commit {
        if entry.version == Version::ABSENT {
            return self.kept(shelf, (id, entry));
        }
        let expect = vec![expected(shelf, id, entry.version)];
        Commit { expect, ..Commit::default() }
    }

    fn kept<T: Serialize>(&self, shelf: &Shelf, (id, entry): (&str, &Entry<T>)) -> Commit {
        let write = Write {
            key: shelf.key(id),
            version: entry.version.next(),
            facets: Facets {
                status: shelf.category.to_owned(),
                business_key: shelf.mark.clone(),
                ..Facets::default()
            },
            state: Json::of(&entry.value),
            at: self.now(),
            keeps_past: false,
            terms: None,
        };
        let expect = vec![expected(shelf, id, entry.version)];
        Commit { expect, writes: vec![write], ..Commit::default() }
    }

    async fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        self.store.commit(commit).await.map(|_| ())
    }
}

impl Shelf {
    fn key(&self, id: &str) -> Key {
        let id = format!("{}/{id}", self.category);
        Key::new(self.tenant.clone(), Kind::Register, id.into())
    }

    fn query(&self, limit: u32) -> Query {
        Query {
            tenant: self.tenant.clone(),
            kind: Kind::Register,
            definition: None,
            version: None,
            status: Some(self.category.to_owned()),
            business_key: self.mark.clone(),
            awaits: None,
            step: None,
            from: None,
            until: None,
            before: None,
            offset: 0,
            limit,
        }
    }
}

fn expected(shelf: &Shelf, id: &str, version: Version) -> Expectation {
    Expectation::Version { key: shelf.key(id), version }
}

fn read<T: DeserializeOwned>(record: Record) -> Result<Entry<T>, StoreError> {
    let Record { key, version, state, .. } = record;
    // What was read may be a secret: only the place of the mistake is told.
    let value = state.read().map_err(|error| {
        let (line, column) = (error.line(), error.column());
        StoreError::Corrupt(format!("{key}, line {line} column {column}"))
    })?;
    Ok(Entry { version, value })
}
