//! Workflows: what entities of a model run by.

use axum::response::Response;
use waypost_api::entity::http::Imported;
use waypost_engine::entity::Entities;
use waypost_kernel::DefinitionRef;
use waypost_lint::{DefinitionKind, Surroundings, asked_tags};

use super::{
    answer::json,
    asker::Asker,
    body::Text,
    door::dressed,
    params::{Asked, InPath},
    problem::Failure,
};
use crate::http::lint;

/// Takes workflows in. The model need not exist yet.
#[utoipa::path(
    post, path = "/api/model/{entityName}/{modelVersion}/workflow/import", tag = "Entity workflows",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("strict" = Option<bool>, Query,
            description = "`true`: takes nothing in if lint finds an error or a warning"),
    ),
    request_body(content = Object,
        description = "`importMode` (MERGE, REPLACE or ACTIVATE), `workflows` and `allowCycles`"),
    responses(
        (status = 200, description = "They are taken in", body = Imported),
        (status = 400, description = "They break rules, and nothing has changed: VALIDATION_FAILED"),
        (status = 422, description = "With `strict`, lint finds something: LINT_FOUND"),
    ),
)]
pub(in crate::http) async fn import(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    let (which, body) = (path.model()?, text.document("JSON")?);
    let known = surroundings(&entities, &which, text.as_str()?).await?;
    let found =
        lint::before((text.as_str()?, DefinitionKind::Entity), known, asked.is_set("strict")?)
            .await
            .map_err(|it| dressed(&it.problem, it.cause))?;
    entities.import_workflows(&which, &body).await?;
    let mut answer = json(&Imported { success: true })?;
    answer.headers_mut().extend(found);
    Ok(answer)
}

/// What is known beside the text: what the model has learned, and who is there to be asked.
async fn surroundings(
    entities: &Entities,
    which: &DefinitionRef,
    text: &str,
) -> Result<Surroundings, Failure> {
    let model = entities.learned(which).await?.map(|it| (*it).clone());
    Ok(Surroundings { model, served: entities.served(asked_tags(text)).await })
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
