//! Watching a bucket in memory: the keys there were, a few at a time, then what was written since.

use std::{
    collections::VecDeque,
    ops::Bound,
    sync::{Arc, Mutex},
};

use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;

use super::{Content, entry, lock};
use crate::bucket::{BucketError, BucketEvent, BucketWatch, Revision};

/// How many writes a watch may be behind. What it has not seen is shared with the other watches, so
/// this is cheap; one that is further behind is not read at all.
const LAG_MAX: usize = 65_536;

/// How many of the keys that are there are looked at at once.
const PAGE: usize = 128;

struct Watching {
    content: Arc<Mutex<Content>>,
    /// The last write before the watch began.
    began: Revision,
    stage: Stage,
    queue: VecDeque<BucketEvent>,
    writes: mpsc::Receiver<Arc<BucketEvent>>,
}

enum Stage {
    /// What was there is shown, after this key.
    Present(Option<String>),
    /// What was written meanwhile is shown, up to this write.
    Meanwhile(Revision),
    Live,
    Over,
}

pub(super) fn watch(content: Arc<Mutex<Content>>) -> BucketWatch {
    let (sender, writes) = mpsc::channel(LAG_MAX);
    let began = {
        let mut content = lock(&content);
        content.watchers.push(sender);
        Revision(content.latest)
    };
    let (stage, queue) = (Stage::Present(None), VecDeque::new());
    let mut watching = Watching { content, began, stage, queue, writes };
    // At once, and not when somebody looks: a small bucket is shown as it is now.
    watching.read_present(None);
    let events = stream::unfold(watching, async |mut watching| {
        let event = watching.next().await?;
        Some((event, watching))
    });
    events.boxed()
}

impl Watching {
    async fn next(&mut self) -> Option<Result<BucketEvent, BucketError>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(Ok(event));
            }
            match &mut self.stage {
                Stage::Present(after) => {
                    let after = after.take();
                    self.read_present(after);
                }
                Stage::Meanwhile(until) if *until <= self.began => {
                    self.queue.push_back(BucketEvent::CaughtUp);
                    self.stage = Stage::Live;
                }
                Stage::Meanwhile(_) | Stage::Live => return Some(self.read_write().await),
                Stage::Over => return None,
            }
        }
    }

    /// Reads what was there when the watch began, as far as it is remembered. What is not was
    /// replaced by a write that is shown later.
    fn read_present(&mut self, after: Option<String>) {
        let content = lock(&self.content);
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let (mut n_keys, mut last) = (0, None);
        for (key, retained) in content.keys.range((from, Bound::Unbounded)).take(PAGE) {
            let past = retained.iter().rev().find(|it| it.revision <= self.began);
            let past = past.and_then(|it| entry(key, it));
            self.queue.extend(past.map(BucketEvent::Put));
            (n_keys, last) = (n_keys + 1, Some(key.clone()));
        }
        self.stage = match n_keys {
            PAGE => Stage::Present(last),
            _ => Stage::Meanwhile(Revision(content.latest)),
        };
    }

    async fn read_write(&mut self) -> Result<BucketEvent, BucketError> {
        let Some(event) = self.writes.recv().await else {
            self.stage = Stage::Over;
            return Err(BucketError::Lagged);
        };
        let event = Arc::unwrap_or_clone(event);
        if let Stage::Meanwhile(until) = &self.stage
            && revision(&event) >= Some(*until)
        {
            self.queue.push_back(BucketEvent::CaughtUp);
            self.stage = Stage::Live;
        }
        Ok(event)
    }
}

const fn revision(event: &BucketEvent) -> Option<Revision> {
    match event {
        BucketEvent::Put(entry) => Some(entry.revision),
        BucketEvent::Deleted { revision, .. } => Some(*revision),
        BucketEvent::CaughtUp | BucketEvent::Missed { .. } => None,
    }
}
