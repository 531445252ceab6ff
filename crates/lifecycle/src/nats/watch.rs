//! Watching a bucket in NATS: the last message of each key, then all that follow. The stream's own
//! numbers hold the place, so that a connection may break in between: up to the number that was the
//! last at the beginning the last messages of the keys count, from there on every message.

use std::{collections::VecDeque, sync::atomic::Ordering, time::Duration};

use async_nats::{
    connection::State,
    jetstream::{
        Context, Message,
        consumer::{DeliverPolicy, ReplayPolicy, push},
        kv::Store,
        stream::Info,
    },
};
use futures_util::{StreamExt as _, stream};
use waypost_kernel::Timestamp;

use super::{is_mark, open, timestamp, unavailable};
use crate::bucket::{BucketError, BucketEvent, BucketWatch, Entry, Revision};

/// How long nothing may happen before we look around.
const GLANCE: Duration = Duration::from_millis(500);

/// How many glances long the server may be silent while it should be showing what is there. It
/// counts keys, and one that is overwritten meanwhile is counted and never shown.
const SILENCE: u32 = 4;

/// How many glances long nothing may happen before we ask whether the bucket is still there.
const IDLE: u32 = 60;

/// The pause after which a server that was away is asked again.
const PAUSE: Duration = Duration::from_millis(100);

/// How often a watch that does not wait asks again without being shown anything: the connection may
/// stay up while nobody answers.
const ASKED_MAX: u32 = 3;

/// How long a server that just came back may take to answer before it is asked again: it may have
/// been asked before it was ready.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// How far a watch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It shows what is there.
    Shows,
    /// It was interrupted while it did, and has asked again: since then, messages may have replaced
    /// others that nobody has seen.
    ShowsAgain,
    /// Every message counts.
    Follows,
}

struct Watching {
    context: Context,
    store: Store,
    messages: Option<push::Ordered>,
    /// What the server calls the subscription.
    consumer: Option<String>,
    queue: VecDeque<BucketEvent>,
    /// The number of the last message that was there at the beginning, once it is known.
    beginning: Option<u64>,
    /// The number of the last message that was there when the beginning had been shown, if more were
    /// to come then.
    end: Option<u64>,
    /// The number of the last message that was there when the first subscription was: every later one
    /// is shown or told of.
    subscribed: u64,
    /// When the bucket was made, as it was told at the beginning.
    made_at: Option<Timestamp>,
    /// The number of the last message that was shown.
    last: u64,
    stage: Stage,
    is_caught_up: bool,
    is_over: bool,
    waits: bool,
    /// The connection that the subscription was made over, by number.
    connection: u64,
    /// How many glances ago something happened.
    n_glances: u32,
    /// How often it was asked again since something was shown.
    n_asked: u32,
}

/// Watches; `waits` says whether a server that goes away is waited for, or ends the watch.
pub(super) async fn watch(
    context: Context,
    store: Store,
    waits: bool,
) -> Result<BucketWatch, BucketError> {
    let mut watching = Watching {
        context,
        store,
        messages: None,
        consumer: None,
        queue: VecDeque::new(),
        beginning: None,
        end: None,
        subscribed: 0,
        made_at: None,
        last: 0,
        stage: Stage::Shows,
        is_caught_up: false,
        is_over: false,
        waits,
        connection: 0,
        n_glances: 0,
        n_asked: 0,
    };
    watching.subscribe().await?;
    let events = stream::unfold(watching, async |mut watching| {
        let event = watching.next().await?;
        Some((event, watching))
    });
    Ok(events.boxed())
}

impl Watching {
    async fn next(&mut self) -> Option<Result<BucketEvent, BucketError>> {
        while !self.is_over {
            if let Some(event) = self.queue.pop_front() {
                return Some(Ok(event));
            }
            if let Err(error) = self.read().await {
                self.is_over = true;
                return Some(Err(error));
            }
        }
        None
    }

