//! Jobs over gRPC: polled, called back, streamed, given back.

use std::time::Duration;

use prost_types::{ListValue, Struct, Value as Wire, value::Kind};
use serde_json::json;
use tonic::Code;
use waypost_api::grpc::workflow::{
    CallbackResult, CompleteJobRequest, CompleteJobsRequest, CompleteUserTaskRequest,
    ExtendJobLeaseRequest, FailJobRequest, PollJobsRequest, SignalWaitRequest,
    StartInstanceRequest,
};

use super::talk::{
    Client, asking, ending, endpoint, from_struct, grpc, poll, start, start_with, to_struct,
    to_wire, told,
};

fn complete(job: &str, worker: &str) -> CompleteJobRequest {
    let (job_id, worker_id) = (job.to_owned(), worker.to_owned());
    CompleteJobRequest { job_id, worker_id, variables_to_set: None }
}

fn fail(job: &str, worker: &str) -> FailJobRequest {
    let (job_id, worker_id) = (job.to_owned(), worker.to_owned());
    FailJobRequest { job_id, worker_id, retryable: true, error_message: "no".to_owned() }
}

fn extend(job: &str, worker: &str, lease_seconds: i32) -> ExtendJobLeaseRequest {
    let (job_id, worker_id) = (job.to_owned(), worker.to_owned());
    ExtendJobLeaseRequest { job_id, worker_id, lease_seconds }
}

#[tokio::test]
async fn a_poll_answers_at_once_with_what_there_is() {
    let (_world, mut client) = grpc(&["line"]).await;
    let began = tokio::time::Instant::now();
    assert!(poll(&mut client, "w", "a").await.is_empty());
    assert!(began.elapsed() < Duration::from_secs(5));
    let id = start(&mut client, "line", json!({"n": 1})).await;
    start(&mut client, "line", json!({})).await;
    // One, unless more are asked for.
    let one = PollJobsRequest { max_jobs: 0, ..asking("w", "a") };
    let jobs = client.poll_jobs(one).await.unwrap().into_inner().jobs;
    let [job] = jobs.as_slice() else { panic!("one job, not {}", jobs.len()) };
    assert_eq!((job.instance_id.as_str(), job.step_id.as_str()), (id.as_str(), "a"));
    assert_eq!((job.job_type.as_str(), job.retries_remaining), ("a", 1));
    assert_eq!(from_struct(job.variables.as_ref()), json!({"n": 1.0}));
    let until = job.lock_expires_at.unwrap();
    assert_eq!((until.seconds, until.nanos % 1_000), (1_780_000_030, 0));
    assert!(!job.step_execution_id.is_empty() && job.step_execution_id != job.id);
    assert_eq!(poll(&mut client, "v", "a").await.len(), 1);
}

#[tokio::test]
async fn a_poll_that_makes_no_sense_is_refused() {
    let (_world, mut client) = grpc(&["line"]).await;
    start(&mut client, "line", json!({})).await;
    let nothing = PollJobsRequest { job_types: Vec::new(), ..asking("w", "a") };
    assert!(client.poll_jobs(nothing.clone()).await.unwrap().into_inner().jobs.is_empty());
    let refused = ending(client.poll_jobs(asking("", "a")).await);
    assert_eq!(refused, told(Code::InvalidArgument, "worker_id is required"));
    for lease_seconds in [-1, 4, 3_601] {
        let request = PollJobsRequest { lease_seconds, ..asking("w", "a") };
        assert_eq!(ending(client.poll_jobs(request).await).0, Code::InvalidArgument);
    }
    assert_eq!(ending(client.poll_jobs(asking("\0", "a")).await).0, Code::InvalidArgument);
    assert_eq!(ending(client.stream_jobs(nothing).await).0, Code::InvalidArgument);
    assert!(poll(&mut client, "w", "\0").await.is_empty());
    assert_eq!(poll(&mut client, "w", "a").await.len(), 1, "nobody has taken it");
}

#[tokio::test]
async fn callbacks_that_come_too_late_are_answered_and_marked() {
    let (world, mut client) = grpc(&["line"]).await;
    let id = start(&mut client, "line", json!({"a": {"x": 1}})).await;
    let job = poll(&mut client, "w", "a").await.remove(0).id;
    let ignored = told(Code::Ok, "ignored");
    assert_eq!(ending(client.complete_job(complete(&job, "v")).await), ignored);
    assert_eq!(ending(client.fail_job(fail(&job, "v")).await), ignored);
    let variables_to_set = Some(to_struct(&json!({"a": {"y": 2}})));
    let done = CompleteJobRequest { variables_to_set, ..complete(&job, "w") };
    assert_eq!(ending(client.complete_job(done).await), told(Code::Ok, ""));
    assert_eq!(ending(client.complete_job(complete(&job, "w")).await), ignored);
    assert_eq!(ending(client.fail_job(fail(&job, "w")).await), ignored);
    assert_eq!(world.look(&id, "variables").await, json!({"a": {"x": 1, "y": 2}}));
    assert_eq!(world.look(&id, "status").await, "COMPLETED");
    let unknown = told(Code::NotFound, "job not found");
    assert_eq!(ending(client.complete_job(complete("nobody", "w")).await), unknown);
    assert_eq!(ending(client.fail_job(fail("nobody", "w")).await), unknown);
}

