//! Reading entities: as they are, as they were, and what could be done with them.

use std::{collections::BTreeMap, sync::Arc};

use waypost_kernel::{DefinitionRef, InstanceId, Key, Kind, Tally, TallyQuery, Timestamp, Version};
use waypost_machines::entity::workflow::available;

use super::{
    ChangeKind, Entities, Entity, Fault,
    land::request,
    models::bad,
    record::LIVE,
    refuse::{no_entity, no_model},
    transaction::Draft,
};
use crate::limits::{CHANGES_MAX, VERSIONS_PAGE};

/// As of when something is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// As it is.
    #[default]
    Now,
    /// As it was at this instant.
    At(Timestamp),
    /// As this transaction left it.
    By(String),
    /// As this version of it was.
    Version(Version),
}

/// A change of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeView {
    /// What kind of change.
    pub kind: ChangeKind,
    /// When it landed.
    pub at: Timestamp,
    /// Who caused it.
    pub user: String,
    /// The transaction.
    pub transaction: String,
}

impl From<&Entity> for ChangeView {
    fn from(entity: &Entity) -> Self {
        let Entity { save, updated_at: at, .. } = entity;
        let (user, transaction) = (save.user.clone(), save.transaction.clone());
        Self { kind: save.change, at: *at, user, transaction }
    }
}

impl Entities {
    /// The entity.
    ///
    /// # Errors
    /// When it does not exist, or did not then.
    pub async fn read(&self, id: &InstanceId, when: &When) -> Result<Entity, Fault> {
        let found = match when {
            When::Now => self.present(id).await?,
            When::At(at) => self.past(id, *at).await?,
            When::By(transaction) => self.seen(self.version_by(id, transaction).await?).await?,
            When::Version(version) => self.seen(self.version(id, *version).await?).await?,
        };
        found.filter(|it| !it.is_deleted).ok_or_else(|| no_entity(id).into())
    }

    async fn version(&self, id: &InstanceId, version: Version) -> Result<Option<Entity>, Fault> {
        let after = Version(version.0.saturating_add(1));
        let versions = self.store().versions(&self.key(id), Some(after), 1).await?;
        let found = versions.into_iter().find(|it| it.version == version);
        Ok(found.map(Entity::read).transpose()?)
    }

    /// The changes of the entity until `until`, newest first, at most [`CHANGES_MAX`]. One that was
    /// deleted has them still.
    ///
    /// # Errors
    /// When it has never existed.
    pub async fn changes(
        &self,
        id: &InstanceId,
        until: Option<Timestamp>,
    ) -> Result<Vec<ChangeView>, Fault> {
        let mut views: Vec<ChangeView> = match (&self.within, until) {
            (Some((transaction, layer)), None) => {
                let draft = transaction.draft(*layer, id)?;
                draft.into_iter().map(|it| ChangeView::from(&*it.entity)).collect()
            }
            (Some(_) | None, _) => Vec::new(),
        };
        let mut before = self.ended(id, self.instant(until).await?).await?;
        while let Some(version) = before.filter(|_| views.len() < CHANGES_MAX) {
            let page = self.store().versions(&self.key(id), Some(version), VERSIONS_PAGE).await?;
            before = page.last().map(|it| it.version);
            for record in page {
                views.push(ChangeView::from(&Entity::read(record)?));
            }
        }
        views.truncate(CHANGES_MAX);
        let is_known = !views.is_empty() || until.is_some() && self.stored(id).await?.is_some();
        if is_known { Ok(views) } else { Err(no_entity(id).into()) }
    }

    /// The version after the last that the entity had until then; none if it was not there yet.
    async fn ended(
        &self,
        id: &InstanceId,
        until: Option<Timestamp>,
    ) -> Result<Option<Version>, Fault> {
        let Some(at) = until else { return Ok(Some(Version(u64::MAX))) };
        let last = self.store().past(&[self.key(id)], at).await?.pop().flatten();
        Ok(last.map(|it| it.version.next()))
    }

    /// The names of the transitions that can be asked for, in declared order. `model`, if given, is
    /// what the entity must be of.
    ///
    /// # Errors
    /// When the entity does not exist, or the transaction is not known.
    pub async fn transitions(
        &self,
        id: &InstanceId,
        model: Option<&DefinitionRef>,
        when: &When,
    ) -> Result<Vec<String>, Fault> {
        let when = match when {
            When::By(transaction) => When::At(self.landed(id, transaction).await?),
            When::Now | When::At(_) | When::Version(_) => when.clone(),
        };
        let entity = self.read(id, &when).await?;
        if model.is_some_and(|it| *it != entity.model) {
            return Err(no_entity(id).into());
        }
        let model = self.stored_model(&entity.model).await?;
        let remembered = entity.save.workflow.as_deref();
        let names = available(&model.workflows.list, &entity.state, remembered);
        Ok(names.into_iter().map(ToOwned::to_owned).collect())
    }

