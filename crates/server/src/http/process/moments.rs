//! Why an instance is where it is, and what is different between two of its moments.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::explain::{Difference, Explanation};

use super::convert;
use crate::http::{
    app::App,
    explain::{different, explanation, shown},
    moment::{AsOf, Between},
    params::{InPath, Params},
    problem::Refusal,
};

/// Why an instance is where it is, or was: what it waits for, which conditions decide, what can happen
/// next, and whether anything can still move it.
#[utoipa::path(
    get, path = "/v1/instances/{id}/explain", tag = "Process instances",
    params(("id" = String, Path, description = "Its id"), AsOf),
    responses(
        (status = 200, description = "Why", body = Explanation),
        (status = 404, description = "There is none, or was none then"),
    ),
)]
pub(in crate::http) async fn explain(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    Params(as_of): Params<AsOf>,
) -> Result<Json<Explanation>, Refusal> {
    let explained = app.processes.explain(&id.into(), as_of.moment()?, &shown).await?;
    Ok(Json(explanation(explained)))
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
