//! Models and entities over gRPC: what the methods of `CloudEventsService` do besides
//! `startStreaming`, which is for compute members. The type of the event says what is asked.

mod caller;
mod elsewhere;
mod envelope;
mod figures;
mod found;
mod models;
mod parts;
mod searches;
mod writing;

use std::sync::Arc;

use tonic::{Request, Status, async_trait};
use waypost_api::grpc::{
    cloudevents::CloudEvent, cyoda::cloud_events_service_server::CloudEventsServiceServer,
};
use waypost_engine::entity::Caller;

use self::{
    elsewhere::{elsewhere, streamed},
    envelope::{Opened, open},
};
use super::door::full;
use crate::{
    auth::is_viewer,
    cluster::Client,
    compute::{Events, Members, Operations, Service, service},
    http::{App, LOOK_ONLY},
};

pub(super) use self::{caller::ByToken, envelope::TICKET};

/// The service, if compute members may join it.
pub(super) fn serving(app: &Arc<App>) -> Option<CloudEventsServiceServer<Service<Entities>>> {
    let by_token = Arc::new(ByToken(Arc::clone(app)));
    let serve = |members: Members| service(members, by_token, Entities(Arc::clone(app)));
    app.members.clone().map(serve)
}

/// What changes nothing.
const LOOKS: [&str; 12] = [
    "EntityModelExportRequest",
    "EntityModelGetAllRequest",
    "EntityGetRequest",
    "EntitySnapshotSearchRequest",
    "SnapshotGetStatusRequest",
    "SnapshotCancelRequest",
    "EntityGetAllRequest",
    "EntitySearchRequest",
    "SnapshotGetRequest",
    "EntityStatsGetRequest",
    "EntityStatsByStateGetRequest",
    "EntityChangesMetadataGetRequest",
];

/// Answers for models and entities.
pub(super) struct Entities(Arc<App>);

impl Entities {
    fn open(&self, caller: Caller, request: Request<CloudEvent>) -> Result<Opened, Status> {
        let may_only_look = is_viewer(&caller);
        let opened = open(&self.0, caller, request)?;
        match may_only_look && !LOOKS.contains(&opened.kind()) {
            true => Err(Status::permission_denied(LOOK_ONLY)),
            false => Ok(opened),
        }
    }
}

#[async_trait]
impl Operations for Entities {
    async fn entity_model_manage(
        &self,
        caller: Caller,
        mut request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status> {
        // Models are part of no transaction. Members may send the ticket with all they say.
        request.metadata_mut().remove(TICKET);
        let opened = self.open(caller, request)?;
        match opened.kind() {
            "EntityModelImportRequest" => opened.answer(models::import).await,
            "EntityModelExportRequest" => opened.answer(models::export).await,
            "EntityModelTransitionRequest" => opened.answer(models::take).await,
            "EntityModelDeleteRequest" => opened.answer(models::delete).await,
            "EntityModelGetAllRequest" => opened.answer(models::list).await,
            _ => Err(opened.unknown("entityModelManage")),
        }
    }

    async fn entity_manage(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status> {
        let there = |mut client: Client, it| async move { client.entity_manage(it).await };
        let request = match elsewhere(&self.0, request, there).await {
            Ok(answer) => return answer,
            Err(request) => request,
        };
        let opened = self.open(caller, request)?;
        match opened.kind() {
            "EntityCreateRequest" => opened.answer(writing::create).await,
            "EntityUpdateRequest" => opened.answer(writing::update).await,
            "EntityTransitionRequest" => opened.answer(writing::take).await,
            "EntityDeleteRequest" => opened.answer(writing::delete).await,
            _ => Err(opened.unknown("entityManage")),
        }
    }

    async fn entity_manage_collection(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<Events, Status> {
        let there =
            |mut client: Client, it| async move { client.entity_manage_collection(it).await };
        let request = match elsewhere(&self.0, request, there).await {
            Ok(answer) => return answer.map(streamed),
            Err(request) => request,
        };
        let opened = self.open(caller, request)?;
        match opened.kind() {
            "EntityCreateCollectionRequest" => opened.answer_once(writing::create_all).await,
            "EntityUpdateCollectionRequest" => opened.answer_once(writing::update_all).await,
            "EntityDeleteAllRequest" => opened.answer_once(writing::delete_all).await,
            _ => Err(opened.unknown("entityManageCollection")),
        }
    }

    async fn entity_search(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<CloudEvent, Status> {
        let there = |mut client: Client, it| async move { client.entity_search(it).await };
        let request = match elsewhere(&self.0, request, there).await {
            Ok(answer) => return answer,
            Err(request) => request,
        };
        let opened = self.open(caller, request)?;
        match opened.kind() {
            "EntityGetRequest" => opened.answer(found::show).await,
            "EntitySnapshotSearchRequest" => opened.answer(searches::begin).await,
            "SnapshotGetStatusRequest" => opened.answer(searches::status).await,
            "SnapshotCancelRequest" => opened.answer(searches::cancel).await,
            _ => Err(opened.unknown("entitySearch")),
        }
    }

    async fn entity_search_collection(
        &self,
        caller: Caller,
        request: Request<CloudEvent>,
    ) -> Result<Events, Status> {
        let there =
            |mut client: Client, it| async move { client.entity_search_collection(it).await };
        let request = match elsewhere(&self.0, request, there).await {
            Ok(answer) => return answer.map(streamed),
            Err(request) => request,
        };
        let opened = self.open(caller, request)?;
        match opened.kind() {
            "EntityGetAllRequest" => opened.answer_each(found::list).await,
            "EntitySearchRequest" => {
                // Who reads slowly stays for long, so there is another count for them.
                let place = self.0.admission.subscribe().map_err(|it| full(&it))?;
                opened.answer_each(|entities, it| found::search(entities, it, place)).await
            }
            "SnapshotGetRequest" => opened.answer_each(searches::page).await,
            "EntityStatsGetRequest" => opened.answer_each(figures::counts).await,
            "EntityStatsByStateGetRequest" => opened.answer_each(figures::state_counts).await,
            "EntityChangesMetadataGetRequest" => opened.answer_each(figures::changes).await,
            _ => Err(opened.unknown("entitySearchCollection")),
        }
    }
}
