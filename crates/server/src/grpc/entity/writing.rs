//! Entities as they are written: each request is one transaction, or part of one.

use tonic::Status;
use waypost_api::entity::{
    ModelKey,
    operation::{
        DataFormat, EntityChange, EntityCreateCollectionRequest, EntityCreateRequest,
        EntityDeleteAllRequest, EntityDeleteAllResponse, EntityDeleteRequest, EntityDeleteResponse,
        EntityTransactionResponse, EntityTransitionRequest, EntityTransitionResponse,
        EntityUpdateCollectionRequest, EntityUpdateRequest, NewEntity, TransactionFacts,
    },
};
use waypost_documents::document::Value;
use waypost_engine::entity::{Entities, Item, When, Written, model_id};

use super::{
    envelope::{Done, No},
    parts::{document, id, instant, model},
};
use crate::http::entity::{is_ready, placed, problem::Failure};

/// Creates an entity, or one for each element of an array.
pub(super) async fn create(
    entities: Entities,
    request: EntityCreateRequest,
) -> Result<Done<EntityTransactionResponse>, No> {
    let NewEntity { model: key, data } = request.payload;
    let model = model(key);
    let value = document(&data, request.data_format)?;
    let items = if let Value::List(values) = value {
        // Nothing is written of an empty list, and so nobody else asks for the model.
        if values.is_empty() {
            is_ready(&entities, &model).await?;
        }
        values.into_iter().map(|value| Item::Create { model: model.clone(), value }).collect()
    } else {
        vec![Item::Create { model, value }]
    };
    Ok(transaction(entities.write(&items).await?))
}

/// Gives an entity another value, and takes it through a transition if one is named.
pub(super) async fn update(
    entities: Entities,
    request: EntityUpdateRequest,
) -> Result<Done<EntityTransactionResponse>, No> {
    let item = changed(request.payload, request.data_format)?;
    Ok(transaction(entities.write(&[item]).await?))
}

/// Takes an entity through a transition as it is, and says where it can go from there.
pub(super) async fn take(
    entities: Entities,
    request: EntityTransitionRequest,
) -> Result<Done<EntityTransitionResponse>, No> {
    let id = id("entityId", &request.entity_id)?;
    let transition = Some(request.transition);
    let item = Item::Update { id: id.clone(), value: None, transition, if_match: None };
    let Written { warnings, .. } = entities.write(&[item]).await?;
    // Done is done: somebody may have deleted it since.
    let available_transitions = entities.transitions(&id, None, &When::Now).await.ok();
    let said = EntityTransitionResponse { available_transitions };
    Ok(Done { said, warnings, failure: None })
}

/// Deletes an entity.
pub(super) async fn delete(
    entities: Entities,
    request: EntityDeleteRequest,
) -> Result<Done<EntityDeleteResponse>, No> {
    let id = id("entityId", &request.entity_id)?;
    let mut written = entities.write(&[Item::Delete { id }]).await?;
    let touched = written.touched.pop();
    let touched = touched.ok_or_else(|| Failure::defect("nothing was deleted"))?;
    let said = EntityDeleteResponse {
        entity_id: touched.id.as_str().to_owned(),
        model: ModelKey { name: touched.model.name, version: touched.model.version },
        transaction_id: written.transaction,
    };
    Ok(said.into())
}

/// Creates entities of several models.
pub(super) async fn create_all(
    entities: Entities,
    request: EntityCreateCollectionRequest,
) -> Result<Done<EntityTransactionResponse>, No> {
    some(&request.payloads)?;
    let mut items = Vec::with_capacity(request.payloads.len());
    for (index, NewEntity { model: key, data }) in request.payloads.into_iter().enumerate() {
        let model = model(key);
        let value = document(&data, request.data_format).map_err(|it| at(it, index))?;
        items.push(Item::Create { model, value });
    }
    write(&entities, &items).await
}

/// Gives entities other values and takes them through transitions.
pub(super) async fn update_all(
    entities: Entities,
    request: EntityUpdateCollectionRequest,
) -> Result<Done<EntityTransactionResponse>, No> {
    some(&request.payloads)?;
    let mut items = Vec::with_capacity(request.payloads.len());
    for (index, change) in request.payloads.into_iter().enumerate() {
        items.push(changed(change, request.data_format).map_err(|it| at(it, index))?);
    }
    write(&entities, &items).await
}

/// Deletes all entities of a model.
pub(super) async fn delete_all(
    entities: Entities,
    request: EntityDeleteAllRequest,
) -> Result<Done<EntityDeleteAllResponse>, No> {
    let (which, until) = (model(request.model), instant(request.point_in_time.as_deref())?);
    let ids = entities.delete_matching(&which, None, until).await?;
    let num_deleted = ids.len();
    let is_verbose = request.verbose.unwrap_or(false);
    let told = ids.into_iter().filter(|_| is_verbose).map(|it| it.as_str().to_owned());
    let (entity_ids, model_id) = (told.collect(), model_id(&which));
    Ok(EntityDeleteAllResponse { entity_ids, model_id, num_deleted }.into())
}

/// Writes all items in one transaction.
async fn write(entities: &Entities, items: &[Item]) -> Result<Done<EntityTransactionResponse>, No> {
    let written = entities.write(items).await.map_err(|it| placed(it, 0, items.len()))?;
    Ok(transaction(written))
}

fn changed(change: EntityChange, format: DataFormat) -> Result<Item, No> {
    let EntityChange { entity_id, data, transition } = change;
    Ok(Item::Update {
        id: id("entityId", &entity_id)?,
        value: Some(document(&data, format)?),
        transition: transition.filter(|it| !it.is_empty()),
        if_match: None,
    })
}

fn transaction(written: Written) -> Done<EntityTransactionResponse> {
    let Written { transaction, touched, warnings } = written;
    let entity_ids = touched.iter().map(|it| it.id.as_str().to_owned()).collect();
    let transaction_info = TransactionFacts { transaction_id: Some(transaction), entity_ids };
    Done { said: EntityTransactionResponse { transaction_info }, warnings, failure: None }
}

fn some<T>(payloads: &[T]) -> Result<(), Status> {
    match payloads {
        [] => Err(Status::invalid_argument("payloads must not be empty")),
        [_, ..] => Ok(()),
    }
}

/// Says which item it is.
fn at(no: No, index: usize) -> No {
    match no {
        No::Failed(failure) => No::Failed(failure.at(&format!("item {index}"))),
        No::Malformed(status) => {
            No::Malformed(Status::invalid_argument(format!("item {index}: {}", status.message())))
        }
    }
}
