//! Entities, one at a time: created, updated, taken through transitions, deleted.

use axum::{http::HeaderMap, response::Response};
use waypost_api::entity::http::{DeleteResult, Deleted, DeletedAll, Transaction};
use waypost_documents::document::Value;
use waypost_engine::entity::{Code, Entities, Fault, Item, Refusal, condition, model_id};
use waypost_kernel::{DefinitionRef, InstanceId};
use waypost_machines::entity::model::Lock;

use super::{
    answer::{json, warned},
    asker::Asker,
    body::{Text, json as document},
    collections,
    convert::{model_key, transaction},
    params::{Asked, InPath, if_match},
    problem::Failure,
};

/// Creates an entity, or one for each element of an array.
#[utoipa::path(
    post, path = "/api/entity/{format}/{nameOrId}/{versionOrTransition}", tag = "Entities",
    params(
        ("format" = String, Path, description = "JSON or XML"),
        ("nameOrId" = String, Path, description = "The model's name"),
        ("versionOrTransition" = i32, Path, description = "The model's version"),
        ("transactionWindow" = Option<u32>, Query,
            description = "How many elements one transaction takes; 100 unless given, at most 1000"),
    ),
    request_body(content = Object, description = "The entity's value"),
    responses(
        (status = 200, description = "What was written, one item for each transaction",
            body = [Transaction]),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
        (status = 409, description = "The model is not locked: MODEL_NOT_LOCKED"),
    ),
)]
pub(in crate::http) async fn create(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    let model = path.model_in("nameOrId", "versionOrTransition")?;
    match text.document(path.text("format")) {
        Ok(Value::List(values)) => {
            // Nothing is written of an empty list, and so nobody else asks for the model.
            if values.is_empty() {
                is_ready(&entities, &model).await?;
            }
            let item = |value| Item::Create { model: model.clone(), value };
            let items = values.into_iter().map(item).collect();
            collections::write(&entities, items, collections::window(&asked)?).await
        }
        Ok(value) => {
            let written = entities.write(&[Item::Create { model, value }]).await?;
            Ok(warned(json(&[transaction(&written)])?, &written.warnings))
        }
        // What is wrong with the model comes before what is wrong with the document.
        Err(failure) => Err(is_ready(&entities, &model).await.err().unwrap_or(failure)),
    }
}

/// Goes on only if there is such a model, and it takes entities.
pub(crate) async fn is_ready(entities: &Entities, model: &DefinitionRef) -> Result<(), Failure> {
    match entities.model_lock(model).await? {
        Lock::Locked => Ok(()),
        Lock::Unlocked => Err(Fault::from(Refusal::model_not_locked(model)).into()),
    }
}

/// Gives an entity another value. It goes on from the state it is in.
#[utoipa::path(
    put, path = "/api/entity/{nameOrFormat}/{versionOrId}", tag = "Entities",
    params(
        ("nameOrFormat" = String, Path, description = "JSON or XML"),
        ("versionOrId" = String, Path, description = "The entity's id"),
        ("If-Match" = Option<String>, Header,
            description = "The transaction that must have saved the entity last"),
    ),
    request_body(content = Object, description = "The entity's value, as a whole"),
    responses(
        (status = 200, description = "What was written", body = Transaction),
        (status = 404, description = "No such entity: ENTITY_NOT_FOUND"),
        (status = 412, description = "Another transaction has saved it: ENTITY_MODIFIED"),
    ),
)]
pub(in crate::http) async fn update(
    Asker(entities): Asker,
    path: InPath,
    headers: HeaderMap,
    text: Text,
) -> Result<Response, Failure> {
    let id = path.id("versionOrId")?;
    let value = text.document(path.text("nameOrFormat"))?;
    save(&entities, id, (value, None), &headers).await
}

