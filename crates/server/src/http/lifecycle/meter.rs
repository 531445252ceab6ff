//! What is counted about the gateway.

use std::{fmt, sync::Arc};

use axum::http::StatusCode;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
    },
    registry::Registry,
};
use waypost_lifecycle::DynManager;

use crate::http::meter::Gauge;

/// The counters of one gateway.
#[derive(Clone, Debug, Default)]
pub(crate) struct GatewayMeter(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    requests: Family<Outcome, Counter>,
    refused: Family<Workflow, Counter>,
    watches: Family<Workflow, Gauge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    workflow: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Workflow {
    workflow: String,
}

impl GatewayMeter {
    pub(crate) fn register(&self, registry: &mut Registry, lifecycles: DynManager) {
        registry.register_collector(Box::new(Library(lifecycles)));
        let registry = registry.sub_registry_with_prefix("waypost_lifecycle");
        let counted = &self.0;
        let help = "Operators' requests by type of lifecycle and outcome";
        registry.register("requests", help, counted.requests.clone());
        let help = "Operators' writes that were refused, by type of lifecycle";
        registry.register("refused_writes", help, counted.refused.clone());
        registry.register("watches", "Open watches of lifecycles", counted.watches.clone());
    }

    /// Counts an answer about a type that is registered, or about none.
    pub(super) fn count(&self, workflow: &str, is_write: bool, status: StatusCode) {
        let workflow = workflow.to_owned();
        let outcome = match status.as_u16() {
            ..400 => "ok",
            409 => "conflict",
            400..500 => "refused",
            500.. => "failed",
        };
        if is_write && status.is_client_error() {
            let workflow = workflow.clone();
            self.0.refused.get_or_create(&Workflow { workflow }).inc();
        }
        self.0.requests.get_or_create(&Outcome { workflow, outcome }).inc();
    }

    /// A watch is open until this is dropped.
    pub(super) fn watching(&self, workflow: &str) -> Watching {
        let watches = self.0.watches.get_or_create(&Workflow { workflow: workflow.to_owned() });
        watches.inc();
        Watching(watches.clone())
    }
}

/// A watch that is open.
pub(super) struct Watching(Gauge);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What the library has counted.
#[derive(Clone)]
struct Library(DynManager);

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}

impl Collector for Library {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let it = self.0.figures();
        let mut counter = |name: &str, help: &str, value: u64| {
            let metric = ConstCounter::new(value);
            let name = format!("waypost_lifecycle_{name}");
            metric.encode(encoder.encode_descriptor(&name, help, None, metric.metric_type())?)
        };
        counter("conflicts", "Writes that found somebody else to be faster", it.conflicts)?;
        counter("exhausted", "Changes given up because of that", it.exhausted)?;
        counter("drifted", "Entities found in a phase that is not declared", it.drifted)?;
        counter("skipped", "Stored values that could not be read", it.skipped)?;
        let help = "Watches of indexes that broke and were begun again";
        counter("index_restarts", help, it.watches_restarted)?;
        let help = "Times that a watch was not shown writes the bucket had forgotten";
        counter("watch_gaps", help, it.watch_gaps)
    }
}
