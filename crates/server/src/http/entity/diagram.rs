//! Pictures of workflows, and of where an entity is in its own.

use std::collections::BTreeMap;

use axum::response::Response;
use waypost_api::diagram::Diagram;
use waypost_diagram::{
    of,
    picture::{Mark, Picture},
};
use waypost_machines::entity::workflow::{Workflow, built_in, choose};

use super::{
    asker::Asker,
    params::{Asked, InPath, bad},
    problem::Failure,
};
use crate::http::{diagram::Drawing, problem::Refusal};

/// A workflow of a model as a picture.
#[utoipa::path(
    get, path = "/api/model/{entityName}/{modelVersion}/workflow/diagram.{format}",
    tag = "Entity workflows",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
        ("workflow" = Option<String>, Query,
            description = "Its name; the first that is active unless given"),
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 400, description = "There is no workflow of that name: BAD_REQUEST"),
        (status = 404, description = "The model has no workflows: WORKFLOW_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn of_workflow(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    drawing: Drawing,
) -> Result<Response, Failure> {
    let which = path.model()?;
    // Refused if it has none: whether there is such a model is nobody else's business.
    entities.export_workflows(&which).await?;
    let workflows = entities.workflows(&which).await?;
    let found = match asked.text("workflow") {
        Some(name) => {
            let found = workflows.iter().find(|it| it.name == name);
            Some(found.ok_or_else(|| bad("workflow", "must be one of the model's", name))?)
        }
        None => workflows.iter().find(|it| it.is_active),
    };
    drawn(&drawing, &picture(found.unwrap_or_else(|| built_in())))
}

/// An entity as a picture: its workflow, and the state it is in, or was in.
#[utoipa::path(
    get, path = "/api/entity/{entityId}/diagram.{format}", tag = "Entities",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
        ("pointInTime" = Option<String>, Query, description = "As it was then"),
        ("transactionId" = Option<String>, Query, description = "As that transaction left it"),
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "No such entity, or not then: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn of_entity(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    drawing: Drawing,
) -> Result<Response, Failure> {
    let entity = entities.read(&path.id("entityId")?, &asked.when()?).await?;
    let workflows = entities.workflows(&entity.model).await?;
    let chosen = choose(&workflows, &entity.state, entity.save.workflow.as_deref());
    // A state that no workflow knows is drawn alone.
    let alone = || Workflow {
        name: entity.model.name.clone(),
        states: BTreeMap::from([(entity.state.clone(), <_>::default())]),
        initial_state: entity.state.clone(),
        ..Workflow::default()
    };
    let picture = chosen.map_or_else(|| picture(&alone()), picture);
    let here = Mark { here: 1, ..Mark::default() };
    drawn(&drawing, &Picture { marks: BTreeMap::from([(entity.state, here)]), ..picture })
}

fn picture(workflow: &Workflow) -> Picture {
    of::entity::picture(workflow)
}

fn drawn(drawing: &Drawing, picture: &Picture) -> Result<Response, Failure> {
    drawing.of(picture).map_err(|it: Refusal| Failure::bad_request(it.detail().to_owned()))
}
