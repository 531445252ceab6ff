//! What a server is started with, and how starting can fail.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
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
    /// How much of everything.
    pub limits: HttpLimits,
    /// How long requests under way may take after the server was told to stop.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            http: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            grpc: None,
            metrics: None,
            limits: HttpLimits::default(),
            grace: Duration::from_secs(20),
        }
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
    /// Readers of the stream of changes.
    pub subscribers_max: usize,
    /// Bytes of a body, after decompression.
    pub body_max: usize,
    /// How long a client may take to send the head of a request.
    pub head_timeout: Duration,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
    /// How long a connection may lie idle, or refuse to take our answer.
    pub idle_timeout: Duration,
    /// How long a request may take that does not wait for anything.
    pub request_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            grpc_connections_max: 1_024,
            requests_max: 1_024,
            claims_max: 2_048,
            subscribers_max: 256,
            body_max: 1 << 20,
            head_timeout: Duration::from_secs(5),
            body_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(60),
            request_timeout: Duration::from_secs(30),
        }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
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
