//! What a server is started with, and how starting can fail.

use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use waypost_api::operations::{SettingFacts, StoreFacts};

use crate::{
    auth::{AuthOptions, Verbosity},
    cluster::Cluster,
    compute::Members,
    lifecycle::Gateway,
    telemetry::{Log, Traces},
};

/// How to listen.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to serve. Port 0 picks a free one.
    pub http: SocketAddr,
    /// Where to serve gRPC; nowhere if absent.
    pub grpc: Option<SocketAddr>,
    /// Where to serve `/metrics` alone; on the main listener if absent.
    pub metrics: Option<SocketAddr>,
    /// What to show before `/metrics` is shown; nothing if absent.
    pub metrics_bearer: Option<Bearer>,
    /// The log, if administrators may change its level.
    pub log: Option<Log>,
    /// Traces of requests, and where they go, if anywhere.
    pub traces: Traces,
    /// How much of everything.
    pub limits: HttpLimits,
    /// How entities are served.
    pub entity: EntityOptions,
    /// Lifecycles, if operators are to come to them.
    pub lifecycle: Option<Gateway>,
    /// What pages in browsers may do.
    pub pages: PageOptions,
    /// What it may tell of how it was set up.
    pub facts: Facts,
    /// How long requests under way may take after the server was told to stop.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            http: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            grpc: None,
            metrics: None,
            metrics_bearer: None,
            log: None,
            traces: Traces::default(),
            limits: HttpLimits::default(),
            entity: EntityOptions::default(),
            lifecycle: None,
            pages: PageOptions::default(),
            facts: Facts::default(),
            grace: Duration::from_secs(20),
        }
    }
}

/// What pages in browsers may do beside those of the server itself.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Whose pages may use processes and chains, written as browsers write it; `*` for all.
    pub origins: Vec<String>,
    /// What the server is called besides `localhost`, where it trusts whoever is on its machine.
    pub hosts: Vec<String>,
}

/// What a server may tell everybody who comes to it of how it was set up. Nothing of it is secret.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Everything that can be set.
    pub settings: Vec<SettingFacts>,
    /// Where everything is kept.
    pub store: Option<StoreFacts>,
    /// The file of the store, if it has one, so that its size can be told.
    pub store_file: Option<PathBuf>,
}

/// What somebody shows after the word `Bearer` to be let in. Shown nowhere.
#[derive(Clone)]
pub struct Bearer(String);

impl Bearer {
    /// The one.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether a header `Authorization` has it. Takes as long for one that is nearly right.
    pub(crate) fn is_in(&self, header: Option<&str>) -> bool {
        let shown = header.and_then(|it| it.split_once(' '));
        shown.is_some_and(|(scheme, text)| {
            let (shown, right) = (text.trim().as_bytes(), self.0.as_bytes());
            scheme.eq_ignore_ascii_case("bearer") && verify_slices_are_equal(shown, right).is_ok()
        })
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(***)")
    }
}

/// How entities are served.
#[derive(Clone)]
pub struct EntityOptions {
    /// What their paths lie below, such as `/api`. A slash at the end does not count; if it is
    /// empty, they lie beside all others.
    pub context_path: String,
    /// How the server learns who somebody is.
    pub auth: AuthOptions,
    /// How much clients learn about defects.
    pub verbosity: Verbosity,
    /// Those who may join transactions; the engine asks the same. Nobody may if absent.
    pub members: Option<Members>,
    /// The nodes that share the store, if they are to reach each other's members; then the engine
    /// asks this. It has the same `members`.
    pub cluster: Option<Cluster>,
}

impl Default for EntityOptions {
    fn default() -> Self {
        Self {
            context_path: "/api".to_owned(),
            auth: AuthOptions::default(),
            verbosity: Verbosity::default(),
            members: None,
            cluster: None,
        }
    }
}

impl fmt::Debug for EntityOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityOptions")
            .field("context_path", &self.context_path)
            .field("auth", &self.auth)
            .field("verbosity", &self.verbosity)
            .field("has_members", &self.members.is_some())
            .field("has_cluster", &self.cluster.is_some())
            .finish()
    }
}

/// How much a server takes from its clients, and why not more.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// Connections at a time. Some more are taken, told so with 503, and closed; health and metrics
    /// still answer there.
    pub connections_max: usize,
    /// Connections of gRPC at a time; more are closed at once. Each carries many calls.
    pub grpc_connections_max: usize,
    /// Requests under way at a time. Three quarters of it are for lists and new work, an eighth more
    /// for events: finishing what was begun relieves the server.
    pub requests_max: usize,
    /// Claims that wait for work, counted apart so that they cannot starve the others.
    pub claims_max: usize,
    /// Writes of entities, counted apart because they may wait for compute members for as long as
    /// those are given.
    pub writes_max: usize,
    /// Questions of other nodes to members that are connected here, counted apart because they wait
    /// for those members.
    pub dispatches_max: usize,
    /// Readers of the stream of changes.
    pub subscribers_max: usize,
    /// Bytes of a body, after decompression.
    pub body_max: usize,
    /// Bytes of large bodies at a time, where requests may have larger ones than `body_max`.
    pub bodies_max: usize,
    /// How long a client may take to send the head of a request.
    pub head_timeout: Duration,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
    /// How long a connection may lie idle, or refuse to take our answer.
    pub idle_timeout: Duration,
    /// How long a request may take that does not wait for anything.
    pub request_timeout: Duration,
    /// How long a write of an entity may take. What it waits for has limits of its own; this one is
    /// for what nobody has thought of.
    pub write_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            grpc_connections_max: 1_024,
            requests_max: 1_024,
            claims_max: 2_048,
            writes_max: 1_024,
            dispatches_max: 2_048,
            subscribers_max: 256,
            body_max: 1 << 20,
            bodies_max: 256 << 20,
            head_timeout: Duration::from_secs(5),
            body_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(60),
            request_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(60 * 60),
        }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Entities cannot be served so.
    #[error("{0}")]
    Setting(String),
    /// Somebody else listens there.
    #[error(
        "port {} of {} is in use; stop the other program or choose another with {flag}",
        .address.port(), .address.ip()
    )]
    InUse {
        /// Where.
        address: SocketAddr,
        /// What chooses another.
        flag: &'static str,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another with {flag}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What chooses another.
        flag: &'static str,
        /// Why.
        source: io::Error,
    },
}
