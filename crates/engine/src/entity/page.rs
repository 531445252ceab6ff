//! Pages of entities by number. What they have together is bounded, however large each of them is.

use waypost_kernel::{DefinitionRef, Key, Record, Sift, Timestamp, may_go_on};

use super::{Entities, Entity, Fault, models::bad};
use crate::limits::{ANSWER_BYTES_MAX, ENTITIES_MAX, OFFSET_MAX, PAST_PAGE};

/// What a page has so far.
#[derive(Default)]
pub(super) struct Page {
    entities: Vec<Entity>,
    n_bytes: usize,
}

impl Entities {
    /// Entities of a model, a page at a time by number.
    ///
    /// # Errors
    /// When there is no such model, the page lies beyond what is given by number, or has too much
    /// in it.
    pub async fn list(
        &self,
        model: &DefinitionRef,
        (offset, limit): (u32, u32),
        at: Option<Timestamp>,
    ) -> Result<Vec<Entity>, Fault> {
        if limit == 0 || limit > ENTITIES_MAX {
            return Err(bad(format!("a page has 1 to {ENTITIES_MAX} entities")).into());
        }
        if offset > OFFSET_MAX.saturating_mul(100) {
            let n_entities: u64 =
                self.tally(Some(model), at).await?.iter().map(|it| it.count).sum();
            if n_entities <= u64::from(offset) {
                return Ok(Vec::new());
            }
            let detail = "the page lies too far; search with a condition on the id instead";
            return Err(bad(detail.to_owned()).into());
        }
        if self.within.is_some() {
            return self.list_within(model, (offset, limit), at).await;
        }
        self.exists(model).await?;
        let at = self.settled(at).await?;
        self.list_stored(Sift { offset, limit, ..self.sift(model, at) }).await
    }

    async fn list_stored(&self, mut sift: Sift) -> Result<Vec<Entity>, Fault> {
        let mut page = Page::default();
        loop {
            let records = self.store().sift(&sift).await?;
            let goes_on = may_go_on(&records, sift.limit);
            let n_records = u32::try_from(records.len()).unwrap_or(u32::MAX);
            sift.limit = sift.limit.saturating_sub(n_records);
            sift.offset = 0;
            sift.after = records.last().map(|it| it.key.id.clone());
            page.take(records)?;
            if !goes_on || sift.limit == 0 {
                return Ok(page.entities);
            }
        }
    }

    async fn list_within(
        &self,
        model: &DefinitionRef,
        (offset, limit): (u32, u32),
        at: Option<Timestamp>,
    ) -> Result<Vec<Entity>, Fault> {
        let mut found = self.search(model, None, at).await?;
        let mut left = usize::try_from(offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut page = Page::default();
        loop {
            let next = found.next().await?;
            if next.is_empty() || page.entities.len() >= limit {
                return Ok(page.entities);
            }
            let n_skipped = left.min(next.len());
            left -= n_skipped;
            let n_wanted = limit - page.entities.len();
            next.into_iter().skip(n_skipped).take(n_wanted).try_for_each(|it| page.push(it))?;
        }
    }

    /// Entities as they were, those that were there then.
    pub(super) async fn page_of(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Entity>, Fault> {
        let mut page = Page::default();
        for some in keys.chunks(PAST_PAGE) {
            let records = self.store().past(some, at).await?;
            page.take(records.into_iter().flatten().collect())?;
        }
        Ok(page.entities)
    }
}

impl Page {
    fn take(&mut self, records: Vec<Record>) -> Result<(), Fault> {
        records.into_iter().try_for_each(|it| self.push(Entity::read(it)?))
    }

    fn push(&mut self, entity: Entity) -> Result<(), Fault> {
        self.n_bytes += entity.value.as_str().len();
        if self.n_bytes > ANSWER_BYTES_MAX {
            let detail = format!(
                "these entities have more than {ANSWER_BYTES_MAX} bytes together; ask for fewer at \
                 a time"
            );
            return Err(bad(detail).into());
        }
        self.entities.push(entity);
        Ok(())
    }
}
