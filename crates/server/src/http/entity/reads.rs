//! Entities as they are and as they were, what happened to them, and what they could do next.

use axum::response::Response;
use waypost_api::entity::http::{Change, Envelope};
use waypost_engine::{
    entity::{ChangeView, When},
    limits::ENTITIES_MAX,
};
use waypost_kernel::DefinitionRef;

use super::{
    answer::json,
    asker::Asker,
    convert::{change_type, envelope, single, time},
    params::{Asked, InPath, bad, id, model_version},
    problem::Failure,
};

/// Entities of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 20;

/// An entity, as it is or as it was.
#[utoipa::path(
    get, path = "/api/entity/{idOrFormat}", tag = "Entities",
    params(
        ("idOrFormat" = String, Path, description = "The entity's id"),
        ("pointInTime" = Option<String>, Query, description = "As it was then"),
        ("transactionId" = Option<String>, Query, description = "As that transaction left it"),
        ("version" = Option<u64>, Query, description = "As that version of it was"),
    ),
    responses(
        (status = 200, description = "The entity", body = Envelope<'_>),
        (status = 404, description = "No such entity, or not then: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn show(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let id = path.id("idOrFormat")?;
    json(&single(&entities.read(&id, &asked.when()?).await?))
}

/// The entities of a model, by id.
#[utoipa::path(
    get, path = "/api/entity/{nameOrFormat}/{versionOrId}", tag = "Entities",
    params(
        ("nameOrFormat" = String, Path, description = "The model's name"),
        ("versionOrId" = i32, Path, description = "The model's version"),
        ("pageSize" = Option<u32>, Query, description = "How many; 20 unless given, at most 10000"),
        ("pageNumber" = Option<u32>, Query, description = "Which page, counted from 0"),
        ("pointInTime" = Option<String>, Query, description = "As they were then"),
    ),
    responses(
        (status = 200, description = "One page", body = [Envelope<'_>]),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn list(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let model = path.model_in("nameOrFormat", "versionOrId")?;
    let size = asked.number("pageSize", PAGE_SIZE, 1..=ENTITIES_MAX)?;
    let number = asked.number("pageNumber", 0, 0..=u32::MAX)?;
    let at = asked.time("pointInTime")?;
    let found = entities.list(&model, (number.saturating_mul(size), size), at).await?;
    json(&found.iter().map(envelope).collect::<Vec<_>>())
}

/// What was done to an entity, newest first; at most 1000 changes.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/changes", tag = "Entities",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("pointInTime" = Option<String>, Query, description = "Until then"),
    ),
    responses(
        (status = 200, description = "Its changes", body = [Change]),
        (status = 404, description = "It has never existed: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn changes(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let id = path.id("entityId")?;
    let change = |it: ChangeView| Change {
        change_type: change_type(it.kind),
        time_of_change: time(it.at),
        user: it.user,
        transaction_id: it.transaction,
    };
    let changes = entities.changes(&id, asked.time("pointInTime")?).await?;
    json(&changes.into_iter().map(change).collect::<Vec<_>>())
}

/// The transitions an entity can be taken through from the state it is in, or was in.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/transitions", tag = "Entities",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("pointInTime" = Option<String>, Query, description = "As of then"),
        ("transactionId" = Option<String>, Query, description = "As of when that one landed"),
    ),
    responses(
        (status = 200, description = "Their names", body = [String]),
        (status = 404, description = "No such entity: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn transitions(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let id = path.id("entityId")?;
    json(&entities.transitions(&id, None, &asked.when()?).await?)
}

/// The transitions an entity of a model can be taken through.
#[utoipa::path(
    get, path = "/api/platform-api/entity/fetch/transitions", tag = "Entities",
    params(
        ("entityClass" = String, Query, description = "The model: name, dot, version"),
        ("entityId" = String, Query, description = "The entity's id"),
    ),
    responses(
        (status = 200, description = "Their names", body = [String]),
        (status = 404, description = "No such entity of that model: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn transitions_of(
    Asker(entities): Asker,
    asked: Asked,
) -> Result<Response, Failure> {
    let missing = |name: &str| Failure::bad_request(format!("{name} is required"));
    let class = asked.text("entityClass").ok_or_else(|| missing("entityClass"))?;
    let text = asked.text("entityId").ok_or_else(|| missing("entityId"))?;
    let malformed = || bad("entityClass", "must be a name, a dot and a version", class);
    let (name, version) = class.rsplit_once('.').ok_or_else(malformed)?;
    let version = model_version(version).map_err(|_| malformed())?;
    if name.is_empty() {
        return Err(malformed());
    }
    let model = DefinitionRef { name: name.to_owned(), version };
    let id = id("entityId", text)?.into();
    json(&entities.transitions(&id, Some(&model), &When::Now).await?)
}
