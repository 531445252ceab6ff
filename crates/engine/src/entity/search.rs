//! Searching entities: the store narrows down, the condition decides.

use std::{collections::BTreeMap, sync::Arc};

use waypost_documents::{
    document::Value,
    predicate::{Predicate, Subject},
};
use waypost_kernel::{
    DefinitionRef, InstanceId, Kind, Lookup, Sift, Timestamp, Version, may_go_on,
};
use waypost_machines::entity::criterion::{Criterion, Mistake};

use super::{
    Code, Entities, Entity, Fault, Item, Refusal, lookup::narrowed, models::bad, record::LIVE,
};
use crate::limits::{JUDGED_BYTES, SIFT_PAGE, TRANSACTION_INSTANCES_MAX, TURN_ATTEMPTS_MAX};

/// Entities that match, in the order of their ids, a page at a time.
pub struct Found {
    entities: Entities,
    model: DefinitionRef,
    predicate: Option<Predicate>,
    lookup: Option<Lookup>,
    at: Option<Timestamp>,
    after: Option<InstanceId>,
    /// What the transaction has written that the search is part of.
    written: BTreeMap<InstanceId, Arc<Entity>>,
    is_over: bool,
}

/// What a condition is that can be searched for.
///
/// # Errors
/// When it cannot be read, or needs a compute member.
pub fn condition(condition: &Value) -> Result<Predicate, Refusal> {
    let criterion = Criterion::parse(condition).map_err(|error| {
        let code = match error.mistake {
            Mistake::Condition => Code::BadRequest,
            Mistake::Field => Code::InvalidFieldPath,
            Mistake::Operand => Code::ConditionTypeMismatch,
        };
        Refusal::new(code, error.to_string())
    })?;
    criterion
        .predicate()
        .ok_or_else(|| bad("type: functions are for criteria, a search cannot ask them".into()))
}

impl Entities {
    /// Entities of a model that match, or all.
    ///
    /// # Errors
    /// When there is no such model, or the condition cannot be searched for.
    pub async fn search(
        &self,
        model: &DefinitionRef,
        predicate: Option<Predicate>,
        at: Option<Timestamp>,
    ) -> Result<Found, Fault> {
        self.exists(model).await?;
        let instant = self.instant(at).await?;
        let indexes = self.known_model(model).await?.indexes;
        let lookup = match (&predicate, at) {
            (Some(predicate), None) => narrowed(&indexes, predicate),
            (Some(_) | None, _) => None,
        };
        let written = match (&self.within, at) {
            (Some((transaction, layer)), None) => transaction.drafts(*layer)?,
            (Some(_) | None, _) => BTreeMap::new(),
        };
        let written = written.into_iter().map(|(id, draft)| (id, draft.entity)).collect();
        Ok(Found {
            entities: self.clone(),
            model: model.clone(),
            predicate,
            lookup,
            at: instant,
            after: None,
            written,
            is_over: false,
        })
    }

    /// Entities of a model that matched at an instant, whatever has happened since.
    pub(super) async fn search_at(
        &self,
        model: &DefinitionRef,
        predicate: Predicate,
        at: Timestamp,
    ) -> Result<Found, Fault> {
        self.store().settle(at).await?;
        let (predicate, at) = (Some(predicate), Some(at));
        let (entities, model, written) = (self.clone(), model.clone(), BTreeMap::new());
        let (lookup, after, is_over) = (None, None, false);
        Ok(Found { entities, model, predicate, lookup, at, after, written, is_over })
    }

    /// Deletes the entities of a model that match, or all. What one transaction cannot take is
    /// deleted in several.
    ///
    /// # Errors
    /// When there is no such model, or the entities change too often.
    pub async fn delete_matching(
        &self,
        model: &DefinitionRef,
        predicate: Option<Predicate>,
        at: Option<Timestamp>,
    ) -> Result<Vec<InstanceId>, Fault> {
        // What matched at an instant is deleted whatever it has become.
        let still = if at.is_none() { predicate.clone() } else { None };
        // What is part of another transaction has its limit.
        let most = match self.within {
            Some(_) => TRANSACTION_INSTANCES_MAX,
            None => self.home().rules.n_deletions_max,
        };
        let mut found = self.search(model, predicate, at).await?;
        let (mut ids, mut doomed) = (Vec::new(), Vec::new());
        loop {
            let page = found.next().await?;
            let is_last = page.is_empty();
            let page = page.into_iter().map(|it| (it.id, it.version));
            match at {
                Some(_) => {
                    let ids = page.map(|(id, _)| id).collect();
                    doomed.extend(self.look_again(ids, None).await?);
                }
                None => doomed.extend(page),
            }
            let page = usize::try_from(SIFT_PAGE).unwrap_or(usize::MAX);
            if is_last || doomed.len() + page > most {
                let some = std::mem::take(&mut doomed);
                ids.extend(self.delete_seen(some, still.as_ref()).await?);
            }
            if is_last {
                return Ok(ids);
            }
        }
    }

