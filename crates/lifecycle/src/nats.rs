//! Buckets in NATS JetStream. They are the operator's: none is made unless asked, and those that are
//! there are used as they are.

mod watch;

use std::sync::Arc;

use async_nats::{
    Client, HeaderMap, HeaderValue,
    connection::State,
    jetstream::{
        self, Context, ErrorCode,
        context::{GetStreamErrorKind, PublishError, PublishErrorKind},
        kv::{EntryErrorKind, Operation, Store, UpdateError, UpdateErrorKind},
        stream::{Config, DiscardPolicy, LastRawMessageErrorKind},
    },
};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use waypost_kernel::Timestamp;

use crate::bucket::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Retained, RetainedValue, Revision,
    check_bucket, check_key,
};

/// How many reads are under way at once when many keys are wanted.
const READS: usize = 32;

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
        Ok(Arc::new(NatsBucket { context: self.context.clone(), store }))
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

    /// The last write to the key, as the one who accepts writes knows it. A replica that answers
    /// other reads may not have heard of it yet.
    async fn last(&self, key: &str) -> Result<Last, BucketError> {
        self.check_connection()?;
        let subject = format!("{}{key}", self.store.prefix);
        match self.store.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(it) if is_mark(&it.headers) => Ok(Last::Mark(it.sequence)),
            Ok(_) => Ok(Last::Value),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(Last::None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    async fn write(&self, key: &str, value: Bytes, last: u64) -> Result<Revision, BucketError> {
        let written = self.store.update(key, value, last).await;
        written.map(Revision).map_err(|error| refused(key, &error))
    }
}

/// Only a conflict may be called one: whoever takes another failure for it writes again and again.
fn refused(key: &str, error: &UpdateError) -> BucketError {
    match error.kind() {
        UpdateErrorKind::WrongLastRevision => BucketError::Conflict(key.to_owned()),
        UpdateErrorKind::InvalidKey => BucketError::InvalidName(key.to_owned()),
        UpdateErrorKind::TimedOut => unavailable(error),
        UpdateErrorKind::Other if is_passing(error) => unavailable(error),
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

#[async_trait]
impl Bucket for NatsBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        check_key(key)?;
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
        let entries = self.store.history(key).await.map_err(|error| unavailable(&error))?;
        let entries: Vec<_> = entries.try_collect().await.map_err(|error| unavailable(&error))?;
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
        watch::watch(self.context.clone(), self.store.clone()).await
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Entry>>, BucketError> {
        let reads: Vec<_> = keys.iter().map(|key| self.get(key)).collect();
        stream::iter(reads).buffered(READS).try_collect().await
    }
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