    /// Reads one message, or finds a way to go on.
    async fn read(&mut self) -> Result<(), BucketError> {
        let Some(messages) = &mut self.messages else { return self.resume().await };
        match tokio::time::timeout(GLANCE, messages.next()).await {
            // The client mends a subscription in its own way, which is not ours: see `take`.
            Ok(Some(Ok(_))) if self.is_old() => {
                self.messages = None;
                Ok(())
            }
            Ok(Some(Ok(message))) => {
                self.take(&message)?;
                self.look_ahead().await;
                Ok(())
            }
            // The subscription ended: another one goes on from the same place.
            Ok(Some(Err(_)) | None) => {
                self.messages = None;
                Ok(())
            }
            Err(_) => self.glance().await,
        }
    }

    /// When what was there at the beginning was shown, finds out where that ends which may have
    /// replaced some of it meanwhile. Others may write faster than anybody reads: then there is always
    /// something left, and this ends nevertheless. Who does not answer is asked with the next message.
    async fn look_ahead(&mut self) {
        let is_shown = self.beginning.is_some_and(|it| self.last >= it);
        if self.is_caught_up || !is_shown || self.end.is_some() || self.messages.is_none() {
            return;
        }
        if let Ok(Ok(info)) = tokio::time::timeout(GLANCE, self.store.stream.get_info()).await {
            self.end = Some(info.state.last_sequence);
            if info.state.last_sequence <= self.last {
                self.catch_up();
            }
        }
    }

    /// Looks around when nothing happens. The client mends a subscription by itself after the
    /// connection broke, but takes its time.
    async fn glance(&mut self) -> Result<(), BucketError> {
        self.n_glances += 1;
        let is_stuck = !self.is_caught_up && self.n_glances >= SILENCE;
        if self.is_old() || is_stuck {
            self.messages = None;
        } else if self.n_glances >= IDLE {
            self.n_glances = 0;
            return self.check().await;
        }
        Ok(())
    }

