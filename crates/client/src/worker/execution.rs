//! One step in the hands of a worker: executed, kept alive, reported.

use std::sync::Arc;

use waypost_api::chain::{RenewRequest, ReportRequest, Task, TaskResult};

use super::{
    Held, StepFailure, Verdict, Worker,
    lease::{caught, keep_alive, report},
    millis,
};
use crate::error::Error;

/// The status of a request that can never be right.
const UNPROCESSABLE: u16 = 422;

impl Worker {
    /// Executes one step, keeping its lease alive. A lease that is lost stops the step.
    pub(super) async fn execute_step(&self, mut held: Held) {
        let task = Arc::clone(&held.task);
        let token = task.lease_token.as_str();
        let renew = RenewRequest {
            worker_id: self.options.worker_id.clone(),
            lease_ms: millis(self.options.lease),
        };
        let renewing = || async { self.chains.renew(token, &renew).await.map(drop) };
        let verdict = tokio::select! {
            verdict = self.verdict(&task) => verdict,
            () = keep_alive(&mut held.until, self.options.lease, renewing) => {
                tracing::warn!(token, "the lease is lost; the step is dropped");
                return;
            }
        };
        let outbound = verdict.outbound.into_iter().map(Some).collect::<Vec<_>>();
        let told = ReportRequest {
            worker_id: self.options.worker_id.clone(),
            result: verdict.result,
            context_patch: verdict.patch,
            outbound_events: (!outbound.is_empty()).then_some(outbound),
        };
        let result = match report(held.until, || self.chains.report(token, &told)).await {
            // What the step said cannot be. That is a failure of the step.
            Err(Error::Refused(problem)) if problem.status == UNPROCESSABLE => {
                let retry = self.retry(problem.to_string());
                report(held.until, || self.chains.report(token, &retry)).await
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

    async fn verdict(&self, task: &Arc<Task>) -> Verdict {
        let Some(run) = self.steps.function(task) else {
            let missing = format!("NO_HANDLER: {}/{}", task.workflow_type, task.step_type);
            return StepFailure::retryable(missing).into();
        };
        match caught(|| run(Arc::clone(task))).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(failure)) => failure.into(),
            Err(panic) => StepFailure::retryable(panic).into(),
        }
    }
}
