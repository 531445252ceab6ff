//! Processes over gRPC.

use std::collections::HashMap;

use async_trait::async_trait;
use prost_types::{ListValue, Struct, Value as WireValue, value::Kind};
use serde_json::Value;
use tonic::transport::Channel;
use waypost_api::grpc::workflow::{
    self, BoundaryEvent, BoundaryEventType, CompleteJobRequest, CompleteUserTaskRequest,
    DecisionTable, DecisionTableRule, GetInstanceHistoryRequest, InstanceStatus,
    ListInstancesRequest, PollJobsRequest, StartInstanceRequest, StepType, UploadDefinitionRequest,
    WorkflowDefinition, WorkflowStep, workflow_engine_client::WorkflowEngineClient,
};

use super::{Job, Seen, Wire};

/// The name of the one worker.
const WORKER: &str = "worker";

/// A client of the server at an address.
pub struct Grpc {
    client: WorkflowEngineClient<Channel>,
}

impl Grpc {
    /// A client of the server at `url`.
    ///
    /// # Panics
    /// When there is no server.
    pub async fn connect(url: String) -> Self {
        let server = Channel::from_shared(url).expect("it is an address");
        let channel = server.connect().await.expect("the server answers");
        Self { client: WorkflowEngineClient::new(channel) }
    }
}

#[async_trait]
impl Wire for Grpc {
    async fn upload(&self, definition: &Value) {
        let definition = Some(to_definition(definition));
        let request = UploadDefinitionRequest { definition };
        self.client.clone().upload_definition(request).await.expect("it is sound");
    }

    async fn start(&self, definition: &str, key: &str, variables: &Value) -> String {
        let request = StartInstanceRequest {
            definition_id: definition.to_owned(),
            definition_version: 0,
            variables: to_struct(variables),
            business_key: key.to_owned(),
        };
        let answer = self.client.clone().start_instance(request).await.expect("it starts");
        answer.into_inner().instance.expect("the answer has it").id
    }

    async fn poll(&self, job_types: &[&str]) -> Vec<Job> {
        let request = PollJobsRequest {
            worker_id: WORKER.to_owned(),
            job_types: job_types.iter().map(|it| (*it).to_owned()).collect(),
            max_jobs: 64,
            lease_seconds: 0,
        };
        let answer = self.client.clone().poll_jobs(request).await.expect("there is an answer");
        let jobs = answer.into_inner().jobs.into_iter();
        let job = |it: workflow::Job| Job {
            id: it.id,
            job_type: it.job_type,
            instance: it.instance_id,
            variables: from_struct(it.variables.unwrap_or_default()),
        };
        jobs.map(job).collect()
    }

    async fn complete(&self, job: &str, variables: &Value) {
        let request = CompleteJobRequest {
            job_id: job.to_owned(),
            worker_id: WORKER.to_owned(),
            variables_to_set: to_struct(variables),
        };
        self.client.clone().complete_job(request).await.expect("it is taken");
    }

    async fn complete_task(&self, instance: &str, step: &str, variables: &Value) {
        let request = CompleteUserTaskRequest {
            completed_by: "somebody".to_owned(),
            result: to_struct(variables),
            instance_id: instance.to_owned(),
            user_task_step_id: step.to_owned(),
        };
        self.client.clone().complete_user_task(request).await.expect("it is open");
    }

    async fn find(&self, definition: &str, key: &str) -> Vec<Seen> {
        let request = ListInstancesRequest {
            definition_id: definition.to_owned(),
            business_key: key.to_owned(),
            ..ListInstancesRequest::default()
        };
        let mut client = self.client.clone();
        let answer = client.list_instances(request).await.expect("there is an answer");
        let mut found = Vec::new();
        for instance in answer.into_inner().instances {
            let status = instance.status().as_str_name().replace("INSTANCE_STATUS_", "");
            assert_ne!(instance.status(), InstanceStatus::Unspecified);
            let request = GetInstanceHistoryRequest { id: instance.id.clone() };
            let history = client.get_instance_history(request).await.expect("it has a history");
            let last = history.into_inner().executions.pop();
            let last_step = last.map(|it| it.step_id).unwrap_or_default();
            found.push(Seen { id: instance.id, status, last_step });
        }
        found
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn texts(value: &Value, name: &str) -> HashMap<String, String> {
    let members = value.get(name).and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, it)| (name.clone(), it.as_str().unwrap_or_default().to_owned())).collect()
}

