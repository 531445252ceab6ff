//! Every key there is, in the order in which they are shown.

use super::{
    inherited::{Inherited, Reading},
    key::{Key, Secrecy},
};

pub(crate) const HTTP: Key = Key::new("http")
    .default("127.0.0.1:8080")
    .flag("--http")
    .inherited(Inherited::new("WE_REST_PORT", Reading::Port))
    .inherited(Inherited::new("CYODA_HTTP_PORT", Reading::Port));
pub(crate) const GRPC: Key = Key::new("grpc")
    .default("127.0.0.1:9090")
    .flag("--grpc")
    .inherited(Inherited::new("WE_GRPC_PORT", Reading::Port))
    .inherited(Inherited::new("CYODA_GRPC_PORT", Reading::Port));
pub(crate) const METRICS: Key = Key::new("metrics")
    .flag("--metrics")
    .variable("WAYPOST_METRICS_ADDR")
    .inherited(Inherited::new("WE_METRICS_PORT", Reading::Port));
pub(crate) const METRICS_BEARER: Key = Key::new("metrics_bearer")
    .secrecy(Secrecy::Whole)
    .inherited(Inherited::new("CYODA_METRICS_BEARER", Reading::Text).or_file());
pub(crate) const METRICS_BEARER_REQUIRED: Key = Key::new("metrics_require_bearer")
    .default("false")
    .inherited(Inherited::new("CYODA_METRICS_REQUIRE_AUTH", Reading::Switch));
pub(crate) const INSECURE: Key = Key::new("insecure").default("false").flag("--insecure");
pub(crate) const ALLOWED_ORIGINS: Key = Key::new("allowed_origins").default("");
pub(crate) const ALLOWED_HOSTS: Key = Key::new("allowed_hosts").default("");
pub(crate) const STORE: Key = Key::new("store")
    .default("sqlite:./waypost-data/waypost.db")
    .flag("--store")
    .secrecy(Secrecy::Url)
    .inherited(Inherited::new("WE_POSTGRES_DSN", Reading::Database));
pub(crate) const STARTUP_TIMEOUT: Key = Key::new("startup_timeout_ms")
    .inherited(Inherited::new("CYODA_STARTUP_TIMEOUT", Reading::Span));

pub(crate) const LOG_FORMAT: Key = Key::new("log.format").default("auto").flag("--log-format");
pub(crate) const LOG_FILTER: Key = Key::new("log.filter")
    .default("info")
    .flag("--log")
    .variable("WAYPOST_LOG")
    .inherited(Inherited::new("WE_LOG_LEVEL", Reading::Level))
    .inherited(Inherited::new("CYODA_LOG_LEVEL", Reading::Level));

pub(crate) const OTLP: Key = Key::new("telemetry.otlp").secrecy(Secrecy::Url);
pub(crate) const TELEMETRY_SERVICE: Key = Key::new("telemetry.service")
    .default("waypost")
    .inherited(Inherited::new("OTEL_SERVICE_NAME", Reading::Text));
pub(crate) const TELEMETRY_SHARE: Key = Key::new("telemetry.share").default("1");

pub(crate) const GRACE: Key = Key::new("shutdown.grace_ms").default("20000");

pub(crate) const CONNECTIONS: Key = Key::new("limits.connections_max").default("4096");
pub(crate) const GRPC_CONNECTIONS: Key = Key::new("limits.grpc_connections_max").default("1024");
pub(crate) const REQUESTS: Key = Key::new("limits.requests_max").default("1024");
pub(crate) const CLAIMS: Key = Key::new("limits.claims_max").default("2048");
pub(crate) const WRITES: Key = Key::new("limits.writes_max").default("1024");
pub(crate) const SUBSCRIBERS: Key = Key::new("limits.subscribers_max").default("256");
pub(crate) const BODY: Key = Key::new("limits.body_bytes_max").default("1048576");
pub(crate) const REQUEST_TIMEOUT: Key = Key::new("limits.request_timeout_ms").default("30000");

