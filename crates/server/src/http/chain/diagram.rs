//! Pictures of definitions and instances.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use waypost_api::diagram::Diagram;
use waypost_diagram::of;
use waypost_machines::chain::Plan;

use crate::http::{
    app::App,
    diagram::{Drawing, shown},
    moment::AsOf,
    params::{InPath, InstancePath, Params, check_name},
    problem::Refusal,
};

/// A definition as a picture.
#[utoipa::path(
    get, path = "/v1/chains/definitions/{workflowType}/{version}/diagram.{format}",
    tag = "Definitions",
    params(
        ("workflowType" = String, Path, description = "Its type"),
        ("version" = i32, Path, description = "Its version"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "There is none: DEFINITION_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn of_definition(
    State(app): State<Arc<App>>,
    InPath((workflow_type, version)): InPath<(String, i32)>,
    drawing: Drawing,
) -> Result<Response, Refusal> {
    check_name("workflowType", &workflow_type)?;
    let definition = app.chains.definition(&workflow_type, Some(version)).await?;
    let plan: Plan = definition.body.read().map_err(|error| Refusal::defect(error.to_string()))?;
    drawing.of(&of::chain::picture(&plan))
}

/// An instance as a picture: its steps, where it is, what it has tried, and until when it waits.
#[utoipa::path(
    get, path = "/v1/chains/instances/{instanceId}/diagram.{format}", tag = "Instances",
    params(
        ("instanceId" = String, Path, description = "Its id"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
        AsOf,
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "There is none, or was none then: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn of_instance(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    Params(as_of): Params<AsOf>,
    drawing: Drawing,
) -> Result<Response, Refusal> {
    let view = match as_of.moment()? {
        Some(moment) => app.chains.show_at(&id, moment).await?,
        None => app.chains.show(&id).await?,
    };
    drawing.of(&of::chain::started(&view.state, &shown))
}
