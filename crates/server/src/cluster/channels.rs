//! Connections to other nodes over gRPC, opened when they are needed and kept.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tonic::transport::{Channel, Endpoint};

/// How long another node may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a connection under way is looked at, and how long that may take.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(5));
/// Addresses that are kept. Nodes that come and go have others each time.
const KEPT_MAX: usize = 64;

/// Connections by address.
#[derive(Default)]
pub(super) struct Channels(Mutex<HashMap<String, Channel>>);

impl Channels {
    /// The connection to that address. It is opened by whoever is the first to use it, and again
    /// when it has broken.
    pub(super) fn to(&self, address: &str) -> Option<Channel> {
        let mut channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(address) {
            return Some(channel.clone());
        }
        let (every, patience) = KEEP_ALIVE;
        let endpoint = Endpoint::from_shared(address.to_owned()).ok()?;
        let channel = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(every)
            .keep_alive_timeout(patience)
            .connect_lazy();
        if channels.len() >= KEPT_MAX {
            channels.clear();
        }
        channels.insert(address.to_owned(), channel.clone());
        Some(channel)
    }
}
