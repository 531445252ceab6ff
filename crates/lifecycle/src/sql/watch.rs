//! Watching a bucket in a store: the instances there are, a few at a time, then the events that
//! follow. A cursor that is taken first holds the place, so nothing is missed when the store is away
//! for a while, or when nobody reads.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use waypost_kernel::{Change, Cursor, EventRecord, InstanceId, Kind, Scope, Version};

use super::{
    Place, fault,
    rows::{Body, entry, revision},
};
use crate::bucket::{BucketError, BucketEvent, BucketWatch, Entry};

/// How many instances or changes are read at once: few, because a reader that is slow should not
/// hold many.
const PAGE: u32 = 64;

/// How many keys may be written between the beginning of a watch and the end of what was there. A
/// watch that has to remember more fell behind.
const CHANGED_MAX: usize = 65_536;

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
    /// How far the changes were looked through for keys that were written since.
    scanned: Cursor,
    /// Those keys, with the first version that each was given.
    changed: HashMap<String, Version>,
}

enum Stage {
    /// What was there is shown, after this one.
    Present(Option<InstanceId>),
    /// What was written meanwhile is shown.
    Meanwhile,
    Live,
    Over,
}

pub(super) async fn watch(place: Place) -> Result<BucketWatch, BucketError> {
    let cursor = place.store.head(&scope(&place)).await.map_err(fault)?;
    let mut watching = Watching {
        place,
        stage: Stage::Present(None),
        queue: VecDeque::new(),
        scanned: cursor.clone(),
        cursor,
        changed: HashMap::new(),
    };
    // At once, and not when somebody looks: a store that fails now says so now.
    watching.read().await?;
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
            if matches!(self.stage, Stage::Over) {
                return None;
            }
            match self.read().await {
                Ok(()) => {}
                // The place is kept; everything that landed meanwhile will be there.
                Err(BucketError::Unavailable(_)) => tokio::time::sleep(PAUSE).await,
                Err(error) => {
                    self.stage = Stage::Over;
                    return Some(Err(error));
                }
            }
        }
    }

    async fn read(&mut self) -> Result<(), BucketError> {
        match &self.stage {
            Stage::Present(last) => {
                let last = last.clone();
                self.read_present(last).await
            }
            Stage::Meanwhile | Stage::Live => self.read_changes().await,
            Stage::Over => Ok(()),
        }
    }

    /// Shows some of what was there when the watch began.
    async fn read_present(&mut self, last: Option<InstanceId>) -> Result<(), BucketError> {
        let records = self.place.store.search(&self.place.present(last, PAGE)).await;
        let records = records.map_err(fault)?;
        // Afterwards: what was read and written meanwhile is found among the changes.
        self.scan().await?;
        let mut events = Vec::with_capacity(records.len());
        for record in &records {
            let Some(name) = self.place.name(&record.key) else { continue };
            let entry = match self.changed.get(name) {
                Some(first) => self.before(name, *first).await?,
                None => entry(name, record),
            };
            events.extend(entry.map(BucketEvent::Put));
        }
        self.queue.extend(events);
        self.stage = match records.last() {
            Some(last) if records.len() == PAGE as usize => {
                Stage::Present(Some(last.key.id.clone()))
            }
            Some(_) | None if self.changed.is_empty() => {
                self.queue.push_back(BucketEvent::CaughtUp);
                Stage::Live
            }
            Some(_) | None => {
                self.changed = HashMap::new();
                Stage::Meanwhile
            }
        };
        Ok(())
    }

    /// Takes note of the keys that were written since the watch began.
    async fn scan(&mut self) -> Result<(), BucketError> {
        let scope = scope(&self.place);
        loop {
            let changes = self.place.store.watch(&scope, &self.scanned, PAGE, Duration::ZERO).await;
            let changes = changes.map_err(fault)?;
            let is_last = changes.len() < PAGE as usize;
            for Change { record, cursor } in changes {
                self.scanned = cursor;
                if let Some(name) = self.place.name(&record.key) {
                    self.changed.entry(name.to_owned()).or_insert(record.version);
                }
            }
            if self.changed.len() > CHANGED_MAX {
                return Err(BucketError::Lagged);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// What was at a key before it was given this version.
    async fn before(&self, name: &str, version: Version) -> Result<Option<Entry>, BucketError> {
        let Some(after) = version.0.checked_sub(2).map(Version) else { return Ok(None) };
        let history = self.place.store.history(&self.place.key(name), after, 1).await;
        let before = history.map_err(fault)?.into_iter().next();
        let before = before.filter(|it| it.version < version);
        Ok(match before.map(|it| shown(name, &it)) {
            Some(BucketEvent::Put(entry)) => Some(entry),
            Some(
                BucketEvent::Deleted { .. } | BucketEvent::CaughtUp | BucketEvent::Missed { .. },
            )
            | None => None,
        })
    }

    async fn read_changes(&mut self) -> Result<(), BucketError> {
        let scope = scope(&self.place);
        let changes = self.place.store.watch(&scope, &self.cursor, PAGE, WAIT).await;
        for Change { record, cursor } in changes.map_err(fault)? {
            if let Some(name) = self.place.name(&record.key) {
                self.queue.push_back(shown(name, &record));
            }
            self.cursor = cursor;
            if matches!(self.stage, Stage::Meanwhile) && self.is_past_scanned() {
                self.queue.push_back(BucketEvent::CaughtUp);
                self.stage = Stage::Live;
            }
        }
        Ok(())
    }

    /// Whether the changes were read that came while what was there was looked through.
    fn is_past_scanned(&self) -> bool {
        let is_past = |(stream, until): (&u64, &u64)| {
            self.cursor.0.get(stream).is_some_and(|position| position >= until)
        };
        self.scanned.0.iter().all(is_past)
    }
}

/// What a write is to who watches.
fn shown(name: &str, record: &EventRecord) -> BucketEvent {
    let (key, at, revision) = (name.to_owned(), record.at, revision(record.at));
    match Body::of_events(&record.events) {
        None => BucketEvent::Deleted { key, revision },
        Some(value) => BucketEvent::Put(Entry { key, value, revision, at }),
    }
}
