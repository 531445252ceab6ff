//! Models: learned from samples, locked, extended, deleted.

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use waypost_api::entity::http::{Indexes, ModelAction, ModelSummary};
use waypost_engine::entity::{Fault, Refusal, View, model_id};
use waypost_kernel::DefinitionRef;
use waypost_machines::entity::model::Lock;

use super::{
    answer::json,
    asker::Asker,
    body::Text,
    convert::{model_key, time},
    params::InPath,
    problem::Failure,
};

/// All models of the tenant. The slash at the end may be left out.
#[utoipa::path(
    get, path = "/api/model/", tag = "Entity models",
    responses((status = 200, description = "By name and version", body = [ModelSummary])),
)]
pub(in crate::http) async fn list(Asker(entities): Asker) -> Result<Response, Failure> {
    let summary = |it: waypost_engine::entity::ModelView| ModelSummary {
        id: it.id,
        model_name: it.which.name,
        model_version: it.which.version,
        current_state: it.lock.name().to_owned(),
        model_update_date: time(it.imported_at),
    };
    let models: Vec<_> = entities.models().await?.into_iter().map(summary).collect();
    json(&models)
}

/// Learns from a sample; makes the model if there is none.
#[utoipa::path(
    post, path = "/api/model/import/{dataFormat}/{converter}/{entityName}/{modelVersion}",
    tag = "Entity models",
    params(
        ("dataFormat" = String, Path, description = "JSON or XML"),
        ("converter" = String, Path, description = "SAMPLE_DATA"),
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    request_body(content = Object, description = "A sample"),
    responses(
        (status = 200, description = "The model's id", body = String),
        (status = 409, description = "The model is locked: MODEL_ALREADY_LOCKED"),
    ),
)]
pub(in crate::http) async fn import(
    Asker(entities): Asker,
    path: InPath,
    text: Text,
) -> Result<Response, Failure> {
    let which = path.model()?;
    let converter = path.text("converter");
    if converter != "SAMPLE_DATA" {
        let shown: String = converter.chars().take(100).collect();
        let text = format!("unsupported import converter {shown:?}; use SAMPLE_DATA");
        return Err(Failure::bad_request(text));
    }
    match text.sample(path.text("dataFormat")) {
        Ok(sample) => json(&entities.import_sample(&which, &sample).await?),
        // That the model is locked comes first.
        Err(_) if matches!(entities.model_lock(&which).await, Ok(Lock::Locked)) => {
            Err(Fault::from(Refusal::model_locked(&which)).into())
        }
        Err(failure) => Err(failure),
    }
}

