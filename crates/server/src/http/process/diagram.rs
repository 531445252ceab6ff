//! Pictures of definitions and instances.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use waypost_api::diagram::Diagram;
use waypost_diagram::{of, picture::Picture};
use waypost_engine::process::{Outline, PastView, Source};
use waypost_kernel::Definition;
use waypost_machines::process::timers;

use crate::http::{
    app::App,
    diagram::{Drawing, shown},
    moment::AsOf,
    params::{InPath, Params},
    problem::Refusal,
};

/// The latest version of a definition as a picture.
#[utoipa::path(
    get, path = "/v1/definitions/{id}/diagram.{format}", tag = "Process definitions",
    params(
        ("id" = String, Path, description = "Its id"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "There is no such definition"),
    ),
)]
pub(in crate::http) async fn of_latest(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    drawing: Drawing,
) -> Result<Response, Refusal> {
    drawing.of(&picture(&app.processes.definition(&id, None).await?)?)
}

/// One version of a definition as a picture.
#[utoipa::path(
    get, path = "/v1/definitions/{id}/versions/{version}/diagram.{format}",
    tag = "Process definitions",
    params(
        ("id" = String, Path, description = "Its id"),
        ("version" = i32, Path, description = "Its version"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "There is no such definition"),
    ),
)]
pub(in crate::http) async fn of_version(
    State(app): State<Arc<App>>,
    InPath((id, version)): InPath<(String, i32)>,
    drawing: Drawing,
) -> Result<Response, Refusal> {
    drawing.of(&picture(&app.processes.definition(&id, Some(version)).await?)?)
}

/// An instance as a picture: its definition, where it is, which ways it has gone, what has failed,
/// and when timers are due; as it is or as it was.
#[utoipa::path(
    get, path = "/v1/instances/{id}/diagram.{format}", tag = "Process instances",
    params(
        ("id" = String, Path, description = "Its id"),
        ("format" = String, Path, description = "svg, json, mmd (Mermaid), dot or txt"),
        ("theme" = Option<String>, Query, description = "Of SVG: light, dark or auto"),
        AsOf,
    ),
    responses(
        (status = 200, description = "The picture", body = Diagram),
        (status = 304, description = "It is as `If-None-Match` says"),
        (status = 404, description = "There is no such instance, or was none then"),
    ),
)]
pub(in crate::http) async fn of_instance(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(as_of): Params<AsOf>,
    drawing: Drawing,
) -> Result<Response, Refusal> {
    let PastView { outline, trail, .. } = app.processes.past(&id.into(), as_of.moment()?).await?;
    let which = &outline.view.state.definition;
    let definition = app.processes.definition(&which.name, Some(which.version)).await?;
    let picture = picture(&definition)?;
    let taken = of::process::taken(&trail);
    drawing.of(&Picture { marks: marks(&outline), taken, ..picture })
}

fn picture(definition: &Definition) -> Result<Picture, Refusal> {
    let source = Source::parse(definition.body.as_str()).map_err(Refusal::defect)?;
    Ok(of::process::picture(&source))
}

fn marks(outline: &Outline) -> std::collections::BTreeMap<String, waypost_diagram::picture::Mark> {
    let state = &outline.view.state;
    let mut marks = of::process::marks(state);
    // From the last to the first: the one that is due next stays.
    for due in timers(&outline.graph, state, outline.now).into_iter().rev() {
        marks.entry(due.step.to_string()).or_default().due = Some(shown(due.at));
    }
    marks
}
