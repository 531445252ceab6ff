//! Keeps the index up to date by watching the bucket, again and again if the watch breaks.

use std::{
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use futures_util::StreamExt as _;

use super::{Content, Index, facts, lock};
use crate::{
    BucketError, BucketEvent,
    figures::{Counters, count},
    registration::Registration,
};

/// The first and the longest pause before a broken watch is begun again.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

impl Index {
    /// Watches the type's bucket for as long as the type is registered.
    pub(crate) fn follow(registration: &Arc<Registration>, counters: Arc<Counters>) {
        let content = Arc::clone(&registration.index.content);
        let feed = tokio::spawn(feed(Arc::downgrade(registration), content, counters));
        // Set once: a type is registered once.
        drop(registration.index.feed.set(feed.abort_handle()));
    }
}

/// What is fed. From the moment on that nobody does any more, lists read the bucket: also if whoever
/// did so panicked, or ended with its runtime.
struct Fed(Arc<Mutex<Content>>);

impl Drop for Fed {
    fn drop(&mut self) {
        lock(&self.0).interrupt();
    }
}

async fn feed(
    registration: Weak<Registration>,
    content: Arc<Mutex<Content>>,
    counters: Arc<Counters>,
) {
    let fed = Fed(content);
    let mut pause = PAUSE;
    loop {
        let failure = follow(&registration, &fed.0, &counters, &mut pause).await;
        lock(&fed.0).interrupt();
        let Some(error) = failure else { return };
        count(&counters.watches_restarted);
        tracing::warn!(%error, "the watch of an index broke; lists read the bucket meanwhile");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Follows one watch to its end. Ends without a failure if the type is gone.
async fn follow(
    registration: &Weak<Registration>,
    content: &Mutex<Content>,
    counters: &Counters,
    pause: &mut Duration,
) -> Option<BucketError> {
    let bucket = Arc::clone(&registration.upgrade()?.bucket);
    lock(content).begin();
    let mut events = match bucket.watch().await {
        Ok(events) => events,
        Err(error) => return Some(error),
    };
    while let Some(event) = events.next().await {
        let registration = registration.upgrade()?;
        match event {
            Ok(BucketEvent::Put(entry)) => {
                let Some(entity_id) = registration.shape.id_of(&entry.key) else { continue };
                // Most news is of our own writes, which are known.
                if lock(content).knows(entity_id, entry.revision) {
                    continue;
                }
                let opened = registration.open(&entry).unwrap_or_else(|error| {
                    counters.pass_over(&registration, &error, entry.revision);
                    None
                });
                let facts = opened.map(|it| facts(&registration, &*it.held));
                lock(content).apply(entity_id, entry.revision, facts);
            }
            Ok(BucketEvent::Deleted { key, revision }) => {
                let Some(entity_id) = registration.shape.id_of(&key) else { continue };
                lock(content).apply(entity_id, revision, None);
            }
            Ok(BucketEvent::CaughtUp) => {
                lock(content).complete();
                *pause = PAUSE;
            }
            Ok(BucketEvent::Missed { .. }) => count(&counters.watch_gaps),
            Err(error) => return Some(error),
        }
    }
    Some(BucketError::Unavailable("the watch ended".to_owned()))
}
