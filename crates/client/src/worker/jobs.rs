//! The functions of a worker of processes, and what they say.

use std::{collections::BTreeMap, fmt::Display, future::Future, pin::Pin, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value};
use waypost_api::process::Job;

use crate::error::Error;

/// Variables to set, if any.
pub(super) type Output = Option<Map<String, Value>>;

type JobFuture = Pin<Box<dyn Future<Output = Result<Output, JobFailure>> + Send>>;
pub(super) type JobFn = Arc<dyn Fn(Arc<Job>) -> JobFuture + Send + Sync>;

/// Why a job was not done. Any error becomes one that is worth trying again; see
/// [`JobFailure::fatal`] for the others.
#[derive(Clone, Debug)]
pub struct JobFailure {
    pub(super) message: String,
    pub(super) is_retryable: bool,
}

impl JobFailure {
    /// Trying again may help: the job is offered again while the step has retries left.
    #[must_use]
    pub fn retryable(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_retryable: true }
    }

    /// Trying again cannot help: the instance fails at once.
    #[must_use]
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_retryable: false }
    }
}

impl<E: Display> From<E> for JobFailure {
    fn from(error: E) -> Self {
        Self::retryable(error.to_string())
    }
}

/// The functions that do jobs, by job type.
#[derive(Clone, Default)]
pub struct Jobs {
    functions: BTreeMap<String, JobFn>,
}

impl Jobs {
    /// No jobs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the function for a type of job. What it returns becomes variables of the process:
    /// anything that is an object in JSON, or `()` for none. It may run more than once for the
    /// same job: make it so that this does no harm, with `step_execution_id` as the key.
    ///
    /// # Errors
    /// When the type has a function already.
    pub fn job<F, R, T>(mut self, job_type: &str, run: F) -> Result<Self, Error>
    where
        F: Fn(Arc<Job>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, JobFailure>> + Send + 'static,
        T: Serialize,
    {
        let run: JobFn = Arc::new(move |job| {
            let running = run(job);
            Box::pin(async move { output(&running.await?) })
        });
        match self.functions.insert(job_type.to_owned(), run) {
            None => Ok(self),
            Some(_) => Err(Error::JobTwice { job_type: job_type.to_owned() }),
        }
    }

    pub(super) fn function(&self, job_type: &str) -> Option<&JobFn> {
        self.functions.get(job_type)
    }

    pub(super) fn types(&self) -> Vec<String> {
        self.functions.keys().cloned().collect()
    }
}

fn output<T: Serialize>(given: &T) -> Result<Output, JobFailure> {
    match serde_json::to_value(given).map_err(|error| JobFailure::fatal(error.to_string()))? {
        Value::Null => Ok(None),
        Value::Object(members) => Ok(Some(members)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(JobFailure::fatal("what the function returned is no object of variables"))
        }
    }
}