    /// Subscribes again, when the server is there.
    async fn resume(&mut self) -> Result<(), BucketError> {
        let is_connected = self.context.client().connection_state() == State::Connected;
        if !self.waits && (self.is_old() || !is_connected) {
            return Err(BucketError::Unavailable("the connection to NATS was lost".to_owned()));
        }
        self.n_asked += 1;
        if !self.waits && self.n_asked > ASKED_MAX {
            return Err(BucketError::Unavailable("NATS does not show the bucket".to_owned()));
        }
        if is_connected {
            let resuming = async {
                self.check().await?;
                // If it does not work now, it will later.
                Ok(self.subscribe().await.is_ok())
            };
            if let Ok(resumed) = tokio::time::timeout(ANSWER_MAX, resuming).await
                && resumed?
            {
                return Ok(());
            }
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    /// Whether the connection has broken since the subscription was made.
    fn is_old(&self) -> bool {
        self.connection != self.connection_now()
    }

    /// The number of the connection there is, or was last.
    fn connection_now(&self) -> u64 {
        self.context.client().statistics().connects.load(Ordering::Relaxed)
    }

    /// Ends the watch if the bucket is gone, or is another one by the same name. A server that is
    /// away for a while is no reason.
    async fn check(&mut self) -> Result<(), BucketError> {
        match open(&self.context, &self.store.name).await {
            Ok(store) => {
                let info = store.stream.cached_info();
                let is_same = self.made_at.is_none_or(|it| it == made_at(info));
                match is_same && info.state.last_sequence >= self.last {
                    true => Ok(()),
                    false => Err(BucketError::Failed("the bucket was made anew".to_owned())),
                }
            }
            Err(missing @ BucketError::Missing(_)) => Err(missing),
            Err(_) => Ok(()),
        }
    }

    async fn subscribe(&mut self) -> Result<(), BucketError> {
        (self.connection, self.n_glances) = (self.connection_now(), 0);
        let is_first = self.beginning.is_none();
        if is_first {
            let info = self.store.stream.get_info().await.map_err(|error| unavailable(&error))?;
            (self.beginning, self.made_at) = (Some(info.state.last_sequence), Some(made_at(&info)));
        } else if self.stage == Stage::Shows {
            self.stage = Stage::ShowsAgain;
        }
        let deliver_policy = match self.stage {
            Stage::Shows | Stage::ShowsAgain => DeliverPolicy::LastPerSubject,
            Stage::Follows => DeliverPolicy::ByStartSequence { start_sequence: self.last + 1 },
        };
        let config = push::OrderedConfig {
            deliver_subject: self.context.client().new_inbox(),
            filter_subject: format!("{}>", self.store.prefix),
            replay_policy: ReplayPolicy::Instant,
            deliver_policy,
            ..push::OrderedConfig::default()
        };
        let consumer = self.store.stream.create_consumer(config).await;
        let consumer = consumer.map_err(|error| unavailable(&error))?;
        self.unsubscribe();
        self.consumer = Some(consumer.cached_info().name.clone());
        let is_empty = consumer.cached_info().num_pending == 0;
        if is_first {
            let info = self.store.stream.get_info().await.map_err(|error| unavailable(&error))?;
            self.subscribed = info.state.last_sequence;
        }
        self.messages = Some(consumer.messages().await.map_err(|error| unavailable(&error))?);
        if is_empty {
            self.catch_up();
        }
        Ok(())
    }

    /// Has the server forget the subscription there was. It would notice by itself, later.
    fn unsubscribe(&mut self) {
        let is_connected = self.context.client().connection_state() == State::Connected;
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(name), Ok(runtime), true) = (self.consumer.take(), runtime, is_connected) {
            let stream = self.store.stream.clone();
            runtime.spawn(async move { drop(stream.delete_consumer(&name).await) });
        }
    }

    fn take(&mut self, message: &Message) -> Result<(), BucketError> {
        (self.n_glances, self.n_asked) = (0, 0);
        let told = message.info().map_err(|error| BucketError::Failed(error.to_string()))?;
        let (sequence, is_last) = (told.stream_sequence, told.pending == 0);
        let is_new = self.beginning.is_some_and(|it| sequence > it);
        if self.stage == Stage::ShowsAgain && is_new {
            // Messages come in the order of their numbers: what was there was shown. This one may
            // not be the first that its key got since then.
            self.follow();
            self.messages = None;
            return Ok(());
        }
        // After a new beginning what was shown comes again.
        if sequence > self.last {
            // A number that is passed over is a write that was overwritten and forgotten before it
            // came, unless it was there at the beginning and not the last of its key.
            let count = (sequence - 1).saturating_sub(self.last.max(self.subscribed));
            if count > 0 {
                tracing::warn!(bucket = %self.store.name, count, "a watch missed writes");
                self.queue.push_back(BucketEvent::Missed { count });
            }
            let at = timestamp(told.published.unix_timestamp_nanos());
            self.last = sequence;
            let key = message.subject.strip_prefix(self.store.prefix.as_str());
            let (key, revision) = (key.unwrap_or_default().to_owned(), Revision(sequence));
            self.queue.push_back(match message.headers.as_ref().is_some_and(is_mark) {
                true => BucketEvent::Deleted { key, revision },
                false => {
                    BucketEvent::Put(Entry { key, value: message.payload.clone(), revision, at })
                }
            });
        }
        if is_last || self.end.is_some_and(|it| sequence >= it) {
            self.catch_up();
        }
        Ok(())
    }

    /// From here on every message counts.
    fn follow(&mut self) {
        self.stage = Stage::Follows;
        self.last = self.last.max(self.beginning.unwrap_or(0));
    }

    fn catch_up(&mut self) {
        self.follow();
        if !self.is_caught_up {
            self.is_caught_up = true;
            self.queue.push_back(BucketEvent::CaughtUp);
        }
    }
}

fn made_at(info: &Info) -> Timestamp {
    timestamp(info.created.unix_timestamp_nanos())
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.unsubscribe();
    }
}
