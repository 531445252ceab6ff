//! Why an instance is where it is, and what is different between two of its moments.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::{
    chain::InstanceDetail,
    explain::{Difference, Explanation},
};
use waypost_engine::chain::ChainView;

use super::convert;
use crate::http::{
    app::App,
    explain::{different, explanation, shown},
    moment::Between,
    params::{InstancePath, Params},
    problem::Refusal,
};

/// Why an instance is where it is: what it waits for, what can happen next, and whether anything
/// can still move it.
#[utoipa::path(
    get, path = "/v1/chains/instances/{instanceId}/explain", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "Why", body = Explanation),
        (status = 404, description = "There is none: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn explain(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
) -> Result<Json<Explanation>, Refusal> {
    Ok(Json(explanation(app.chains.explain(&id, &shown).await?)))
}

/// What is different between two moments of an instance.
#[utoipa::path(
    get, path = "/v1/chains/instances/{instanceId}/diff", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id"), Between),
    responses(
        (status = 200, description = "Place by place", body = Difference),
        (status = 404, description = "There is none, or was none then: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn diff(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    Params(between): Params<Between>,
) -> Result<Json<Difference>, Refusal> {
    let before = app.chains.show_at(&id, between.from()?).await?;
    let after = match between.to()? {
        Some(moment) => app.chains.show_at(&id, moment).await?,
        None => app.chains.show(&id).await?,
    };
    different((before.version, &detail(&before)), (after.version, &detail(&after))).map(Json)
}

/// An instance with its steps.
pub(super) fn detail(view: &ChainView) -> InstanceDetail {
    let steps = view.steps().map(|it| convert::step(&it)).collect();
    InstanceDetail { instance: convert::instance(view), steps }
}
