//! Workers of processes: lease jobs, do them here, report.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use waypost_api::process::{CompleteJob, FailJob, Heartbeat, Job, PollJobs};

use super::{
    WorkerOptions,
    jobs::{JobFailure, Jobs, Output},
    lease::{caught, keep_alive, report},
    millis,
    shift::{Trade, work, work_once},
};
use crate::{
    client::Client,
    error::Error,
    process::{Callback, Processes},
};

/// Does jobs of processes for a server.
pub struct JobWorker {
    processes: Processes,
    jobs: Jobs,
    options: WorkerOptions,
}

/// A job in our hands, and until when it certainly is.
pub(super) struct HeldJob {
    job: Arc<Job>,
    until: Instant,
}

impl JobWorker {
    /// A worker that does `jobs` for the server of `client`. Leases of jobs are 5 seconds to an
    /// hour; others are brought into these bounds.
    #[must_use]
    pub fn new(client: &Client, jobs: Jobs, options: WorkerOptions) -> Self {
        let lease = Duration::from_secs(options.lease.as_secs().clamp(5, 3_600));
        Self { processes: client.process(), jobs, options: WorkerOptions { lease, ..options } }
    }

    /// Works until `stop` is canceled; then lets what runs finish, for a while. Nothing is failed
    /// because the worker stops.
    pub async fn run(self, stop: CancellationToken) {
        work(Arc::new(self), stop).await;
    }

    /// Polls once and does what it got; says how much that was.
    ///
    /// # Errors
    /// When nothing could be polled.
    pub async fn run_once(&self) -> Result<usize, Error> {
        work_once(self).await
    }

    fn worker_id(&self) -> Option<String> {
        Some(self.options.worker_id.clone())
    }

    fn lease_seconds(&self) -> Option<i64> {
        i64::try_from(self.options.lease.as_secs()).ok()
    }

    async fn outcome(&self, job: &Arc<Job>) -> Result<Output, JobFailure> {
        let Some(run) = self.jobs.function(&job.job_type) else {
            return Err(JobFailure::fatal(format!("no function for {}", job.job_type)));
        };
        match caught(|| run(Arc::clone(job))).await {
            Ok(outcome) => outcome,
            Err(panic) => Err(JobFailure::retryable(panic)),
        }
    }

    async fn complete(&self, held: &HeldJob, variables: Output) -> Result<Callback, Error> {
        let id = held.job.id.as_str();
        let done = CompleteJob { worker_id: self.worker_id(), variables };
        match report(held.until, || self.processes.complete(id, &done)).await {
            // The instance has failed with that already, or the job is nobody's any more.
            Err(Error::Refused(problem))
                if problem.code != "SCHEMA_VIOLATED" && matches!(problem.status, 400 | 413) =>
            {
                self.fail(held, JobFailure::retryable(problem.to_string())).await
            }
            other => other,
        }
    }

    async fn fail(&self, held: &HeldJob, failure: JobFailure) -> Result<Callback, Error> {
        let failed = FailJob {
            worker_id: self.worker_id(),
            error_message: Some(failure.message),
            retryable: Some(failure.is_retryable),
        };
        report(held.until, || self.processes.fail(&held.job.id, &failed)).await
    }
}

impl Trade for JobWorker {
    type Held = HeldJob;

    fn options(&self) -> &WorkerOptions {
        &self.options
    }

    async fn claim(&self, max: u32, wait: Duration) -> Result<Vec<HeldJob>, Error> {
        let poll = PollJobs {
            worker_id: self.worker_id(),
            job_types: Some(self.jobs.types()),
            max_jobs: Some(max.into()),
            lease_seconds: self.lease_seconds(),
            wait_ms: Some(millis(wait)),
        };
        let jobs = self.processes.poll(&poll).await?;
        let until = Instant::now() + self.options.lease;
        Ok(jobs.into_iter().map(|job| HeldJob { job: Arc::new(job), until }).collect())
    }

    /// Does one job, keeping its lease alive. A lease that is lost stops the job.
    async fn execute(&self, mut held: HeldJob) {
        let job = Arc::clone(&held.job);
        let beat = Heartbeat { worker_id: self.worker_id(), lease_seconds: self.lease_seconds() };
        let beating = || async { self.processes.heartbeat(&job.id, &beat).await.map(drop) };
        let outcome = tokio::select! {
            outcome = self.outcome(&job) => outcome,
            () = keep_alive(&mut held.until, self.options.lease, beating) => {
                tracing::warn!(job = job.id, "the lease is lost; the job is dropped");
                return;
            }
        };
        let told = match outcome {
            Ok(variables) => self.complete(&held, variables).await,
            Err(failure) => self.fail(&held, failure).await,
        };
        match told {
            Ok(Callback::Accepted) => {}
            Ok(Callback::Ignored) => tracing::warn!(job = job.id, "a report came too late"),
            Err(error) => tracing::warn!(%error, job = job.id, "a report was not taken"),
        }
    }

    /// Jobs cannot be given back; there is room for what was leased, so it is done.
    async fn give_back(&self, held: HeldJob) -> Option<HeldJob> {
        Some(held)
    }
}