    /// How many entities there are, by model and state.
    ///
    /// # Errors
    /// When the store cannot be read, or there is no such model.
    pub async fn tally(
        &self,
        model: Option<&DefinitionRef>,
        at: Option<Timestamp>,
    ) -> Result<Vec<Tally>, Fault> {
        if let Some(which) = model {
            self.exists(which).await?;
        }
        let query = TallyQuery {
            tenant: self.caller.tenant.clone(),
            kind: Kind::Entity,
            definition: model.cloned(),
            status: Some(LIVE.to_owned()),
            at: self.instant(at).await?,
        };
        let tallies = self.store().tally(&query).await?;
        match (&self.within, at) {
            (Some((transaction, layer)), None) => {
                let drafts = transaction.drafts(*layer)?;
                self.tally_within((tallies, query.at), drafts, model).await
            }
            (Some(_) | None, _) => Ok(tallies),
        }
    }

    /// Counts what the transaction has written instead of what is stored of it, or was then.
    async fn tally_within(
        &self,
        (tallies, at): (Vec<Tally>, Option<Timestamp>),
        drafts: BTreeMap<InstanceId, Draft>,
        model: Option<&DefinitionRef>,
    ) -> Result<Vec<Tally>, Fault> {
        let place = |it: &Entity| (it.model.clone(), it.state.clone());
        let mut counts: BTreeMap<(DefinitionRef, String), u64> =
            tallies.into_iter().map(|it| ((it.definition, it.step), it.count)).collect();
        let keys: Vec<Key> = drafts.keys().map(|it| self.key(it)).collect();
        let stored = match at {
            Some(at) => self.store().past(&keys, at).await?,
            None => self.store().load(&keys).await?,
        };
        for record in stored.into_iter().flatten() {
            let stored = Entity::read(record)?;
            if let Some(count) = counts.get_mut(&place(&stored)).filter(|_| !stored.is_deleted) {
                *count = count.saturating_sub(1);
            }
        }
        let is_here = |it: &Draft| {
            !it.entity.is_deleted && model.is_none_or(|which| *which == it.entity.model)
        };
        for draft in drafts.values().filter(|it| is_here(it)) {
            *counts.entry(place(&draft.entity)).or_default() += 1;
        }
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        Ok(counts.map(|((definition, step), count)| Tally { definition, step, count }).collect())
    }

    /// Goes on only if there is such a model.
    pub(super) async fn exists(&self, which: &DefinitionRef) -> Result<(), Fault> {
        let model = self.stored_model(which).await?;
        model.schema.map(drop).ok_or_else(|| no_model(which).into())
    }

    /// The instant, when all that belongs to it has landed. Of an instant to come it is what
    /// belongs to it by now.
    pub(super) async fn settled(&self, at: Option<Timestamp>) -> Result<Option<Timestamp>, Fault> {
        if let Some(at) = at {
            self.store().settle(at.min(self.store().now())).await?;
        }
        Ok(at)
    }

    pub(super) async fn present(&self, id: &InstanceId) -> Result<Option<Entity>, Fault> {
        if let Some((transaction, layer)) = &self.within {
            if let Some(draft) = transaction.draft(*layer, id)? {
                return Ok(Some(Arc::unwrap_or_clone(draft.entity)));
            }
            let found = self.as_of(id, self.snapshot_of(transaction).await?).await?;
            let version = found.as_ref().map(|it| it.version).unwrap_or_default();
            transaction.read(*layer, self.key(id), version)?;
            return Ok(found.map(Arc::unwrap_or_clone));
        }
        Ok(self.stored(id).await?.map(Arc::unwrap_or_clone))
    }

    pub(super) async fn past(
        &self,
        id: &InstanceId,
        at: Timestamp,
    ) -> Result<Option<Entity>, Fault> {
        self.settled(Some(at)).await?;
        let mut found = self.store().past(&[self.key(id)], at).await?;
        Ok(found.pop().flatten().map(Entity::read).transpose()?)
    }

    /// The version that `transaction` wrote.
    pub(super) async fn version_by(
        &self,
        id: &InstanceId,
        transaction: &str,
    ) -> Result<Option<Entity>, Fault> {
        let mut before = None;
        loop {
            let page = self.store().versions(&self.key(id), before, VERSIONS_PAGE).await?;
            let Some(last) = page.last() else { return Ok(None) };
            before = Some(last.version);
            for record in page {
                let entity = Entity::read(record)?;
                if entity.save.transaction == transaction {
                    return Ok(Some(entity));
                }
            }
        }
    }

    /// When a transaction landed.
    async fn landed(&self, id: &InstanceId, transaction: &str) -> Result<Timestamp, Fault> {
        let known = self.store().receipt(&self.caller.tenant, &request(transaction)).await?;
        if let Some(receipt) = known {
            return Ok(receipt.at);
        }
        // One that wrote the entity is known for as long as the entity is.
        let version = self.version_by(id, transaction).await?;
        version.map(|it| it.updated_at).ok_or_else(|| {
            bad(format!("transaction {transaction} is not known, or did not land")).into()
        })
    }
}
