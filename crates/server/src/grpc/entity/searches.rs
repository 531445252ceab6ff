//! Searching in the background: begun, looked after, read page by page, canceled.

use waypost_api::entity::operation::{
    EntitySnapshotSearchRequest, EntitySnapshotSearchResponse, SnapshotCancelRequest,
    SnapshotGetRequest, SnapshotGetStatusRequest, SnapshotStatus,
};
use waypost_engine::entity::{Code, Entities, Fault, SearchStatus};
use waypost_kernel::InstanceId;

use super::{
    envelope::{Done, Many, No, all},
    found::Shown,
    parts::{condition, id, instant, model},
};
use crate::http::entity::{instant as shown, not_running, status_name};

/// Entities of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 10;

/// Begins to search the entities of a model.
pub(super) async fn begin(
    entities: Entities,
    request: EntitySnapshotSearchRequest,
) -> Result<Done<EntitySnapshotSearchResponse>, No> {
    let (which, at) = (model(request.model), instant(request.point_in_time.as_deref())?);
    let id = entities.begin_search(&which, condition(&request.condition)?, at).await?;
    let status = SnapshotStatus {
        snapshot_id: id.as_str().to_owned(),
        status: status_name(SearchStatus::Running),
        expiration_date: None,
        entities_count: Some(0),
    };
    Ok(EntitySnapshotSearchResponse { status }.into())
}

/// Where a search stands.
pub(super) async fn status(
    entities: Entities,
    request: SnapshotGetStatusRequest,
) -> Result<Done<EntitySnapshotSearchResponse>, No> {
    let id = id("snapshotId", &request.snapshot_id)?;
    standing(&entities, &id).await.or_else(|fault| absent(&id, fault))
}

/// Ends a search that is under way.
pub(super) async fn cancel(
    entities: Entities,
    request: SnapshotCancelRequest,
) -> Result<Done<EntitySnapshotSearchResponse>, No> {
    let id = id("snapshotId", &request.snapshot_id)?;
    let before = match entities.cancel_search(&id).await {
        Ok(before) => before,
        Err(fault) => return absent(&id, fault),
    };
    let done = standing(&entities, &id).await?;
    let failure = (before != SearchStatus::Running).then(|| not_running(&id, before));
    Ok(Done { failure, ..done })
}

/// A page of what a search has found, as the entities were then.
pub(super) async fn page(
    entities: Entities,
    request: SnapshotGetRequest,
) -> Result<Many<Shown>, No> {
    let id = id("snapshotId", &request.snapshot_id)?;
    let size = request.page_size.unwrap_or(PAGE_SIZE);
    let first = u64::from(request.page_number.unwrap_or(0)) * u64::from(size);
    let found = entities.search_page(&id, first, size).await?;
    Ok(all(found.entities.into_iter().map(Shown::OneOf).collect()))
}

async fn standing(
    entities: &Entities,
    id: &InstanceId,
) -> Result<Done<EntitySnapshotSearchResponse>, Fault> {
    let view = entities.search_status(id).await?;
    let status = SnapshotStatus {
        snapshot_id: id.as_str().to_owned(),
        status: status_name(view.status),
        expiration_date: Some(shown(view.expires_at)),
        entities_count: Some(view.n_found),
    };
    Ok(EntitySnapshotSearchResponse { status }.into())
}

/// A search that is not there has a status of its own.
fn absent(id: &InstanceId, fault: Fault) -> Result<Done<EntitySnapshotSearchResponse>, No> {
    let is_absent =
        matches!(&fault, Fault::Refused(refusal) if refusal.code == Code::SearchJobNotFound);
    if !is_absent {
        return Err(fault.into());
    }
    let (snapshot_id, status) = (id.as_str().to_owned(), "NOT_FOUND");
    let status = SnapshotStatus { snapshot_id, status, ..SnapshotStatus::default() };
    let (said, warnings) = (EntitySnapshotSearchResponse { status }, Vec::new());
    Ok(Done { said, warnings, failure: Some(fault.into()) })
}
