//! What is counted about other nodes.

use std::sync::atomic::AtomicI64;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge},
    registry::Registry,
};

/// Counters of one node.
#[derive(Default)]
pub(super) struct Metrics {
    pub(super) peers: gauge::Gauge<i64, AtomicI64>,
    dispatches: Family<Outcome, Counter>,
    forwarded: Family<Outcome, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

impl Metrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("waypost");
        registry.register("cluster_peers", "Other nodes that are live", self.peers.clone());
        let help = "Questions to members of other nodes by outcome";
        registry.register("cluster_dispatches", help, self.dispatches.clone());
        let help = "Callbacks sent on to the node of their transaction by outcome";
        registry.register("cluster_forwarded", help, self.forwarded.clone());
    }

    pub(super) fn count_dispatch(&self, outcome: &'static str) {
        self.dispatches.get_or_create(&Outcome { outcome }).inc();
    }

    pub(super) fn count_forwarded(&self, outcome: &'static str) {
        self.forwarded.get_or_create(&Outcome { outcome }).inc();
    }
}