pub(crate) const SQLITE_QUEUE: Key = Key::new("sqlite.queue_max").default("4096");
pub(crate) const SQLITE_READERS: Key = Key::new("sqlite.readers").default("2");
pub(crate) const SQLITE_AUTO_MIGRATE: Key = Key::new("sqlite.auto_migrate")
    .default("true")
    .inherited(Inherited::new("CYODA_SQLITE_AUTO_MIGRATE", Reading::Switch));
pub(crate) const POSTGRES_SCHEMA: Key = Key::new("postgres.schema");
pub(crate) const POSTGRES_LANES: Key = Key::new("postgres.lanes").default("2");
pub(crate) const POSTGRES_READERS: Key = Key::new("postgres.readers").default("4");
pub(crate) const POSTGRES_QUEUE: Key = Key::new("postgres.queue_max").default("4096");
pub(crate) const POSTGRES_CONNECTIONS: Key = Key::new("postgres.connections_max")
    .inherited(Inherited::new("DB_MAX_CONNS", Reading::Number))
    .inherited(Inherited::new("CYODA_POSTGRES_MAX_CONNS", Reading::Number));
pub(crate) const POSTGRES_AUTO_MIGRATE: Key = Key::new("postgres.auto_migrate")
    .default("true")
    .inherited(Inherited::new("CYODA_POSTGRES_AUTO_MIGRATE", Reading::Switch));

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

pub(crate) const CONTEXT_PATH: Key = Key::new("entity.context_path")
    .default("/api")
    .variable("WAYPOST_CONTEXT_PATH")
    .inherited(Inherited::new("CYODA_CONTEXT_PATH", Reading::Text))
    .or_empty();
pub(crate) const STATE_VISITS: Key = Key::new("entity.state_visits_max")
    .default("10")
    .inherited(Inherited::new("CYODA_MAX_STATE_VISITS", Reading::Number));
pub(crate) const LENIENT_TYPES: Key = Key::new("entity.lenient_processor_types")
    .default("false")
    .variable("WAYPOST_LENIENT_PROCESSOR_TYPES");
pub(crate) const STRICT_MODELS: Key = Key::new("entity.workflows_need_model")
    .default("false")
    .variable("WAYPOST_WORKFLOWS_NEED_MODEL");
pub(crate) const RETRIES: Key =
    Key::new("entity.retries_max").default("3").variable("WAYPOST_ENTITY_RETRIES_MAX");
pub(crate) const RETRIES_APART: Key =
    Key::new("entity.retries_apart_ms").default("500").variable("WAYPOST_ENTITY_RETRIES_APART_MS");
pub(crate) const SEARCHES_KEPT: Key = Key::new("entity.searches_kept_ms")
    .default("3600000")
    .inherited(Inherited::new("CYODA_SEARCH_SNAPSHOT_TTL", Reading::Span));
pub(crate) const EXPIRY_GRACE: Key = Key::new("entity.expiry_grace_ms")
    .default("100")
    .inherited(Inherited::new("CYODA_SCHEDULER_EXPIRY_GRACE", Reading::Span));
pub(crate) const ERRORS: Key = Key::new("entity.errors")
    .default("sanitized")
    .inherited(Inherited::new("CYODA_ERROR_RESPONSE_MODE", Reading::Text));

pub(crate) const AUTH: Key = Key::new("auth.mode")
    .default("mock")
    .flag("--auth")
    .variable("WAYPOST_AUTH")
    .inherited(Inherited::new("CYODA_IAM_MODE", Reading::Text));
pub(crate) const AUTH_REQUIRED: Key = Key::new("auth.require_jwt")
    .default("false")
    .inherited(Inherited::new("CYODA_REQUIRE_JWT", Reading::Switch));
pub(crate) const MOCK_ROLES: Key = Key::new("auth.mock_roles")
    .default("ROLE_ADMIN,ROLE_M2M")
    .inherited(Inherited::new("CYODA_IAM_MOCK_ROLES", Reading::Text));
