//! What is counted about compute members.

use std::sync::atomic::AtomicI64;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge},
    registry::Registry,
};
use waypost_machines::entity::cascade::{Cause, Reply};

type Gauge = gauge::Gauge<i64, AtomicI64>;

/// Counters of one node's members.
#[derive(Default)]
pub(super) struct Metrics {
    pub(super) members: Gauge,
    pub(super) pending: Gauge,
    requests: Family<Outcome, Counter>,
    ignored: Family<Reason, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

/// Why something a member has sent was of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ignored {
    /// There is no such type of event.
    UnknownType,
    /// It cannot be read, or answers nothing.
    Malformed,
    /// Nobody waits for it: it is late, or the second, or was never asked for.
    Unasked,
}

impl Metrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("waypost");
        registry.register("compute_members", "Compute members connected", self.members.clone());
        let help = "Questions compute members have not answered yet";
        registry.register("compute_pending", help, self.pending.clone());
        let help = "Questions to compute members by outcome";
        registry.register("compute_requests", help, self.requests.clone());
        let help = "What compute members have sent and nobody could use";
        registry.register("compute_ignored", help, self.ignored.clone());
    }

    pub(super) fn count(&self, outcome: &'static str) {
        self.requests.get_or_create(&Outcome { outcome }).inc();
    }

    pub(super) fn ignore(&self, ignored: Ignored) {
        let reason = match ignored {
            Ignored::UnknownType => "unknown_type",
            Ignored::Malformed => "malformed",
            Ignored::Unasked => "unasked",
        };
        self.ignored.get_or_create(&Reason { reason }).inc();
    }
}

/// How a question ended, in one word.
pub(super) const fn outcome(reply: &Reply) -> &'static str {
    match reply {
        Reply::Processed { .. } | Reply::Written { .. } | Reply::Matched { .. } => "answered",
        Reply::Failed { cause, .. } => match cause {
            Cause::NoMember => "no_member",
            Cause::Disconnected => "disconnected",
            Cause::NotSent => "not_sent",
            Cause::Unreachable => "unreachable",
            Cause::TimedOut => "timed_out",
            Cause::Refused { .. } => "refused",
        },
    }
}
