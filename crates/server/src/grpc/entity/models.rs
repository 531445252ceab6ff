//! Models: learned from samples, shown, locked, deleted.

use waypost_api::{
    Document,
    entity::operation::{
        EntityModelDeleteRequest, EntityModelDeleteResponse, EntityModelExportRequest,
        EntityModelExportResponse, EntityModelGetAllRequest, EntityModelGetAllResponse,
        EntityModelImportRequest, EntityModelImportResponse, EntityModelTransitionRequest,
        EntityModelTransitionResponse, ExportConverter, ImportConverter, ModelSummary,
        ModelTransition,
    },
};
use waypost_engine::entity::{Entities, ModelView, View, model_id};
use waypost_machines::entity::model::Lock;

use super::{
    envelope::{Done, No},
    parts::{document, model},
};
use crate::http::entity::problem::Failure;

/// Learns from a sample; makes the model if there is none.
pub(super) async fn import(
    entities: Entities,
    request: EntityModelImportRequest,
) -> Result<Done<EntityModelImportResponse>, No> {
    let which = model(request.model);
    match request.converter {
        ImportConverter::SampleData => {
            let sample = document(&request.payload, request.data_format)?;
            let model_id = entities.import_sample(&which, &sample).await?;
            Ok(EntityModelImportResponse { model_id }.into())
        }
        ImportConverter::SimpleView => {
            let text = "unsupported import converter \"SIMPLE_VIEW\"; use SAMPLE_DATA";
            Err(Failure::bad_request(text).into())
        }
    }
}

/// The schema of a model.
pub(super) async fn export(
    entities: Entities,
    request: EntityModelExportRequest,
) -> Result<Done<EntityModelExportResponse>, No> {
    let which = model(request.model.clone());
    let view = match request.converter {
        ExportConverter::JsonSchema => View::JsonSchema,
        ExportConverter::SimpleView => View::Simple,
    };
    let text = entities.export_model(&which, view).await?;
    let payload = Document::parse(&text).map_err(|it| Failure::defect(it.to_string()))?;
    let model_id = model_id(&which);
    Ok(EntityModelExportResponse { model_id, model: request.model, payload }.into())
}

/// Locks or unlocks a model.
pub(super) async fn take(
    entities: Entities,
    request: EntityModelTransitionRequest,
) -> Result<Done<EntityModelTransitionResponse>, No> {
    let which = model(request.model);
    let state = match request.transition {
        ModelTransition::Lock => {
            entities.lock(&which).await?;
            Lock::Locked
        }
        ModelTransition::Unlock => {
            entities.unlock(&which).await?;
            Lock::Unlocked
        }
    };
    let (model_id, state) = (model_id(&which), Some(state.name()));
    Ok(EntityModelTransitionResponse { model_id, state }.into())
}

/// Deletes a model and its workflows.
pub(super) async fn delete(
    entities: Entities,
    request: EntityModelDeleteRequest,
) -> Result<Done<EntityModelDeleteResponse>, No> {
    entities.delete_model(&model(request.model)).await?;
    Ok(EntityModelDeleteResponse {}.into())
}

/// All models of the tenant.
pub(super) async fn list(
    entities: Entities,
    _: EntityModelGetAllRequest,
) -> Result<Done<EntityModelGetAllResponse>, No> {
    let summary = |it: ModelView| ModelSummary {
        id: it.id,
        name: it.which.name,
        version: it.which.version,
        state: it.lock.name(),
    };
    let models = entities.models().await?.into_iter().map(summary).collect();
    Ok(EntityModelGetAllResponse { models }.into())
}