#[tokio::test]
async fn a_failure_uses_up_retries_and_then_the_instance() {
    let (world, mut client) = grpc(&["line"]).await;
    let id = start(&mut client, "line", json!({})).await;
    for (retries, status) in [(1, "ACTIVE"), (0, "FAILED")] {
        let job = poll(&mut client, "w", "a").await.remove(0);
        assert_eq!(job.retries_remaining, retries);
        assert_eq!(ending(client.fail_job(fail(&job.id, "w")).await), told(Code::Ok, ""));
        assert_eq!(world.look(&id, "status").await, status);
    }
    assert_eq!(world.look(&id, "failureReason").await, "no");
}

#[tokio::test]
async fn what_breaks_the_schema_is_an_invalid_argument_and_fails_the_instance() {
    let (world, mut client) = grpc(&["strict"]).await;
    let id = start(&mut client, "strict", json!({"amount": 1})).await;
    let job = poll(&mut client, "w", "a").await.remove(0).id;
    let (code, text) = ending(client.complete_job(complete(&job, "w")).await);
    assert_eq!(code, Code::InvalidArgument);
    assert!(text.starts_with("schema violation: "), "{text}");
    assert_eq!(world.look(&id, "status").await, "FAILED");
    assert_eq!(world.look(&id, "failureReason").await, text);
}

#[tokio::test]
async fn a_lease_is_extended_for_its_holder() {
    let (world, mut client) = grpc(&["line"]).await;
    start(&mut client, "line", json!({})).await;
    let job = poll(&mut client, "w", "a").await.remove(0).id;
    for (lease_seconds, until) in [(5, 30), (60, 60), (0, 60)] {
        let request = extend(&job, "w", lease_seconds);
        let answer = client.extend_job_lease(request).await.unwrap().into_inner();
        assert!(answer.accepted);
        assert_eq!(answer.lock_expires_at.unwrap().seconds, 1_780_000_000 + until);
    }
    assert_eq!(
        ending(client.extend_job_lease(extend(&job, "w", 4)).await).0,
        Code::InvalidArgument
    );
    for (job, worker) in [(job.as_str(), "v"), (&job, ""), ("nobody", "w"), ("", "w")] {
        let refused = ending(client.extend_job_lease(extend(job, worker, 0)).await);
        assert_eq!(refused.0, Code::FailedPrecondition, "{job} {worker}");
    }
    world.clock.advance(Duration::from_secs(61));
    let late = ending(client.extend_job_lease(extend(&job, "w", 0)).await);
    assert_eq!(late.0, Code::FailedPrecondition);
}

#[tokio::test]
async fn several_callbacks_are_taken_each_on_its_own() {
    let (world, mut client) = grpc(&["line"]).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(start(&mut client, "line", json!({})).await);
    }
    let jobs = poll(&mut client, "w", "a").await;
    let callbacks = vec![
        complete(&jobs[0].id, "w"),
        complete(&jobs[1].id, "v"),
        complete("nobody", "w"),
        complete(&jobs[2].id, "w"),
    ];
    let answer = client.complete_jobs(CompleteJobsRequest { jobs: callbacks }).await.unwrap();
    let result = |job: &str, accepted: bool, error: &str| CallbackResult {
        job_id: job.to_owned(),
        accepted,
        error: error.to_owned(),
    };
    let expected = [
        result(&jobs[0].id, true, ""),
        result(&jobs[1].id, false, ""),
        result("nobody", false, "job not found"),
        result(&jobs[2].id, true, ""),
    ];
    assert_eq!(answer.into_inner().results, expected);
    for (job, status) in jobs.iter().zip(["COMPLETED", "ACTIVE", "COMPLETED"]) {
        assert_eq!(world.look(&job.instance_id, "status").await, status);
    }
    let many = CompleteJobsRequest { jobs: vec![complete("x", "w"); 1_001] };
    assert_eq!(ending(client.complete_jobs(many).await).0, Code::InvalidArgument);
}

