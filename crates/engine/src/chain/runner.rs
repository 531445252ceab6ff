//! Executes the steps of chains inside this process.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{sync::Semaphore, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;
use waypost_kernel::{Json, WorkerId};
use waypost_machines::chain::{Outbound, Outcome};

use super::{Chains, ClaimRequest, TaskView};
use crate::{
    error::Error,
    ids::{Ids, RandomIds},
    turn::message_of,
};

type StepFuture = Pin<Box<dyn Future<Output = Result<Verdict, StepFailure>> + Send>>;
type StepFn = Arc<dyn Fn(Arc<TaskView>) -> StepFuture + Send + Sync>;

/// What a step says at its end.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How it went.
    pub outcome: Outcome,
    /// Merged into the chain's context.
    pub patch: Option<Json>,
    /// Sent after the commit, whatever the outcome.
    pub outbound: Vec<Outbound>,
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, patch: None, outbound: Vec::new() }
    }
}

/// Something went wrong inside a step: it is tried again, by the policy.
#[derive(Clone, Debug)]
pub struct StepFailure(String);

impl<E: Display> From<E> for StepFailure {
    fn from(error: E) -> Self {
        let kind = std::any::type_name::<E>().rsplit("::").next().unwrap_or("error");
        Self(format!("{kind}: {error}"))
    }
}

/// The functions that execute steps, by workflow type and step type.
#[derive(Clone, Default)]
pub struct Steps {
    functions: BTreeMap<(String, String), StepFn>,
}

