//! Beside the calls themselves: health, reflection, limits, stopping, and what is counted.

use futures_util::stream;
use serde_json::json;
use tonic::Code;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use waypost_engine::Settings;
use waypost_server::{HttpLimits, Options};

use super::talk::{Client, asking, ending, endpoint, grpc, grpc_with, poll, start, start_with};
use crate::world::world_with;

#[tokio::test]
async fn health_is_told_by_service() {
    let (world, _client) = grpc(&[]).await;
    let mut health = HealthClient::new(endpoint(&world).connect().await.unwrap());
    for service in ["", "workflow.v1.WorkflowEngine"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let answer = health.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service:?}");
    }
    let unknown = HealthCheckRequest { service: "nobody".to_owned() };
    assert_eq!(ending(health.check(unknown).await).0, Code::NotFound);
}

#[tokio::test]
async fn the_server_describes_itself() {
    let (world, _client) = grpc(&[]).await;
    let mut reflection = ServerReflectionClient::new(endpoint(&world).connect().await.unwrap());
    let ask = |request: MessageRequest| ServerReflectionRequest {
        host: String::new(),
        message_request: Some(request),
    };
    let symbol = "workflow.v1.WorkflowEngine.StreamJobs".to_owned();
    let requests = stream::iter([
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol(symbol)),
    ]);
    let mut answers = reflection.server_reflection_info(requests).await.unwrap().into_inner();
    let answer = answers.message().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(list) = answer else { panic!("{answer:?}") };
    let names: Vec<_> = list.service.iter().map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"workflow.v1.WorkflowEngine"), "{names:?}");
    assert!(names.contains(&"grpc.health.v1.Health"), "{names:?}");
    let answer = answers.message().await.unwrap().unwrap().message_response.unwrap();
    assert!(matches!(answer, MessageResponse::FileDescriptorResponse(_)), "{answer:?}");
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused_and_nothing_else_is() {
    let limits = HttpLimits { body_max: 10_000, ..HttpLimits::default() };
    let options = Options { limits, ..Options::default() };
    let (_world, mut client) = grpc_with(options, &["line"]).await;
    let refused = start_with(&mut client, "line", json!({"x": "x".repeat(10_001)})).await;
    assert_eq!(refused.unwrap_err().code(), Code::OutOfRange);
    start(&mut client, "line", json!({"x": "x".repeat(9_000)})).await;
    assert_eq!(poll(&mut client, "w", "a").await.len(), 1);
}

#[tokio::test]
async fn a_message_that_is_nested_too_deep_is_an_invalid_argument() {
    let (_world, mut client) = grpc(&["line"]).await;
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let refused = start_with(&mut client, "line", json!({"x": deep})).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    start(&mut client, "line", json!({"x": [[1]]})).await;
}

#[tokio::test]
async fn beyond_the_limit_new_calls_are_refused_and_health_is_told() {
    let limits = HttpLimits { requests_max: 0, claims_max: 0, ..HttpLimits::default() };
    let grpc = Some("127.0.0.1:0".parse().unwrap());
    let options = Options { limits, grpc, ..Options::default() };
    let world = world_with(options, Settings::default()).await;
    let channel = endpoint(&world).connect().await.unwrap();
    let mut client = Client::new(channel.clone());
    let refused = start_with(&mut client, "line", json!({})).await.unwrap_err();
    let expected =
        (Code::ResourceExhausted, "too many requests at a time; at most 0; ask again later");
    assert_eq!((refused.code(), refused.message()), expected);
    let refused = client.poll_jobs(asking("w", "a")).await.unwrap_err();
    let expected =
        (Code::ResourceExhausted, "too many claims at a time; at most 0; ask again later");
    assert_eq!((refused.code(), refused.message()), expected);
    let request = HealthCheckRequest { service: String::new() };
    assert!(HealthClient::new(channel).check(request).await.is_ok());
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_until_there_is_room() {
    let limits = HttpLimits { grpc_connections_max: 2, ..HttpLimits::default() };
    let (world, first) = grpc_with(Options { limits, ..Options::default() }, &["line"]).await;
    let speak = async || {
        let mut client = Client::new(endpoint(&world).connect_lazy());
        client.poll_jobs(asking("w", "a")).await.map(|_| client)
    };
    let mut second = speak().await.unwrap();
    assert!(speak().await.is_err());
    assert!(second.poll_jobs(asking("w", "a")).await.is_ok());
    drop(first);
    // The server may see a moment later that the first one has gone.
    while speak().await.is_err() {}
}

#[tokio::test]
async fn streams_beyond_the_limit_are_refused_and_the_others_go_on() {
    let limits = HttpLimits { subscribers_max: 1, ..HttpLimits::default() };
    let options = Options { limits, ..Options::default() };
    let (_world, mut client) = grpc_with(options, &["line"]).await;
    let mut first = client.stream_jobs(asking("w", "a")).await.unwrap().into_inner();
    let refused = client.stream_jobs(asking("w", "a")).await.err().unwrap();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    start(&mut client, "line", json!({})).await;
    assert!(first.message().await.unwrap().is_some());
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams() {
    let (world, mut client) = grpc(&["line"]).await;
    let mut stream = client.stream_jobs(asking("w", "a")).await.unwrap().into_inner();
    world.stop.cancel();
    assert!(stream.message().await.unwrap().is_none());
    world.running.await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_are_counted_by_method_and_code() {
    let (world, mut client) = grpc(&["line"]).await;
    poll(&mut client, "w", "a").await;
    assert!(start_with(&mut client, "nobody", json!({})).await.is_err());
    let metrics = world.get("/metrics").await.text().await.unwrap();
    for labels in [
        r#"method="/workflow.v1.WorkflowEngine/PollJobs",code="OK""#,
        r#"method="/workflow.v1.WorkflowEngine/StartInstance",code="NotFound""#,
    ] {
        let line = format!("grpc_requests_duration_seconds_count{{{labels}}} 1\n");
        assert!(metrics.contains(&line), "{labels}");
    }
}
