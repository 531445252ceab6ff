//! What the engine counts.

mod process;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

pub(crate) use self::process::{ProcessMetrics, Purpose};

/// Counters of one engine. No globals: two engines in one process count for themselves.
pub struct Metrics {
    pub(crate) turns: Counter,
    pub(crate) conflicts: Counter,
    pub(crate) starts: Counter,
    pub(crate) claimed: Counter,
    pub(crate) reports: Family<Outcome, Counter>,
    pub(crate) leases_lost: Counter,
    pub(crate) leases_lapsed: Counter,
    pub(crate) retries_exhausted: Counter,
    pub(crate) signals: Family<Outcome, Counter>,
    pub(crate) timers_fired: Counter,
    pub(crate) messages: Family<Outcome, Counter>,
    pub(crate) claim_delay: Histogram,
    pub(crate) lease_left: Histogram,
    pub(crate) process: ProcessMetrics,
}

/// How something went.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Outcome {
    pub(crate) outcome: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let seconds = || Histogram::new([0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 300.0]);
        Self {
            turns: Counter::default(),
            conflicts: Counter::default(),
            starts: Counter::default(),
            claimed: Counter::default(),
            reports: Family::default(),
            leases_lost: Counter::default(),
            leases_lapsed: Counter::default(),
            retries_exhausted: Counter::default(),
            signals: Family::default(),
            timers_fired: Counter::default(),
            messages: Family::default(),
            claim_delay: seconds(),
            lease_left: seconds(),
            process: ProcessMetrics::default(),
        }
    }
}

impl Metrics {
    /// Makes the counters visible.
    pub fn register(&self, registry: &mut Registry) {
        self.process.register(registry);
        let registry = registry.sub_registry_with_prefix("waypost");
        registry.register("turns", "Decisions committed or tried", self.turns.clone());
        registry.register("turn_conflicts", "Decisions made again", self.conflicts.clone());
        registry.register("chain_starts", "Chains started", self.starts.clone());
        registry.register("tasks_claimed", "Tasks handed out", self.claimed.clone());
        registry.register("chain_reports", "Executions by outcome", self.reports.clone());
        registry.register("leases_lost", "Late reports refused", self.leases_lost.clone());
        registry.register("leases_lapsed", "Leases that ran out", self.leases_lapsed.clone());
        let exhausted = self.retries_exhausted.clone();
        registry.register("retries_exhausted", "Steps dead after their last attempt", exhausted);
        registry.register("chain_signals", "Events by outcome", self.signals.clone());
        registry.register("timers_fired", "Timers fired", self.timers_fired.clone());
        registry.register("messages", "Messages by outcome", self.messages.clone());
        let help = "From when a task was ready to when it was claimed, in seconds";
        registry.register("claim_delay_seconds", help, self.claim_delay.clone());
        let help = "What was left of the lease when a report landed, in seconds";
        registry.register("lease_left_seconds", help, self.lease_left.clone());
    }

    pub(crate) fn count(family: &Family<Outcome, Counter>, outcome: &'static str) {
        family.get_or_create(&Outcome { outcome }).inc();
    }
}
