//! What would become of instances: the fork is played, and told in the words of the wire.

use std::sync::Arc;

use axum::{Json, extract::State};
use waypost_api::{
    Document,
    what_if::{Tried, TriedEvent, TriedInstance, TriedMismatch},
};
use waypost_engine as engine;
use waypost_kernel as kernel;
use waypost_rehearsal::{Happening, Mismatch, Standing, WhatIf};

use super::{
    app::App,
    body::JsonBody,
    params::{InPath, InstancePath},
    problem::Refusal,
    process::Text,
};

/// Forks a process in memory, lets others do what is said, and tells what would become of it.
#[utoipa::path(
    post, path = "/v1/instances/{id}/what-if", tag = "Process instances",
    params(("id" = String, Path, description = "Its id")),
    request_body(content = Object, description = "workers, people, signals, do, expect: as in a scenario"),
    responses(
        (status = 200, description = "What would become of it", body = Tried),
        (status = 404, description = "There is none"),
    ),
)]
pub(super) async fn process(
    State(app): State<Arc<App>>,
    InPath(id): InPath<String>,
    text: Text,
) -> Result<Json<Tried>, Refusal> {
    let what: WhatIf = text.expect()?;
    Ok(Json(tried(app.processes.what_if(&id.into(), what).await?)))
}

/// Forks a chain in memory, lets others do what is said, and tells what would become of it.
#[utoipa::path(
    post, path = "/v1/chains/instances/{instanceId}/what-if", tag = "Instances",
    params(("instanceId" = String, Path, description = "Its id")),
    request_body(content = Object, description = "workers, signals, do, expect: as in a scenario"),
    responses(
        (status = 200, description = "What would become of it", body = Tried),
        (status = 404, description = "There is none: INSTANCE_NOT_FOUND"),
    ),
)]
pub(super) async fn chain(
    State(app): State<Arc<App>>,
    InstancePath(id): InstancePath,
    JsonBody(what): JsonBody<WhatIf>,
) -> Result<Json<Tried>, Refusal> {
    Ok(Json(tried(app.chains.what_if(&id, what).await?)))
}

pub(super) fn tried(tried: engine::Tried) -> Tried {
    let engine::Tried { forked_at, played } = tried;
    Tried {
        forked_at: time(forked_at),
        instances: played.standings.into_iter().map(|it| instance(it, forked_at)).collect(),
        mismatches: played.mismatches.into_iter().map(mismatch).collect(),
    }
}

fn instance(standing: Standing, forked_at: kernel::Timestamp) -> TriedInstance {
    let Standing { definition, status, at, variables, reason, visits, unattended, .. } = standing;
    let history = standing.history.into_iter().map(|it| event(it, forked_at)).collect();
    let variables: Document = kernel::Json::of(&variables).raw().to_owned().into();
    TriedInstance { definition, status, at, variables, reason, visits, history, unattended }
}

fn event(happening: Happening, forked_at: kernel::Timestamp) -> TriedEvent {
    let Happening { at, what, step, detail } = happening;
    TriedEvent { at: time(at), what, step, detail, real: at < forked_at }
}

fn mismatch(mismatch: Mismatch) -> TriedMismatch {
    let Mismatch { place, expected, actual } = mismatch;
    TriedMismatch { place, expected, actual }
}

fn time(at: kernel::Timestamp) -> waypost_api::Timestamp {
    waypost_api::Timestamp::from_micros(at.as_micros())
}
