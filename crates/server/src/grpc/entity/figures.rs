//! How many entities there are, and what was done to one.

use waypost_api::entity::{
    http::{Count, StateCount},
    operation::{
        ChangeMeta, EntityChangesMetadataGetRequest, EntityChangesMetadataResponse,
        EntityStatsByStateGetRequest, EntityStatsGetRequest,
    },
};
use waypost_engine::entity::{ChangeKind, ChangeView, Entities};

use super::{
    envelope::{Many, No, all},
    parts::{id, instant, model},
};
use crate::http::entity::{count, count_states, instant as shown};

/// How many entities of a model there are, or of each.
pub(super) async fn counts(
    entities: Entities,
    request: EntityStatsGetRequest,
) -> Result<Many<Count>, No> {
    let (which, at) = (request.model.map(model), request.point_in_time);
    let counts = count(&entities, which, instant(at.as_deref())?).await?;
    Ok(all(counts))
}

/// How many entities are in which state.
pub(super) async fn state_counts(
    entities: Entities,
    request: EntityStatsByStateGetRequest,
) -> Result<Many<StateCount>, No> {
    let (which, at) = (request.model.map(model), request.point_in_time);
    let wanted = request.states.unwrap_or_default();
    let wanted = wanted.iter().map(String::as_str).collect();
    let at = instant(at.as_deref())?;
    Ok(all(count_states(&entities, which.as_ref(), &wanted, at).await?))
}

/// What was done to an entity, newest first.
pub(super) async fn changes(
    entities: Entities,
    request: EntityChangesMetadataGetRequest,
) -> Result<Many<EntityChangesMetadataResponse>, No> {
    let id = id("entityId", &request.entity_id)?;
    let until = instant(request.point_in_time.as_deref())?;
    let change = |it: ChangeView| EntityChangesMetadataResponse {
        change_meta: Some(ChangeMeta {
            change_type: change_type(it.kind),
            time_of_change: shown(it.at),
            user: it.user,
            transaction_id: it.transaction,
        }),
    };
    let changes = entities.changes(&id, until).await?;
    Ok(all(changes.into_iter().map(change).collect()))
}

/// Not the words that HTTP has for it.
const fn change_type(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "CREATE",
        ChangeKind::Updated => "UPDATE",
        ChangeKind::Deleted => "DELETE",
    }
}
