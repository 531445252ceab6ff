//! Every chain route, typed.

use std::time::Duration;

use reqwest::{StatusCode, Url};
use waypost_api::{
    Page,
    chain::{
        Cancel, ChangeQuery, ClaimRequest, ClaimResponse, Definition, DeployedDefinition, History,
        HistoryQuery, Instance, InstanceDetail, InstanceQuery, PageQuery, ReleaseRequest,
        RenewRequest, RenewResponse, ReportRequest, ReportResponse, Signal, SignalOutcome,
        SignalResponse, StartInstance, Task,
    },
};

use crate::{
    client::{ANSWER_MAX, Client, with_query},
    error::Error,
    watch::Changes,
};

/// The chains of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Chains {
    client: Client,
}

/// What a deployment came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// The definition that stands.
    pub definition: DeployedDefinition,
    /// Whether it was there before.
    pub existed: bool,
}

impl Chains {
    pub(crate) const fn new(client: Client) -> Self {
        Self { client }
    }

    fn path(&self, segments: &[&str]) -> Url {
        self.client.path(&[&["v1", "chains"], segments].concat())
    }

    /// Deploys a definition. The same one again changes nothing.
    ///
    /// # Errors
    /// `DEFINITION_INVALID`, or `DEFINITION_CONFLICT` when its version has other steps.
    pub async fn deploy(&self, definition: &Definition) -> Result<Deployed, Error> {
        let request = self.client.post(self.path(&["definitions"]), definition);
        let (status, definition) = self.client.ask(request).await?;
        Ok(Deployed { definition, existed: status == StatusCode::OK })
    }

    /// Definitions by name, newest version first.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn definitions(&self, query: &PageQuery) -> Result<Page<DeployedDefinition>, Error> {
        let url = with_query(self.path(&["definitions"]), query);
        Ok(self.client.ask(self.client.get(url)).await?.1)
    }

    /// One definition.
    ///
    /// # Errors
    /// `DEFINITION_NOT_FOUND` when there is none.
    pub async fn definition(
        &self,
        workflow_type: &str,
        version: i32,
    ) -> Result<DeployedDefinition, Error> {
        let url = self.path(&["definitions", workflow_type, &version.to_string()]);
        Ok(self.client.ask(self.client.get(url)).await?.1)
    }

    /// Starts an instance. With an idempotency key, asking twice is the same as asking once.
    ///
    /// # Errors
    /// `DEFINITION_NOT_FOUND`, or `DUPLICATE_BIZ_KEY` with the instance that runs.
    pub async fn start(
        &self,
        start: &StartInstance,
        idempotency_key: Option<&str>,
    ) -> Result<Instance, Error> {
        let mut request = self.client.post(self.path(&["instances"]), start);
        if let Some(key) = idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        Ok(self.client.ask(request).await?.1)
    }

    /// Instances that match, newest first.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn list(&self, query: &InstanceQuery) -> Result<Page<Instance>, Error> {
        let url = with_query(self.path(&["instances"]), query);
        Ok(self.client.ask(self.client.get(url)).await?.1)
    }

    /// One instance with its steps.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn show(&self, id: &str) -> Result<InstanceDetail, Error> {
        Ok(self.client.ask(self.client.get(self.path(&["instances", id]))).await?.1)
    }

    /// What happened to an instance, oldest first.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn history(&self, id: &str, query: &HistoryQuery) -> Result<History, Error> {
        let url = with_query(self.path(&["instances", id, "events"]), query);
        Ok(self.client.ask(self.client.get(url)).await?.1)
    }

    /// Tells an instance of an event.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND`, or `INSTANCE_ENDED` when it cannot matter any more.
    pub async fn signal(&self, id: &str, signal: &Signal) -> Result<SignalOutcome, Error> {
        let request = self.client.post(self.path(&["instances", id, "signals"]), signal);
        let (_, SignalResponse { outcome }) = self.client.ask(request).await?;
        Ok(outcome)
    }

    /// Cancels an instance. One that has ended stays as it is.
    ///
    /// # Errors
    /// `INSTANCE_NOT_FOUND` when there is none.
    pub async fn cancel(&self, id: &str, reason: Option<String>) -> Result<Instance, Error> {
        let request = self.client.post(self.path(&["instances", id, "cancel"]), &Cancel { reason });
        Ok(self.client.ask(request).await?.1)
    }

    /// Follows what happens, from a place on. If none is given: one instance from its beginning,
    /// all of them from now.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn watch(&self, query: &ChangeQuery) -> Result<Changes, Error> {
        let url = with_query(self.path(&["events"]), query);
        Changes::open(self.client.clone(), url).await
    }

    /// Claims work. Take no more than you can begin at once.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn claim(&self, claim: &ClaimRequest) -> Result<Vec<Task>, Error> {
        let wait = Duration::from_millis(claim.wait_ms);
        let request = self.client.post(self.path(&["claim"]), claim).timeout(ANSWER_MAX + wait);
        let (_, ClaimResponse { tasks }) = self.client.ask(request).await?;
        Ok(tasks)
    }

    /// Reports on a claimed step. The same report again is answered as before.
    ///
    /// # Errors
    /// `LEASE_LOST` when the step is not held any more; nothing has changed then.
    pub async fn report(
        &self,
        lease_token: &str,
        report: &ReportRequest,
    ) -> Result<ReportResponse, Error> {
        let request = self.client.post(self.path(&["tasks", lease_token, "result"]), report);
        Ok(self.client.ask(request).await?.1)
    }

    /// Prolongs the hold on a step; says until when.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more.
    pub async fn renew(
        &self,
        lease_token: &str,
        renew: &RenewRequest,
    ) -> Result<RenewResponse, Error> {
        let request = self.client.post(self.path(&["tasks", lease_token, "renew"]), renew);
        Ok(self.client.ask(request).await?.1)
    }

    /// Gives a step back that was not begun. It costs no attempt.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more.
    pub async fn release(&self, lease_token: &str, worker_id: &str) -> Result<(), Error> {
        let body = ReleaseRequest { worker_id: worker_id.to_owned() };
        let request = self.client.post(self.path(&["tasks", lease_token, "release"]), &body);
        self.client.send(request).await.map(drop)
    }
}