/// The schema of a model.
#[utoipa::path(
    get, path = "/api/model/export/{converter}/{entityName}/{modelVersion}", tag = "Entity models",
    params(
        ("converter" = String, Path, description = "JSON_SCHEMA or SIMPLE_VIEW"),
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses(
        (status = 200, description = "Where the model stands, and its schema", body = Object),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn export(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let which = path.model()?;
    let view = match path.text("converter") {
        "JSON_SCHEMA" => View::JsonSchema,
        "SIMPLE_VIEW" => View::Simple,
        other => {
            entities.model_lock(&which).await?;
            let shown: String = other.chars().take(100).collect();
            let text =
                format!("unsupported export converter {shown:?}; use JSON_SCHEMA or SIMPLE_VIEW");
            return Err(Failure::bad_request(text));
        }
    };
    let text = entities.export_model(&which, view).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Whether a document fits a model, wherever the model stands.
#[utoipa::path(
    post, path = "/api/model/validate/{entityName}/{modelVersion}", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    request_body(content = Object, description = "A document"),
    responses(
        (status = 200, description = "Whether it fits, and why not", body = ModelAction),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn validate(
    Asker(entities): Asker,
    path: InPath,
    text: Text,
) -> Result<Response, Failure> {
    let which = path.model()?;
    let document = match text.document("JSON") {
        Ok(document) => document,
        Err(failure) => {
            entities.model_lock(&which).await?;
            return Err(failure);
        }
    };
    match entities.validate(&which, &document).await? {
        None => json(&action(&which, "Validation passed".to_owned())),
        Some(problems) => {
            let message = format!("Validation failed: {problems}");
            json(&ModelAction { success: false, ..action(&which, message) })
        }
    }
}

/// From now on entities may be written, and no samples imported.
#[utoipa::path(
    put, path = "/api/model/{entityName}/{modelVersion}/lock", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses(
        (status = 200, description = "It is locked", body = ModelAction),
        (status = 409, description = "It was already: MODEL_ALREADY_LOCKED"),
    ),
)]
pub(in crate::http) async fn lock(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let which = path.model()?;
    entities.lock(&which).await?;
    json(&action(&which, format!("Model {}:{} locked", which.name, which.version)))
}

/// From now on samples may be imported, and no entities written.
#[utoipa::path(
    put, path = "/api/model/{entityName}/{modelVersion}/unlock", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses(
        (status = 200, description = "It is unlocked", body = ModelAction),
        (status = 409,
            description = "It was already, or has entities: MODEL_ALREADY_UNLOCKED, MODEL_HAS_ENTITIES"),
    ),
)]
pub(in crate::http) async fn unlock(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let which = path.model()?;
    entities.unlock(&which).await?;
    json(&action(&which, format!("Model {}:{} unlocked", which.name, which.version)))
}

/// How far writes may extend the model from now on.
#[utoipa::path(
    post, path = "/api/model/{entityName}/{modelVersion}/changeLevel/{changeLevel}",
    tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("changeLevel" = String, Path,
            description = "ARRAY_LENGTH, ARRAY_ELEMENTS, TYPE or STRUCTURAL"),
    ),
    responses(
        (status = 200, description = "So far", body = ModelAction),
        (status = 400, description = "No such level: INVALID_CHANGE_LEVEL"),
    ),
)]
pub(in crate::http) async fn level(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let (which, level) = (path.model()?, path.text("changeLevel"));
    entities.set_change_level(&which, level).await?;
    let message = format!("model {}:{} now at change level {level}", which.name, which.version);
    json(&action(&which, message))
}

/// Deletes a model and its workflows. It must be unlocked, and without entities.
#[utoipa::path(
    delete, path = "/api/model/{entityName}/{modelVersion}", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses(
        (status = 200, description = "It is gone", body = ModelAction),
        (status = 409, description = "It is locked, or has entities"),
    ),
)]
pub(in crate::http) async fn delete(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let which = path.model()?;
    entities.delete_model(&which).await?;
    json(&action(&which, format!("model {}:{} deleted", which.name, which.version)))
}

/// The paths that entities of the model can be looked up by.
#[utoipa::path(
    get, path = "/api/model/{entityName}/{modelVersion}/indexes", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses((status = 200, description = "As they were declared", body = Indexes)),
)]
pub(in crate::http) async fn indexes(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    json(&Indexes { paths: entities.indexes(&path.model()?).await? })
}

/// Declares the paths that entities of the model can be looked up by. It must be unlocked.
#[utoipa::path(
    put, path = "/api/model/{entityName}/{modelVersion}/indexes", tag = "Entity models",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    request_body = Indexes,
    responses(
        (status = 200, description = "They are declared", body = Indexes),
        (status = 409, description = "The model is locked: MODEL_ALREADY_LOCKED"),
    ),
)]
pub(in crate::http) async fn declare_indexes(
    Asker(entities): Asker,
    path: InPath,
    text: Text,
) -> Result<Response, Failure> {
    let indexes: Indexes = text.parse()?;
    entities.declare_indexes(&path.model()?, &indexes.paths).await?;
    json(&indexes)
}

fn action(which: &DefinitionRef, message: String) -> ModelAction {
    let (model_id, model_key) = (model_id(which), model_key(which));
    ModelAction { success: true, message, model_id, model_key }
}
