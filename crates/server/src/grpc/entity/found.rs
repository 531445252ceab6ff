//! Entities as they are read.

use std::vec::IntoIter;

use futures_util::stream::try_unfold;
use serde::{Serialize, Serializer};
use waypost_api::entity::{
    http::Envelope,
    operation::{
        EntityGetAllRequest, EntityGetRequest, EntityPayload, EntityResponse, EntitySearchRequest,
        Response,
    },
};
use waypost_engine::entity::{Entities, Entity, Fault, Found, When};

use super::{
    envelope::{Done, Many, No, all},
    parts::{condition, id, instant, model},
};
use crate::http::{
    Admitted,
    entity::{envelope, single},
};

/// Entities of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 20;

/// An entity as it is shown.
#[derive(Default)]
pub(super) enum Shown {
    /// There is none to show.
    #[default]
    Nothing,
    /// One among others.
    OneOf(Entity),
    /// One by itself, which says what model it is of.
    Single(Entity),
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = |Envelope { data, meta, .. }| {
            let (data, meta) = (Some(data), Some(meta));
            EntityResponse { payload: EntityPayload { data, meta, ..EntityPayload::default() } }
        };
        match self {
            Self::Nothing => EntityResponse::default().serialize(serializer),
            Self::OneOf(entity) => shown(envelope(entity)).serialize(serializer),
            Self::Single(entity) => shown(single(entity)).serialize(serializer),
        }
    }
}

impl Response for Shown {
    const KIND: &'static str = EntityResponse::KIND;
}

/// An entity, as it is or as it was.
pub(super) async fn show(entities: Entities, request: EntityGetRequest) -> Result<Done<Shown>, No> {
    let id = id("entityId", &request.entity_id)?;
    let when = instant(request.point_in_time.as_deref())?.map_or(When::Now, When::At);
    Ok(Shown::Single(entities.read(&id, &when).await?).into())
}

/// A page of the entities of a model, by id.
pub(super) async fn list(
    entities: Entities,
    request: EntityGetAllRequest,
) -> Result<Many<Shown>, No> {
    let (which, at) = (model(request.model), instant(request.point_in_time.as_deref())?);
    let size = request.page_size.unwrap_or(PAGE_SIZE);
    let first = request.page_number.unwrap_or(0).saturating_mul(size);
    let found = entities.list(&which, (first, size), at).await?;
    Ok(all(found.into_iter().map(Shown::OneOf).collect()))
}

/// The entities of a model that match, by id, as they are found: the next are looked for when the
/// last were read.
pub(super) async fn search(
    entities: Entities,
    request: EntitySearchRequest,
    place: Admitted,
) -> Result<Many<Shown>, No> {
    let (which, at) = (model(request.model), instant(request.point_in_time.as_deref())?);
    let predicate = condition(&request.condition)?;
    let n_left = request.limit.filter(|it| *it > 0).unwrap_or(u32::MAX);
    let found = entities.search(&which, Some(predicate), at).await?;
    let reading = Reading { found, page: Vec::new().into_iter(), n_left, _place: place };
    Ok(Box::pin(try_unfold(reading, |mut reading| async {
        let next = reading.next().await?;
        Ok(next.map(|it| (Shown::OneOf(it), reading)))
    })))
}

/// What was found and is not sent yet: a page at the most.
struct Reading {
    found: Found,
    page: IntoIter<Entity>,
    n_left: u32,
    _place: Admitted,
}

impl Reading {
    async fn next(&mut self) -> Result<Option<Entity>, Fault> {
        let Some(n_left) = self.n_left.checked_sub(1) else { return Ok(None) };
        self.n_left = n_left;
        if self.page.as_slice().is_empty() {
            self.page = self.found.next().await?.into_iter();
        }
        Ok(self.page.next())
    }
}
