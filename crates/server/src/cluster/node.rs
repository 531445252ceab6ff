//! One of several nodes.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use prometheus_client::registry::Registry;
use reqwest::{Client, Url, redirect::Policy};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use waypost_kernel::{Store, Timestamp};

use super::{
    channels::Channels,
    metrics::Metrics,
    options::{ClusterError, ClusterOptions, address, check_name},
    record::{Peer, Record, told},
    roster::Roster,
    seal::Seal,
};
use crate::compute::Members;

/// How often a node says that it is there, even if nothing has changed.
const SAY_EVERY: Duration = Duration::from_secs(3);
/// How soon it tries again if it could not.
const SAY_AGAIN: Duration = Duration::from_millis(500);
/// How long changes are gathered: members often come together.
const GATHER: Duration = Duration::from_millis(20);

/// How long another node may take to accept a connection: it is near, or it is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a connection is kept for later. Less than the other side keeps it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a silent connection is looked at: whoever waits for an answer learns that the other
/// machine is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// How often in vain.
const KEEP_ALIVES_MAX: u32 = 3;

/// One of several nodes that share a store. It asks its own members first, and then those of others.
#[derive(Clone)]
pub struct Cluster(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) options: ClusterOptions,
    pub(super) members: Members,
    pub(super) store: Arc<dyn Store>,
    pub(super) roster: Roster,
    pub(super) seal: Seal,
    pub(super) http: Client,
    pub(super) channels: Channels,
    pub(super) metrics: Metrics,
    address: Url,
    grpc_address: Option<Url>,
}

impl Cluster {
    /// A node with these members, among those that share the store.
    ///
    /// # Errors
    /// When others could not find it, or not trust it; says why.
    pub fn new(
        options: ClusterOptions,
        members: Members,
        store: Arc<dyn Store>,
    ) -> Result<Self, ClusterError> {
        let here = address(&options.address, &["http", "https"])?;
        let grpc_address = options.grpc_address.as_deref().map(|it| address(it, &["http"]));
        check_name(members.node())?;
        let seal = Seal::new(members.secret().ok_or(ClusterError::NoSecret)?);
        let roster = Roster::new(Arc::clone(&store), members.node().to_owned());
        Ok(Self(Arc::new(Shared {
            grpc_address: grpc_address.transpose()?,
            address: here,
            http: client().map_err(|error| ClusterError::Client(error.to_string()))?,
            channels: Channels::default(),
            metrics: Metrics::default(),
            options,
            members,
            store,
            roster,
            seal,
        })))
    }

    /// Makes the counters visible.
    pub fn register(&self, registry: &mut Registry) {
        self.0.metrics.register(registry);
    }

    /// This node and those that are live, with their addresses and when they were heard of last.
    pub(crate) async fn nodes(&self) -> Vec<(String, String, Option<Timestamp>)> {
        let Shared { roster, members, address, .. } = &*self.0;
        let here = (members.node().to_owned(), address.to_string(), None);
        let peers = roster.peers().await.into_iter();
        let peers = peers.map(|it| (it.name, it.record.http, Some(it.seen_at)));
        std::iter::once(here).chain(peers).collect()
    }

    /// Tells the others where this node is and whom it can ask, until `stop` is canceled.
    pub(crate) async fn keep(
        &self,
        http: SocketAddr,
        grpc: Option<SocketAddr>,
        stop: &CancellationToken,
    ) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.say(http, grpc) => {}
        }
        self.0.roster.erase().await;
    }

    async fn say(&self, http: SocketAddr, grpc: Option<SocketAddr>) {
        let Shared { roster, members, metrics, .. } = &*self.0;
        let place = self.place(http, grpc);
        let (mut changes, mut version) = (members.changes(), None);
        loop {
            changes.mark_unchanged();
            let record = Record { members: told(members.tagged()), ..place.clone() };
            version = roster.write(&record, version).await;
            let n_peers = roster.peers().await.len();
            metrics.peers.set(i64::try_from(n_peers).unwrap_or(i64::MAX));
            let pause = if version.is_some() { SAY_EVERY } else { SAY_AGAIN };
            tokio::select! {
                () = sleep(pause) => {}
                Ok(()) = changes.changed() => sleep(GATHER).await,
            }
        }
    }

    /// Where the others reach this node, which listens there.
    fn place(&self, http: SocketAddr, grpc: Option<SocketAddr>) -> Record {
        let Shared { address, grpc_address, .. } = &*self.0;
        let beside = |grpc: SocketAddr| {
            let mut beside = address.clone();
            // Nodes speak gRPC in the clear, whoever stands before HTTP.
            let is_done = beside.set_scheme("http").is_ok() && beside.set_port(Some(0)).is_ok();
            is_done.then(|| at(grpc_address.as_ref().unwrap_or(&beside), grpc))
        };
        Record { http: at(address, http), grpc: grpc.and_then(beside), ..Record::default() }
    }

    /// The node of a ticket, if the call is to be sent there: it is another one, and live.
    pub(super) async fn owner(&self, ticket: &str) -> Option<Peer> {
        let ticket = self.0.members.verify(ticket).ok()?;
        if ticket.node == self.0.members.node() {
            return None;
        }
        self.0.roster.find(&ticket.node).await
    }
}

/// The address with the port that was picked, if any would do; without a slash at its end.
fn at(address: &Url, listens: SocketAddr) -> String {
    let mut address = address.clone();
    if address.port() == Some(0) && address.set_port(Some(listens.port())).is_err() {
        tracing::error!(%address, "an address takes no port");
    }
    address.as_str().trim_end_matches('/').to_owned()
}

fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        // Nodes talk to each other, and to nobody in between.
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_keepalive(KEEP_ALIVE)
        .tcp_keepalive_interval(KEEP_ALIVE)
        .tcp_keepalive_retries(KEEP_ALIVES_MAX)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_not_chosen_is_the_one_that_was_picked() {
        let listens = SocketAddr::from(([127, 0, 0, 1], 4_711));
        for (address, expected) in [
            ("http://10.0.0.5:8080", "http://10.0.0.5:8080"),
            ("http://10.0.0.5:0/", "http://10.0.0.5:4711"),
            ("https://node-a", "https://node-a"),
        ] {
            assert_eq!(at(&address.parse().unwrap(), listens), expected);
        }
    }
}