impl Steps {
    /// No steps yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the function for a step. It may run more than once for the same step: make it so that
    /// this does no harm.
    ///
    /// # Errors
    /// When the step has a function already.
    pub fn step<F, R>(mut self, workflow_type: &str, step_type: &str, run: F) -> Result<Self, Error>
    where
        F: Fn(Arc<TaskView>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Verdict, StepFailure>> + Send + 'static,
    {
        let key = (workflow_type.to_owned(), step_type.to_owned());
        let run: StepFn = Arc::new(move |task| Box::pin(run(task)));
        match self.functions.insert(key, run) {
            None => Ok(self),
            Some(_) => Err(Error::Defect(format!("{workflow_type}/{step_type} has two functions"))),
        }
    }

    fn names(&self, pick: impl Fn(&(String, String)) -> &String) -> Vec<String> {
        self.functions
            .keys()
            .map(|it| pick(it).clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

/// How a runner works.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Who it is.
    pub worker: WorkerId,
    /// How many steps it executes at a time.
    pub concurrency: u32,
    /// How long it holds a step without saying so again.
    pub lease: Duration,
    /// How long it waits for work before it asks again.
    pub wait: Duration,
    /// How long steps may go on after it was told to stop.
    pub grace: Duration,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        Self {
            worker: worker_id("waypost"),
            concurrency: 16,
            lease: Duration::from_secs(30),
            wait: Duration::from_secs(10),
            grace: Duration::from_secs(20),
        }
    }
}

/// Claims steps and executes them. It never holds more than it can begin at once.
pub struct Runner {
    chains: Chains,
    steps: Steps,
    options: RunnerOptions,
}

impl Runner {
    /// A runner of `steps`.
    #[must_use]
    pub const fn new(chains: Chains, steps: Steps, options: RunnerOptions) -> Self {
        Self { chains, steps, options }
    }

    /// Works until `stop` is canceled; then lets what runs finish, for a while.
    pub async fn run(self, stop: CancellationToken) {
        let runner = Arc::new(self);
        let slots = Arc::new(Semaphore::new(runner.options.concurrency as usize));
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            let free = tokio::select! {
                () = stop.cancelled() => break,
                permit = Arc::clone(&slots).acquire_owned() => permit,
            };
            drop(free);
            let n_free = u32::try_from(slots.available_permits()).unwrap_or(u32::MAX).max(1);
            match runner.claim(n_free, runner.options.wait, &stop).await {
                Ok(tasks) => runner.begin(tasks, &slots, &mut running, &stop).await,
                Err(error) => {
                    tracing::warn!(%error, "no work could be claimed");
                    sleep(Duration::from_secs(1)).await;
                }
            }
            while running.try_join_next().is_some() {}
        }
        let finish = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(runner.options.grace, finish).await.is_err() {
            tracing::warn!(
                left = running.len(),
                "steps did not end in time; their leases will lapse"
            );
        }
    }

    /// Claims once and executes what it got; says how much that was.
    ///
    /// # Errors
    /// When nothing could be claimed.
    pub async fn run_once(&self) -> Result<usize, Error> {
        let never = CancellationToken::new();
        let tasks = self.claim(self.options.concurrency, Duration::ZERO, &never).await?;
        let n_tasks = tasks.len();
        futures_util::future::join_all(tasks.into_iter().map(|task| self.execute(task))).await;
        Ok(n_tasks)
    }

    /// A claim is not cut short once it is under way: what it took would be lost until it lapses.
    async fn claim(
        &self,
        max: u32,
        wait: Duration,
        stop: &CancellationToken,
    ) -> Result<Vec<TaskView>, Error> {
        let wait = if stop.is_cancelled() { Duration::ZERO } else { wait };
        let request = ClaimRequest {
            worker: self.options.worker.clone(),
            workflow_types: Some(self.steps.names(|(workflow_type, _)| workflow_type)),
            step_types: Some(self.steps.names(|(_, step_type)| step_type)),
            max,
            lease: self.options.lease,
            wait: wait.min(Duration::from_secs(1)),
        };
        self.chains.claim(request).await
    }

    async fn begin(
        self: &Arc<Self>,
        tasks: Vec<TaskView>,
        slots: &Arc<Semaphore>,
        running: &mut JoinSet<()>,
        stop: &CancellationToken,
    ) {
        for task in tasks {
            if stop.is_cancelled() {
                self.give_back(&task).await;
                continue;
            }
            let Ok(slot) = Arc::clone(slots).acquire_owned().await else { return };
            let runner = Arc::clone(self);
            running.spawn(async move {
                runner.execute(task).await;
                drop(slot);
            });
        }
    }

    async fn give_back(&self, task: &TaskView) {
        if let Err(error) = self.chains.release(&task.token, &self.options.worker).await {
            tracing::debug!(%error, "a step could not be given back; its lease will lapse");
        }
    }

    /// Executes one step, keeping its lease alive. A lease that is lost stops the step.
    async fn execute(&self, task: TaskView) {
        let task = Arc::new(task);
        let verdict = tokio::select! {
            verdict = self.verdict(&task) => verdict,
            () = self.keep_alive(&task) => {
                tracing::warn!(token = %task.token, "the lease is lost; the step is dropped");
                return;
            }
        };
        let Verdict { outcome, patch, outbound } = verdict;
        let outbound = outbound.into_iter().map(Some).collect();
        let lease = (&task.token, &self.options.worker);
        let result = match self.chains.report(lease, outcome, patch, outbound).await {
            // What the step said cannot be. That is a failure of the step.
            Err(Error::Rejected(it))
                if it.code.class() == waypost_kernel::RejectionClass::Invalid =>
            {
                let retry =
                    Outcome::Retry { backoff: None, error: format!("{}: {}", it.code, it.detail) };
                self.chains.report(lease, retry, None, Vec::new()).await
            }
            other => other,
        };
        if let Err(error) = result {
            tracing::warn!(%error, token = %task.token, "a report was not taken");
        }
    }

    async fn verdict(&self, task: &Arc<TaskView>) -> Verdict {
        let key = (task.workflow_type().to_owned(), task.step().step_type.clone());
        let Some(run) = self.steps.functions.get(&key) else {
            let error = format!("NO_HANDLER: {}/{}", key.0, key.1);
            return Outcome::Retry { backoff: None, error }.into();
        };
        let retry = |error| Outcome::Retry { backoff: None, error }.into();
        match AssertUnwindSafe(run(Arc::clone(task))).catch_unwind().await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(StepFailure(error))) => retry(error),
            Err(panic) => retry(format!("panic: {}", message_of(&*panic))),
        }
    }

    /// Returns when the lease is lost.
    async fn keep_alive(&self, task: &TaskView) {
        loop {
            sleep(self.options.lease / 3).await;
            match self.chains.renew(&task.token, &self.options.worker, self.options.lease).await {
                Ok(_) => {}
                Err(Error::Rejected(_)) => return,
                Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
            }
        }
    }
}

/// A readable name for this process that no other has: application, host, process, chance.
#[must_use]
pub fn worker_id(application: &str) -> WorkerId {
    let host = std::env::var("HOSTNAME").ok();
    let host = host.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let host = clean(&host.unwrap_or_default(), "unknown-host");
    let suffix: String = RandomIds.claim().as_str().chars().take(8).collect();
    let application = clean(application, "unknown");
    format!("{application}:{host}:{}:{suffix}", std::process::id()).into()
}

fn clean(text: &str, blank: &str) -> String {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return blank.to_owned();
    }
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_.-".contains(it);
    text.chars().map(|it| if is_plain(it) { it } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_id_says_who_and_is_never_the_same() {
        let first = worker_id(" My App/1 ");
        let parts: Vec<_> = first.as_str().split(':').collect();
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[0], "my-app-1");
        assert_eq!(parts[3].len(), 8);
        assert_ne!(first, worker_id(" My App/1 "));
    }
}