    /// Deletes all of them in one transaction. Those that change meanwhile are judged again.
    async fn delete_seen(
        &self,
        mut doomed: Vec<(InstanceId, Version)>,
        predicate: Option<&Predicate>,
    ) -> Result<Vec<InstanceId>, Fault> {
        for _ in 0..TURN_ATTEMPTS_MAX {
            if doomed.is_empty() {
                return Ok(Vec::new());
            }
            let item =
                |(id, version): &_| Item::DeleteSeen { id: Clone::clone(id), version: *version };
            let items: Vec<Item> = doomed.iter().map(item).collect();
            match self.write(&items).await {
                Ok(written) => return Ok(written.touched.into_iter().map(|it| it.id).collect()),
                Err(Fault::Refused(refusal))
                    if matches!(refusal.code, Code::Conflict | Code::EntityNotFound) =>
                {
                    let ids = doomed.into_iter().map(|(id, _)| id).collect();
                    doomed = self.look_again(ids, predicate).await?;
                }
                Err(fault) => return Err(fault),
            }
        }
        Err(Refusal::new(Code::Conflict, "the entities change too often; try again").into())
    }

    /// Those that are there and match, as they are now.
    async fn look_again(
        &self,
        ids: Vec<InstanceId>,
        predicate: Option<&Predicate>,
    ) -> Result<Vec<(InstanceId, Version)>, Fault> {
        let mut left = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(entity) = self.present(&id).await?.filter(|it| !it.is_deleted) else {
                continue;
            };
            let matches = match predicate {
                Some(it) => it.matches(&subject(&entity, &entity.document()?)),
                None => true,
            };
            if matches {
                left.push((id, entity.version));
            }
        }
        Ok(left)
    }

    pub(super) fn sift(&self, model: &DefinitionRef, at: Option<Timestamp>) -> Sift {
        Sift {
            tenant: self.caller.tenant.clone(),
            kind: Kind::Entity,
            definition: model.clone(),
            status: Some(LIVE.to_owned()),
            steps: Vec::new(),
            lookup: None,
            at,
            after: None,
            offset: 0,
            limit: SIFT_PAGE,
        }
    }
}

impl Found {
    /// The next of them; none when there are no more.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self) -> Result<Vec<Entity>, Fault> {
        while let Some(page) = self.look().await? {
            if !page.is_empty() {
                return Ok(page);
            }
        }
        Ok(Vec::new())
    }

    /// Those that match among some that were looked at; nothing when all have been.
    pub(super) async fn look(&mut self) -> Result<Option<Vec<Entity>>, Fault> {
        if self.is_over {
            return Ok(None);
        }
        // An index knows only what is there now.
        let at = self.at.filter(|_| self.lookup.is_none());
        let sift = Sift {
            lookup: self.lookup.clone(),
            after: self.after.clone(),
            ..self.entities.sift(&self.model, at)
        };
        let records = self.entities.store().sift(&sift).await?;
        self.is_over = !may_go_on(&records, sift.limit);
        self.after = records.last().map(|it| it.key.id.clone());
        let records = match self.at.filter(|_| self.lookup.is_some()) {
            Some(at) => self.entities.all_as_of(records, at).await?,
            None => records,
        };
        let mut page = Vec::new();
        for record in records {
            if !self.written.contains_key(&record.key.id) {
                page.push(Entity::read(record)?);
            }
        }
        let page = self.overlaid(page);
        self.matching(page).await.map(Some)
    }

    /// Adds what the transaction has written with ids up to here.
    fn overlaid(&mut self, mut page: Vec<Entity>) -> Vec<Entity> {
        let later = match &self.after {
            Some(last) if !self.is_over => {
                let mut later = self.written.split_off(last);
                // The one with this very id is told now.
                if let Some(it) = later.remove(last) {
                    self.written.insert(last.clone(), it);
                }
                later
            }
            Some(_) | None => BTreeMap::new(),
        };
        let now = std::mem::replace(&mut self.written, later);
        let is_here = |it: &Arc<Entity>| !it.is_deleted && it.model == self.model;
        page.extend(now.into_values().filter(is_here).map(Arc::unwrap_or_clone));
        page.sort_by(|one, another| one.id.cmp(&another.id));
        page
    }

    async fn matching(&self, page: Vec<Entity>) -> Result<Vec<Entity>, Fault> {
        let Some(predicate) = &self.predicate else { return Ok(page) };
        let (mut matching, mut n_bytes) = (Vec::new(), 0);
        for entity in page {
            // Here is where a search that takes too long can be ended.
            if n_bytes >= JUDGED_BYTES {
                tokio::task::yield_now().await;
                n_bytes = 0;
            }
            n_bytes += entity.value.as_str().len();
            if predicate.matches(&subject(&entity, &entity.document()?)) {
                matching.push(entity);
            }
        }
        Ok(matching)
    }
}

fn subject<'a>(entity: &'a Entity, value: &'a Value) -> Subject<'a> {
    Subject {
        value,
        state: &entity.state,
        previous_transition: &entity.save.transition,
        created_at: entity.created_at.as_micros(),
        updated_at: entity.updated_at.as_micros(),
        transaction: &entity.save.transaction,
        id: entity.id.as_str(),
    }
}