pub(crate) const SIGNING_KEY: Key = Key::new("auth.signing_key")
    .secrecy(Secrecy::Whole)
    .inherited(Inherited::new("CYODA_JWT_SIGNING_KEY", Reading::Text).or_file());
pub(crate) const SIGNING_KEY_FILE: Key = Key::new("auth.signing_key_file");
pub(crate) const ISSUER: Key = Key::new("auth.issuer")
    .default("cyoda")
    .inherited(Inherited::new("CYODA_JWT_ISSUER", Reading::Text));
pub(crate) const AUDIENCE: Key =
    Key::new("auth.audience").inherited(Inherited::new("CYODA_JWT_AUDIENCE", Reading::Text));
pub(crate) const EXPIRY: Key = Key::new("auth.expiry_ms")
    .default("3600000")
    .inherited(Inherited::new("CYODA_JWT_EXPIRY_SECONDS", Reading::Seconds));
pub(crate) const AUTH_TENANT: Key = Key::new("auth.tenant");
pub(crate) const CLIENT_ID: Key = Key::new("auth.client.id")
    .inherited(Inherited::new("CYODA_BOOTSTRAP_CLIENT_ID", Reading::Text));
pub(crate) const CLIENT_SECRET: Key = Key::new("auth.client.secret")
    .secrecy(Secrecy::Whole)
    .inherited(Inherited::new("CYODA_BOOTSTRAP_CLIENT_SECRET", Reading::Text).or_file());
pub(crate) const CLIENT_SECRET_FILE: Key = Key::new("auth.client.secret_file");
pub(crate) const CLIENT_TENANT: Key = Key::new("auth.client.tenant")
    .default("default-tenant")
    .inherited(Inherited::new("CYODA_BOOTSTRAP_TENANT_ID", Reading::Text));
pub(crate) const CLIENT_USER: Key = Key::new("auth.client.user")
    .default("admin")
    .inherited(Inherited::new("CYODA_BOOTSTRAP_USER_ID", Reading::Text));
pub(crate) const CLIENT_ROLES: Key = Key::new("auth.client.roles")
    .default("ROLE_ADMIN,ROLE_M2M")
    .inherited(Inherited::new("CYODA_BOOTSTRAP_ROLES", Reading::Text));

pub(crate) const NODE: Key =
    Key::new("compute.node").inherited(Inherited::new("CYODA_NODE_ID", Reading::Text));
pub(crate) const COMPUTE_SECRET: Key = Key::new("compute.secret")
    .secrecy(Secrecy::Whole)
    .inherited(Inherited::new("CYODA_HMAC_SECRET", Reading::Text).or_file());
pub(crate) const COMPUTE_SECRET_FILE: Key = Key::new("compute.secret_file");
pub(crate) const TICKET_LIFE: Key = Key::new("compute.ticket_life_ms")
    .default("90000")
    .inherited(Inherited::new("CYODA_TX_TOKEN_TTL", Reading::Span));
pub(crate) const KEEP_ALIVE: Key = Key::new("compute.keep_alive_every_ms")
    .default("10000")
    .inherited(Inherited::new("CYODA_KEEPALIVE_INTERVAL", Reading::Seconds));
pub(crate) const KEEP_ALIVE_TIMEOUT: Key = Key::new("compute.keep_alive_timeout_ms")
    .default("30000")
    .inherited(Inherited::new("CYODA_KEEPALIVE_TIMEOUT", Reading::Seconds));

pub(crate) const CLUSTER: Key =
    Key::new("cluster.enabled").inherited(Inherited::new("CYODA_CLUSTER_ENABLED", Reading::Switch));
pub(crate) const CLUSTER_ADDRESS: Key =
    Key::new("cluster.address").inherited(Inherited::new("CYODA_NODE_ADDR", Reading::Text));
