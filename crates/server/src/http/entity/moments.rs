//! Why an entity is in the state it is in, and what is different between two of its moments.

use axum::response::Response;
use waypost_api::{
    explain::{Difference, Explanation},
    what_if::Tried,
};
use waypost_engine::entity::When;

use super::{
    answer::json,
    asker::Asker,
    body::Text,
    convert::single,
    params::{Asked, InPath},
    problem::Failure,
};
use crate::http::{
    explain::{different, explanation},
    what_if::tried,
};

/// Why an entity is in the state it is in: which conditions hold it there, who is missing, and
/// where it can go.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/explain", tag = "Entities",
    params(("entityId" = String, Path, description = "The entity's id")),
    responses(
        (status = 200, description = "Why", body = Explanation),
        (status = 404, description = "No such entity: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn explain(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    json(&explanation(entities.explain(&path.id("entityId")?).await?))
}

/// Forks an entity in memory, does to it what is said while compute members do what is said, and
/// tells what would become of it.
#[utoipa::path(
    post, path = "/api/entity/{entityId}/what-if", tag = "Entities",
    params(("entityId" = String, Path, description = "The entity's id")),
    request_body(content = Object, description = "processors, criteria, do, expect: as in a scenario"),
    responses(
        (status = 200, description = "What would become of it", body = Tried),
        (status = 404, description = "No such entity: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn what_if(
    Asker(entities): Asker,
    path: InPath,
    text: Text,
) -> Result<Response, Failure> {
    let id = path.id("entityId")?;
    json(&tried(entities.what_if(&id, text.parse()?).await?))
}

/// What is different between two moments of an entity.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/diff", tag = "Entities",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("from" = String, Query,
            description = "The earlier moment: a version, an RFC 3339 time, or a day"),
        ("to" = Option<String>, Query, description = "The later moment; as it is unless given"),
    ),
    responses(
        (status = 200, description = "Place by place", body = Difference),
        (status = 404, description = "No such entity, or not then: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn diff(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let id = path.id("entityId")?;
    let from = asked.moment("from")?.ok_or_else(|| Failure::bad_request("from is required"))?;
    let to = asked.moment("to")?.unwrap_or(When::Now);
    let before = entities.read(&id, &from).await?;
    let after = entities.read(&id, &to).await?;
    let found = different((before.version.0, &single(&before)), (after.version.0, &single(&after)));
    json(&found.map_err(|it| Failure::defect(it.detail().to_owned()))?)
}
