//! Watching a bucket in a store: the instances there are, then the events that follow. A cursor
//! holds the place, so nothing is missed when the store is away for a while.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use waypost_kernel::{Change, Cursor, InstanceId, Kind, Query, Scope, StoreError};

use super::{
    PAGE, Place, fault,
    rows::{Body, PRESENT, entry, revision},
};
use crate::bucket::{BucketError, BucketEvent, BucketWatch, Entry, Revision};

/// How many changes are read at once: few, because a reader that is slow should not hold many.
const CHANGES: u32 = 64;

/// How long the store is left to wait for changes before it is asked again.
const WAIT: Duration = Duration::from_secs(30);

/// The pause after which a store that was away is asked again.
const PAUSE: Duration = Duration::from_millis(200);

struct Watching {
    place: Place,
    stage: Stage,
    queue: VecDeque<BucketEvent>,
    /// Where the changes are read from.
    cursor: Cursor,
    /// What was shown of keys that may come again among the first changes.
    shown: HashMap<String, Revision>,
    /// Beyond this, nothing that was shown comes again.
    shown_until: Cursor,
}

enum Stage {
    Changes,
    Over,
}

pub(super) async fn watch(place: Place) -> Result<BucketWatch, BucketError> {
    // Taken first: what lands while we look at what is there comes again, rather than never.
    let cursor = place.store.head(&scope(&place)).await.map_err(fault)?;
    let mut watching = Watching {
        place,
        stage: Stage::Changes,
        queue: VecDeque::new(),
        cursor,
        shown: HashMap::new(),
        shown_until: Cursor::default(),
    };
    // At once, and not when somebody looks: what is written from now on is shown write by write.
    watching.read_present().await?;
    let events = stream::unfold(watching, async |mut watching| {
        let event = watching.next().await?;
        Some((event, watching))
    });
    Ok(events.boxed())
}

fn scope(place: &Place) -> Scope {
    Scope { tenant: place.tenant.clone(), kind: Kind::Lifecycle, instance: None }
}

impl Watching {
    async fn next(&mut self) -> Option<Result<BucketEvent, BucketError>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(Ok(event));
            }
            let read = match &self.stage {
                Stage::Changes => self.read_changes().await,
                Stage::Over => return None,
            };
            if let Err(error) = read {
                self.stage = Stage::Over;
                return Some(Err(error));
            }
        }
    }

    async fn read_present(&mut self) -> Result<(), BucketError> {
        let mut last = None;
        loop {
            let records = self.place.store.search(&self.present(last)).await.map_err(fault)?;
            for record in &records {
                let Some(name) = self.place.name(&record.key) else { continue };
                if let Some(entry) = entry(name, record)? {
                    self.shown.insert(entry.key.clone(), entry.revision);
                    self.queue.push_back(BucketEvent::Put(entry));
                }
            }
            last = records.last().map(|it| it.key.id.clone());
            if last.is_none() {
                break;
            }
        }
        self.queue.push_back(BucketEvent::CaughtUp);
        self.shown_until = self.place.store.head(&scope(&self.place)).await.map_err(fault)?;
        self.forget_shown();
        Ok(())
    }

    /// Asks for what is there, going on after the last one seen.
    fn present(&self, last: Option<InstanceId>) -> Query {
        Query {
            tenant: self.place.tenant.clone(),
            kind: Kind::Lifecycle,
            definition: Some(self.place.bucket.clone()),
            version: None,
            status: Some(PRESENT.to_owned()),
            business_key: None,
            awaits: None,
            step: None,
            from: None,
            until: None,
            before: last,
            offset: 0,
            limit: PAGE,
        }
    }

    async fn read_changes(&mut self) -> Result<(), BucketError> {
        let scope = scope(&self.place);
        match self.place.store.watch(&scope, &self.cursor, CHANGES, WAIT).await {
            Ok(changes) => changes.into_iter().try_for_each(|it| self.take(it)),
            // The cursor keeps the place; everything that landed meanwhile will be there.
            Err(StoreError::Unavailable(_) | StoreError::Busy | StoreError::Unknown(_)) => {
                tokio::time::sleep(PAUSE).await;
                Ok(())
            }
            Err(error @ (StoreError::Conflict(_) | StoreError::Corrupt(_))) => Err(fault(error)),
        }
    }

    fn take(&mut self, change: Change) -> Result<(), BucketError> {
        let Change { record, cursor } = change;
        self.cursor = cursor;
        let revision = revision(record.at);
        if let Some(name) = self.place.name(&record.key)
            && self.shown.get(name).is_none_or(|it| *it < revision)
        {
            let (key, at) = (name.to_owned(), record.at);
            self.queue.push_back(match Body::of_events(&record.events)? {
                Body::Deleted => BucketEvent::Deleted { key, revision },
                body @ (Body::Value(_) | Body::Bytes(_)) => {
                    BucketEvent::Put(Entry { key, value: body.bytes()?, revision, at })
                }
            });
        }
        self.forget_shown();
        Ok(())
    }

    /// Frees what is only needed as long as something may come again.
    fn forget_shown(&mut self) {
        let is_past = |(stream, until): (&u64, &u64)| {
            self.cursor.0.get(stream).is_some_and(|position| position >= until)
        };
        if !self.shown.is_empty() && self.shown_until.0.iter().all(is_past) {
            self.shown = HashMap::new();
        }
    }
}
