//! A server that also speaks gRPC, and a client that is connected to it.

use prost_types::{Struct, Value as Wire, value::Kind};
use serde_json::{Value, json};
use tonic::{
    Code, Response, Status,
    transport::{Channel, Endpoint},
};
use waypost_api::grpc::workflow::{
    Job, PollJobsRequest, StartInstanceRequest, WorkflowInstance,
    workflow_engine_client::WorkflowEngineClient,
};
use waypost_engine::Settings;
use waypost_server::Options;

use crate::world::{World, world_with};

pub(crate) type Client = WorkflowEngineClient<Channel>;

/// A server with these samples uploaded, and a client.
pub(crate) async fn grpc(samples: &[&str]) -> (World, Client) {
    grpc_with(Options::default(), samples).await
}

pub(crate) async fn grpc_with(options: Options, samples: &[&str]) -> (World, Client) {
    let grpc = Some("127.0.0.1:0".parse().unwrap());
    let world = world_with(Options { grpc, ..options }, Settings::default()).await;
    let world = world.with(samples).await;
    let client = Client::new(endpoint(&world).connect().await.unwrap());
    (world, client)
}

pub(crate) fn endpoint(world: &World) -> Endpoint {
    Endpoint::from_shared(format!("http://{}", world.grpc.unwrap())).unwrap()
}

pub(crate) async fn start(client: &mut Client, definition: &str, variables: Value) -> String {
    start_with(client, definition, variables).await.unwrap().id
}

pub(crate) async fn start_with(
    client: &mut Client,
    definition: &str,
    variables: Value,
) -> Result<WorkflowInstance, Status> {
    let request = StartInstanceRequest {
        definition_id: definition.to_owned(),
        variables: Some(to_struct(&variables)),
        ..StartInstanceRequest::default()
    };
    Ok(client.start_instance(request).await?.into_inner().instance.unwrap())
}

pub(crate) fn asking(worker: &str, kind: &str) -> PollJobsRequest {
    let (worker_id, job_types) = (worker.to_owned(), vec![kind.to_owned()]);
    PollJobsRequest { worker_id, job_types, max_jobs: 100, lease_seconds: 0 }
}

pub(crate) async fn poll(client: &mut Client, worker: &str, kind: &str) -> Vec<Job> {
    client.poll_jobs(asking(worker, kind)).await.unwrap().into_inner().jobs
}

/// How a call ended.
pub(crate) fn ending<T>(answer: Result<Response<T>, Status>) -> (Code, String) {
    match answer {
        Ok(response) => {
            let told = response.metadata().get("waypost-callback");
            (Code::Ok, told.map_or("", |it| it.to_str().unwrap()).to_owned())
        }
        Err(status) => (status.code(), status.message().to_owned()),
    }
}

pub(crate) fn told(code: Code, text: &str) -> (Code, String) {
    (code, text.to_owned())
}

pub(crate) fn to_struct(value: &Value) -> Struct {
    let fields = value.as_object().unwrap().iter();
    Struct { fields: fields.map(|(name, value)| (name.clone(), to_wire(value))).collect() }
}

pub(crate) fn to_wire(value: &Value) -> Wire {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(it) => Kind::BoolValue(*it),
        Value::Number(it) => Kind::NumberValue(it.as_f64().unwrap()),
        Value::String(it) => Kind::StringValue(it.clone()),
        Value::Array(items) => {
            Kind::ListValue(prost_types::ListValue { values: items.iter().map(to_wire).collect() })
        }
        Value::Object(_) => Kind::StructValue(to_struct(value)),
    };
    Wire { kind: Some(kind) }
}

pub(crate) fn from_struct(members: Option<&Struct>) -> Value {
    let members = members.map(|it| it.fields.iter());
    Value::Object(members.into_iter().flatten().map(|(k, v)| (k.clone(), from_wire(v))).collect())
}

fn from_wire(value: &Wire) -> Value {
    match value.kind.as_ref().unwrap() {
        Kind::NullValue(_) => Value::Null,
        Kind::BoolValue(it) => json!(it),
        Kind::NumberValue(it) => json!(it),
        Kind::StringValue(it) => json!(it),
        Kind::ListValue(list) => list.values.iter().map(from_wire).collect(),
        Kind::StructValue(it) => from_struct(Some(it)),
    }
}
