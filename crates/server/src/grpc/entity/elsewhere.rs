//! Calls that belong to a transaction of another node.

use tonic::{Request, Response, Status, Streaming};
use waypost_api::grpc::cloudevents::CloudEvent;

use super::TICKET;
use crate::{
    cluster::{Client, FORWARDED},
    compute::Events,
    http::App,
};

/// The answer of the node that has the transaction of the call, if that is another one. Otherwise
/// gives the call back: if it cannot be made there, it fails here as one that is in the wrong place.
pub(super) async fn elsewhere<T, F>(
    app: &App,
    request: Request<CloudEvent>,
    call: impl FnOnce(Client, Request<CloudEvent>) -> F,
) -> Result<Result<T, Status>, Request<CloudEvent>>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    let Some(cluster) = &app.cluster else { return Err(request) };
    let metadata = request.metadata();
    let ticket = metadata.get(TICKET).map(|it| it.as_encoded_bytes());
    let owner = cluster.owner_of(ticket, metadata.contains_key(FORWARDED)).await;
    let Some(owner) = owner else { return Err(request) };
    let event = request.get_ref().clone();
    let owner = match is_write(&event.r#type) {
        true => owner.writing(app.limits.write_timeout),
        false => owner,
    };
    match owner.call((TICKET, metadata), event, call).await {
        Some(answer) => Ok(answer),
        None => Err(request),
    }
}

/// Whether events of a type may wait for compute members.
fn is_write(kind: &str) -> bool {
    ["Create", "Update", "Transition", "Delete"].iter().any(|it| kind.contains(it))
}

/// The events as they come.
pub(super) fn streamed(events: Streaming<CloudEvent>) -> Events {
    Box::pin(events)
}
