//! The port of its own that gRPC has.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Server;
use waypost_api::grpc::{
    DESCRIPTORS, cyoda::cloud_events_service_server::CloudEventsServiceServer,
    instances::instances_server::InstancesServer,
    workflow::workflow_engine_server::WorkflowEngineServer,
};

use super::{
    door::Door,
    entity::{self, Entities},
    incoming::connections,
    instances::Faces,
    meter::Meter,
    process::Service,
};
use crate::{compute, http::App, options::ServerError};

/// How often a silent connection is asked whether it is still there, and how long it may take.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// Requests under way on one connection.
const REQUESTS_MAX: u32 = 256;

/// Takes the address.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, ServerError> {
    crate::server::listen(address, "--grpc")
}

/// Serves until the app stops.
pub(crate) async fn serve(listener: TcpListener, app: Arc<App>, stop: CancellationToken) {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_serving::<WorkflowEngineServer<Service>>().await;
    reporter.set_serving::<InstancesServer<Faces>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    // Older tools know only the older of the two.
    let (reflection, older) = match (reflection().build_v1(), reflection().build_v1alpha()) {
        (Ok(reflection), Ok(older)) => (reflection, older),
        (Err(error), _) | (_, Err(error)) => {
            tracing::error!(%error, "gRPC cannot describe itself");
            return;
        }
    };
    let entities = entity::serving(&app);
    if entities.is_some() {
        reporter.set_serving::<CloudEventsServiceServer<compute::Service<Entities>>>().await;
    }
    let (body_max, meter) = (app.limits.body_max, Meter(Arc::clone(&app)));
    let connections_max = app.limits.grpc_connections_max;
    let door = Door(Arc::clone(&app));
    let faces = InstancesServer::new(Faces(Arc::clone(&app))).max_decoding_message_size(body_max);
    let service = WorkflowEngineServer::new(Service::new(app))
        .max_decoding_message_size(body_max)
        .max_encoding_message_size(usize::MAX);
    let (every, patience) = KEEP_ALIVE;
    let served = Server::builder()
        .layer(meter)
        .layer(door)
        .http2_keepalive_interval(Some(every))
        .http2_keepalive_timeout(Some(patience))
        .concurrency_limit_per_connection(REQUESTS_MAX as usize)
        .max_concurrent_streams(Some(REQUESTS_MAX))
        .add_service(health)
        .add_service(reflection)
        .add_service(older)
        .add_service(service)
        .add_service(faces)
        .add_optional_service(entities)
        .serve_with_incoming_shutdown(
            connections(listener, connections_max),
            stop.cancelled_owned(),
        )
        .await;
    if let Err(error) = served {
        tracing::error!(%error, "gRPC has stopped");
    }
}
