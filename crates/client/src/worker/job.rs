//! Workers of processes: lease jobs, do them here, report.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use waypost_api::process::{CompletedJob, FailJob, Heartbeat, Job, PollJobs};

use super::{
    WorkerOptions,
    completions::Completions,
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
    completions: Completions,
    /// Where jobs come from, if they are not polled for.
    #[cfg(feature = "grpc")]
    source: Option<super::pushed::Source>,
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
        let processes = client.process();
        let completions = Completions::new(processes.clone(), options.worker_id.clone());
        Self {
            processes,
            jobs,
            completions,
            #[cfg(feature = "grpc")]
            source: None,
            options: WorkerOptions { lease, ..options },
        }
    }

    /// The same worker, to which the server pushes jobs as they appear, over gRPC at `url`, such as
    /// `http://127.0.0.1:9090`. Reports go the usual way. Some dozens of jobs may be on their way
    /// beside those it works on, and numbers are doubles on this wire: integers above 2⁵³ are
    /// rounded. [`JobWorker::run_once`] polls all the same.
    ///
    /// # Errors
    /// When `url` is not an address.
    #[cfg(feature = "grpc")]
    pub fn pushed(self, url: &str) -> Result<Self, Error> {
        Ok(Self { source: Some(super::pushed::Source::new(url)?), ..self })
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
        let done = CompletedJob { id: held.job.id.clone(), variables };
        match self.completions.complete(done, held.until).await {
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

/// Jobs that are pushed.
#[cfg(feature = "grpc")]
impl JobWorker {
    async fn read(
        &self,
        source: &super::pushed::Source,
        max: u32,
        wait: Duration,
    ) -> Result<Vec<HeldJob>, Error> {
        let lease = i32::try_from(self.options.lease.as_secs()).unwrap_or(i32::MAX);
        let asking = waypost_api::grpc::workflow::PollJobsRequest {
            worker_id: self.options.worker_id.clone(),
            job_types: self.jobs.types(),
            max_jobs: i32::try_from(self.options.concurrency).unwrap_or(i32::MAX),
            lease_seconds: lease,
        };
        let read = source.read(asking, max, wait).await?.into_iter();
        let held = read.map(|it| HeldJob { job: it.job, until: it.since + self.options.lease });
        let held = futures_util::future::join_all(held.map(|it| self.still_held(it)));
        Ok(held.await.into_iter().flatten().collect())
    }

    /// One that may have waited to be read for long is only begun if it is still ours.
    async fn still_held(&self, held: HeldJob) -> Option<HeldJob> {
        let now = Instant::now();
        if held.until >= now + self.options.lease * 2 / 3 {
            return Some(held);
        }
        let beat = Heartbeat { worker_id: self.worker_id(), lease_seconds: self.lease_seconds() };
        match self.processes.heartbeat(&held.job.id, &beat).await {
            Ok(_) => Some(HeldJob { until: now + self.options.lease, ..held }),
            Err(error) => {
                tracing::info!(%error, job = held.job.id, "a job was not begun in time");
                None
            }
        }
    }
}

impl Trade for JobWorker {
    type Held = HeldJob;

    fn options(&self) -> &WorkerOptions {
        &self.options
    }

    async fn claim(&self, max: u32, wait: Duration) -> Result<Vec<HeldJob>, Error> {
        #[cfg(feature = "grpc")]
        if let Some(source) = self.source.as_ref().filter(|_| !wait.is_zero()) {
            return self.read(source, max, wait).await;
        }
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
