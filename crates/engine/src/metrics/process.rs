//! What is counted of processes, under the names their operators know.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};
use waypost_machines::process::{Command, Event, Graph, Process, StepId, StepType};

use super::Outcome;
use crate::turn::Landed;

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

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
    commits: Histograms<Commits>,
    queues: Histograms<Queues>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Steps {
    step_type: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Commits {
    tx_type: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Queues {
    operation: &'static str,
}

/// What a turn is for, as operators tell turns apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Start,
    /// Starting what follows another process.
    Follow,
    Complete,
    CompleteUserTask,
    Signal,
    Retry,
    Fire,
    Fail,
    /// Offering a task again whose lease has lapsed.
    Lapse,
    /// Operators have no name for it.
    Cancel,
}

impl Purpose {
    /// What a command is for.
    pub(crate) const fn of(command: &Command) -> Self {
        match command {
            Command::Start(_) => Self::Start,
            Command::Complete { .. } => Self::Complete,
            Command::Fail { .. } => Self::Fail,
            Command::Lapse { .. } => Self::Lapse,
            Command::CompleteUserTask { .. } => Self::CompleteUserTask,
            Command::Signal { .. } => Self::Signal,
            Command::Fire { .. } => Self::Fire,
            Command::Retry { .. } => Self::Retry,
            Command::Cancel { .. } => Self::Cancel,
            Command::Asked { command, .. } => Self::of(command),
        }
    }

    fn tx_type(self, events: &[Event]) -> Option<&'static str> {
        let is_offered_again = |it: &Event| matches!(it, Event::Retried { .. });
        match self {
            Self::Start => Some("instance.start"),
            Self::Follow => Some("instance.start_chain"),
            Self::Complete => Some("instance.complete_job"),
            Self::CompleteUserTask => Some("instance.complete_user_task"),
            Self::Signal => Some("instance.signal_wait"),
            Self::Retry => Some("instance.retry_step"),
            Self::Fire => Some("instance.fire_boundary"),
            Self::Fail if events.iter().any(is_offered_again) => Some("job.retry"),
            Self::Fail => Some("job.fail"),
            Self::Lapse => Some("job.retry"),
            Self::Cancel => None,
        }
    }
}

fn seconds() -> Histogram {
    Histogram::new([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0])
}

impl Default for ProcessMetrics {
    fn default() -> Self {
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
            commits: Family::new_with_constructor(seconds),
            queues: Family::new_with_constructor(seconds),
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
        let help = "How long commits took, by what they were for, in seconds";
        registry.register("engine_db_transaction_duration_seconds", help, self.commits.clone());
        let help = "How long turns queued behind others of the same instance, in seconds";
        registry.register("engine_db_lock_wait_duration_seconds", help, self.queues.clone());
        let help = "From when a job was offered to when it was claimed, in seconds";
        registry.register("engine_job_pickup_latency_seconds", help, self.pickup_latency.clone());
    }

    /// Counts a turn of an instance of `graph`, and what has happened in it.
    pub(crate) fn count_turn(&self, graph: &Graph, purpose: Purpose, landed: &Landed<Process>) {
        landed.events.iter().for_each(|it| self.count(graph, it));
        let tx_type = purpose.tx_type(&landed.events).filter(|_| !landed.events.is_empty());
        if let Some(tx_type) = tx_type {
            let took = landed.took.commit.as_secs_f64();
            self.commits.get_or_create(&Commits { tx_type }).observe(took);
            let queue = Queues { operation: "instance.for_update" };
            self.queues.get_or_create(&queue).observe(landed.took.queue.as_secs_f64());
        }
    }

    fn count(&self, graph: &Graph, event: &Event) {
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
            | Event::Resumed { .. }
            | Event::Asked(_) => {}
        }
    }

    fn count_step(&self, step_type: StepType) {
        self.steps.get_or_create(&Steps { step_type: step_type.as_str() }).inc();
    }

    fn count_end(&self, outcome: &'static str) {
        self.ends.get_or_create(&Outcome { outcome }).inc();
    }
}
