//! Every process route, typed.

mod query;

use std::time::Duration;

use reqwest::{RequestBuilder, Response, Url};
use serde_json::{Map, Value};
use waypost_api::{
    Document, Timestamp,
    process::{
        AuditPage, Cancel, CompleteJob, CompleteJobs, CompleteJobsResponse, CompleteUserTask,
        DefinitionPage, FailJob, Heartbeat, HeartbeatResponse, History, Instance, InstancePage,
        Job, PollJobs, PollResponse, Retry, StartInstance, StepExecution, Uploaded, UserTaskPage,
    },
};

pub use self::query::{AuditQuery, DefinitionQuery, ProcessQuery};
use crate::{
    client::{ANSWER_MAX, Client, with_query},
    error::Error,
};

/// Says that a callback came too late.
const CALLBACK: &str = "waypost-callback";

/// The processes of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Processes {
    client: Client,
}

/// What became of a worker's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callback {
    /// It had an effect.
    Accepted,
    /// It came too late, or from somebody else; nothing has changed.
    Ignored,
}

impl Processes {
    pub(crate) const fn new(client: Client) -> Self {
        Self { client }
    }

    /// Where they are, without secrets.
    pub(crate) fn shown(&self) -> String {
        self.client.shown()
    }

    fn path(&self, segments: &[&str]) -> Url {
        self.client.path(&[&["v1"], segments].concat())
    }

    /// Uploads a definition as the next version of its id. The same content again keeps its
    /// version. The text is sent as it is: the order of its conditions matters.
    ///
    /// # Errors
    /// `DEFINITION_INVALID`, with everything that is wrong.
    pub async fn upload(&self, definition: &Document) -> Result<Uploaded, Error> {
        self.client.answer(self.client.post(self.path(&["definitions"]), definition)).await
    }

