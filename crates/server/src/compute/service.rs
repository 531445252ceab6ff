//! The service of entities, `org.cyoda.cloud.api.grpc.CloudEventsService`: who calls, and whether
//! they may be members. What its other methods do is for [`Operations`] to say.

use std::{pin::Pin, sync::Arc};

use futures_util::Stream;
use tonic::{Request, Response, Status, Streaming, async_trait, metadata::MetadataMap};
use waypost_api::grpc::{
    cloudevents::CloudEvent,
    cyoda::cloud_events_service_server::{CloudEventsService, CloudEventsServiceServer},
};
use waypost_engine::entity::Caller;

use super::{members::Members, question::ROLE_PROGRAM, stream};

/// Events that follow one another.
pub type Events = Pin<Box<dyn Stream<Item = Result<CloudEvent, Status>> + Send>>;

/// Says who calls.
#[async_trait]
pub trait Identify: Send + Sync + 'static {
    /// Who calls, by what comes with the call.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when it is not known.
    async fn identify(&self, metadata: &MetadataMap) -> Result<Caller, Status>;
}

#[async_trait]
impl<F> Identify for F
where
    F: Fn(&MetadataMap) -> Result<Caller, Status> + Send + Sync + 'static,
{
    async fn identify(&self, metadata: &MetadataMap) -> Result<Caller, Status> {
        self(metadata)
    }
}

/// What callers can do with models and entities. Who they are is settled before.
#[async_trait]
pub trait Operations: Send + Sync + 'static {
    /// Changes and shows models.
    async fn entity_model_manage(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status>;

    /// Changes one entity.
    async fn entity_manage(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status>;

    /// Changes several entities.
    async fn entity_manage_collection(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<Events, Status>;

    /// Shows one entity, or begins, shows and cancels a search.
    async fn entity_search(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status>;

    /// Shows several entities, or figures about them.
    async fn entity_search_collection(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<Events, Status>;
}

/// Answers for entities.
pub struct Service<O> {
    members: Members,
    identify: Arc<dyn Identify>,
    operations: O,
}

/// The service, ready to be served.
pub fn service<O: Operations>(
    members: Members,
    identify: Arc<dyn Identify>,
    operations: O,
) -> CloudEventsServiceServer<Service<O>> {
    let message_max = members.0.options.limits.message_max;
    CloudEventsServiceServer::new(Service { members, identify, operations })
        .max_decoding_message_size(message_max)
        .max_encoding_message_size(usize::MAX)
}

#[async_trait]
impl<O: Operations> CloudEventsService for Service<O> {
    type startStreamingStream = Events;
    type entityManageCollectionStream = Events;
    type entitySearchCollectionStream = Events;

    /// Answered at once: some clients send nothing before they have heard something.
    async fn start_streaming(
        &self,
        request: Request<Streaming<CloudEvent>>,
    ) -> Result<Response<Events>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        if !caller.roles.iter().any(|it| it == ROLE_PROGRAM) {
            let text = format!("compute members need the role {ROLE_PROGRAM}");
            return Err(Status::permission_denied(text));
        }
        let sent = stream::serve(self.members.clone(), caller, request.into_inner());
        Ok(Response::new(Box::pin(sent)))
    }

    async fn entity_model_manage(
        &self,
        request: Request<CloudEvent>,
    ) -> Result<Response<CloudEvent>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        self.operations.entity_model_manage(caller, request).await.map(Response::new)
    }

    async fn entity_manage(
        &self,
        request: Request<CloudEvent>,
    ) -> Result<Response<CloudEvent>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        self.operations.entity_manage(caller, request).await.map(Response::new)
    }

    async fn entity_manage_collection(
        &self,
        request: Request<CloudEvent>,
    ) -> Result<Response<Events>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        self.operations.entity_manage_collection(caller, request).await.map(Response::new)
    }

    async fn entity_search(
        &self,
        request: Request<CloudEvent>,
    ) -> Result<Response<CloudEvent>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        self.operations.entity_search(caller, request).await.map(Response::new)
    }

    async fn entity_search_collection(
        &self,
        request: Request<CloudEvent>,
    ) -> Result<Response<Events>, Status> {
        let caller = self.identify.identify(request.metadata()).await?;
        self.operations.entity_search_collection(caller, request).await.map(Response::new)
    }
}
