//! Instances over gRPC: started, read, listed, steered.

use serde_json::json;
use tonic::Code;
use waypost_api::grpc::workflow::{
    CancelInstanceRequest, CompleteUserTaskRequest, ExplainInstanceRequest,
    GetInstanceHistoryRequest, GetInstanceRequest, InstanceStatus, ListInstancesRequest,
    RetryStepRequest, SignalWaitRequest, StartInstanceRequest, StepExecutionStatus, StepType,
    WorkflowInstance,
};

use super::talk::{Client, ending, from_struct, grpc, poll, start, start_with, to_struct, told};

async fn get(client: &mut Client, id: &str) -> WorkflowInstance {
    let request = GetInstanceRequest { id: id.to_owned() };
    client.get_instance(request).await.unwrap().into_inner().instance.unwrap()
}

const TERMINAL: &str = "instance is in a terminal state";
const UNKNOWN: &str = "workflow instance not found";

#[tokio::test]
async fn an_instance_is_started_and_read() {
    let (_world, mut client) = grpc(&["line", "line2", "choice"]).await;
    let request = StartInstanceRequest {
        definition_id: "line".to_owned(),
        definition_version: 1,
        variables: Some(to_struct(&json!({"n": 1, "a": {"b": [true, null, "x", 0.5]}}))),
        business_key: "k".to_owned(),
    };
    let started = client.start_instance(request.clone()).await.unwrap().into_inner();
    let started = started.instance.unwrap();
    assert_eq!((started.definition_id.as_str(), started.definition_version), ("line", 1));
    assert_eq!(started.status(), InstanceStatus::Active);
    assert_eq!(started.current_step_ids, ["a"]);
    assert_eq!(
        from_struct(started.variables.as_ref()),
        json!({"a": {"b": [true, null, "x", 0.5]}, "n": 1.0})
    );
    assert_eq!(started.started_at.unwrap().seconds, 1_780_000_000);
    assert_eq!(started.completed_at, None);
    assert_eq!((started.failure_reason.as_str(), started.business_key.as_str()), ("", "k"));
    assert_eq!(get(&mut client, &started.id).await, started);

    let key_in_use = "business key already in use by an in-flight instance of this definition";
    let again = client.start_instance(request).await;
    assert_eq!(ending(again), told(Code::AlreadyExists, key_in_use));
    let latest = StartInstanceRequest { definition_id: "line".to_owned(), ..Default::default() };
    let latest = client.start_instance(latest).await.unwrap().into_inner().instance.unwrap();
    assert_eq!(latest.definition_version, 2);
    assert_eq!(from_struct(latest.variables.as_ref()), json!({}));

    let failed = start_with(&mut client, "choice", json!({"amount": 1})).await.unwrap();
    assert_eq!(failed.status(), InstanceStatus::Failed);
    assert!(failed.failure_reason.contains("DecisionNoBranchMatched"));
    assert!(failed.completed_at.is_some());
}

#[tokio::test]
async fn a_start_that_makes_no_sense_is_refused() {
    let (_world, mut client) = grpc(&["strict"]).await;
    for (definition, variables, expected) in [
        ("", json!({}), told(Code::InvalidArgument, "definition_id is required")),
        ("nobody", json!({}), told(Code::NotFound, "definition not found")),
        ("no\0body", json!({}), told(Code::NotFound, "definition not found")),
        (
            "strict",
            json!({"amount": "5"}),
            told(
                Code::InvalidArgument,
                "schema violation: field \"amount\" expected number, got string",
            ),
        ),
    ] {
        let refused = start_with(&mut client, definition, variables).await.unwrap_err();
        assert_eq!((refused.code(), refused.message().to_owned()), expected);
    }
    let mut deep = json!(1);
    for _ in 0..80 {
        deep = json!([deep]);
    }
    let refused = start_with(&mut client, "strict", json!({"amount": 1, "x": deep})).await;
    // The protocol itself goes no deeper than a hundred messages.
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("StartInstanceRequest.variables"), "{refused}");
    let unknown = GetInstanceRequest { id: "nobody".to_owned() };
    assert_eq!(ending(client.get_instance(unknown).await), told(Code::NotFound, UNKNOWN));
}

