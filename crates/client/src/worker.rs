//! Workers: claim steps of chains or jobs of processes, execute them here, report.
//!
//! A worker never holds more than it can begin at once, keeps leases alive while it works, and
//! finishes or gives back what it holds when it is told to stop.

pub(crate) mod backoff;
mod completions;
mod execution;
mod identity;
mod job;
mod jobs;
pub(crate) mod lease;
#[cfg(feature = "grpc")]
mod pushed;
mod shift;
mod signal;
mod steps;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use waypost_api::chain::{ClaimRequest, Task};

use self::shift::{Trade, work, work_once};
pub use self::{
    identity::worker_id,
    job::JobWorker,
    jobs::{JobFailure, Jobs},
    signal::stop_on_signal,
    steps::{StepFailure, Steps, Verdict},
};
use crate::{chain::Chains, client::Client, error::Error};

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Who it is. Two workers must never share a name.
    pub worker_id: String,
    /// How many pieces of work it does at a time.
    pub concurrency: u32,
    /// How long it holds one without saying so again.
    pub lease: Duration,
    /// How long the server lets a claim wait for work, at most 30 seconds.
    pub wait: Duration,
    /// How long work may go on after it was told to stop.
    pub grace: Duration,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            worker_id: worker_id("waypost"),
            concurrency: 16,
            lease: Duration::from_secs(30),
            wait: Duration::from_secs(20),
            grace: Duration::from_secs(20),
        }
    }
}

/// Executes steps for a server.
pub struct Worker {
    chains: Chains,
    steps: Steps,
    options: WorkerOptions,
}

/// A step in our hands, and until when it certainly is.
struct Held {
    task: Arc<Task>,
    until: Instant,
}

impl Worker {
    /// A worker that executes `steps` for the server of `client`.
    #[must_use]
    pub fn new(client: &Client, steps: Steps, options: WorkerOptions) -> Self {
        Self { chains: client.chain(), steps, options }
    }

    /// Works until `stop` is canceled; then lets what runs finish, for a while.
    pub async fn run(self, stop: CancellationToken) {
        work(Arc::new(self), stop).await;
    }

    /// Claims once and executes what it got; says how much that was.
    ///
    /// # Errors
    /// When nothing could be claimed.
    pub async fn run_once(&self) -> Result<usize, Error> {
        work_once(self).await
    }
}

impl Trade for Worker {
    type Held = Held;

    fn options(&self) -> &WorkerOptions {
        &self.options
    }

    /// What a claim waited for was leased when it was found, which may be just now.
    async fn claim(&self, max: u32, wait: Duration) -> Result<Vec<Held>, Error> {
        let request = ClaimRequest {
            worker_id: self.options.worker_id.clone(),
            workflow_types: Some(self.steps.workflow_types()),
            step_types: Some(self.steps.step_types()),
            max,
            lease_ms: millis(self.options.lease),
            wait_ms: millis(wait),
        };
        let tasks = self.chains.claim(&request).await?;
        let until = Instant::now() + self.options.lease;
        Ok(tasks.into_iter().map(|task| Held { task: Arc::new(task), until }).collect())
    }

    async fn execute(&self, held: Held) {
        self.execute_step(held).await;
    }

    async fn give_back(&self, held: Held) -> Option<Held> {
        let token = &held.task.lease_token;
        if let Err(error) = self.chains.release(token, &self.options.worker_id).await {
            tracing::debug!(%error, "a step could not be given back; its lease will lapse");
        }
        None
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
