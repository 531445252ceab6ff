//! Workflows: what entities of a model run by.

use axum::response::Response;
use waypost_api::entity::http::Imported;
use waypost_lint::DefinitionKind;

use super::{answer::json, asker::Asker, body::Text, params::InPath, problem::Failure};
use crate::http::lint;

/// Takes workflows in. The model need not exist yet.
#[utoipa::path(
    post, path = "/api/model/{entityName}/{modelVersion}/workflow/import", tag = "Entity workflows",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    request_body(content = Object,
        description = "`importMode` (MERGE, REPLACE or ACTIVATE) and `workflows`"),
    responses(
        (status = 200, description = "They are taken in", body = Imported),
        (status = 400, description = "They break rules, and nothing has changed: VALIDATION_FAILED"),
    ),
)]
pub(in crate::http) async fn import(
    Asker(entities): Asker,
    path: InPath,
    text: Text,
) -> Result<Response, Failure> {
    let which = path.model()?;
    entities.import_workflows(&which, &text.document("JSON")?).await?;
    let found = lint::told(text.as_str()?.to_owned(), DefinitionKind::Entity).await;
    let mut answer = json(&Imported { success: true })?;
    answer.headers_mut().extend(found);
    Ok(answer)
}

/// The workflows of a model.
#[utoipa::path(
    get, path = "/api/model/{entityName}/{modelVersion}/workflow/export", tag = "Entity workflows",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
    ),
    responses(
        (status = 200, description = "In their order", body = Object),
        (status = 404, description = "There are none: WORKFLOW_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn export(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let exported = entities.export_workflows(&path.model()?).await?;
    let text = waypost_api::Document::parse(&exported.to_string());
    json(&text.map_err(|it| Failure::defect(it.to_string()))?)
}
