//! Every limit of the engine, with its reason. Those of a face are with its machine.

use std::time::Duration;

/// How often a turn is decided again because the instance changed meanwhile. Turns of one instance
/// queue up on a node, so losing more often means that other nodes are busy with it.
pub const TURN_ATTEMPTS_MAX: u32 = 16;

/// How many turns of one instance may queue up on a node. A longer queue is not going to drain
/// within anybody's patience.
pub const LANE_QUEUE_MAX: usize = 1_024;

/// How many instances a node keeps at hand. Enough for all that is leased at a time.
pub const LANES_MAX: usize = 8_192;

/// States larger than this are read again instead of being kept at hand, so that [`LANES_MAX`] of
/// them fit into memory.
pub const HOT_STATE_MAX: usize = 8 << 10;

/// How many claims may wait for work on a node at a time.
pub const CLAIMS_WAITING_MAX: usize = 4_096;

/// How many kinds of claims are remembered, to tell whether anybody asks for some work. A node
/// with more than that is asked for nearly everything.
pub const DEMANDS_MAX: usize = 256;

/// How many workers are remembered on a node. Whoever has more looks at their own list.
pub const WORKERS_MAX: usize = 1_000;

/// How many minutes are remembered to tell how fast it goes.
pub const PACE_MINUTES: u32 = 60;

/// How many queues are told of. People do not read more.
pub const QUEUES_MAX: u32 = 1_000;

/// How many armed timers are looked through for those that a list may show.
pub const TIMERS_REACH_MAX: u32 = 16_384;

/// How many failed instances of a face are looked at to find what they have in common: each is read.
pub const INCIDENTS_MAX: usize = 10_000;

/// How many tasks one claim may take.
pub const CLAIM_MAX: u32 = 1_000;

/// How long a claim may wait for work.
pub const CLAIM_WAIT_MAX: Duration = Duration::from_secs(30);

/// A claim that waits looks again at least this often: hints may be lost.
pub const CLAIM_POLL: Duration = Duration::from_secs(1);

/// The shortest lease: shorter ones lapse before an answer is through.
pub const LEASE_MIN: Duration = Duration::from_millis(100);

/// The longest lease: a worker that dies holds its step for so long.
pub const LEASE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest wait and the longest backoff: beyond it lie typing errors.
pub const DELAY_MAX: Duration = Duration::from_secs(10 * 366 * 24 * 60 * 60);

/// How many tasks that become ready later a node remembers in order to wake claims in time.
/// The others are found by [`CLAIM_POLL`].
pub const ALARMS_MAX: usize = 100_000;

/// How many things one sweep handles at a time; they share commits.
pub const SWEEP_BATCH: u32 = 256;

/// How many lapsed leases a sweep looks at if it can do nothing about those before. As many stuck
/// instances are noticed for other reasons.
pub const SWEEP_REACH_MAX: u32 = 16_384;

/// How often sweeps look without having been told to.
pub const SWEEP_INTERVAL: Duration = Duration::from_millis(500);

/// How long until a timer that could not fire is tried again. Until then it makes room for others.
pub const TIMER_RETRY: Duration = Duration::from_secs(1);

/// How long until a scheduled transition of an entity is tried again that failed, or whose node has
/// died while it waited for compute members: they are not to be asked too often.
pub const FIRE_RETRY: Duration = Duration::from_secs(30);

/// How many scheduled transitions may wait for compute members on a node before others are put off.
/// Transactions of clients need places, too.
pub const FIRES_MAX: usize = 256;

/// How many messages one pass of the outbox takes.
pub const OUTBOX_BATCH: u32 = 100;

/// How long a message is held while it is sent.
pub const OUTBOX_LEASE: Duration = Duration::from_secs(30);

/// How long a receiver may take.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a message is tried before it is given up.
pub const SEND_ATTEMPTS_MAX: u32 = 10;

/// The first delay before a message is tried again; it doubles.
pub const SEND_BACKOFF: Duration = Duration::from_secs(1);

/// The longest delay before a message is tried again.
pub const SEND_BACKOFF_MAX: Duration = Duration::from_secs(300);

/// How long a request id is remembered, and with it when a transaction of entities landed.
pub const REQUESTS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How many items one page of a list may have.
pub const PAGE_MAX: u32 = 1_000;

/// How deep into a list one may page by number; beyond it, go on after the last one seen.
pub const OFFSET_MAX: u32 = 100_000;

