//! Definitions of chains.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use waypost_api::{
    Page,
    chain::{Definition, DeployedDefinition, PageQuery},
};
use waypost_engine::limits::OFFSET_MAX;
use waypost_lint::{DefinitionKind, Surroundings};

use super::convert;
use crate::http::{
    app::App,
    body::JsonText,
    lint::{self, Deployment},
    params::{InPath, Params, check_name, page_size},
    problem::Refusal,
};

/// Deploys a definition. The same one again changes nothing.
#[utoipa::path(
    post, path = "/v1/chains/definitions", tag = "Definitions", params(Deployment),
    request_body = Definition,
    responses(
        (status = 201, description = "Deployed", body = DeployedDefinition),
        (status = 200, description = "It was there before", body = DeployedDefinition),
        (status = 409, description = "That type and version has other steps: DEFINITION_CONFLICT"),
        (status = 422, description = "It breaks a rule: DEFINITION_INVALID; or is deployed strictly, \
            and lint finds something: LINT_FOUND"),
    ),
)]
pub(in crate::http) async fn deploy(
    State(app): State<Arc<App>>,
    Params(Deployment { strict }): Params<Deployment>,
    JsonText(body, text): JsonText<Definition>,
) -> Result<(StatusCode, HeaderMap, Json<DeployedDefinition>), Refusal> {
    let definition = (text.as_str(), DefinitionKind::Chain);
    let found = lint::before(definition, Surroundings::default(), strict).await?;
    let deployed = app.chains.deploy(convert::plan(body)).await?;
    let status = if deployed.existed { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, found, Json(convert::definition(&deployed.definition)?)))
}

/// Definitions by type, newest version first.
#[utoipa::path(
    get, path = "/v1/chains/definitions", tag = "Definitions", params(PageQuery),
    responses((status = 200, description = "One page", body = Page<DeployedDefinition>)),
)]
pub(in crate::http) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<PageQuery>,
) -> Result<Json<Page<DeployedDefinition>>, Refusal> {
    let (page, page_size) = (query.page.unwrap_or(0), page_size(query.page_size)?);
    // Beyond it lies nothing: nobody has that many definitions.
    let offset = page.saturating_mul(page_size).min(OFFSET_MAX);
    let found = app.chains.definitions(offset, page_size + 1).await?;
    let found = found.iter().map(convert::definition).collect::<Result<_, _>>()?;
    Ok(Json(convert::page(found, page, page_size)))
}

/// One definition.
#[utoipa::path(
    get, path = "/v1/chains/definitions/{workflowType}/{version}", tag = "Definitions",
    params(
        ("workflowType" = String, Path, description = "Its type"),
        ("version" = i32, Path, description = "Its version"),
    ),
    responses(
        (status = 200, description = "It", body = DeployedDefinition),
        (status = 404, description = "There is none: DEFINITION_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn show(
    State(app): State<Arc<App>>,
    InPath((workflow_type, version)): InPath<(String, i32)>,
) -> Result<Json<DeployedDefinition>, Refusal> {
    check_name("workflowType", &workflow_type)?;
    let definition = app.chains.definition(&workflow_type, Some(version)).await?;
    Ok(Json(convert::definition(&definition)?))
}
