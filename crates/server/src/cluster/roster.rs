//! Which nodes there are. Each keeps a record in the store they share, and is live for as long as
//! it is new; the store's clock says how old it is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use waypost_kernel::{
    Commit, Expectation, Facets, Json, Key, Kind, Query, Record as Stored, Store, StoreError,
    Tenant, Urgency, Version, Write,
};

use super::record::{Peer, Record};
use crate::auth::SYSTEM;

/// How old a record may be. Three more could have come in this time.
pub(super) const LIVE: Duration = Duration::from_secs(10);
/// After this time a record is of no use, not even to people who wonder where a node is.
const FORGOTTEN: Duration = Duration::from_secs(60 * 60);
/// How often somebody who waits may look. Those who look more often see the same.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long the store may take.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);
/// Nodes that are looked at. There are a few; this is for what nobody has thought of.
const NODES_MAX: u32 = 1_000;

/// What these records are called among all others.
const CATEGORY: &str = "node";

/// The nodes that share a store.
pub(super) struct Roster {
    store: Arc<dyn Store>,
    node: String,
    seen: Mutex<Seen>,
    /// The store could not be used; the first time is worth a line of the log.
    is_failing: AtomicBool,
}

#[derive(Default)]
struct Seen {
    peers: Arc<[Peer]>,
    looked_at: Option<Instant>,
}

impl Roster {
    pub(super) fn new(store: Arc<dyn Store>, node: String) -> Self {
        Self { store, node, seen: Mutex::default(), is_failing: AtomicBool::new(false) }
    }

    /// The other nodes that are live.
    pub(super) async fn peers(&self) -> Vec<Peer> {
        self.live(LOOK_EVERY).await
    }

    async fn live(&self, age_max: Duration) -> Vec<Peer> {
        let peers = self.look(age_max).await;
        let now = self.store.now();
        peers.iter().filter(|it| now.since(it.seen_at) < LIVE).cloned().collect()
    }

    /// The node of that name, if it is live and another.
    pub(super) async fn find(&self, name: &str) -> Option<Peer> {
        let named = |peers: Vec<Peer>| peers.into_iter().find(|it| it.name == name);
        match named(self.peers().await) {
            Some(peer) => Some(peer),
            // It may have come this very moment.
            None => named(self.live(Duration::ZERO).await),
        }
    }

    /// All who are there or were; those who look at the same time look once. If the store cannot be
    /// read, what was seen before must do, for as long as it is new.
    async fn look(&self, age_max: Duration) -> Arc<[Peer]> {
        let mut seen = self.seen.lock().await;
        let is_new = |it: Instant| it.elapsed() < age_max;
        if !seen.looked_at.is_some_and(is_new) {
            if let Some(peers) = self.try_use(self.read()).await {
                seen.peers = peers.into();
            }
            seen.looked_at = Some(Instant::now());
        }
        Arc::clone(&seen.peers)
    }

    async fn read(&self) -> Result<Vec<Peer>, StoreError> {
        let records = self.store.search(&everything()).await?;
        let now = self.store.now();
        let (mut peers, mut old) = (Vec::new(), Vec::new());
        for stored in records {
            let name = name(&stored.key).to_owned();
            match stored.state.read::<Record>() {
                _ if now.since(stored.updated_at) > FORGOTTEN => old.push(stored),
                Ok(record) if name != self.node => {
                    peers.push(Peer { name, record, seen_at: stored.updated_at });
                }
                Ok(_) => {}
                // Written by another release: it is not for us.
                Err(error) => tracing::debug!(name, %error, "a node cannot be understood"),
            }
        }
        for stored in old {
            self.forget(stored).await?;
        }
        Ok(peers)
    }

    /// Forgets a node that has been gone for long, unless it came back this very moment or another
    /// one was faster.
    async fn forget(&self, stored: Stored) -> Result<(), StoreError> {
        let Stored { key, version, .. } = stored;
        tracing::info!(node = name(&key), "a node is forgotten");
        let expect = vec![Expectation::Version { key: key.clone(), version }];
        let commit = Commit { expect, erased: vec![key], ..Commit::default() };
        match self.store.commit(commit).await {
            Ok(_) | Err(StoreError::Conflict(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes this node's record after `before`, or after whatever there is; says which version it
    /// has become, unless it could not be written.
    pub(super) async fn write(&self, record: &Record, before: Option<Version>) -> Option<Version> {
        let write = async {
            let before = match before {
                Some(before) => before,
                None => self.before(record).await?,
            };
            self.put(record, before).await
        };
        self.try_use(write).await
    }

    /// The version of what an earlier run has left, or another node that has the same name.
    async fn before(&self, record: &Record) -> Result<Version, StoreError> {
        let found = self.store.load(&[self.key()]).await?.pop().flatten();
        let Some(stored) = found else { return Ok(Version::ABSENT) };
        let is_new = self.store.now().since(stored.updated_at) < LIVE;
        let other = stored.state.read::<Record>().ok().filter(|it| it.http != record.http);
        if let Some(other) = other.filter(|_| is_new) {
            let (node, address) = (&self.node, other.http);
            tracing::warn!(node, address, "another node has the same name, or had a moment ago");
        }
        Ok(stored.version)
    }

    async fn put(&self, record: &Record, before: Version) -> Result<Version, StoreError> {
        let key = self.key();
        let write = Write {
            key: key.clone(),
            version: before.next(),
            facets: Facets { status: CATEGORY.to_owned(), ..Facets::default() },
            state: Json::of(record),
            at: self.store.now(),
            keeps_past: false,
            terms: None,
        };
        let expect = vec![Expectation::Version { key, version: before }];
        let (writes, urgency) = (vec![write], Urgency::Finish);
        self.store.commit(Commit { expect, writes, urgency, ..Commit::default() }).await?;
        Ok(before.next())
    }

    /// Removes this node's record.
    pub(super) async fn erase(&self) {
        let commit = Commit { erased: vec![self.key()], ..Commit::default() };
        self.try_use(async { self.store.commit(commit).await }).await;
    }

    /// Whatever is wrong with the store is over some day. It is told when it begins and when it ends.
    async fn try_use<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
        let error = match timeout(STORE_TIMEOUT, work).await {
            Ok(Ok(done)) => {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("nodes can find each other again");
                }
                return Some(done);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("there was no answer within {STORE_TIMEOUT:?}"),
        };
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(error, "nodes cannot find each other");
        }
        None
    }

    fn key(&self) -> Key {
        let id = format!("{CATEGORY}/{}", self.node);
        Key::new(Tenant::from(SYSTEM), Kind::Register, id.into())
    }
}

fn name(key: &Key) -> &str {
    let id = key.id.as_str();
    id.split_once('/').map_or(id, |(_, name)| name)
}

fn everything() -> Query {
    Query {
        tenant: Tenant::from(SYSTEM),
        kind: Kind::Register,
        definition: None,
        version: None,
        status: Some(CATEGORY.to_owned()),
        business_key: None,
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: None,
        offset: 0,
        limit: NODES_MAX,
    }
}
