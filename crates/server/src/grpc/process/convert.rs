//! The engine's views in the words of the protocol.

use prost_types::Timestamp;
use waypost_api::{
    explain::Explanation,
    grpc::workflow::{
        ExplainInstanceResponse, InstanceStatus, Job, StepExecution, StepExecutionStatus, StepType,
        WorkflowInstance,
    },
};
use waypost_engine::process::{
    self, HistoryView, InstanceView, Status, TaskView, Visit, VisitStatus, child,
};
use waypost_kernel as kernel;

use crate::grpc::values::{to_struct, written};

pub(super) fn time(at: kernel::Timestamp) -> Timestamp {
    let micros = at.as_micros();
    let nanos = i32::try_from(micros.rem_euclid(1_000_000) * 1_000).unwrap_or(0);
    Timestamp { seconds: micros.div_euclid(1_000_000), nanos }
}

/// Numbers that count things fit well before they end.
pub(super) fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(super) fn instance(view: &InstanceView) -> WorkflowInstance {
    let state = &view.state;
    WorkflowInstance {
        id: view.key.id.as_str().to_owned(),
        definition_id: state.definition.name.clone(),
        definition_version: state.definition.version,
        status: status(view.status()).into(),
        current_step_ids: state.current_steps().into_iter().map(str::to_owned).collect(),
        variables: Some(to_struct(&state.variables)),
        started_at: Some(time(state.started_at)),
        completed_at: state.ended_at.map(time),
        failure_reason: state.reason.clone().unwrap_or_default(),
        business_key: state.business_key.clone().unwrap_or_default(),
    }
}

/// An explanation, and all of it as clients of HTTP get it.
pub(super) fn explained(explained: Explanation) -> ExplainInstanceResponse {
    let members = written(&explained);
    let Explanation { status, summary, stuck, .. } = explained;
    let stuck = stuck.unwrap_or_default();
    ExplainInstanceResponse { status, summary, stuck, explanation: members }
}

const fn status(status: Status) -> InstanceStatus {
    match status {
        Status::Active => InstanceStatus::Active,
        Status::Waiting => InstanceStatus::Waiting,
        Status::Completed => InstanceStatus::Completed,
        Status::Failed => InstanceStatus::Failed,
        Status::Cancelled => InstanceStatus::Cancelled,
    }
}

/// The status to look for; none for all.
pub(super) const fn status_name(status: InstanceStatus) -> Option<&'static str> {
    match status {
        InstanceStatus::Unspecified => None,
        InstanceStatus::Active => Some(Status::Active.as_str()),
        InstanceStatus::Waiting => Some(Status::Waiting.as_str()),
        InstanceStatus::Completed => Some(Status::Completed.as_str()),
        InstanceStatus::Failed => Some(Status::Failed.as_str()),
        InstanceStatus::Cancelled => Some(Status::Cancelled.as_str()),
    }
}

pub(super) fn history(view: &HistoryView) -> Vec<StepExecution> {
    view.visits.iter().map(|it| execution(view, it)).collect()
}

fn execution(view: &HistoryView, visit: &Visit) -> StepExecution {
    let step = view.graph.step(&visit.step);
    let step_type = step.map_or(StepType::Unspecified, |it| step_type(it.step_type()));
    let status = match visit.status {
        VisitStatus::Running => StepExecutionStatus::Running,
        VisitStatus::Completed => StepExecutionStatus::Completed,
        VisitStatus::Failed => StepExecutionStatus::Failed,
    };
    StepExecution {
        id: child(&view.key.id, visit.number),
        instance_id: view.key.id.as_str().to_owned(),
        step_id: visit.step.to_string(),
        step_type: step_type.into(),
        attempt_number: int(visit.attempt),
        status: status.into(),
        started_at: Some(time(visit.started_at)),
        ended_at: visit.ended_at.map(time),
        failure_reason: visit.reason.clone().unwrap_or_default(),
    }
}

pub(super) const fn step_type(step_type: process::StepType) -> StepType {
    match step_type {
        process::StepType::ServiceTask => StepType::ServiceTask,
        process::StepType::UserTask => StepType::UserTask,
        process::StepType::Decision => StepType::Decision,
        process::StepType::DecisionTable => StepType::DecisionTable,
        process::StepType::Transformation => StepType::Transformation,
        process::StepType::Wait => StepType::Wait,
        process::StepType::ParallelGateway => StepType::ParallelGateway,
        process::StepType::JoinGateway => StepType::JoinGateway,
        process::StepType::End => StepType::End,
    }
}

pub(super) fn job(view: TaskView) -> Job {
    Job {
        id: view.id,
        job_type: view.queue,
        instance_id: view.instance.id.as_str().to_owned(),
        step_id: view.step.to_string(),
        step_execution_id: view.visit,
        retries_remaining: int(view.retries),
        variables: Some(to_struct(&view.variables)),
        lock_expires_at: Some(time(view.lapses_at)),
    }
}
