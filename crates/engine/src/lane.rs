//! One instance, one turn at a time, with its state kept at hand.
//!
//! Lanes save work; they promise nothing. What a lane remembers may be old: the version that every
//! commit expects makes that harmless.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use waypost_kernel::{Key, Version};

use crate::{
    error::Error,
    limits::{LANE_QUEUE_MAX, LANES_MAX},
};

const SHARDS: usize = 64;

/// A state as of a version.
pub(crate) struct Hot<S> {
    pub(crate) version: Version,
    pub(crate) state: Arc<S>,
}

impl<S> Clone for Hot<S> {
    fn clone(&self) -> Self {
        Self { version: self.version, state: Arc::clone(&self.state) }
    }
}

/// What is at hand in a lane. Locked while a turn is under way.
pub(crate) type Slot<S> = OwnedMutexGuard<Option<Hot<S>>>;

struct Lane<S> {
    slot: Arc<AsyncMutex<Option<Hot<S>>>>,
    queued: AtomicUsize,
    /// Asked for since lanes were last thinned out.
    is_recent: AtomicBool,
}

impl<S> Lane<S> {
    fn new() -> Self {
        let (queued, is_recent) = (AtomicUsize::new(0), AtomicBool::new(true));
        Self { slot: Arc::default(), queued, is_recent }
    }
}

/// The lanes of one face on one node.
pub(crate) struct Lanes<S> {
    shards: Vec<Mutex<HashMap<Key, Arc<Lane<S>>>>>,
    hasher: RandomState,
}

impl<S> Lanes<S> {
    pub(crate) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: RandomState::new() }
    }

    /// Waits for the turn of `key`.
    pub(crate) async fn enter(&self, key: &Key) -> Result<Slot<S>, Error> {
        let lane = self.lane(key);
        if lane.queued.fetch_add(1, Ordering::Relaxed) >= LANE_QUEUE_MAX {
            lane.queued.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::Overloaded { what: "turns queued for one instance" });
        }
        let queued = Queued(&lane.queued);
        let slot = Arc::clone(&lane.slot).lock_owned().await;
        drop(queued);
        Ok(slot)
    }

    /// The state at hand, if it is at least as new as `version` and nobody is changing it.
    pub(crate) fn peek(&self, key: &Key, version: Version) -> Option<Hot<S>> {
        let lane = Arc::clone(self.shard(key).get(key)?);
        lane.is_recent.store(true, Ordering::Relaxed);
        let slot = lane.slot.try_lock().ok()?;
        slot.as_ref().filter(|hot| hot.version >= version).cloned()
    }

    /// Keeps a state at hand, unless a newer one is or somebody is changing it.
    pub(crate) fn keep(&self, key: &Key, hot: Hot<S>) {
        let lane = self.lane(key);
        let Ok(mut slot) = lane.slot.try_lock() else { return };
        if slot.as_ref().is_none_or(|it| it.version < hot.version) {
            *slot = Some(hot);
        }
    }

    /// Keeps nothing at hand of `key`, unless somebody is changing it.
    pub(crate) fn forget(&self, key: &Key) {
        let lane = self.shard(key).get(key).map(Arc::clone);
        if let Some(mut slot) = lane.as_ref().and_then(|it| it.slot.try_lock().ok()) {
            *slot = None;
        }
    }

    fn lane(&self, key: &Key) -> Arc<Lane<S>> {
        let mut shard = self.shard(key);
        if shard.len() >= LANES_MAX / SHARDS && !shard.contains_key(key) {
            // Those asked for lately get a second chance: they will be asked for again.
            shard.retain(|_, it| is_in_use(it) || it.is_recent.swap(false, Ordering::Relaxed));
        }
        let lane = shard.entry(key.clone()).or_insert_with(|| Arc::new(Lane::new()));
        lane.is_recent.store(true, Ordering::Relaxed);
        Arc::clone(lane)
    }

    #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "a remainder")]
    fn shard(&self, key: &Key) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Lane<S>>>> {
        let index = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn under way holds the slot, and one that waits holds the lane.
fn is_in_use<S>(lane: &Arc<Lane<S>>) -> bool {
    Arc::strong_count(lane) > 1 || Arc::strong_count(&lane.slot) > 1
}

struct Queued<'a>(&'a AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_kernel::Kind;

    fn key(id: usize) -> Key {
        Key::new("acme".into(), Kind::Chain, id.to_string().as_str().into())
    }

    #[test]
    fn lanes_are_few_and_those_asked_for_stay_at_hand() {
        let lanes = Lanes::new();
        let hot = || Hot { version: Version(1), state: Arc::new(()) };
        lanes.keep(&key(0), hot());
        for id in 1..LANES_MAX * 4 {
            lanes.keep(&key(id), hot());
            assert!(lanes.peek(&key(0), Version(1)).is_some(), "forgotten at {id}");
        }
        let n_lanes: usize = lanes.shards.iter().map(|it| it.lock().unwrap().len()).sum();
        assert!(n_lanes <= LANES_MAX + SHARDS, "{n_lanes}");
    }
}