#[tokio::test]
async fn instances_are_listed_newest_first() {
    let (world, mut client) = grpc(&["line", "person"]).await;
    let mut ids = Vec::new();
    for definition in ["line", "person", "line"] {
        ids.insert(0, start(&mut client, definition, json!({})).await);
        world.clock.advance(std::time::Duration::from_secs(1));
    }
    let all = ListInstancesRequest::default();
    let of_line = ListInstancesRequest { definition_id: "line".to_owned(), ..all.clone() };
    let waiting = ListInstancesRequest { status: InstanceStatus::Waiting.into(), ..all.clone() };
    let second = ListInstancesRequest { page: 1, page_size: 2, ..all.clone() };
    let keyed = ListInstancesRequest { business_key: "k".to_owned(), ..all.clone() };
    for (request, expected, total) in [
        (all.clone(), vec![0, 1, 2], 3),
        (of_line, vec![0, 2], 2),
        (waiting, vec![1], 1),
        (second, vec![2], 3),
        (keyed, vec![], 0),
    ] {
        let answer = client.list_instances(request).await.unwrap().into_inner();
        let found: Vec<_> = answer.instances.iter().map(|it| it.id.clone()).collect();
        let expected: Vec<_> = expected.into_iter().map(|it: usize| ids[it].clone()).collect();
        assert_eq!((found, answer.total), (expected, total));
    }
    let strange = ListInstancesRequest { status: 42, ..all.clone() };
    let refused = ending(client.list_instances(strange).await);
    assert_eq!(refused, told(Code::InvalidArgument, "status: no status has number 42"));
    let unwritable = ListInstancesRequest { definition_id: "\0".to_owned(), ..all };
    assert_eq!(ending(client.list_instances(unwritable).await).0, Code::InvalidArgument);
}

#[tokio::test]
async fn why_an_instance_is_where_it_is_is_told() {
    let (_world, mut client) = grpc(&["line"]).await;
    let id = start(&mut client, "line", json!({})).await;
    let told = client.explain_instance(ExplainInstanceRequest { id }).await.unwrap().into_inner();
    let expected = "nobody has asked for a since the server started";
    assert!(told.summary.contains(expected), "{}", told.summary);
    assert_eq!((told.status.as_str(), told.stuck.as_str()), ("ACTIVE", ""));
    let all = told.explanation.unwrap();
    for name in ["status", "summary", "waits", "conditions", "next"] {
        assert!(all.fields.contains_key(name), "{name}");
    }
    let unknown = ExplainInstanceRequest { id: "nobody".to_owned() };
    let refused = client.explain_instance(unknown).await.unwrap_err();
    assert_eq!((refused.code(), refused.message()), (Code::NotFound, UNKNOWN));
    let unwritable = ExplainInstanceRequest { id: "\0".to_owned() };
    let refused = client.explain_instance(unwritable).await.unwrap_err();
    let expected = "id must not contain control characters";
    assert_eq!((refused.code(), refused.message()), (Code::InvalidArgument, expected));
}

#[tokio::test]
async fn the_history_of_an_instance_is_told() {
    let (_world, mut client) = grpc(&["choice"]).await;
    let id = start(&mut client, "choice", json!({"amount": 200})).await;
    let request = GetInstanceHistoryRequest { id: id.clone() };
    let history = client.get_instance_history(request).await.unwrap().into_inner().executions;
    let seen: Vec<_> =
        history.iter().map(|it| (it.step_id.as_str(), it.step_type(), it.status())).collect();
    let done = StepExecutionStatus::Completed;
    let expected = [
        ("c", StepType::Decision, done),
        ("t", StepType::Transformation, done),
        ("end", StepType::End, done),
    ];
    assert_eq!(seen, expected);
    for execution in &history {
        assert_eq!((execution.instance_id.as_str(), execution.attempt_number), (id.as_str(), 1));
        assert!(execution.started_at.is_some() && execution.ended_at.is_some());
    }
    let unknown = GetInstanceHistoryRequest { id: "nobody".to_owned() };
    let refused = ending(client.get_instance_history(unknown).await);
    assert_eq!(refused, told(Code::NotFound, UNKNOWN));
}

#[tokio::test]
async fn an_instance_is_cancelled_once() {
    let (_world, mut client) = grpc(&["line"]).await;
    let id = start(&mut client, "line", json!({})).await;
    let request = CancelInstanceRequest { id, reason: "not wanted".to_owned() };
    let cancelled = client.cancel_instance(request.clone()).await.unwrap().into_inner();
    let cancelled = cancelled.instance.unwrap();
    assert_eq!(cancelled.status(), InstanceStatus::Cancelled);
    assert_eq!(cancelled.failure_reason, "not wanted");
    let again = ending(client.cancel_instance(request).await);
    assert_eq!(again, told(Code::FailedPrecondition, TERMINAL));
    let unknown = CancelInstanceRequest { id: "nobody".to_owned(), ..Default::default() };
    assert_eq!(ending(client.cancel_instance(unknown).await), told(Code::NotFound, UNKNOWN));
}

