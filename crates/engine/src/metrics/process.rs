//! What is counted of processes, under the names their operators know.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};
use waypost_machines::process::{Event, Graph, StepId, StepType};

use super::Outcome;

/// The counters of processes.
pub(crate) struct ProcessMetrics {
    pub(crate) definitions: Counter,
    starts: Counter,
    ends: Family<Outcome, Counter>,
    steps: Family<Steps, Counter>,
    retries: Counter,
    pub(crate) timeouts: Counter,
    pub(crate) ignored: Counter,
    pub(crate) poll_latency: Histogram,
    pub(crate) pickup_latency: Histogram,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Steps {
    step_type: &'static str,
}

impl Default for ProcessMetrics {
    fn default() -> Self {
        let seconds = || Histogram::new([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0]);
        Self {
            definitions: Counter::default(),
            starts: Counter::default(),
            ends: Family::default(),
            steps: Family::default(),
            retries: Counter::default(),
            timeouts: Counter::default(),
            ignored: Counter::default(),
            poll_latency: seconds(),
            pickup_latency: seconds(),
        }
    }
}

impl ProcessMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let mut add = |name: &str, help: &str, counter: &Counter| {
            registry.register(name, help, counter.clone());
        };
        add("workflow_definitions_uploaded", "Definitions deployed", &self.definitions);
        add("workflow_instances_started", "Instances started", &self.starts);
        add("job_retries", "Jobs offered again after they failed", &self.retries);
        add("job_lock_conflicts", "Callbacks ignored because the job was not held", &self.ignored);
        add("engine_job_timeout", "Jobs offered again after their lease ran out", &self.timeouts);
        let help = "Instances ended, by outcome";
        registry.register("workflow_instances_completed", help, self.ends.clone());
        let help = "Steps executed, by type";
        registry.register("workflow_steps_executed", help, self.steps.clone());
        let help = "How long polling took, in seconds";
        registry.register("job_poll_latency_seconds", help, self.poll_latency.clone());
        let help = "From when a job was offered to when it was claimed, in seconds";
        registry.register("engine_job_pickup_latency_seconds", help, self.pickup_latency.clone());
    }

    /// Counts what has happened to an instance of `graph`.
    pub(crate) fn count(&self, graph: &Graph, event: &Event) {
        let step = |id: &StepId| graph.step(id).map(|it| self.count_step(it.step_type()));
        match event {
            Event::Started { .. } => drop(self.starts.inc()),
            Event::Entered(stay) => drop(step(&stay.step)),
            Event::Passed { step: id, .. } | Event::Arrived { step: id, .. } => drop(step(id)),
            Event::Retried { .. } => drop(self.retries.inc()),
            Event::Completed { .. } => self.count_end("completed"),
            Event::Failed { .. } => self.count_end("failed"),
            Event::Canceled { .. } => self.count_end("cancelled"),
            Event::Stumbled { .. }
            | Event::Forked { .. }
            | Event::Joined { .. }
            | Event::Forgotten { .. }
            | Event::Merged { .. }
            | Event::Left { .. }
            | Event::Fired { .. }
            | Event::Interrupted { .. }
            | Event::Lapsed { .. }
            | Event::StepFailed { .. }
            | Event::Resumed { .. } => {}
        }
    }

    fn count_step(&self, step_type: StepType) {
        self.steps.get_or_create(&Steps { step_type: step_type.as_str() }).inc();
    }

    fn count_end(&self, outcome: &'static str) {
        self.ends.get_or_create(&Outcome { outcome }).inc();
    }
}