#[tokio::test]
async fn a_stream_brings_jobs_as_they_appear() {
    let (_world, mut client) = grpc(&["line"]).await;
    let first = start(&mut client, "line", json!({"n": 1})).await;
    let mut stream = client.stream_jobs(asking("w", "a")).await.unwrap().into_inner();
    let job = stream.message().await.unwrap().unwrap();
    assert_eq!(job.instance_id, first);
    for _ in 0..3 {
        let next = start(&mut client, "line", json!({})).await;
        let job = stream.message().await.unwrap().unwrap();
        assert_eq!(job.instance_id, next);
        assert_eq!(ending(client.complete_job(complete(&job.id, "w")).await), told(Code::Ok, ""));
    }
}

#[tokio::test]
async fn a_stream_whose_reader_goes_away_gives_back_what_was_not_delivered() {
    let (world, mut client) = grpc(&["line"]).await;
    for _ in 0..20 {
        start(&mut client, "line", json!({"large": "x".repeat(100_000)})).await;
    }
    // A reader with a small window: what does not fit into it has not been sent.
    let narrow = endpoint(&world).initial_stream_window_size(65_535);
    let mut reader = Client::new(narrow.connect().await.unwrap());
    let mut stream = reader.stream_jobs(asking("w", "a")).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    assert!(poll(&mut client, "v", "a").await.is_empty(), "all are taken");
    drop((stream, reader));
    // The clock stands still: no lease lapses.
    let mut given_back = 0;
    let others = async {
        while given_back < 10 {
            given_back += poll(&mut client, "v", "a").await.len();
        }
    };
    tokio::time::timeout(Duration::from_secs(20), others).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_waits_and_is_dropped_takes_nothing() {
    let (_world, mut client) = grpc(&["line"]).await;
    let stream = client.stream_jobs(asking("w", "a")).await.unwrap().into_inner();
    drop(stream);
    start(&mut client, "line", json!({})).await;
    let free = async { while poll(&mut client, "v", "a").await.is_empty() {} };
    tokio::time::timeout(Duration::from_secs(20), free).await.unwrap();
}

#[tokio::test]
async fn a_value_without_meaning_is_refused_with_its_place() {
    let (_world, mut client) = grpc(&["line", "person", "pause"]).await;
    let infinite = Wire { kind: Some(Kind::NumberValue(f64::INFINITY)) };
    let list = ListValue { values: vec![to_wire(&json!(1)), infinite] };
    let mut bad = to_struct(&json!({"a": {}}));
    let inner =
        Struct { fields: [("b".to_owned(), Wire { kind: Some(Kind::ListValue(list)) })].into() };
    bad.fields.insert("a".to_owned(), Wire { kind: Some(Kind::StructValue(inner)) });
    let bad = Some(bad);
    let place = |field: &str| {
        let text = format!("{field}.a.b[1]: invalid JSON value: inf; numbers must be finite");
        told(Code::InvalidArgument, &text)
    };
    let start = StartInstanceRequest {
        definition_id: "line".to_owned(),
        variables: bad.clone(),
        ..StartInstanceRequest::default()
    };
    assert_eq!(ending(client.start_instance(start).await), place("variables"));

    start_with(&mut client, "line", json!({})).await.unwrap();
    let job = poll(&mut client, "w", "a").await.remove(0);
    let done = CompleteJobRequest {
        job_id: job.id.clone(),
        worker_id: "w".to_owned(),
        variables_to_set: bad.clone(),
    };
    assert_eq!(ending(client.complete_job(done.clone()).await), place("variables_to_set"));
    let several = CompleteJobsRequest { jobs: vec![done] };
    let results = client.complete_jobs(several).await.unwrap().into_inner().results;
    assert_eq!(told(Code::InvalidArgument, &results[0].error), place("variables_to_set"));
    let good =
        CompleteJobRequest { job_id: job.id, worker_id: "w".to_owned(), variables_to_set: None };
    assert_eq!(ending(client.complete_job(good).await), told(Code::Ok, ""));

    let instance_id = start_with(&mut client, "person", json!({})).await.unwrap().id;
    let task = CompleteUserTaskRequest {
        instance_id,
        user_task_step_id: "ask".to_owned(),
        result: bad.clone(),
        ..CompleteUserTaskRequest::default()
    };
    assert_eq!(ending(client.complete_user_task(task).await), place("result"));
    let instance_id = start_with(&mut client, "pause", json!({})).await.unwrap().id;
    let signal = SignalWaitRequest { instance_id, wait_step_id: "hold".to_owned(), variables: bad };
    assert_eq!(ending(client.signal_wait(signal).await), place("variables"));
}