    /// The latest version of each definition, by id.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn definitions(&self, query: &DefinitionQuery) -> Result<DefinitionPage, Error> {
        let url = with_query(self.path(&["definitions"]), query);
        self.client.answer(self.client.get(url)).await
    }

    /// One definition; the latest if no version is given.
    ///
    /// # Errors
    /// `DEFINITION_NOT_FOUND` when there is none.
    pub async fn definition(&self, id: &str, version: Option<i32>) -> Result<Document, Error> {
        let url = match version {
            Some(version) => self.path(&["definitions", id, "versions", &version.to_string()]),
            None => self.path(&["definitions", id]),
        };
        self.client.answer(self.client.get(url)).await
    }

    /// Starts an instance. All that needs nobody happens at once: it may have ended already. With
    /// an idempotency key, asking twice is the same as asking once.
    ///
    /// # Errors
    /// `DEFINITION_NOT_FOUND`, `SCHEMA_VIOLATED`, or `DUPLICATE_BIZ_KEY` when the business key is
    /// in use.
    pub async fn start(
        &self,
        start: &StartInstance,
        idempotency_key: Option<&str>,
    ) -> Result<Instance, Error> {
        let mut request = self.client.post(self.path(&["instances"]), start);
        if let Some(key) = idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        self.client.answer(request).await
    }

    /// Instances that match, newest first.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn list(&self, query: &ProcessQuery) -> Result<InstancePage, Error> {
        let url = with_query(self.path(&["instances"]), query);
        self.client.answer(self.client.get(url)).await
    }

    /// One instance.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn show(&self, id: &str) -> Result<Instance, Error> {
        self.client.answer(self.client.get(self.path(&["instances", id]))).await
    }

    /// What happened to an instance, in the order in which steps began.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn history(&self, id: &str) -> Result<Vec<StepExecution>, Error> {
        let request = self.client.get(self.path(&["instances", id, "history"]));
        let History { items } = self.client.answer(request).await?;
        Ok(items)
    }

    /// Who did what to an instance, in the order in which it was done.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn audit(&self, id: &str, query: &AuditQuery) -> Result<AuditPage, Error> {
        let url = with_query(self.path(&["instances", id, "audit"]), query);
        self.client.answer(self.client.get(url)).await
    }

    /// Cancels an instance.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND`, or `INSTANCE_ENDED`.
    pub async fn cancel(&self, id: &str, reason: Option<String>) -> Result<Instance, Error> {
        let url = self.path(&["instances", id, "cancel"]);
        self.client.answer(self.client.post(url, &Cancel { reason })).await
    }

    /// Has a failed step tried again, with changed variables.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FAILED` or `STEP_NOT_RETRYABLE` when there is nothing to try again.
    pub async fn retry(
        &self,
        id: &str,
        step: &str,
        variables: Option<Map<String, Value>>,
    ) -> Result<Instance, Error> {
        let url = self.path(&["instances", id, "steps", step, "retry"]);
        self.client.answer(self.client.post(url, &Retry { variables, ..Retry::default() })).await
    }

    /// Tells an instance that what `step` waits for has happened.
    ///
    /// # Errors
    /// `SIGNAL_NOT_AWAITED` when it does not wait there: signals are not kept.
    pub async fn signal(
        &self,
        id: &str,
        step: &str,
        variables: &Map<String, Value>,
    ) -> Result<(), Error> {
        let url = self.path(&["instances", id, "signals", step]);
        self.client.send(self.client.post(url, variables)).await.map(drop)
    }

    /// Tasks that wait for people, of one page of instances.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn user_tasks(&self, query: &ProcessQuery) -> Result<UserTaskPage, Error> {
        let url = with_query(self.path(&["user-tasks"]), query);
        self.client.answer(self.client.get(url)).await
    }

    /// Completes the task of a person at `step`.
    ///
    /// # Errors
    /// `TASK_NOT_FOUND` when none is open there, or `INSTANCE_ENDED`.
    pub async fn complete_user_task(
        &self,
        id: &str,
        step: &str,
        task: &CompleteUserTask,
    ) -> Result<(), Error> {
        let url = self.path(&["instances", id, "user-tasks", step, "complete"]);
        self.client.send(self.client.post(url, task)).await.map(drop)
    }

    /// Completes the task of a person by the id it is listed with.
    ///
    /// # Errors
    /// `TASK_NOT_FOUND` when it is not open.
    pub async fn complete_user_task_by_id(
        &self,
        task_id: &str,
        task: &CompleteUserTask,
    ) -> Result<(), Error> {
        let url = self.path(&["user-tasks", task_id, "complete"]);
        self.client.send(self.client.post(url, task)).await.map(drop)
    }

    /// Leases jobs. Take no more than you can begin at once.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn poll(&self, poll: &PollJobs) -> Result<Vec<Job>, Error> {
        let wait = Duration::from_millis(poll.wait_ms.unwrap_or(0));
        let url = self.path(&["jobs", "poll"]);
        let request = self.client.post(url, poll).timeout(ANSWER_MAX + wait);
        let PollResponse { jobs } = self.client.answer(request).await?;
        Ok(jobs)
    }

    /// A job is done. The same again changes nothing.
    ///
    /// # Errors
    /// `TASK_NOT_FOUND`, or `SCHEMA_VIOLATED` when the variables are not as the step wants them;
    /// the instance has failed then.
    pub async fn complete(&self, job_id: &str, done: &CompleteJob) -> Result<Callback, Error> {
        let request = self.client.post(self.path(&["jobs", job_id, "complete"]), done);
        self.callback(request).await
    }

    /// Several jobs are done; each is taken on its own.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn complete_several(
        &self,
        done: &CompleteJobs,
    ) -> Result<CompleteJobsResponse, Error> {
        self.client.answer(self.client.post(self.path(&["jobs", "complete"]), done)).await
    }

    /// A job could not be done.
    ///
    /// # Errors
    /// `TASK_NOT_FOUND` when there is no such job.
    pub async fn fail(&self, job_id: &str, failed: &FailJob) -> Result<Callback, Error> {
        let request = self.client.post(self.path(&["jobs", job_id, "fail"]), failed);
        self.callback(request).await
    }

    /// Prolongs the hold on a job; says until when.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more.
    pub async fn heartbeat(&self, job_id: &str, beat: &Heartbeat) -> Result<Timestamp, Error> {
        let request = self.client.post(self.path(&["jobs", job_id, "heartbeat"]), beat);
        let HeartbeatResponse { lock_expires_at, .. } = self.client.answer(request).await?;
        Ok(lock_expires_at)
    }

    async fn callback(&self, request: RequestBuilder) -> Result<Callback, Error> {
        let response: Response = self.client.send(request).await?;
        let is_ignored = response.headers().contains_key(CALLBACK);
        Ok(if is_ignored { Callback::Ignored } else { Callback::Accepted })
    }
}
