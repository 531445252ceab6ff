//! Every key there is, in the order in which they are shown.

use super::{
    inherited::{Inherited, Reading},
    key::{Key, Secrecy},
};

pub(crate) const HTTP: Key = Key::new("http")
    .default("127.0.0.1:8080")
    .flag("--http")
    .inherited(Inherited::new("WE_REST_PORT", Reading::Port));
pub(crate) const GRPC: Key = Key::new("grpc")
    .default("127.0.0.1:9090")
    .flag("--grpc")
    .inherited(Inherited::new("WE_GRPC_PORT", Reading::Port));
pub(crate) const METRICS: Key = Key::new("metrics")
    .flag("--metrics")
    .variable("WAYPOST_METRICS_ADDR")
    .inherited(Inherited::new("WE_METRICS_PORT", Reading::Port));
pub(crate) const INSECURE: Key = Key::new("insecure").default("false").flag("--insecure");
pub(crate) const STORE: Key = Key::new("store")
    .default("sqlite:./waypost-data/waypost.db")
    .flag("--store")
    .secrecy(Secrecy::Url)
    .inherited(Inherited::new("WE_POSTGRES_DSN", Reading::Database));

pub(crate) const LOG_FORMAT: Key = Key::new("log.format").default("auto").flag("--log-format");
pub(crate) const LOG_FILTER: Key = Key::new("log.filter")
    .default("info")
    .flag("--log")
    .variable("WAYPOST_LOG")
    .inherited(Inherited::new("WE_LOG_LEVEL", Reading::Level));

pub(crate) const GRACE: Key = Key::new("shutdown.grace_ms").default("20000");

pub(crate) const CONNECTIONS: Key = Key::new("limits.connections_max").default("4096");
pub(crate) const GRPC_CONNECTIONS: Key = Key::new("limits.grpc_connections_max").default("1024");
pub(crate) const REQUESTS: Key = Key::new("limits.requests_max").default("1024");
pub(crate) const CLAIMS: Key = Key::new("limits.claims_max").default("2048");
pub(crate) const SUBSCRIBERS: Key = Key::new("limits.subscribers_max").default("256");
pub(crate) const BODY: Key = Key::new("limits.body_bytes_max").default("1048576");
pub(crate) const REQUEST_TIMEOUT: Key = Key::new("limits.request_timeout_ms").default("30000");

pub(crate) const SQLITE_QUEUE: Key = Key::new("sqlite.queue_max").default("4096");
pub(crate) const SQLITE_READERS: Key = Key::new("sqlite.readers").default("2");
pub(crate) const POSTGRES_SCHEMA: Key = Key::new("postgres.schema");
pub(crate) const POSTGRES_LANES: Key = Key::new("postgres.lanes").default("2");
pub(crate) const POSTGRES_READERS: Key = Key::new("postgres.readers").default("4");
pub(crate) const POSTGRES_QUEUE: Key = Key::new("postgres.queue_max").default("4096");

pub(crate) const STRICT_SIGNALS: Key = Key::new("chain.strict_signals").default("false");
pub(crate) const LEASE_EXHAUSTION: Key = Key::new("chain.lease_exhaustion").default("requeue");
pub(crate) const CLAIM_TIMEOUTS: Key = Key::new("chain.claim_timeouts").default("true");
pub(crate) const MAX_ATTEMPTS: Key = Key::new("chain.retry.default_max_attempts").default("10");
pub(crate) const BASE_BACKOFF: Key = Key::new("chain.retry.base_backoff_ms").default("1000");
pub(crate) const MAX_BACKOFF: Key = Key::new("chain.retry.max_backoff_ms").default("300000");

pub(crate) const COERCION: Key = Key::new("process.coercion")
    .default("true")
    .inherited(Inherited::new("WE_EXPRESSION_COERCION_ENABLED", Reading::Switch));
pub(crate) const DISPATCH: Key = Key::new("process.dispatch")
    .default("polling")
    .inherited(Inherited::new("WE_DISPATCH_MODE", Reading::Text));

pub(crate) const WEBHOOK: Key = Key::new("outbox.webhook").secrecy(Secrecy::Url);
pub(crate) const HEADERS: Key = Key::new("outbox.headers.*").secrecy(Secrecy::Whole);
pub(crate) const NATS: Key = Key::new("outbox.nats").secrecy(Secrecy::Url);
pub(crate) const SUBJECT: Key = Key::new("outbox.subject");
pub(crate) const JETSTREAM: Key = Key::new("outbox.jetstream").default("false");

/// All of them.
pub(crate) const ALL: &[Key] = &[
    HTTP,
    GRPC,
    METRICS,
    INSECURE,
    STORE,
    LOG_FORMAT,
    LOG_FILTER,
    GRACE,
    CONNECTIONS,
    GRPC_CONNECTIONS,
    REQUESTS,
    CLAIMS,
    SUBSCRIBERS,
    BODY,
    REQUEST_TIMEOUT,
    SQLITE_QUEUE,
    SQLITE_READERS,
    POSTGRES_SCHEMA,
    POSTGRES_LANES,
    POSTGRES_READERS,
    POSTGRES_QUEUE,
    STRICT_SIGNALS,
    LEASE_EXHAUSTION,
    CLAIM_TIMEOUTS,
    MAX_ATTEMPTS,
    BASE_BACKOFF,
    MAX_BACKOFF,
    Key::new("chain.types.*.max_attempts"),
    Key::new("chain.types.*.base_backoff_ms"),
    Key::new("chain.types.*.max_backoff_ms"),
    Key::new("chain.types.*.steps.*.max_attempts"),
    Key::new("chain.types.*.steps.*.base_backoff_ms"),
    Key::new("chain.types.*.steps.*.max_backoff_ms"),
    COERCION,
    DISPATCH,
    WEBHOOK,
    HEADERS,
    NATS,
    SUBJECT,
    JETSTREAM,
];
