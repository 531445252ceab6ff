//! Between the words of the wire and those of the engine.

use std::time::Duration;

use waypost_api::{
    Document, Page, Timestamp,
    chain::{
        ClaimRequest, Definition, DefinitionStep, DeployedDefinition, Instance, InstanceStatus,
        OutboundEvent, SignalOutcome, StartInstance, Step, StepStatus, Task, TaskResult, TaskType,
        Wake,
    },
};
use waypost_engine::chain::{
    self, ChainView, Outbound, Outcome, Plan, PlannedStep, StepView, TaskView, ViewStatus,
};
use waypost_kernel::{self as kernel, Json};
use waypost_machines::chain as machine;

use crate::http::problem::Refusal;

pub(super) fn time(at: kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}

pub(super) fn json(document: Document) -> Json {
    document.into_raw().into()
}

pub(super) fn document(json: &Json) -> Document {
    json.raw().to_owned().into()
}

/// Chains have at most a thousand steps.
pub(super) fn seq(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A page of what was found, when one more than a page was asked for.
pub(super) fn page<T: utoipa::ToSchema>(mut items: Vec<T>, page: u32, page_size: u32) -> Page<T> {
    let has_more = items.len() > page_size as usize;
    items.truncate(page_size as usize);
    Page { items, page, page_size, has_more }
}

pub(super) fn plan(definition: Definition) -> Plan {
    let step =
        |it: DefinitionStep| PlannedStep { step_type: it.step_type, max_attempts: it.max_attempts };
    Plan {
        workflow_type: definition.workflow_type,
        workflow_version: definition.workflow_version,
        steps: definition.steps.into_iter().map(step).collect(),
    }
}

pub(super) fn definition(stored: &kernel::Definition) -> Result<DeployedDefinition, Refusal> {
    let plan: Plan = stored.body.read().map_err(|error| Refusal::defect(error.to_string()))?;
    let step =
        |it: PlannedStep| DefinitionStep { step_type: it.step_type, max_attempts: it.max_attempts };
    Ok(DeployedDefinition {
        workflow_type: plan.workflow_type,
        workflow_version: plan.workflow_version,
        steps: plan.steps.into_iter().map(step).collect(),
        deployed_at: time(stored.created_at),
    })
}

pub(super) fn start(body: StartInstance, request: Option<String>) -> chain::StartRequest {
    chain::StartRequest {
        workflow_type: body.workflow_type,
        workflow_version: body.workflow_version,
        biz_key: body.biz_key,
        context: body.context.map(json),
        request: request.map(Into::into),
    }
}

pub(super) fn instance(view: &ChainView) -> Instance {
    let state = &view.state;
    Instance {
        instance_id: view.key.id.as_str().to_owned(),
        version: view.version,
        workflow_type: state.workflow_type.clone(),
        workflow_version: state.workflow_version,
        biz_key: state.biz_key.clone(),
        status: status(state.status),
        current_step_seq: seq(state.current),
        current_step_type: current_type(state),
        context: state.context.as_ref().map(document),
        started_at: time(state.started_at),
        completed_at: state.completed_at.map(time),
        failed_at: state.failed_at.map(time),
        canceled_at: state.canceled_at.map(time),
        cancel_reason: state.cancel_reason.clone(),
    }
}

pub(super) fn current_type(state: &machine::State) -> String {
    state.current_step().map(|it| it.step_type.clone()).unwrap_or_default()
}

pub(super) fn step(view: &StepView<'_>) -> Step {
    let step = view.step;
    Step {
        step_seq: seq(view.seq),
        step_type: step.step_type.clone(),
        status: step_status(view.status),
        attempts: step.attempts,
        max_attempts: step.max_attempts,
        next_run_at: step.next_run_at.map(time),
        waiting_event_type: step.waiting_event_type.clone(),
        deadline_at: step.deadline_at.map(time),
        locked_by: view.lease.map(|it| it.worker.as_str().to_owned()),
        locked_until: view.lease.map(|it| time(it.until)),
        last_error: step.last_error.clone(),
    }
}

pub(super) fn status(status: chain::Status) -> InstanceStatus {
    match status {
        // Nothing that has not started is ever shown.
        chain::Status::Absent | chain::Status::Running => InstanceStatus::Running,
        chain::Status::Completed => InstanceStatus::Completed,
        chain::Status::Failed => InstanceStatus::Failed,
        chain::Status::Canceled => InstanceStatus::Canceled,
    }
}

pub(super) fn status_asked(status: InstanceStatus) -> chain::Status {
    match status {
        InstanceStatus::Running => chain::Status::Running,
        InstanceStatus::Completed => chain::Status::Completed,
        InstanceStatus::Failed => chain::Status::Failed,
        InstanceStatus::Canceled => chain::Status::Canceled,
    }
}

pub(super) fn step_status(status: ViewStatus) -> StepStatus {
    match status {
        ViewStatus::Running => StepStatus::Running,
        ViewStatus::Stored(machine::StepStatus::Pending) => StepStatus::Pending,
        ViewStatus::Stored(machine::StepStatus::Ready) => StepStatus::Ready,
        ViewStatus::Stored(machine::StepStatus::Waiting) => StepStatus::Waiting,
        ViewStatus::Stored(machine::StepStatus::Done) => StepStatus::Done,
        ViewStatus::Stored(machine::StepStatus::Dead) => StepStatus::Dead,
    }
}

pub(super) fn outcome_of_signal(outcome: chain::SignalOutcome) -> SignalOutcome {
    match outcome {
        chain::SignalOutcome::Woken => SignalOutcome::Woken,
        chain::SignalOutcome::Buffered => SignalOutcome::Buffered,
        chain::SignalOutcome::Duplicate => SignalOutcome::Duplicate,
    }
}

pub(super) fn claim(body: ClaimRequest) -> chain::ClaimRequest {
    chain::ClaimRequest {
        worker: body.worker_id.into(),
        workflow_types: body.workflow_types,
        step_types: body.step_types,
        max: body.max,
        lease: Duration::from_millis(body.lease_ms),
        wait: Duration::from_millis(body.wait_ms),
    }
}

pub(super) fn task(view: &TaskView) -> Task {
    let step = view.step();
    let wake = |it: &machine::Signal| Wake {
        event_type: it.event_type.clone(),
        event_id: it.event_id.clone(),
        payload: it.payload.as_ref().map(document),
    };
    Task {
        instance_id: view.token.instance.as_str().to_owned(),
        step_seq: seq(view.token.step),
        step_type: step.step_type.clone(),
        workflow_type: view.workflow_type().to_owned(),
        workflow_version: view.workflow_version(),
        biz_key: view.biz_key().map(str::to_owned),
        task_type: match view.task_type {
            machine::TaskType::ReadyStep => TaskType::ReadyStep,
            machine::TaskType::WaitingTimeout => TaskType::WaitingTimeout,
        },
        attempts: step.attempts,
        max_attempts: step.max_attempts,
        lease_token: view.token.to_string(),
        leased_until: time(view.leased_until),
        context: view.context().map(document),
        wake: view.wake().map(wake),
    }
}

pub(super) fn outcome(result: TaskResult) -> Outcome {
    match result {
        TaskResult::Completed {} => Outcome::Completed,
        TaskResult::Waiting { waiting_event_type, timeout_ms, discard_buffered } => {
            Outcome::Waiting {
                event_type: waiting_event_type,
                timeout: timeout_ms.map(Duration::from_millis),
                discard_buffered: discard_buffered.unwrap_or(false),
            }
        }
        TaskResult::Retry { backoff_ms, error } => {
            Outcome::Retry { backoff: backoff_ms.map(Duration::from_millis), error }
        }
        TaskResult::Dead { error } => Outcome::Dead { error },
    }
}

pub(super) fn outbound(event: OutboundEvent) -> Outbound {
    Outbound {
        event_id: event.event_id,
        event_type: event.event_type,
        occurred_at: event.occurred_at.map(|it| kernel::Timestamp::from_micros(it.as_micros())),
        payload: event.payload.map(json),
        headers: event.headers,
    }
}
