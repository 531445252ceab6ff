//! Following the entities of a type: what is there, then what is written.

use std::{pin::Pin, sync::Arc};

use futures_util::{Stream, StreamExt as _};

use crate::{
    BucketError, BucketEvent, Result, Snapshot,
    core::{Core, Stored},
    figures::count,
    registration::Registration,
};

/// A stream that is given up by dropping it.
///
/// ```
/// use futures_util::StreamExt as _;
/// use waypost_lifecycle::Watch;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// lamps.create(&lamp("l-1")).await?;
/// let mut seen: Watch<Lamp> = lamps.watch().await?;
/// assert_eq!(seen.next().await.map(|it| it.id).as_deref(), Some("l-1"));
/// # Ok(())
/// # }
/// ```
pub type Watch<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// Something to see.
///
/// ```
/// use futures_util::StreamExt as _;
/// use waypost_lifecycle::WatchEvent;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// lamps.create(&lamp("l-1")).await?;
/// let mut seen = lamps.watch_events().await?;
/// assert!(matches!(seen.next().await, Some(WatchEvent::Value(it)) if it.entity_id == "l-1"));
/// assert!(matches!(seen.next().await, Some(WatchEvent::CaughtUp)));
/// manager.delete("lamp", "l-1").await?;
/// assert!(matches!(seen.next().await, Some(WatchEvent::Deleted { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<T> {
    /// An entity: one that is there, or one that was just written.
    Value(Snapshot<T>),
    /// An entity was deleted.
    Deleted {
        /// Which.
        entity_id: String,
    },
    /// All that was there at the beginning has been shown.
    CaughtUp,
    /// Writes were overwritten, and forgotten by the bucket, before they could be shown. The entities
    /// are shown as they are now nevertheless.
    Missed {
        /// How many.
        count: u64,
    },
    /// The store failed. Nothing follows.
    Failed(BucketError),
}

impl Core {
    /// Everything there is to see; `show` makes of an entity what the caller wants, or passes it
    /// over.
    pub(crate) async fn watch<T: Send + 'static>(
        self: &Arc<Self>,
        registration: &Arc<Registration>,
        show: impl Fn(&Registration, Stored) -> Result<Snapshot<T>> + Send + Sync + 'static,
    ) -> Result<Watch<WatchEvent<T>>> {
        let events = registration.bucket.watch().await;
        let events = events.map_err(|it| registration.store_error(it))?;
        let (core, registration) = (Arc::clone(self), Arc::clone(registration));
        let seen = events.filter_map(move |event| {
            let shown = core.see(&registration, event, &show);
            async { shown }
        });
        Ok(seen.boxed())
    }

    fn see<T>(
        &self,
        registration: &Registration,
        event: Result<BucketEvent, BucketError>,
        show: &impl Fn(&Registration, Stored) -> Result<Snapshot<T>>,
    ) -> Option<WatchEvent<T>> {
        let entry = match event {
            Ok(BucketEvent::Put(entry)) => entry,
            Ok(BucketEvent::CaughtUp) => return Some(WatchEvent::CaughtUp),
            Ok(BucketEvent::Missed { count: missed }) => {
                count(&self.counters.watch_gaps);
                return Some(WatchEvent::Missed { count: missed });
            }
            Ok(BucketEvent::Deleted { key, .. }) => {
                let entity_id = registration.shape.id_of(&key)?.to_owned();
                return Some(WatchEvent::Deleted { entity_id });
            }
            Err(error) => {
                let workflow = registration.workflow.as_str();
                tracing::warn!(workflow, %error, "a watch ended");
                return Some(WatchEvent::Failed(error));
            }
        };
        let revision = entry.revision;
        let seen = registration.open(&entry);
        match seen.and_then(|it| it.map(|stored| show(registration, stored)).transpose()) {
            Ok(snapshot) => snapshot.map(WatchEvent::Value),
            Err(error) => {
                self.counters.pass_over(registration, &error, revision);
                None
            }
        }
    }
}

/// Only the values.
pub(crate) fn values<T: Send + 'static>(events: Watch<WatchEvent<T>>) -> Watch<T> {
    let value = |event| match event {
        WatchEvent::Value(snapshot) => Some(snapshot.value),
        WatchEvent::Deleted { .. }
        | WatchEvent::CaughtUp
        | WatchEvent::Missed { .. }
        | WatchEvent::Failed(_) => None,
    };
    events.filter_map(move |event| async move { value(event) }).boxed()
}