pub(crate) const CLUSTER_GRPC_ADDRESS: Key = Key::new("cluster.grpc_address");
pub(crate) const CLUSTER_WAIT: Key = Key::new("cluster.wait_ms")
    .default("5000")
    .inherited(Inherited::new("CYODA_DISPATCH_WAIT_TIMEOUT", Reading::Span));
pub(crate) const CLUSTER_PROXY_TIMEOUT: Key = Key::new("cluster.proxy_timeout_ms")
    .default("30000")
    .inherited(Inherited::new("CYODA_PROXY_TIMEOUT", Reading::Span));

pub(crate) const LIFECYCLE_TYPES: Key = Key::new("lifecycle.types");
pub(crate) const LIFECYCLE_NATS: Key = Key::new("lifecycle.nats").secrecy(Secrecy::Url);
pub(crate) const LIFECYCLE_CREATE: Key = Key::new("lifecycle.create_buckets").default("false");
pub(crate) const LIFECYCLE_PREFIX: Key = Key::new("lifecycle.path_prefix").default("workflows");
pub(crate) const LIFECYCLE_SOCKET: Key = Key::new("lifecycle.enable_websocket").default("true");
pub(crate) const LIFECYCLE_BODY: Key = Key::new("lifecycle.max_body_bytes").default("1048576");
pub(crate) const LIFECYCLE_ORIGINS: Key = Key::new("lifecycle.allowed_origins").default("");

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
    METRICS_BEARER,
    METRICS_BEARER_REQUIRED,
    INSECURE,
    ALLOWED_ORIGINS,
    ALLOWED_HOSTS,
    STORE,
    STARTUP_TIMEOUT,
    LOG_FORMAT,
    LOG_FILTER,
    OTLP,
    TELEMETRY_SERVICE,
    TELEMETRY_SHARE,
    GRACE,
    CONNECTIONS,
    GRPC_CONNECTIONS,
    REQUESTS,
    CLAIMS,
    WRITES,
    SUBSCRIBERS,
    BODY,
    REQUEST_TIMEOUT,
    SQLITE_QUEUE,
    SQLITE_READERS,
    SQLITE_AUTO_MIGRATE,
    POSTGRES_SCHEMA,
    POSTGRES_LANES,
    POSTGRES_READERS,
    POSTGRES_QUEUE,
    POSTGRES_CONNECTIONS,
    POSTGRES_AUTO_MIGRATE,
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
    CONTEXT_PATH,
    STATE_VISITS,
    LENIENT_TYPES,
    STRICT_MODELS,
    RETRIES,
    RETRIES_APART,
    SEARCHES_KEPT,
    EXPIRY_GRACE,
    ERRORS,
    AUTH,
    AUTH_REQUIRED,
    MOCK_ROLES,
    SIGNING_KEY,
    SIGNING_KEY_FILE,
    ISSUER,
    AUDIENCE,
    EXPIRY,
    AUTH_TENANT,
    CLIENT_ID,
    CLIENT_SECRET,
    CLIENT_SECRET_FILE,
    CLIENT_TENANT,
    CLIENT_USER,
    CLIENT_ROLES,
    NODE,
    COMPUTE_SECRET,
    COMPUTE_SECRET_FILE,
    TICKET_LIFE,
    KEEP_ALIVE,
    KEEP_ALIVE_TIMEOUT,
    CLUSTER,
    CLUSTER_ADDRESS,
    CLUSTER_GRPC_ADDRESS,
    CLUSTER_WAIT,
    CLUSTER_PROXY_TIMEOUT,
    LIFECYCLE_TYPES,
    LIFECYCLE_NATS,
    LIFECYCLE_CREATE,
    LIFECYCLE_PREFIX,
    LIFECYCLE_SOCKET,
    LIFECYCLE_BODY,
    LIFECYCLE_ORIGINS,
    WEBHOOK,
    HEADERS,
    NATS,
    SUBJECT,
    JETSTREAM,
];