#[tokio::test]
async fn tasks_of_people_are_completed() {
    let (_world, mut client) = grpc(&["person"]).await;
    let id = start(&mut client, "person", json!({"n": 1})).await;
    let required = "instance_id and user_task_step_id are required";
    let missing = told(Code::NotFound, "user task not found");
    for (instance, step, expected) in [
        ("", "ask", told(Code::InvalidArgument, required)),
        (id.as_str(), "", told(Code::InvalidArgument, required)),
        ("nobody", "ask", told(Code::NotFound, UNKNOWN)),
        (&id, "nowhere", missing.clone()),
        (&id, "a", told(Code::InvalidArgument, "step type does not match the endpoint")),
        (&id, "ask", told(Code::Ok, "")),
        (&id, "ask", missing),
    ] {
        let request = CompleteUserTaskRequest {
            completed_by: "me".to_owned(),
            result: Some(to_struct(&json!({"m": 2}))),
            instance_id: instance.to_owned(),
            user_task_step_id: step.to_owned(),
        };
        assert_eq!(ending(client.complete_user_task(request).await), expected);
    }
    let instance = get(&mut client, &id).await;
    assert_eq!(from_struct(instance.variables.as_ref()), json!({"m": 2.0, "n": 1.0}));
    assert_eq!(instance.current_step_ids, ["a"]);
    let canceled = CancelInstanceRequest { id: id.clone(), reason: String::new() };
    client.cancel_instance(canceled).await.unwrap();
    let late = CompleteUserTaskRequest {
        instance_id: id,
        user_task_step_id: "ask".to_owned(),
        ..CompleteUserTaskRequest::default()
    };
    let expected = told(Code::FailedPrecondition, TERMINAL);
    assert_eq!(ending(client.complete_user_task(late).await), expected);
}

#[tokio::test]
async fn signals_are_taken_where_an_instance_waits() {
    let (_world, mut client) = grpc(&["pause"]).await;
    let id = start(&mut client, "pause", json!({})).await;
    let required = "instance_id and wait_step_id are required";
    let not_parked =
        told(Code::FailedPrecondition, "wait step is not currently parked on the instance");
    for (instance, step, expected) in [
        ("", "hold", told(Code::InvalidArgument, required)),
        (id.as_str(), "", told(Code::InvalidArgument, required)),
        ("nobody", "hold", told(Code::NotFound, UNKNOWN)),
        (&id, "nowhere", not_parked.clone()),
        (&id, "a", told(Code::InvalidArgument, "step type does not match the endpoint")),
        (&id, "hold", told(Code::Ok, "")),
        (&id, "hold", not_parked),
    ] {
        let request = SignalWaitRequest {
            instance_id: instance.to_owned(),
            wait_step_id: step.to_owned(),
            variables: Some(to_struct(&json!({"m": 2}))),
        };
        assert_eq!(ending(client.signal_wait(request).await), expected);
    }
    let cancel = CancelInstanceRequest { id: id.clone(), ..Default::default() };
    client.cancel_instance(cancel).await.unwrap();
    let late =
        SignalWaitRequest { instance_id: id, wait_step_id: "hold".to_owned(), variables: None };
    let late = ending(client.signal_wait(late).await);
    assert_eq!(late, told(Code::FailedPrecondition, TERMINAL));
}

#[tokio::test]
async fn failed_steps_are_retried() {
    let (world, mut client) = grpc(&["line"]).await;
    let id = start(&mut client, "line", json!({"n": 1})).await;
    let request = |instance: &str, step: &str| RetryStepRequest {
        instance_id: instance.to_owned(),
        step_id: step.to_owned(),
        variables: Some(to_struct(&json!({"m": 2}))),
    };
    let not_failed = "instance is not FAILED; manual retry only applies to FAILED instances";
    let early = ending(client.retry_step(request(&id, "a")).await);
    assert_eq!(early, told(Code::FailedPrecondition, not_failed));
    let job = poll(&mut client, "w", "a").await.remove(0);
    world.post(&format!("/v1/jobs/{}/fail", job.id), r#"{"workerId":"w"}"#).await;
    let required = "instance_id and step_id are required";
    for (instance, step, expected) in [
        ("", "a", told(Code::InvalidArgument, required)),
        (id.as_str(), "", told(Code::InvalidArgument, required)),
        ("nobody", "a", told(Code::NotFound, UNKNOWN)),
        (&id, "end", told(Code::FailedPrecondition, "step is not in a retryable state")),
    ] {
        assert_eq!(ending(client.retry_step(request(instance, step)).await), expected);
    }
    let retried = client.retry_step(request(&id, "a")).await.unwrap().into_inner();
    let retried = retried.instance.unwrap();
    assert_eq!(retried.status(), InstanceStatus::Active);
    assert_eq!(from_struct(retried.variables.as_ref()), json!({"m": 2.0, "n": 1.0}));
}
