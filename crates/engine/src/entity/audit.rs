//! What happened to an entity: its changes, and what the machine did about each. Reading it writes
//! nothing.

use waypost_kernel::{InstanceId, Json, StoreError, Timestamp, Version};
use waypost_machines::entity::cascade::AuditKind;

use super::{ChangeView, Code, Entities, Entity, Fault, Refusal, land::Noted, refuse::no_entity};
use crate::limits::{AUDIT_MAX, VERSIONS_PAGE};

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditItem {
    /// When the transaction landed that it belongs to.
    pub at: Timestamp,
    /// The transaction.
    pub transaction: String,
    /// What happened.
    pub what: AuditWhat,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditWhat {
    /// The machine did something.
    Machine {
        /// Its stable name.
        event: String,
        /// Where the entity was; empty before it had a state.
        state: String,
        /// For people.
        details: String,
        /// For programs.
        facts: Option<Json>,
    },
    /// The entity has another version.
    Change(ChangeView),
}

/// Which events are wanted.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// What the machine did.
    pub has_machine: bool,
    /// Changes.
    pub has_changes: bool,
    /// From this instant on.
    pub from: Option<Timestamp>,
    /// Before this instant.
    pub until: Option<Timestamp>,
    /// Of this transaction.
    pub transaction: Option<String>,
    /// How many at the most; [`AUDIT_MAX`] if more.
    pub limit: usize,
    /// After the last one of another page.
    pub cursor: Option<AuditCursor>,
}

/// A place in the audit of an entity, which new events do not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditCursor {
    version: u64,
    /// The place within the version, counted from its first event.
    index: usize,
}

impl std::fmt::Display for AuditCursor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.version, self.index)
    }
}

impl std::str::FromStr for AuditCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (version, index) = text.split_once('.').ok_or(())?;
        let (version, index) = (version.parse().map_err(drop)?, index.parse().map_err(drop)?);
        // The first version is 1: a page never ends before it.
        if version == 0 { Err(()) } else { Ok(Self { version, index }) }
    }
}

/// Events, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// The events.
    pub items: Vec<AuditItem>,
    /// Where to go on, if there are more.
    pub next: Option<AuditCursor>,
}

impl Entities {
    /// What happened to an entity, newest first. One that was deleted keeps it.
    ///
    /// # Errors
    /// When it has never existed.
    pub async fn audit(&self, id: &InstanceId, query: &AuditQuery) -> Result<AuditPage, Fault> {
        let limit = query.limit.clamp(1, AUDIT_MAX);
        let snapshot = self.snapshot().await?;
        let mut page = AuditPage::default();
        let mut before = query.cursor.map(|it| Version(it.version.saturating_add(1)));
        let (mut last, mut own) = (None, self.own(id)?);
        let is_own = own.is_some();
        loop {
            // What the transaction has written comes before what is stored.
            let versions = match own.take() {
                Some(own) => vec![own],
                None => self.versions(id, before).await?,
            };
            if versions.is_empty() {
                // A cursor may be made up: that there is nothing before it proves nothing.
                let exists = is_own || last.is_some() || self.as_of(id, snapshot).await?.is_some();
                return if exists { Ok(page) } else { Err(no_entity(id).into()) };
            }
            let oldest = versions.last().map(|(it, _)| it.version);
            before = before.into_iter().chain(oldest).min();
            let is_seen = |it: &Entity| snapshot.is_none_or(|at| it.updated_at <= at);
            for (entity, noted) in versions.into_iter().filter(|(it, _)| is_seen(it)) {
                for (index, item) in items(&entity, noted).into_iter().enumerate().rev() {
                    let place = AuditCursor { version: entity.version.0, index };
                    if !query.wants(&item, place) {
                        continue;
                    }
                    if page.items.len() == limit {
                        page.next = last;
                        return Ok(page);
                    }
                    page.items.push(item);
                    last = Some(place);
                }
            }
        }
    }

    /// The event that ended the machine's run on an entity in a transaction.
    ///
    /// # Errors
    /// When there is none.
    pub async fn finished(&self, id: &InstanceId, transaction: &str) -> Result<AuditItem, Fault> {
        let query = AuditQuery {
            has_machine: true,
            transaction: Some(transaction.to_owned()),
            limit: AUDIT_MAX,
            ..AuditQuery::default()
        };
        let is_finish = |it: &AuditItem| match &it.what {
            AuditWhat::Machine { event, .. } => event == AuditKind::Finish.name(),
            AuditWhat::Change(_) => false,
        };
        let found = self.audit(id, &query).await?.items.into_iter().find(is_finish);
        found.ok_or_else(|| {
            let detail = format!("transaction {transaction} has not run entity {id}");
            Refusal::new(Code::EntityNotFound, detail).with("entityId", id.as_str()).into()
        })
    }

    /// What the transaction that this is part of has made of the entity.
    fn own(&self, id: &InstanceId) -> Result<Option<(Entity, Vec<Noted>)>, Refusal> {
        let Some((transaction, layer)) = &self.within else { return Ok(None) };
        let draft = transaction.draft(*layer, id)?;
        Ok(draft.map(|it| (Entity::clone(&it.entity), it.audit.iter().map(Noted::from).collect())))
    }

    /// Some versions, newest first, each with what the machine did.
    async fn versions(
        &self,
        id: &InstanceId,
        before: Option<Version>,
    ) -> Result<Vec<(Entity, Vec<Noted>)>, Fault> {
        let key = self.key(id);
        let records = self.store().versions(&key, before, VERSIONS_PAGE).await?;
        let Some(oldest) = records.last().map(|it| it.version) else { return Ok(Vec::new()) };
        let after = Version(oldest.0.saturating_sub(1));
        let n_records = u32::try_from(records.len()).unwrap_or(u32::MAX);
        let mut events = self.store().history(&key, after, n_records).await?;
        let mut versions = Vec::with_capacity(records.len());
        for record in records {
            let found = events.pop_if(|it| it.version == record.version);
            let noted = found.map_or_else(|| Ok(Vec::new()), |it| it.events.read());
            let noted = noted.map_err(|error| {
                StoreError::Corrupt(format!("the events of {key} cannot be read: {error}"))
            })?;
            versions.push((Entity::read(record)?, noted));
        }
        Ok(versions)
    }
}

impl AuditQuery {
    fn wants(&self, item: &AuditItem, place: AuditCursor) -> bool {
        let is_kind = match item.what {
            AuditWhat::Machine { .. } => self.has_machine,
            AuditWhat::Change(_) => self.has_changes,
        };
        let is_after = |it: AuditCursor| (place.version, place.index) < (it.version, it.index);
        is_kind
            && self.from.is_none_or(|it| item.at >= it)
            && self.until.is_none_or(|it| item.at < it)
            && self.transaction.as_ref().is_none_or(|it| *it == item.transaction)
            && self.cursor.is_none_or(is_after)
    }
}

/// The events of one version, in the order they were recorded: the change comes last.
fn items(entity: &Entity, noted: Vec<Noted>) -> Vec<AuditItem> {
    let (at, save) = (entity.updated_at, &entity.save);
    let item = |what| AuditItem { at, transaction: save.transaction.clone(), what };
    let machine = |it: Noted| {
        let Noted { event, state, details, facts } = it;
        item(AuditWhat::Machine { event, state, details, facts })
    };
    let change = ChangeView {
        kind: save.change,
        at,
        user: save.user.clone(),
        transaction: save.transaction.clone(),
    };
    let mut items: Vec<AuditItem> = noted.into_iter().map(machine).collect();
    items.push(item(AuditWhat::Change(change)));
    items
}
