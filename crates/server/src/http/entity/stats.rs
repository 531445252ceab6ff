//! How many entities there are.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::Response;
use waypost_api::entity::http::{Count, StateCount};
use waypost_engine::entity::{Entities, Fault};
use waypost_kernel::{DefinitionRef, Tally, Timestamp};

use super::{
    answer::json,
    asker::Asker,
    params::{Asked, InPath},
    problem::Failure,
};

/// How many states may be asked for.
const STATES_MAX: usize = 1_000;

/// How many entities of every model there are.
#[utoipa::path(
    get, path = "/api/entity/stats", tag = "Entity statistics",
    params(("pointInTime" = Option<String>, Query, description = "How many there were then")),
    responses((status = 200, description = "One item for each model", body = [Count])),
)]
pub(in crate::http) async fn all(
    Asker(entities): Asker,
    asked: Asked,
) -> Result<Response, Failure> {
    json(&count(&entities, None, asked.time("pointInTime")?).await?)
}

/// How many entities of every model are in which state.
#[utoipa::path(
    get, path = "/api/entity/stats/states", tag = "Entity statistics",
    params(
        ("states" = Option<Vec<String>>, Query, description = "Only these"),
        ("pointInTime" = Option<String>, Query, description = "How many there were then"),
    ),
    responses((status = 200, description = "One item for each state", body = [StateCount])),
)]
pub(in crate::http) async fn all_states(
    Asker(entities): Asker,
    asked: Asked,
) -> Result<Response, Failure> {
    states(&entities, None, &asked).await
}

/// How many entities of a model there are.
#[utoipa::path(
    get, path = "/api/entity/stats/{entityName}/{modelVersion}", tag = "Entity statistics",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("pointInTime" = Option<String>, Query, description = "How many there were then"),
    ),
    responses(
        (status = 200, description = "How many", body = Count),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn one(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let counts = count(&entities, Some(path.model()?), asked.time("pointInTime")?).await?;
    match counts.first() {
        Some(count) => json(count),
        None => Err(Failure::defect("a model was not counted")),
    }
}

/// How many entities of a model are in which state.
#[utoipa::path(
    get, path = "/api/entity/stats/states/{entityName}/{modelVersion}", tag = "Entity statistics",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("states" = Option<Vec<String>>, Query, description = "Only these"),
        ("pointInTime" = Option<String>, Query, description = "How many there were then"),
    ),
    responses(
        (status = 200, description = "One item for each state", body = [StateCount]),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn one_states(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    states(&entities, Some(&path.model()?), &asked).await
}

async fn states(
    entities: &Entities,
    model: Option<&DefinitionRef>,
    asked: &Asked,
) -> Result<Response, Failure> {
    let wanted: BTreeSet<&str> = asked.all("states").flat_map(|it| it.split(',')).collect();
    if wanted.len() > STATES_MAX {
        let text = format!("states: at most {STATES_MAX} can be asked for");
        return Err(Failure::bad_request(text));
    }
    json(&count_states(entities, model, &wanted, asked.time("pointInTime")?).await?)
}

/// How many entities there are of a model, or of each.
pub(crate) async fn count(
    entities: &Entities,
    model: Option<DefinitionRef>,
    at: Option<Timestamp>,
) -> Result<Vec<Count>, Fault> {
    let found = entities.tally(model.as_ref(), at).await?;
    let mut counts: BTreeMap<DefinitionRef, u64> = match model {
        Some(model) => BTreeMap::from([(model, 0)]),
        None => entities.models().await?.into_iter().map(|it| (it.which, 0)).collect(),
    };
    for Tally { definition, count, .. } in found {
        *counts.entry(definition).or_default() += count;
    }
    let counted = |(which, count): (DefinitionRef, u64)| Count {
        model_name: which.name,
        model_version: which.version,
        count,
    };
    Ok(counts.into_iter().map(counted).collect())
}

/// How many entities are in which state; in these alone, if any are wanted.
pub(crate) async fn count_states(
    entities: &Entities,
    model: Option<&DefinitionRef>,
    wanted: &BTreeSet<&str>,
    at: Option<Timestamp>,
) -> Result<Vec<StateCount>, Fault> {
    let is_wanted = |it: &Tally| wanted.is_empty() || wanted.contains(it.step.as_str());
    let found = entities.tally(model, at).await?.into_iter().filter(is_wanted);
    let counted = found.map(|it| StateCount {
        model_name: it.definition.name,
        model_version: it.definition.version,
        state: it.step,
        count: it.count,
    });
    Ok(counted.collect())
}
