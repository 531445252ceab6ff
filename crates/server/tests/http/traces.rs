//! Traces, and who collects them: a collector of our own.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use expect_test::expect;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value as Any},
    trace::v1::{ResourceSpans, Span, span::SpanKind, status::StatusCode},
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    time::{Instant, timeout},
};
use tonic::{
    Request, Response, Status,
    transport::server::{Server, TcpIncoming},
};
use waypost_api::grpc::workflow::{GetInstanceRequest, ListDefinitionsRequest};
use waypost_engine::Settings;
use waypost_server::{
    Options,
    telemetry::{Collector, Export, Sampler, Traces},
};

use crate::{
    grpc::talk::{Client, endpoint},
    world::{World, world_with},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const SAMPLER: &str = "/api/admin/trace-sampler";

/// Keeps what it is sent.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<ResourceSpans>>>);

#[tonic::async_trait]
impl TraceService for Kept {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap().extend(request.into_inner().resource_spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Kept {
    /// What has come since somebody looked last.
    fn take(&self) -> Vec<Span> {
        let kept = std::mem::take(&mut *self.0.lock().unwrap());
        for resource in kept.iter().filter_map(|it| it.resource.as_ref()) {
            let told = attributes(&resource.attributes);
            assert!(told.contains(r#"service.name="post office""#), "{told}");
        }
        kept.into_iter().flat_map(|it| it.scope_spans).flat_map(|it| it.spans).collect()
    }
}

/// A world whose traces go to that address.
async fn traced(address: SocketAddr) -> (World, Traces) {
    let collector: Collector = format!("http://{address}").parse().unwrap();
    let export = Export { collector, service: "post office".to_owned() };
    let traces = Traces::export(export, Sampler::default()).unwrap();
    let grpc = Some("127.0.0.1:0".parse().unwrap());
    let options = Options { grpc, traces: traces.clone(), ..Options::default() };
    (world_with(options, Settings::default()).await, traces)
}

/// The same, and who keeps them.
async fn collected() -> (World, Traces, Kept) {
    let (listener, kept) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Kept::default());
    let address = listener.local_addr().unwrap();
    let service = TraceServiceServer::new(kept.clone());
    let serving = Server::builder().add_service(service);
    drop(tokio::spawn(serving.serve_with_incoming(TcpIncoming::from(listener))));
    let (world, traces) = traced(address).await;
    (world, traces, kept)
}

async fn ask(world: &World, path: &str, flags: &str) -> u16 {
    let request = world.client.get(format!("http://{}{path}", world.address));
    let request = request.header("x-request-id", "r");
    let request = match flags {
        "" => request,
        flags => request.header("traceparent", format!("00-{TRACE}-{PARENT}-{flags}")),
    };
    let response = request.header("tracestate", "a=b").send().await.unwrap();
    assert!(response.headers().get("traceparent").is_none());
    response.status().as_u16()
}

fn attributes(all: &[KeyValue]) -> String {
    let shown = |it: &KeyValue| {
        let value = it.value.as_ref().and_then(|it| it.value.as_ref());
        if let Some(Any::StringValue(text)) = value {
            return format!("{}={text:?}", it.key);
        }
        let Some(Any::IntValue(number)) = value else { panic!("{} is {value:?}", it.key) };
        format!("{}={number}", it.key)
    };
    all.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// What is the same each time.
fn shown(spans: &[Span]) -> String {
    let hex = |it: &[u8]| it.iter().map(|it| format!("{it:02x}")).collect::<String>();
    let lines = spans.iter().map(|span| {
        assert_eq!(span.kind, SpanKind::Server as i32);
        assert!(span.end_time_unix_nano >= span.start_time_unix_nano);
        assert!(span.events.is_empty() && span.links.is_empty(), "{span:?}");
        let parent = match hex(&span.trace_id) == TRACE {
            true => format!("below {} {}", hex(&span.parent_span_id), span.trace_state),
            false => {
                assert!(span.parent_span_id.is_empty(), "{span:?}");
                "root".to_owned()
            }
        };
        let is_error = span.status.as_ref().is_some_and(|it| it.code == StatusCode::Error as i32);
        let error = if is_error { " error" } else { "" };
        format!("{} ({parent}){error}\n  {}\n", span.name, attributes(&span.attributes))
    });
    lines.collect()
}

#[tokio::test]
async fn requests_are_told_with_their_route_and_their_parent() {
    let (world, traces, kept) = collected().await;
    assert_eq!(ask(&world, "/v1/chains/instances/secret-1?token=secret-2", "01").await, 404);
    assert_eq!(ask(&world, "/v1/chains/definitions", "").await, 200);
    assert_eq!(ask(&world, "/secret-3", "").await, 404);
    assert_eq!(ask(&world, "/api/clients", "").await, 501);
    let invented = world.send("SECRET".parse().unwrap(), "/v1/chains/definitions", "").await;
    assert_eq!(invented.status(), 405);
    for path in ["/healthz", "/livez", "/readyz", "/metrics", "/version", "/api/health"] {
        assert_eq!(ask(&world, path, "01").await, 200);
    }
    assert!(traces.flush().await);
    let told = shown(&kept.take());
    expect![[r#"
        GET /v1/chains/instances/{instanceId} (below 00f067aa0ba902b7 a=b)
          http.request.method="GET" http.route="/v1/chains/instances/{instanceId}" waypost.request_id="r" http.response.status_code=404
        GET /v1/chains/definitions (root)
          http.request.method="GET" http.route="/v1/chains/definitions" waypost.request_id="r" http.response.status_code=200
        GET (root)
          http.request.method="GET" waypost.request_id="r" http.response.status_code=404
        GET /api/clients (root) error
          http.request.method="GET" http.route="/api/clients" waypost.request_id="r" http.response.status_code=501 error.type="501"
        HTTP /v1/chains/definitions (root)
          http.request.method="_OTHER" http.route="/v1/chains/definitions" waypost.request_id="r" http.response.status_code=405
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn calls_are_told_with_their_method_and_their_parent() {
    let (world, traces, kept) = collected().await;
    let channel = endpoint(&world).connect().await.unwrap();
    let mut client = Client::new(channel.clone());
    let mut request = Request::new(ListDefinitionsRequest::default());
    let parent = format!("00-{TRACE}-{PARENT}-01");
    request.metadata_mut().insert("traceparent", parent.parse().unwrap());
    client.list_definitions(request).await.unwrap();
    let none = GetInstanceRequest { id: "none".to_owned() };
    client.get_instance(none).await.unwrap_err();
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel);
    health.check(tonic_health::pb::HealthCheckRequest::default()).await.unwrap();
    assert!(traces.flush().await);
    expect![[r#"
        workflow.v1.WorkflowEngine/ListDefinitions (below 00f067aa0ba902b7 )
          rpc.system="grpc" rpc.service="workflow.v1.WorkflowEngine" rpc.method="ListDefinitions" rpc.grpc.status_code=0
        workflow.v1.WorkflowEngine/GetInstance (root)
          rpc.system="grpc" rpc.service="workflow.v1.WorkflowEngine" rpc.method="GetInstance" rpc.grpc.status_code=5
    "#]].assert_eq(&shown(&kept.take()));
}

#[tokio::test]
async fn administrators_choose_what_is_told() {
    let (world, traces, kept) = collected().await;
    let names = async || {
        assert!(traces.flush().await);
        let spans = kept.take();
        let is_choosing = |it: &&Span| it.name.ends_with(SAMPLER);
        spans.iter().filter(|it| !is_choosing(it)).map(|it| it.name.clone()).collect::<Vec<_>>()
    };
    let choose = async |body: Value| {
        let answer = world.post(SAMPLER, &body.to_string()).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.json::<Value>().await.unwrap(), body);
        // What was chosen is what is shown.
        assert_eq!(world.get(SAMPLER).await.json::<Value>().await.unwrap(), body);
    };
    let (plain, sampled, other) = ("/v1/chains/definitions", "/v1/definitions", "/v1/overview");
    let all = async || {
        for (path, flags) in [(plain, ""), (sampled, "01"), (other, "00")] {
            assert_eq!(ask(&world, path, flags).await, 200);
        }
        names().await
    };
    let of = |paths: &[&str]| paths.iter().map(|it| format!("GET {it}")).collect::<Vec<_>>();
    assert_eq!(all().await, of(&[plain, sampled]));
    choose(json!({ "sampler": "never", "parent_based": true })).await;
    assert_eq!(all().await, of(&[sampled]));
    choose(json!({ "sampler": "never", "parent_based": false })).await;
    assert_eq!(all().await, of(&[]));
    choose(json!({ "sampler": "ratio", "ratio": 1.0, "parent_based": false })).await;
    assert_eq!(all().await, of(&[plain, sampled, other]));
    // The share goes by the name of the trace: `TRACE` is too high for this one.
    choose(json!({ "sampler": "ratio", "ratio": 0.000_001, "parent_based": false })).await;
    assert_eq!(ask(&world, sampled, "01").await, 200);
    assert_eq!(names().await, of(&[]));
}

#[tokio::test]
async fn what_is_left_is_sent_when_the_server_stops() {
    let (world, _traces, kept) = collected().await;
    assert_eq!(ask(&world, "/v1/chains/definitions", "").await, 200);
    world.stop.cancel();
    world.running.await.unwrap().unwrap();
    assert_eq!(kept.take().len(), 1);
}

/// Nobody listens at one address, and nobody answers at the other.
#[tokio::test]
async fn a_collector_that_is_not_there_is_in_nobodys_way() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for address in [gone, silent.local_addr().unwrap()] {
        let (world, traces) = traced(address).await;
        // More than are sent at a time.
        let began_at = Instant::now();
        for _ in 0..600 {
            assert_eq!(ask(&world, "/v1/chains/definitions", "").await, 200);
        }
        assert!(began_at.elapsed() < Duration::from_secs(30), "{address}");
        traces.flush().await;
        assert_eq!(ask(&world, "/v1/chains/definitions", "").await, 200);
        world.stop.cancel();
        let stopped = timeout(Duration::from_secs(10), world.running).await;
        stopped.unwrap().unwrap().unwrap();
    }
}
