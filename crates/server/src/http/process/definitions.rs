//! Uploading and reading definitions.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use waypost_api::{
    problem::EdgeCode,
    process::{DefinitionPage, Uploaded},
};
use waypost_engine::process::Source;
use waypost_kernel::Definition;
use waypost_lint::{DefinitionKind, Surroundings};

use super::{body::Text, convert, params::Paging};
use crate::http::{
    app::App,
    lint::{self, Deployment},
    params::{InPath, Params},
    problem::Refusal,
};

/// Stores a definition as the next version of its id. The same content again keeps its version.
#[utoipa::path(
    post, path = "/v1/definitions", tag = "Process definitions", params(Deployment),
    request_body(content = Object, description = "The definition"),
    responses(
        (status = 201, description = "Stored, now or before", body = Uploaded,
            headers(("Waypost-Lint" = String, description = "What lint finds, if anything"))),
        (status = 400, description = "Everything that is wrong with it; with `strict` also what \
            lint finds: LINT_FOUND"),
        (status = 415, description = "It is XML"),
    ),
)]
pub(in crate::http) async fn upload(
    State(app): State<Arc<App>>,
    Params(Deployment { strict }): Params<Deployment>,
    text: Text,
) -> Result<(StatusCode, HeaderMap, Json<Uploaded>), Refusal> {
    let definition = (text.as_str()?, DefinitionKind::Process);
    let found = lint::before(definition, Surroundings::default(), strict).await?;
    let deployed = app.processes.deploy(text.as_str()?).await?;
    Ok((StatusCode::CREATED, found, Json(convert::uploaded(&deployed))))
}

/// What to list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct Wanted {
    /// Only those with this text in their id or name, whatever the case.
    #[serde(default)]
    keyword: String,
}

/// The latest version of each definition, by id.
#[utoipa::path(
    get, path = "/v1/definitions", tag = "Process definitions", params(Wanted, Paging),
    responses((status = 200, description = "One page", body = DefinitionPage)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(wanted): Params<Wanted>,
    Params(paging): Params<Paging>,
) -> Result<Json<DefinitionPage>, Refusal> {
    let (page, page_size) = (paging.page(), paging.size());
    let offset = paging.offset() as usize;
    let found = app.processes.definitions(&wanted.keyword, offset, page_size as usize).await?;
    let items = found.items.iter().map(convert::uploaded).collect();
    Ok(Json(DefinitionPage { items, total: found.total as u64, page, page_size }))
}

/// The latest version of a definition.
#[utoipa::path(
    get, path = "/v1/definitions/{id}", tag = "Process definitions",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The definition with its version", body = Object),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn latest(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
) -> Result<Json<Source>, Refusal> {
    shown(&app.processes.definition(&id, None).await?)
}

/// One version of a definition.
#[utoipa::path(
    get, path = "/v1/definitions/{id}/versions/{version}", tag = "Process definitions",
    params(
        ("id" = String, Path, description = "Its id"),
        ("version" = i32, Path, description = "Its version"),
    ),
    responses(
        (status = 200, description = "The definition with its version", body = Object),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn version(
    State(app): State<Arc<App>>,
    InPath((id, version)): InPath<(String, String)>,
) -> Result<Json<Source>, Refusal> {
    let version: i64 = version
        .parse()
        .map_err(|_| Refusal::new(EdgeCode::PathInvalid, "invalid version parameter"))?;
    // No definition has a version that is out of range.
    let version = i32::try_from(version).unwrap_or(0);
    shown(&app.processes.definition(&id, Some(version)).await?)
}

fn shown(definition: &Definition) -> Result<Json<Source>, Refusal> {
    let source = Source::parse(definition.body.as_str()).map_err(Refusal::defect)?;
    Ok(Json(Source { version: Some(definition.which.version.into()), ..source }))
}