/// Gives an entity another value and takes it through a transition.
#[utoipa::path(
    put, path = "/api/entity/{format}/{nameOrId}/{versionOrTransition}", tag = "Entities",
    params(
        ("format" = String, Path, description = "JSON or XML"),
        ("nameOrId" = String, Path, description = "The entity's id"),
        ("versionOrTransition" = String, Path, description = "The transition's name"),
        ("If-Match" = Option<String>, Header,
            description = "The transaction that must have saved the entity last"),
    ),
    request_body(content = Object, description = "The entity's value, as a whole"),
    responses(
        (status = 200, description = "What was written", body = Transaction),
        (status = 400, description = "Something stands in the way: WORKFLOW_FAILED"),
        (status = 404,
            description = "No such entity or transition: ENTITY_NOT_FOUND, TRANSITION_NOT_FOUND"),
        (status = 412, description = "Another transaction has saved it: ENTITY_MODIFIED"),
    ),
)]
pub(in crate::http) async fn take(
    Asker(entities): Asker,
    path: InPath,
    headers: HeaderMap,
    text: Text,
) -> Result<Response, Failure> {
    let id = path.id("nameOrId")?;
    let value = text.document(path.text("format"))?;
    let transition = path.text("versionOrTransition").to_owned();
    save(&entities, id, (value, Some(transition)), &headers).await
}

async fn save(
    entities: &Entities,
    id: InstanceId,
    (value, transition): (Value, Option<String>),
    headers: &HeaderMap,
) -> Result<Response, Failure> {
    let if_match = if_match(headers);
    let item = Item::Update { id, value: Some(value), transition, if_match };
    let written = entities.write(&[item]).await?;
    Ok(warned(json(&transaction(&written))?, &written.warnings))
}

/// Deletes an entity. Its past stays.
#[utoipa::path(
    delete, path = "/api/entity/{idOrFormat}", tag = "Entities",
    params(("idOrFormat" = String, Path, description = "The entity's id")),
    responses(
        (status = 200, description = "It is gone", body = Deleted),
        (status = 404, description = "No such entity: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn delete(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let id = path.id("idOrFormat")?;
    let mut written = entities.write(&[Item::Delete { id }]).await?;
    let touched = written.touched.pop();
    let touched = touched.ok_or_else(|| Failure::defect("nothing was deleted"))?;
    let (id, model_key) = (touched.id.as_str().to_owned(), model_key(&touched.model));
    json(&Deleted { id, model_key, transaction_id: written.transaction })
}

/// Deletes the entities of a model that match a condition, or all of them.
#[utoipa::path(
    delete, path = "/api/entity/{nameOrFormat}/{versionOrId}", tag = "Entities",
    params(
        ("nameOrFormat" = String, Path, description = "The model's name"),
        ("versionOrId" = i32, Path, description = "The model's version"),
        ("pointInTime" = Option<String>, Query, description = "Those that matched then"),
        ("verbose" = Option<bool>, Query, description = "Whether to tell which"),
    ),
    request_body(content = Option<Object>, description = "A condition; all entities without one"),
    responses(
        (status = 200, description = "They are gone", body = [DeletedAll]),
        (status = 400, description = "The condition cannot be read: INVALID_CONDITION"),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn delete_all(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    let model = path.model_in("nameOrFormat", "versionOrId")?;
    let (at, is_verbose) = (asked.time("pointInTime")?, asked.is_set("verbose")?);
    let predicate = match text.is_empty() {
        true => None,
        false => Some(condition(&document(text.as_str()?)?).map_err(malformed)?),
    };
    let ids = entities.delete_matching(&model, predicate, at).await?;
    let ids: Vec<_> = ids.iter().map(|it| it.as_str().to_owned()).collect();
    let delete_result = DeleteResult {
        number_of_entitites: ids.len(),
        number_of_entitites_removed: ids.len(),
        ..DeleteResult::default()
    };
    let entity_model_class_id = model_id(&model);
    json(&[DeletedAll { delete_result, entity_model_class_id, ids: is_verbose.then_some(ids) }])
}

/// Whoever deletes knows another name for a condition that cannot be read than whoever searches.
fn malformed(refusal: Refusal) -> Failure {
    let is_bad = refusal.code == Code::BadRequest;
    let code = if is_bad { Code::InvalidCondition } else { refusal.code };
    refused(Refusal { code, ..refusal })
}

pub(super) fn refused(refusal: Refusal) -> Failure {
    Fault::from(refusal).into()
}
