//! Why an entity is in the state it is in, and what is different between two of its moments.

use axum::response::Response;
use waypost_api::explain::{Difference, Explanation};
use waypost_engine::entity::When;

use super::{
    answer::json,
    asker::Asker,
    convert::single,
    params::{Asked, InPath},
    problem::Failure,
};
use crate::http::explain::{different, explanation};

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

/// What is different between two moments of an entity.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/diff", tag = "Entities",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("from" = String, Query, description = "The earlier moment: an RFC 3339 time, or a day"),
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
    let from = asked.time("from")?.ok_or_else(|| Failure::bad_request("from is required"))?;
    let to = asked.time("to")?.map_or(When::Now, When::At);
    let before = entities.read(&id, &When::At(from)).await?;
    let after = entities.read(&id, &to).await?;
    let found = different((before.version.0, &single(&before)), (after.version.0, &single(&after)));
    json(&found.map_err(|it| Failure::defect(it.detail().to_owned()))?)
}
