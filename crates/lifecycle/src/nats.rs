//! Buckets in NATS JetStream. They are the operator's: none is made unless asked, and those that are
//! there are used as they are.

mod watch;

use std::{sync::Arc, time::Duration};

use async_nats::{
    Client, HeaderMap, HeaderValue,
    connection::State,
    jetstream::{
        self, Context, ErrorCode,
        context::{GetStreamErrorKind, PublishError, PublishErrorKind},
        kv::{EntryErrorKind, Operation, Store, UpdateError, UpdateErrorKind},
        message::StreamMessage,
        stream::{Config, DiscardPolicy, LastRawMessageErrorKind},
    },
};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::time::timeout;
use waypost_kernel::Timestamp;

use crate::bucket::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Retained, RetainedValue, Revision,
    check_bucket, check_key, present,
};

/// How many reads are under way at once when many keys are wanted.
const READS: usize = 32;

/// How long the past of a key may take to come.
const HISTORY_MAX: Duration = Duration::from_secs(10);

/// How often a creation is tried against others.
const ATTEMPTS: usize = 16;

/// The header that says what a write is if it is not a value.
const OPERATION: &str = "KV-Operation";

/// The header of marks that the server leaves by itself where it removes something.
const REASON: &str = "Nats-Marker-Reason";

/// The most that the protocol lets a bucket remember of a key.
const DEPTH_MAX: u8 = 64;

/// Buckets of a NATS server.
///
/// ```
/// use waypost_lifecycle::{Manager, NatsBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let Ok(address) = std::env::var("WAYPOST_TEST_NATS") else { return Ok(()) };
/// let client = async_nats::connect(address).await?;
/// let manager = Manager::builder(NatsBuckets::new(client.clone())).create_buckets(8).build();
///
/// let context = async_nats::jetstream::with_domain(client, "hub");
/// let hub = Manager::builder(NatsBuckets::with_context(context)).build();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct NatsBuckets {
    context: Context,
}

impl NatsBuckets {
    /// Buckets reached over this connection, which should be one that comes back by itself.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::with_context(jetstream::new(client))
    }

    /// The same, for those who set domains, prefixes or time limits.
    #[must_use]
    pub const fn with_context(context: Context) -> Self {
        Self { context }
    }
}

#[async_trait]
impl Buckets for NatsBuckets {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        check_bucket(name)?;
        let store = open(&self.context, name).await?;
        let config = &store.stream.cached_info().config;
        let asks_leader = config.num_replicas > 1 || !config.allow_direct;
        let (context, forgets) = (self.context.clone(), forgets(config));
        Ok(Arc::new(NatsBucket { context, store, asks_leader, forgets }))
    }

    /// Makes the stream behind the bucket by hand: asking for a bucket first asks for the account,
    /// and older servers answer that in a way the client does not understand.
    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        check_bucket(name)?;
        let config = Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            max_messages_per_subject: depth.clamp(1, DEPTH_MAX).into(),
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            ..Config::default()
        };
        match self.context.create_stream(config).await {
            Ok(_) => self.open(name).await,
            // Somebody else may have made it, in their own way.
            Err(error) => self.open(name).await.map_err(|_| unavailable(&error)),
        }
    }
}

async fn open(context: &Context, name: &str) -> Result<Store, BucketError> {
    if let Err(error) = context.get_stream(format!("KV_{name}")).await {
        let is_missing = matches!(error.kind(), GetStreamErrorKind::JetStream(it)
            if it.error_code() == ErrorCode::STREAM_NOT_FOUND);
        return Err(match is_missing {
            true => BucketError::Missing(name.to_owned()),
            false => unavailable(&error),
        });
    }
    context.get_key_value(name).await.map_err(|error| unavailable(&error))
}

/// The last write to a key.
enum Last {
    None,
    Value,
    /// That there is nothing any more; and the number of the write.
    Mark(u64),
}

