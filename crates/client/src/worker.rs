//! Workers: claim steps of chains, execute them here, report.
//!
//! A worker never holds more than it can begin at once, keeps leases alive while it works, and
//! gives back what it has not begun when it is told to stop.

mod execution;
mod identity;
mod steps;

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use waypost_api::chain::{ClaimRequest, Task};

pub use self::{
    identity::worker_id,
    steps::{StepFailure, Steps, Verdict},
};
use crate::{chain::Chains, client::Client, error::Error};

/// How long to wait before claiming again after a claim that failed.
const CLAIM_PAUSE: Duration = Duration::from_secs(1);
/// How long a claim that is under way may take once the worker was told to stop. After that the
/// server sees the connection close and takes back what it handed out.
const CLAIM_LINGER: Duration = Duration::from_millis(500);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Who it is. Two workers must never share a name.
    pub worker_id: String,
    /// How many steps it executes at a time.
    pub concurrency: u32,
    /// How long it holds a step without saying so again.
    pub lease: Duration,
    /// How long the server lets a claim wait for work, at most 30 seconds.
    pub wait: Duration,
    /// How long steps may go on after it was told to stop.
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
        let worker = Arc::new(self);
        let slots = Arc::new(Semaphore::new(worker.options.concurrency as usize));
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            let free = tokio::select! {
                () = stop.cancelled() => break,
                permit = Arc::clone(&slots).acquire_owned() => permit,
            };
            drop(free);
            let n_free = u32::try_from(slots.available_permits()).unwrap_or(u32::MAX).max(1);
            match worker.claim(n_free, &stop).await {
                Ok(tasks) => worker.begin(tasks, &slots, &mut running, &stop).await,
                Err(error) => {
                    tracing::warn!(%error, "no work could be claimed");
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = sleep(CLAIM_PAUSE) => {}
                    }
                }
            }
            while running.try_join_next().is_some() {}
        }
        let finish = async { while running.join_next().await.is_some() {} };
        if timeout(worker.options.grace, finish).await.is_err() {
            let left = running.len();
            tracing::warn!(left, "steps did not end in time; their leases will lapse");
        }
    }

    /// Claims once and executes what it got; says how much that was.
    ///
    /// # Errors
    /// When nothing could be claimed.
    pub async fn run_once(&self) -> Result<usize, Error> {
        let claim = ClaimRequest { wait_ms: 0, ..self.request(self.options.concurrency) };
        let tasks = self.take(&claim).await?;
        let n_tasks = tasks.len();
        futures_util::future::join_all(tasks.into_iter().map(|held| self.execute(held))).await;
        Ok(n_tasks)
    }

    fn request(&self, max: u32) -> ClaimRequest {
        ClaimRequest {
            worker_id: self.options.worker_id.clone(),
            workflow_types: Some(self.steps.workflow_types()),
            step_types: Some(self.steps.step_types()),
            max,
            lease_ms: millis(self.options.lease),
            wait_ms: millis(self.options.wait),
        }
    }

    /// What a claim waited for was leased when it was found, which may be just now.
    async fn take(&self, request: &ClaimRequest) -> Result<Vec<Held>, Error> {
        let tasks = self.chains.claim(request).await?;
        let until = Instant::now() + self.options.lease;
        Ok(tasks.into_iter().map(|task| Held { task: Arc::new(task), until }).collect())
    }

    async fn claim(&self, max: u32, stop: &CancellationToken) -> Result<Vec<Held>, Error> {
        let request = self.request(max);
        let claiming = self.take(&request);
        tokio::pin!(claiming);
        tokio::select! {
            tasks = &mut claiming => tasks,
            () = stop.cancelled() => {
                timeout(CLAIM_LINGER, claiming).await.unwrap_or_else(|_| Ok(Vec::new()))
            }
        }
    }

    async fn begin(
        self: &Arc<Self>,
        tasks: Vec<Held>,
        slots: &Arc<Semaphore>,
        running: &mut JoinSet<()>,
        stop: &CancellationToken,
    ) {
        for held in tasks {
            if stop.is_cancelled() {
                self.give_back(&held).await;
                continue;
            }
            let Ok(slot) = Arc::clone(slots).acquire_owned().await else { return };
            let worker = Arc::clone(self);
            running.spawn(async move {
                worker.execute(held).await;
                drop(slot);
            });
        }
    }

    async fn give_back(&self, held: &Held) {
        let token = &held.task.lease_token;
        if let Err(error) = self.chains.release(token, &self.options.worker_id).await {
            tracing::debug!(%error, "a step could not be given back; its lease will lapse");
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
