//! Why an instance is where it is, and what is different between two of its moments.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::explain::{Difference, Explanation};

use super::convert;
use crate::http::{
    app::App,
    explain::{different, explanation, shown},
    moment::Between,
    params::{InPath, Params},
    problem::Refusal,
};

/// Why an instance is where it is: what it waits for, which conditions decide, what can happen
/// next, and whether anything can still move it.
#[utoipa::path(
    get, path = "/v1/instances/{id}/explain", tag = "Process instances",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "Why", body = Explanation),
        (status = 404, description = "There is none"),
    ),
)]
pub(in crate::http) async fn explain(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
) -> Result<Json<Explanation>, Refusal> {
    Ok(Json(explanation(app.processes.explain(&id.into(), &shown).await?)))
}

/// What is different between two moments of an instance.
#[utoipa::path(
    get, path = "/v1/instances/{id}/diff", tag = "Process instances",
    params(("id" = String, Path, description = "Its id"), Between),
    responses(
        (status = 200, description = "Place by place", body = Difference),
        (status = 404, description = "There is none, or was none then"),
    ),
)]
pub(in crate::http) async fn diff(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(between): Params<Between>,
) -> Result<Json<Difference>, Refusal> {
    let id = id.into();
    let before = app.processes.show_at(&id, between.from()?).await?;
    let after = match between.to()? {
        Some(moment) => app.processes.show_at(&id, moment).await?,
        None => app.processes.show(&id).await?,
    };
    let (earlier, later) = (convert::instance(&before), convert::instance(&after));
    different((before.version, &earlier), (after.version, &later)).map(Json)
}