fn values(value: &Value, name: &str) -> HashMap<String, WireValue> {
    let members = value.get(name).and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, it)| (name.clone(), to_value(it))).collect()
}

fn to_definition(value: &Value) -> WorkflowDefinition {
    WorkflowDefinition {
        id: text(value, "id"),
        name: text(value, "name"),
        description: text(value, "description"),
        auto_start_next_workflow: value.get("autoStartNextWorkflow") == Some(&Value::Bool(true)),
        next_workflow_id: text(value, "nextWorkflowId"),
        steps: items(value, "steps").map(to_step).collect(),
        metadata: value.get("metadata").and_then(to_struct),
        ..WorkflowDefinition::default()
    }
}

fn to_step(value: &Value) -> WorkflowStep {
    let name = format!("STEP_TYPE_{}", text(value, "type"));
    let retries = value.get("retryCount").and_then(Value::as_i64).unwrap_or(0);
    let mut step = WorkflowStep {
        id: text(value, "id"),
        name: text(value, "name"),
        description: text(value, "description"),
        next_step: text(value, "nextStep"),
        parallel_next_steps: items(value, "parallelNextSteps")
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
        join_step: text(value, "joinStep"),
        conditional_next_steps: texts(value, "conditionalNextSteps"),
        transformations: values(value, "transformations"),
        job_type: text(value, "jobType"),
        retry_count: i32::try_from(retries).unwrap_or(0),
        boundary_events: items(value, "boundaryEvents").map(to_event).collect(),
        decision_table: value.get("decisionTable").map(to_table),
        hit_policy: text(value, "hitPolicy"),
        auto_start_next_workflow: value.get("autoStartNextWorkflow").and_then(Value::as_bool),
        ..WorkflowStep::default()
    };
    step.set_type(StepType::from_str_name(&name).expect("the type exists"));
    step
}

fn to_table(value: &Value) -> DecisionTable {
    let rule = |it: &Value| DecisionTableRule {
        when: texts(it, "when"),
        outputs: values(it, "outputs"),
        ..DecisionTableRule::default()
    };
    DecisionTable { rules: items(value, "rules").map(rule).collect(), ..DecisionTable::default() }
}

fn to_event(value: &Value) -> BoundaryEvent {
    BoundaryEvent {
        r#type: BoundaryEventType::Timer.into(),
        duration: text(value, "duration"),
        interrupting: value.get("interrupting") == Some(&Value::Bool(true)),
        target_step_id: text(value, "targetStepId"),
    }
}

fn to_struct(value: &Value) -> Option<Struct> {
    let members = value.as_object()?.iter();
    Some(Struct { fields: members.map(|(name, it)| (name.clone(), to_value(it))).collect() })
}

fn to_value(value: &Value) -> WireValue {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(it) => Kind::BoolValue(*it),
        Value::Number(it) => Kind::NumberValue(it.as_f64().unwrap_or(0.0)),
        Value::String(it) => Kind::StringValue(it.clone()),
        Value::Array(items) => {
            Kind::ListValue(ListValue { values: items.iter().map(to_value).collect() })
        }
        Value::Object(_) => Kind::StructValue(to_struct(value).unwrap_or_default()),
    };
    WireValue { kind: Some(kind) }
}

fn from_struct(value: Struct) -> Value {
    value.fields.into_iter().map(|(name, it)| (name, from_value(it))).collect()
}

fn from_value(value: WireValue) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(it)) => it.into(),
        Some(Kind::NumberValue(it)) => it.into(),
        Some(Kind::StringValue(it)) => it.into(),
        Some(Kind::ListValue(it)) => it.values.into_iter().map(from_value).collect(),
        Some(Kind::StructValue(it)) => from_struct(it),
    }
}
