//! The service of processes: `workflow.v1.WorkflowEngine`.

mod convert;
mod definition;
mod stream;

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::Stream;
use tonic::{Request, Response, Status, async_trait};
use waypost_api::grpc::workflow::{
    CallbackResult, CancelInstanceRequest, CancelInstanceResponse, CompleteJobRequest,
    CompleteJobResponse, CompleteJobsRequest, CompleteJobsResponse, CompleteUserTaskRequest,
    CompleteUserTaskResponse, ExplainInstanceRequest, ExplainInstanceResponse,
    ExtendJobLeaseRequest, ExtendJobLeaseResponse, FailJobRequest, FailJobResponse,
    GetDefinitionRequest, GetDefinitionResponse, GetInstanceHistoryRequest,
    GetInstanceHistoryResponse, GetInstanceRequest, GetInstanceResponse, InstanceStatus, Job,
    ListDefinitionsRequest, ListDefinitionsResponse, ListInstancesRequest, ListInstancesResponse,
    PollJobsRequest, PollJobsResponse, RetryStepRequest, RetryStepResponse, SignalWaitRequest,
    SignalWaitResponse, StartInstanceRequest, StartInstanceResponse, UploadDefinitionRequest,
    UploadDefinitionResponse, workflow_engine_server::WorkflowEngine,
};
use waypost_engine::{
    limits::{CLAIM_MAX, PAGE_MAX},
    process::{Callback, ListProcesses, Poll, Processes, StartProcess},
};
use waypost_kernel::{InstanceId, Note};

use super::{door::full, status::status, values};
use crate::{
    auth::Identity,
    delivery::take,
    http::{App, explanation, shown},
};

/// Items of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 20;
/// How long a job is leased unless the worker says otherwise, in seconds.
const LEASE: i32 = 30;

/// Answers for processes.
pub(super) struct Service {
    app: Arc<App>,
}

impl Service {
    pub(super) const fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    fn processes(&self) -> &Processes {
        &self.app.processes
    }