/// How many changes a watch asks the store for at a time.
pub const WATCH_CHANGES_MAX: u32 = 256;

/// How many bytes of changes a watch gives at a time, unless a single one is larger. A reader may
/// be slow and there are many of them; what does not fit is read again when it is wanted.
pub const WATCH_BYTES_MAX: usize = 256 << 10;

/// How long a watch waits for news before it says that there are none.
pub const WATCH_WAIT: Duration = Duration::from_secs(15);

/// How many definitions a node keeps ready to run.
pub const GRAPHS_MAX: usize = 1_000;

/// How many definitions a list looks through.
pub const DEFINITIONS_MAX: u32 = 10_000;

/// How many instances one transaction may touch. All of it is kept in memory until it lands.
pub const TRANSACTION_INSTANCES_MAX: usize = 10_000;

/// How many entities one transaction may delete if it does nothing else. There are no documents to
/// keep in memory, but others wait while all of it lands.
pub const TRANSACTION_DELETIONS_MAX: usize = 50_000;

/// How many bytes of documents, and of what they are looked up by, one transaction may write.
pub const TRANSACTION_BYTES_MAX: usize = 64 << 20;

/// How many transactions may wait for compute members on a node at a time.
pub const TRANSACTIONS_OPEN_MAX: usize = 1_024;

/// How often one run may ask compute members. It is decided again after each answer.
pub const CALLS_MAX: usize = 1_000;

/// How many calls and callbacks of one transaction may be under way at a time, side by side or one
/// in another: a processor that writes an entity whose processor writes another…
pub const NESTING_MAX: usize = 256;

/// How many calls and callbacks one transaction may have in its life. A few bytes are kept of each.
pub const LAYERS_MAX: usize = 1_000_000;

/// How long a compute member may take if its workflow does not say.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How many models a node keeps at hand.
pub const MODELS_MAX: usize = 1_000;

/// How many models a list looks through.
pub const MODELS_LISTED_MAX: usize = 100_000;

/// How many entities a search or a list reads at a time.
pub const SIFT_PAGE: u32 = 500;

/// How many bytes of documents a search judges before others have their turn. A condition may ask a
/// lot about each byte, and whoever waits for it has no patience for ever.
pub const JUDGED_BYTES: usize = 256 << 10;

/// How many entities one page may have, and one direct search may give.
pub const ENTITIES_MAX: u32 = 10_000;

/// How many bytes of documents one page of entities may have: all of it is in memory when it is
/// answered. Searches that stream have no such limit.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How many entities are read at a time as they were.
pub const PAST_PAGE: usize = 64;

/// How many changes of an entity are told.
pub const CHANGES_MAX: usize = 1_000;

/// How many paths of a model may be looked up by.
pub const INDEXES_MAX: usize = 16;

/// How long the name of a model may be, in bytes.
pub const MODEL_NAME_MAX: usize = 256;

/// How much of a workflow's description the log shows, in characters.
pub const DESCRIPTION_TOLD_MAX: usize = 200;

/// How many searches a node carries out in the background at a time.
pub const SEARCHES_RUNNING_MAX: usize = 16;

/// How many of them may be of one tenant, so that others find room beside slow ones.
pub const SEARCHES_OF_TENANT_MAX: usize = 8;

/// How many searches of a tenant are kept if nobody says otherwise: all of them are looked through
/// when another one begins.
pub const SEARCHES_KEPT_MAX: usize = 1_000;

/// How long the results of a search are kept if nobody says otherwise.
pub const SEARCH_KEPT: Duration = Duration::from_secs(60 * 60);

/// A search that says nothing for so long has died with its node.
pub const SEARCH_SILENCE_MAX: Duration = Duration::from_secs(60);

/// How many ids of a search's result are kept together.
pub const SEARCH_CHUNK: usize = 1_000;

/// How many versions of an entity are looked at at a time.
pub const VERSIONS_PAGE: u32 = 100;

/// How many events of an entity's audit one page may have.
pub const AUDIT_MAX: usize = 1_000;

/// How many messages are erased at a time.
pub const LETTERS_ERASED: usize = 100;

/// How many warnings of one request are told.
pub const WARNINGS_MAX: usize = 100;

/// How long the path of an index may be, in bytes: together with a key it goes into an entry of the
/// database's own index, which has a limit.
pub const INDEX_PATH_MAX: usize = 512;

/// How many instances are looked at to tell how often the rules of a decision table had a say: the
/// past of each is read.
pub const TABLE_INSTANCES_MAX: u32 = 200;