struct NatsBucket {
    context: Context,
    store: Store,
    /// Whether reads go to the one who accepts writes. Replicas may not have heard of the last one:
    /// who has just written something must not be told that it is not so.
    asks_leader: bool,
    forgets: bool,
}

impl NatsBucket {
    /// What is asked for while there is no connection would wait for one, and what is written would
    /// be sent later, when nobody expects it any more.
    fn check_connection(&self) -> Result<(), BucketError> {
        match self.context.client().connection_state() {
            State::Connected => Ok(()),
            State::Pending | State::Disconnected => {
                Err(BucketError::Unavailable("there is no connection to NATS".to_owned()))
            }
        }
    }

    /// The last message of the key, as the one who accepts writes knows it.
    async fn newest(&self, key: &str) -> Result<Option<StreamMessage>, BucketError> {
        self.check_connection()?;
        let subject = format!("{}{key}", self.store.prefix);
        match self.store.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The last write to the key.
    async fn last(&self, key: &str) -> Result<Last, BucketError> {
        Ok(match self.newest(key).await? {
            Some(it) if is_mark(&it.headers) => Last::Mark(it.sequence),
            Some(_) => Last::Value,
            None => Last::None,
        })
    }

    /// What is at the key, as whoever is nearest knows it.
    async fn nearest(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        self.check_connection()?;
        let found = self.store.entry(key).await.map_err(|error| match error.kind() {
            EntryErrorKind::InvalidKey => BucketError::InvalidName(key.to_owned()),
            EntryErrorKind::TimedOut | EntryErrorKind::Other => unavailable(&error),
        });
        Ok(found?.and_then(|it| match it.operation {
            Operation::Put => {
                let (revision, at) =
                    (Revision(it.revision), timestamp(it.created.unix_timestamp_nanos()));
                Some(Entry { key: it.key, value: it.value, revision, at })
            }
            Operation::Delete | Operation::Purge => None,
        }))
    }

    async fn write(&self, key: &str, value: Bytes, last: u64) -> Result<Revision, BucketError> {
        let size = value.len();
        let written = self.store.update(key, value, last).await;
        written.map(Revision).map_err(|error| refused((key, size), &error))
    }
}

/// Only a conflict may be called one: whoever takes another failure for it writes again and again.
fn refused((key, size): (&str, usize), error: &UpdateError) -> BucketError {
    match error.kind() {
        UpdateErrorKind::WrongLastRevision => BucketError::Conflict(key.to_owned()),
        UpdateErrorKind::InvalidKey => BucketError::InvalidName(key.to_owned()),
        UpdateErrorKind::TimedOut => unavailable(error),
        UpdateErrorKind::Other if is_passing(error) => unavailable(error),
        UpdateErrorKind::Other if is_too_large(error) => {
            BucketError::TooLarge { key: key.to_owned(), size }
        }
        UpdateErrorKind::Other => BucketError::Failed(format!("NATS: {error}")),
    }
}

/// Whether nobody was there to answer, as when a server is about to stop or not ready yet.
fn is_passing(error: &UpdateError) -> bool {
    let source = std::error::Error::source(error).and_then(|it| it.downcast_ref::<PublishError>());
    source.is_some_and(|it| {
        matches!(it.kind(), PublishErrorKind::BrokenPipe | PublishErrorKind::StreamNotFound)
    })
}

/// Whether the server, or the bucket, has a limit that the value is beyond.
fn is_too_large(error: &UpdateError) -> bool {
    let source = std::error::Error::source(error).and_then(|it| it.downcast_ref::<PublishError>());
    source.is_some_and(|it| {
        let told =
            std::error::Error::source(it).and_then(|it| it.downcast_ref::<jetstream::Error>());
        it.kind() == PublishErrorKind::MaxPayloadExceeded
            || told.is_some_and(|it| it.error_code() == ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM)
    })
}

#[async_trait]
impl Bucket for NatsBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        check_key(key)?;
        if !self.asks_leader {
            return self.nearest(key).await;
        }
        let found = self.newest(key).await?.filter(|it| !is_mark(&it.headers));
        Ok(found.map(|it| {
            let at = timestamp(it.time.unix_timestamp_nanos());
            Entry { key: key.to_owned(), value: it.payload, revision: Revision(it.sequence), at }
        }))
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        check_key(key)?;
        self.check_connection()?;
        let mut last = 0;
        for _ in 0..ATTEMPTS {
            match self.write(key, value.clone(), last).await {
                Err(BucketError::Conflict(_)) => {}
                written => return written,
            }
            last = match self.last(key).await? {
                Last::Value => return Err(BucketError::Exists(key.to_owned())),
                Last::Mark(revision) => revision,
                Last::None => 0,
            };
        }
        Err(BucketError::Unavailable("others kept writing the same key".to_owned()))
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        check_key(key)?;
        self.check_connection()?;
        match self.write(key, value, expected.0).await {
            // Nothing to be in conflict with is another answer.
            Err(BucketError::Conflict(_)) => Err(match self.last(key).await? {
                Last::Value => BucketError::Conflict(key.to_owned()),
                Last::Mark(_) | Last::None => BucketError::NotFound(key.to_owned()),
            }),
            written => written,
        }
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        check_key(key)?;
        match self.last(key).await? {
            Last::Value => self.store.delete(key).await.map_err(|error| unavailable(&error)),
            Last::Mark(_) | Last::None => Ok(()),
        }
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        check_key(key)?;
        self.check_connection()?;
        let reading = async {
            let entries = self.store.history(key).await.map_err(|error| unavailable(&error))?;
            entries.try_collect::<Vec<_>>().await.map_err(|error| unavailable(&error))
        };
        // The client would wait for a server that is gone until it is back.
        let entries =
            timeout(HISTORY_MAX, reading).await.map_err(|error| unavailable(&error))??;
        let retained = entries.into_iter().map(|it| Retained {
            revision: Revision(it.revision),
            at: timestamp(it.created.unix_timestamp_nanos()),
            value: match it.operation {
                Operation::Put => RetainedValue::Put(it.value),
                Operation::Delete => RetainedValue::Deleted,
                Operation::Purge => RetainedValue::Purged,
            },
        });
        let retained: Vec<_> = retained.collect();
        match retained.is_empty() {
            true => Err(BucketError::NotFound(key.to_owned())),
            false => Ok(retained),
        }
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        self.check_connection()?;
        watch::watch(self.context.clone(), self.store.clone(), true).await
    }

    fn forgets(&self) -> bool {
        self.forgets
    }

    async fn entries(&self) -> Result<Vec<Entry>, BucketError> {
        self.check_connection()?;
        present(watch::watch(self.context.clone(), self.store.clone(), false).await?).await
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Entry>>, BucketError> {
        let reads: Vec<_> = keys.iter().map(|key| self.get(key)).collect();
        stream::iter(reads).buffered(READS).try_collect().await
    }
}

/// Whether messages go without one that says so: the operator may have set that they grow old, or
/// make room for others.
fn forgets(config: &Config) -> bool {
    let is_marked = config.subject_delete_marker_ttl.is_some_and(|it| !it.is_zero());
    let ages = !config.max_age.is_zero() || config.allow_message_ttl;
    let is_limited = config.max_bytes > 0 || config.max_messages > 0;
    ages && !is_marked || is_limited && config.discard == DiscardPolicy::Old
}

/// Whether a message says that there is nothing any more.
fn is_mark(headers: &HeaderMap) -> bool {
    let operation = headers.get(OPERATION).map(HeaderValue::as_str);
    matches!(operation, Some("DEL" | "PURGE")) || headers.get(REASON).is_some()
}

fn unavailable(error: &dyn std::fmt::Display) -> BucketError {
    BucketError::Unavailable(format!("NATS: {error}"))
}

/// NATS counts nanoseconds, we count microseconds.
fn timestamp(nanoseconds: i128) -> Timestamp {
    Timestamp::from_micros(i64::try_from(nanoseconds / 1_000).unwrap_or(i64::MAX))
}