    /// The same for somebody who steers: that is kept where users sign in.
    fn steered<T>(&self, request: &Request<T>) -> Processes {
        let by = request.extensions().get::<Identity>().map(|it| it.caller.user.clone());
        self.processes().noting(Note { by, reason: None })
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[async_trait]
impl WorkflowEngine for Service {
    async fn upload_definition(
        &self,
        request: Request<UploadDefinitionRequest>,
    ) -> Answer<UploadDefinitionResponse> {
        let definition = request.into_inner().definition;
        let definition =
            definition.ok_or_else(|| Status::invalid_argument("definition is required"))?;
        let text = definition::to_text(definition)?;
        let deployed = self.processes().deploy(&text).await.map_err(status)?;
        let which = deployed.definition.which;
        Ok(Response::new(UploadDefinitionResponse {
            id: which.name,
            version: which.version,
            uploaded_at: Some(convert::time(deployed.definition.created_at)),
        }))
    }

    async fn get_definition(
        &self,
        request: Request<GetDefinitionRequest>,
    ) -> Answer<GetDefinitionResponse> {
        let GetDefinitionRequest { id, version } = request.into_inner();
        let version = Some(version).filter(|it| *it > 0);
        let found = self.processes().definition(&id, version).await.map_err(status)?;
        let definition = Some(definition::from_stored(&found)?);
        Ok(Response::new(GetDefinitionResponse { definition }))
    }

    async fn list_definitions(
        &self,
        request: Request<ListDefinitionsRequest>,
    ) -> Answer<ListDefinitionsResponse> {
        let ListDefinitionsRequest { keyword, page, page_size } = request.into_inner();
        let (offset, limit) = paging(page, page_size);
        let found = self.processes().definitions(&keyword, offset as usize, limit as usize);
        let found = found.await.map_err(status)?;
        let definitions = found.items.iter().map(|it| definition::from_stored(&it.definition));
        Ok(Response::new(ListDefinitionsResponse {
            definitions: definitions.collect::<Result<_, _>>()?,
            total: i32::try_from(found.total).unwrap_or(i32::MAX),
        }))
    }

    async fn start_instance(
        &self,
        request: Request<StartInstanceRequest>,
    ) -> Answer<StartInstanceResponse> {
        let processes = self.steered(&request);
        let body = request.into_inner();
        if body.definition_id.is_empty() {
            return Err(Status::invalid_argument("definition_id is required"));
        }
        let start = StartProcess {
            definition: body.definition_id,
            version: Some(body.definition_version).filter(|it| *it > 0),
            variables: values::from_struct("variables", body.variables)?,
            business_key: Some(body.business_key).filter(|it| !it.is_empty()),
            request: None,
        };
        let view = processes.start(start).await.map_err(status)?;
        let instance = Some(convert::instance(&view));
        Ok(Response::new(StartInstanceResponse { instance }))
    }

    async fn get_instance(
        &self,
        request: Request<GetInstanceRequest>,
    ) -> Answer<GetInstanceResponse> {
        let id = instance_id("id", request.into_inner().id)?;
        let view = self.processes().show(&id).await.map_err(status)?;
        let instance = Some(convert::instance(&view));
        Ok(Response::new(GetInstanceResponse { instance }))
    }

    async fn get_instance_history(
        &self,
        request: Request<GetInstanceHistoryRequest>,
    ) -> Answer<GetInstanceHistoryResponse> {
        let id = instance_id("id", request.into_inner().id)?;
        let view = self.processes().history(&id).await.map_err(status)?;
        let executions = convert::history(&view);
        Ok(Response::new(GetInstanceHistoryResponse { executions }))
    }

    async fn explain_instance(
        &self,
        request: Request<ExplainInstanceRequest>,
    ) -> Answer<ExplainInstanceResponse> {
        let id = instance_id("id", request.into_inner().id)?;
        let explained = self.processes().explain(&id, None, &shown).await.map_err(status)?;
        Ok(Response::new(convert::explained(explanation(explained))))
    }

    async fn cancel_instance(
        &self,
        request: Request<CancelInstanceRequest>,
    ) -> Answer<CancelInstanceResponse> {
        let processes = self.steered(&request);
        let CancelInstanceRequest { id, reason } = request.into_inner();
        let id = instance_id("id", id)?;
        let view = processes.cancel(&id, Some(reason)).await.map_err(status)?;
        let instance = Some(convert::instance(&view));
        Ok(Response::new(CancelInstanceResponse { instance }))
    }

    async fn list_instances(
        &self,
        request: Request<ListInstancesRequest>,
    ) -> Answer<ListInstancesResponse> {
        let body = request.into_inner();
        let wanted = InstanceStatus::try_from(body.status).map_err(|_| {
            Status::invalid_argument(format!("status: no status has number {}", body.status))
        })?;
        plain("definition_id", &body.definition_id)?;
        plain("business_key", &body.business_key)?;
        let (offset, limit) = paging(body.page, body.page_size);
        let request = ListProcesses {
            definition: Some(body.definition_id).filter(|it| !it.is_empty()),
            status: convert::status_name(wanted).map(str::to_owned),
            business_key: Some(body.business_key).filter(|it| !it.is_empty()),
            offset,
            limit,
            ..ListProcesses::default()
        };
        let views = self.processes().list(&request).await.map_err(status)?;
        let total = self.processes().count_all(&request).await.map_err(status)?;
        Ok(Response::new(ListInstancesResponse {
            instances: views.iter().map(convert::instance).collect(),
            total: i32::try_from(total).unwrap_or(i32::MAX),
        }))
    }

    async fn poll_jobs(&self, request: Request<PollJobsRequest>) -> Answer<PollJobsResponse> {
        let poll = wanted(request.into_inner())?;
        let jobs = match poll.queues.is_empty() {
            true => Vec::new(),
            false => take(&self.app, poll).await.map_err(status)?.map(convert::job).collect(),
        };
        Ok(Response::new(PollJobsResponse { jobs }))
    }

    async fn extend_job_lease(
        &self,
        request: Request<ExtendJobLeaseRequest>,
    ) -> Answer<ExtendJobLeaseResponse> {
        let body = request.into_inner();
        let lease = lease(body.lease_seconds)?;
        plain_job(&body.job_id, &body.worker_id)?;
        let worker = body.worker_id.into();
        let until = self.processes().extend(&body.job_id, &worker, lease).await.map_err(status)?;
        let lock_expires_at = Some(convert::time(until));
        Ok(Response::new(ExtendJobLeaseResponse { accepted: true, lock_expires_at }))
    }

    async fn complete_job(
        &self,
        request: Request<CompleteJobRequest>,
    ) -> Answer<CompleteJobResponse> {
        let body = request.into_inner();
        plain_job(&body.job_id, &body.worker_id)?;
        let output = values::from_struct("variables_to_set", body.variables_to_set)?;
        let done = self.processes().complete(&body.job_id, body.worker_id.into(), output);
        Ok(answer(done.await.map_err(status)?, CompleteJobResponse {}))
    }

    async fn fail_job(&self, request: Request<FailJobRequest>) -> Answer<FailJobResponse> {
        let FailJobRequest { job_id, worker_id, retryable, error_message } = request.into_inner();
        plain_job(&job_id, &worker_id)?;
        let failed =
            self.processes().fail(&job_id, worker_id.into(), Some(error_message), retryable);
        Ok(answer(failed.await.map_err(status)?, FailJobResponse {}))
    }

    async fn complete_user_task(
        &self,
        request: Request<CompleteUserTaskRequest>,
    ) -> Answer<CompleteUserTaskResponse> {
        let processes = self.steered(&request);
        let body = request.into_inner();
        let names = (&body.instance_id, &body.user_task_step_id);
        both_given(names, "instance_id and user_task_step_id are required")?;
        let output = values::from_struct("result", body.result)?;
        let id = instance_id("instance_id", body.instance_id)?;
        let done = processes.complete_user_task(&id, &body.user_task_step_id, output);
        done.await.map_err(status)?;
        Ok(Response::new(CompleteUserTaskResponse {}))
    }

    async fn signal_wait(&self, request: Request<SignalWaitRequest>) -> Answer<SignalWaitResponse> {
        let processes = self.steered(&request);
        let body = request.into_inner();
        let names = (&body.instance_id, &body.wait_step_id);
        both_given(names, "instance_id and wait_step_id are required")?;
        let output = values::from_struct("variables", body.variables)?;
        let id = instance_id("instance_id", body.instance_id)?;
        processes.signal(&id, &body.wait_step_id, output).await.map_err(status)?;
        Ok(Response::new(SignalWaitResponse {}))
    }

    async fn retry_step(&self, request: Request<RetryStepRequest>) -> Answer<RetryStepResponse> {
        let processes = self.steered(&request);
        let body = request.into_inner();
        let names = (&body.instance_id, &body.step_id);
        both_given(names, "instance_id and step_id are required")?;
        let patch = values::from_struct("variables", body.variables)?;
        let id = instance_id("instance_id", body.instance_id)?;
        let view = processes.retry(&id, &body.step_id, patch).await.map_err(status)?;
        let instance = Some(convert::instance(&view));
        Ok(Response::new(RetryStepResponse { instance }))
    }

    type StreamJobsStream = Pin<Box<dyn Stream<Item = Result<Job, Status>> + Send>>;

    async fn stream_jobs(
        &self,
        request: Request<PollJobsRequest>,
    ) -> Answer<Self::StreamJobsStream> {
        let poll = wanted(request.into_inner())?;
        if poll.queues.is_empty() {
            return Err(Status::invalid_argument("job_types must not be empty"));
        }
        let place = self.app.admission.subscribe();
        let place = place.map_err(|it| full(&it))?;
        Ok(Response::new(Box::pin(stream::pushed(Arc::clone(&self.app), poll, place))))
    }

    async fn complete_jobs(
        &self,
        request: Request<CompleteJobsRequest>,
    ) -> Answer<CompleteJobsResponse> {
        let jobs = request.into_inner().jobs;
        if jobs.len() > CLAIM_MAX as usize {
            let text = format!("jobs must have at most {CLAIM_MAX} items");
            return Err(Status::invalid_argument(text));
        }
        // Together, so that they share commits.
        let results = futures_util::future::join_all(jobs.into_iter().map(|it| self.one_of(it)));
        Ok(Response::new(CompleteJobsResponse { results: results.await }))
    }
}

impl Service {
    async fn one_of(&self, job: CompleteJobRequest) -> CallbackResult {
        let id = job.job_id.clone();
        let done = async {
            plain_job(&id, &job.worker_id)?;
            let output = values::from_struct("variables_to_set", job.variables_to_set);
            let output = output.map_err(Status::from)?;
            let done = self.processes().complete(&id, job.worker_id.into(), output).await;
            done.map_err(status)
        };
        let done = done.await;
        let accepted = matches!(done, Ok(Callback::Accepted));
        let error = done.err().map(|it| it.message().to_owned()).unwrap_or_default();
        CallbackResult { job_id: job.job_id, accepted, error }
    }
}

fn wanted(body: PollJobsRequest) -> Result<Poll, Status> {
    if body.worker_id.is_empty() {
        return Err(Status::invalid_argument("worker_id is required"));
    }
    plain("worker_id", &body.worker_id)?;
    Ok(Poll {
        worker: body.worker_id.into(),
        queues: body.job_types,
        max: u32::try_from(body.max_jobs).unwrap_or(0).clamp(1, CLAIM_MAX),
        lease: lease(body.lease_seconds)?,
        wait: Duration::ZERO,
    })
}

fn instance_id(name: &str, text: String) -> Result<InstanceId, Status> {
    plain(name, &text)?;
    Ok(text.into())
}

fn plain_job(job: &str, worker: &str) -> Result<(), Status> {
    plain("job_id", job)?;
    plain("worker_id", worker)
}

/// Refuses what no store can write down.
pub(super) fn plain(name: &str, text: &str) -> Result<(), Status> {
    match text.chars().any(char::is_control) {
        true => {
            let text = format!("{name} must not contain control characters");
            Err(Status::invalid_argument(text))
        }
        false => Ok(()),
    }
}

fn lease(seconds: i32) -> Result<Duration, Status> {
    let seconds = if seconds == 0 { LEASE } else { seconds };
    match u64::try_from(seconds) {
        Ok(seconds @ 5..=3600) => Ok(Duration::from_secs(seconds)),
        Ok(_) | Err(_) => {
            let text = format!("lease_seconds must be 0 or 5 to 3600, is {seconds}");
            Err(Status::invalid_argument(text))
        }
    }
}

fn paging(page: i32, size: i32) -> (u32, u32) {
    let size = u32::try_from(size).ok().filter(|it| *it > 0).unwrap_or(PAGE_SIZE).min(PAGE_MAX);
    (u32::try_from(page).unwrap_or(0).saturating_mul(size), size)
}

fn both_given((one, other): (&String, &String), text: &str) -> Result<(), Status> {
    match one.is_empty() || other.is_empty() {
        true => Err(Status::invalid_argument(text)),
        false => Ok(()),
    }
}

fn answer<T>(callback: Callback, body: T) -> Response<T> {
    let mut response = Response::new(body);
    if callback == Callback::Ignored {
        let ignored = tonic::metadata::MetadataValue::from_static("ignored");
        response.metadata_mut().insert("waypost-callback", ignored);
    }
    response
}
