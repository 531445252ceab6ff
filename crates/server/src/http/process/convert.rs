//! The engine's views in the words of the wire.

use std::sync::Arc;

use waypost_api::{
    Timestamp,
    process::{Instance, InstanceStatus, Job, StepExecution, Uploaded, UserTask},
};
use waypost_engine::process::{
    Deployed, HistoryView, InstanceView, Status, TaskView, UserTaskView, Visit, child,
};
use waypost_kernel as kernel;

/// What clients look for when a business key is taken.
pub(crate) const KEY_IN_USE: &str =
    "business key already in use by an in-flight instance of this definition";

pub(super) fn time(at: kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}

pub(super) fn uploaded(deployed: &Deployed) -> Uploaded {
    let definition = &deployed.definition;
    Uploaded {
        id: definition.which.name.clone(),
        version: definition.which.version,
        name: deployed.label.clone(),
        uploaded_at: time(definition.created_at),
    }
}

pub(super) fn instance(view: &InstanceView) -> Instance {
    let state = &view.state;
    Instance {
        id: view.key.id.as_str().to_owned(),
        definition_id: state.definition.name.clone(),
        definition_version: state.definition.version,
        status: status(view.status()),
        current_step_ids: state.current_steps().into_iter().map(str::to_owned).collect(),
        variables: Arc::clone(&state.variables),
        started_at: time(state.started_at),
        completed_at: state.ended_at.map(time),
        failure_reason: state.reason.clone(),
        business_key: state.business_key.clone(),
        parent_instance_id: state.parent.as_ref().map(|it| it.as_str().to_owned()),
    }
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

pub(super) fn history(view: &HistoryView) -> Vec<StepExecution> {
    view.visits.iter().map(|it| execution(view, it)).collect()
}

fn execution(view: &HistoryView, visit: &Visit) -> StepExecution {
    let step = view.graph.step(&visit.step);
    StepExecution {
        id: child(&view.key.id, visit.number),
        instance_id: view.key.id.as_str().to_owned(),
        step_id: visit.step.to_string(),
        step_name: step.map(|it| it.label.clone()).unwrap_or_default(),
        step_type: step.map_or("", |it| it.step_type().as_str()).to_owned(),
        attempt_number: visit.attempt,
        status: visit.status.as_str().to_owned(),
        started_at: time(visit.started_at),
        ended_at: visit.ended_at.map(time),
        input_snapshot: Some(Arc::clone(&visit.input)),
        output_snapshot: visit.output.clone(),
        failure_reason: visit.reason.clone(),
    }
}

pub(super) fn job(view: TaskView) -> Job {
    Job {
        id: view.id,
        instance_id: view.instance.id.as_str().to_owned(),
        step_id: view.step.to_string(),
        step_execution_id: view.visit,
        job_type: view.queue,
        status: "LOCKED".to_owned(),
        worker_id: view.worker.as_str().to_owned(),
        locked_at: time(view.leased_at),
        lock_expires_at: time(view.lapses_at),
        created_at: time(view.created_at),
        retries_remaining: view.retries,
        variables: view.variables,
    }
}

pub(super) fn user_task(view: UserTaskView) -> UserTask {
    UserTask {
        id: view.id,
        instance_id: view.instance.id.as_str().to_owned(),
        definition_id: view.definition,
        business_key: view.business_key,
        step_id: view.step.to_string(),
        step_name: view.label,
        job_type: view.form,
        created_at: time(view.since),
        variables: view.variables,
    }
}
