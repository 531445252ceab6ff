//! Following the entities of a type: what is there, then what is written.

use std::{pin::Pin, sync::Arc};

use futures_util::{Stream, StreamExt as _};

use crate::{
    BucketError, BucketEvent, Result, Snapshot,
    core::{Core, Stored},
    registration::Registration,
};

/// A stream that is given up by dropping it.
pub type Watch<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// Something to see.
///
/// ```
/// use futures_util::StreamExt as _;
/// use waypost_lifecycle::WatchEvent;
/// # use serde::{Deserialize, Serialize};
/// # use waypost_lifecycle::{Manager, MemoryBuckets, Participant, Transitions};
/// # #[derive(Clone, Default, Serialize, Deserialize, Participant)]
/// # #[lifecycle(workflow = "lamp", bucket = "LAMPS", transitions = table)]
/// # struct Lamp {
/// #     #[lifecycle(id)] id: String,
/// #     #[lifecycle(phase)] phase: String,
/// #     #[lifecycle(indexable)] room: String,
/// # }
/// # fn table() -> Transitions {
/// #     Transitions::new()
/// #         .phase("dark", ["lit", "failed"]).phase("lit", ["dark", "worn"])
/// #         .phase("failed", []).phase("worn", [])
/// # }
/// # fn lamp(id: &str) -> Lamp {
/// #     Lamp { id: id.into(), phase: "dark".into(), room: "hall".into() }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), waypost_lifecycle::Error> {
/// # let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
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
                self.pass_over(registration, &error, revision);
                None
            }
        }
    }
}

/// Only the values.
pub(crate) fn values<T: Send + 'static>(events: Watch<WatchEvent<T>>) -> Watch<T> {
    let value = |event| match event {
        WatchEvent::Value(snapshot) => Some(snapshot.value),
        WatchEvent::Deleted { .. } | WatchEvent::CaughtUp | WatchEvent::Failed(_) => None,
    };
    events.filter_map(move |event| async move { value(event) }).boxed()
}
