//! Reports of jobs that are done: those that end while another report is under way go together.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use tokio::{
    sync::{Semaphore, oneshot},
    task::yield_now,
    time::{Instant, sleep},
};
use waypost_api::process::{CallbackResult, CompleteJob, CompleteJobs, CompletedJob};

use super::{backoff::Backoff, lease::report};
use crate::{
    error::Error,
    process::{Callback, Processes},
};

/// How many jobs one report may have. The server takes twice as many.
const JOBS_MAX: usize = 500;
/// How long one report may be. The server takes twice as much.
const BYTES_MAX: usize = 512 * 1024;
/// How many reports may be under way. One is written by the server while the next is on its way.
const UNDER_WAY_MAX: usize = 2;

/// Reports jobs of one worker.
pub(super) struct Completions {
    processes: Processes,
    worker_id: String,
    waiting: Mutex<VecDeque<Done>>,
    turns: Semaphore,
}

/// A job that is done, and who waits for its report to be taken.
struct Done {
    job: CompletedJob,
    n_bytes: usize,
    until: Instant,
    tell: oneshot::Sender<Told>,
}

/// What became of a report.
enum Told {
    /// It was answered.
    Answered(Callback),
    /// Among others it was not taken. Alone it is told why.
    Alone(CompletedJob),
    /// Nobody answered while the lease lasted.
    Late(Error),
}

impl Completions {
    pub(super) fn new(processes: Processes, worker_id: String) -> Self {
        let turns = Semaphore::new(UNDER_WAY_MAX);
        Self { processes, worker_id, waiting: Mutex::default(), turns }
    }

    /// Reports a job that is held until then; says what became of it.
    pub(super) async fn complete(
        &self,
        job: CompletedJob,
        until: Instant,
    ) -> Result<Callback, Error> {
        let (tell, mut told) = oneshot::channel();
        let n_bytes = serde_json::to_string(&job).map_or(BYTES_MAX, |it| it.len());
        self.waiting().push_back(Done { job, n_bytes, until, tell });
        loop {
            let turn = tokio::select! {
                biased;
                told = &mut told => return self.settle(told, until).await,
                turn = self.turns.acquire() => turn,
            };
            // What ends in this moment goes along.
            yield_now().await;
            let batch = self.next();
            if batch.is_empty() {
                drop(turn);
                return self.settle(told.await, until).await;
            }
            self.send(batch).await;
        }
    }

    async fn settle(
        &self,
        told: Result<Told, oneshot::error::RecvError>,
        until: Instant,
    ) -> Result<Callback, Error> {
        match told {
            Ok(Told::Answered(callback)) => Ok(callback),
            Ok(Told::Alone(job)) => self.one(job, until).await,
            Ok(Told::Late(error)) => Err(error),
            // Whoever sent it was dropped in the middle.
            Err(_) => {
                let (url, reason) = (self.processes.shown(), "the worker has ended".to_owned());
                Err(Error::Interrupted { url, reason })
            }
        }
    }

    async fn one(&self, job: CompletedJob, until: Instant) -> Result<Callback, Error> {
        let CompletedJob { id, variables } = job;
        let done = CompleteJob { worker_id: Some(self.worker_id.clone()), variables };
        report(until, || self.processes.complete(&id, &done)).await
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Done>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As many as fit into one report, but at least one if there is any.
    fn next(&self) -> Vec<Done> {
        let mut waiting = self.waiting();
        let (mut n_jobs, mut n_bytes) = (0, 0);
        for done in waiting.iter().take(JOBS_MAX) {
            n_bytes += done.n_bytes;
            if n_jobs > 0 && n_bytes > BYTES_MAX {
                break;
            }
            n_jobs += 1;
        }
        waiting.drain(..n_jobs).collect()
    }

    /// Sends until somebody answers, those whose lease lasts that long.
    async fn send(&self, mut batch: Vec<Done>) {
        let mut backoff = Backoff::default();
        while batch.len() > 1 {
            let jobs = batch.iter().map(|it| it.job.clone()).collect();
            let told = CompleteJobs { worker_id: Some(self.worker_id.clone()), jobs };
            match self.processes.complete_several(&told).await {
                Ok(answer) => return tell_each(batch, answer.results),
                // One of them is to blame; the others are taken.
                Err(error) if !error.is_retryable() => return tell_each(batch, Vec::new()),
                Err(error) => {
                    tracing::debug!(%error, "reports are sent again");
                    let pause = backoff.next();
                    batch = in_time(batch, Instant::now() + pause, &error);
                    sleep(pause).await;
                }
            }
        }
        let Some(Done { job, until, tell, .. }) = batch.pop() else { return };
        let answer = self.one(job, until).await;
        // Nobody waits for it any more if the worker has ended.
        drop(tell.send(answer.map_or_else(Told::Late, Told::Answered)));
    }
}

/// Among several, a failure has no code: it is asked for alone.
fn tell_each(batch: Vec<Done>, results: Vec<CallbackResult>) {
    let mut results = results.into_iter();
    for Done { job, tell, .. } in batch {
        let told = match results.next() {
            Some(CallbackResult { error: None, accepted: true, .. }) => {
                Told::Answered(Callback::Accepted)
            }
            Some(CallbackResult { error: None, accepted: false, .. }) => {
                Told::Answered(Callback::Ignored)
            }
            Some(CallbackResult { error: Some(_), .. }) | None => Told::Alone(job),
        };
        drop(tell.send(told));
    }
}

/// Those whose lease lasts until then; the others are told that it was in vain.
fn in_time(batch: Vec<Done>, then: Instant, error: &Error) -> Vec<Done> {
    let (kept, late): (Vec<_>, Vec<_>) = batch.into_iter().partition(|it| it.until > then);
    for done in late {
        drop(done.tell.send(Told::Late(error.clone())));
    }
    kept
}
