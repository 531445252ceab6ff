//! One step in the hands of a worker: executed, kept alive, reported.

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use waypost_api::chain::{RenewRequest, ReportRequest, Task, TaskResult};

use super::{Held, StepFailure, Verdict, Worker, millis};
use crate::error::Error;

/// The first pause before a report is sent again; it doubles while the lease is good.
const REPORT_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause before a report is sent again.
const REPORT_PAUSE_MAX: Duration = Duration::from_secs(5);
/// The status of a request that can never be right.
const UNPROCESSABLE: u16 = 422;

impl Worker {
    /// Executes one step, keeping its lease alive. A lease that is lost stops the step.
    pub(super) async fn execute(&self, mut held: Held) {
        let task = Arc::clone(&held.task);
        let token = task.lease_token.as_str();
        let verdict = tokio::select! {
            verdict = self.verdict(&task) => verdict,
            () = self.keep_alive(&mut held) => {
                tracing::warn!(token, "the lease is lost; the step is dropped");
                return;
            }
        };
        let outbound = verdict.outbound.into_iter().map(Some).collect::<Vec<_>>();
        let report = ReportRequest {
            worker_id: self.options.worker_id.clone(),
            result: verdict.result,
            context_patch: verdict.patch,
            outbound_events: (!outbound.is_empty()).then_some(outbound),
        };
        let result = match self.report(&held, &report).await {
            // What the step said cannot be. That is a failure of the step.
            Err(Error::Refused(problem)) if problem.status == UNPROCESSABLE => {
                self.report(&held, &self.retry(problem.to_string())).await
            }
            other => other,
        };
        if let Err(error) = result {
            tracing::warn!(%error, token, "a report was not taken");
        }
    }

    fn retry(&self, error: String) -> ReportRequest {
        ReportRequest {
            worker_id: self.options.worker_id.clone(),
            result: TaskResult::Retry { backoff_ms: None, error },
            context_patch: None,
            outbound_events: None,
        }
    }

    /// Sends a report until it is answered or the lease is over: the same report again is
    /// answered as before.
    async fn report(&self, held: &Held, report: &ReportRequest) -> Result<(), Error> {
        let mut pause = REPORT_PAUSE;
        loop {
            match self.chains.report(&held.task.lease_token, report).await {
                Ok(_) => return Ok(()),
                Err(error) if error.is_retryable() && Instant::now() + pause < held.until => {
                    tracing::debug!(%error, "a report is sent again");
                    sleep(pause).await;
                    pause = (pause * 2).min(REPORT_PAUSE_MAX);
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn verdict(&self, task: &Arc<Task>) -> Verdict {
        let retry = |error| TaskResult::Retry { backoff_ms: None, error }.into();
        let Some(run) = self.steps.function(task) else {
            return retry(format!("NO_HANDLER: {}/{}", task.workflow_type, task.step_type));
        };
        // The function itself may panic, before there is a future.
        let running = async { run(Arc::clone(task)).await };
        match AssertUnwindSafe(running).catch_unwind().await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(StepFailure(error))) => retry(error),
            Err(panic) => retry(format!("panic: {}", message_of(&*panic))),
        }
    }

    /// Returns when the lease is lost: the server says so, or it did not answer until the end.
    async fn keep_alive(&self, held: &mut Held) {
        let renew = RenewRequest {
            worker_id: self.options.worker_id.clone(),
            lease_ms: millis(self.options.lease),
        };
        loop {
            sleep(self.options.lease / 3).await;
            let begun = Instant::now();
            let renewing = self.chains.renew(&held.task.lease_token, &renew);
            match timeout_at(held.until, renewing).await {
                Ok(Ok(_)) => held.until = begun + self.options.lease,
                Ok(Err(error)) if error.is_retryable() => {
                    tracing::warn!(%error, "a lease could not be renewed");
                    if Instant::now() + self.options.lease / 3 >= held.until {
                        sleep_until(held.until).await;
                        return;
                    }
                }
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
