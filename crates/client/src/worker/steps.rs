//! The functions of a worker, and what they say.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    future::Future,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use waypost_api::{
    Document,
    chain::{OutboundEvent, Task, TaskResult},
};

use super::millis;
use crate::error::Error;

type StepFuture = Pin<Box<dyn Future<Output = Result<Verdict, StepFailure>> + Send>>;
pub(super) type StepFn = Arc<dyn Fn(Arc<Task>) -> StepFuture + Send + Sync>;

/// What a step says at its end.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How it went.
    pub result: TaskResult,
    /// Merged into the context.
    pub patch: Option<Document>,
    /// Sent after the commit, whatever the result.
    pub outbound: Vec<OutboundEvent>,
}

impl From<TaskResult> for Verdict {
    fn from(result: TaskResult) -> Self {
        Self { result, patch: None, outbound: Vec::new() }
    }
}

/// Why a step was not done. Any error becomes one that is tried again, by the server's policy; see
/// [`StepFailure::fatal`] for the others.
#[derive(Clone, Debug)]
pub struct StepFailure(TaskResult);

impl StepFailure {
    /// Trying again may help: as soon as the server's policy says.
    #[must_use]
    pub fn retryable(error: impl Into<String>) -> Self {
        Self(TaskResult::Retry { backoff_ms: None, error: error.into() })
    }

    /// Trying again may help, after this time and not before.
    #[must_use]
    pub fn retryable_after(pause: Duration, error: impl Into<String>) -> Self {
        Self(TaskResult::Retry { backoff_ms: Some(millis(pause)), error: error.into() })
    }

    /// Trying again cannot help: the chain fails at once.
    #[must_use]
    pub fn fatal(error: impl Into<String>) -> Self {
        Self(TaskResult::Dead { error: error.into() })
    }
}

impl<E: Display> From<E> for StepFailure {
    fn from(error: E) -> Self {
        let kind = std::any::type_name::<E>().rsplit("::").next().unwrap_or("error");
        Self::retryable(format!("{kind}: {error}"))
    }
}

impl From<StepFailure> for Verdict {
    fn from(StepFailure(result): StepFailure) -> Self {
        result.into()
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
        F: Fn(Arc<Task>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Verdict, StepFailure>> + Send + 'static,
    {
        let (workflow_type, step_type) = (workflow_type.to_owned(), step_type.to_owned());
        let run: StepFn = Arc::new(move |task| Box::pin(run(task)));
        match self.functions.insert((workflow_type.clone(), step_type.clone()), run) {
            None => Ok(self),
            Some(_) => Err(Error::StepTwice { workflow_type, step_type }),
        }
    }

    pub(super) fn function(&self, task: &Task) -> Option<&StepFn> {
        self.functions.get(&(task.workflow_type.clone(), task.step_type.clone()))
    }

    pub(super) fn workflow_types(&self) -> Vec<String> {
        self.functions.keys().map(|it| it.0.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(super) fn step_types(&self) -> Vec<String> {
        self.functions.keys().map(|it| it.1.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
