//! Lists of entities, from the index or by reading them all.

use std::{collections::BTreeMap, sync::Arc};

use waypost_machines::lifecycle::FieldValue;

use crate::{
    Entry, Error, Result,
    core::{Core, Stored},
    held::Held,
    index::{Page, Wanted, is_indexed, term},
    registration::{PROBE, Registration},
};

/// How many entities are read at once.
pub(crate) const CHUNK: usize = 256;

/// Which entities to list. By default all, sorted by id.
///
/// ```
/// use waypost_lifecycle::ListOptions;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// for id in ["l-1", "l-2", "l-3"] {
///     lamps.create(&lamp(id)).await?;
/// }
/// let hall = ListOptions::default().in_phase("dark").only_active().matching("room", "hall");
/// assert_eq!(lamps.list(&hall).await?.len(), 3);
/// let second = lamps.list(&hall.page(1, 1)).await?;
/// assert_eq!(second[0].id, "l-2");
/// assert_eq!(lamps.list(&ListOptions::default().fresh()).await?.len(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Only those in this phase; in any, if it is empty.
    pub phase: String,
    /// Only those that do not say of themselves that they have come to their end.
    pub active: bool,
    /// Only those whose fields hold exactly this: the same type and the same value.
    pub matches: BTreeMap<String, FieldValue>,
    /// How many to pass over. Of what the index tells they are not read: as long as it does not know of
    /// what others have just written, they are counted as it knows them.
    pub offset: usize,
    /// How many at the most; all, if zero.
    pub limit: usize,
    /// Where the answer comes from.
    pub consistency: Consistency,
}

/// Where a list comes from.
///
/// ```
/// use waypost_lifecycle::{Consistency, ListOptions};
///
/// assert_eq!(ListOptions::default().consistency, Consistency::Indexed);
/// assert_eq!(ListOptions::default().fresh().consistency, Consistency::Fresh);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// The index, when it is there: this process's own writes are in it, those of others with the
    /// delay of a watch.
    #[default]
    Indexed,
    /// The bucket, all of it.
    Fresh,
}

impl ListOptions {
    /// Only those in this phase.
    #[must_use]
    pub fn in_phase(mut self, phase: impl Into<String>) -> Self {
        self.phase = phase.into();
        self
    }

    /// Only those that have not come to their end.
    #[must_use]
    pub const fn only_active(mut self) -> Self {
        self.active = true;
        self
    }

    /// Only those whose field holds exactly this.
    #[must_use]
    pub fn matching(mut self, field: impl Into<String>, value: impl Into<FieldValue>) -> Self {
        self.matches.insert(field.into(), value.into());
        self
    }

    /// At most `limit` of them, from `offset` on.
    #[must_use]
    pub const fn page(mut self, offset: usize, limit: usize) -> Self {
        (self.offset, self.limit) = (offset, limit);
        self
    }

    /// From the bucket, not from the index.
    #[must_use]
    pub const fn fresh(mut self) -> Self {
        self.consistency = Consistency::Fresh;
        self
    }

    fn wants(&self, registration: &Registration, held: &dyn Held) -> bool {
        let is_in_phase = self.phase.is_empty() || held.phase() == self.phase;
        is_in_phase
            && !(self.active && held.is_terminal(&registration.table))
            && self.matches.iter().all(|(field, value)| held.get(field).as_ref() == Some(value))
    }

    /// What of it the index can tell, and whether that is all of it.
    fn wanted(&self, registration: &Registration) -> (Wanted<'_>, bool) {
        let (mut is_exact, mut terms) = (true, Vec::new());
        for (name, value) in &self.matches {
            match registration.field(name) {
                Some(field) if is_indexed(field) => terms.push(term(name, value)),
                Some(_) | None => is_exact = false,
            }
        }
        let phase = Some(self.phase.as_str()).filter(|it| !it.is_empty());
        (Wanted { phase, active: self.active, terms }, is_exact)
    }

    fn limit(&self) -> usize {
        if self.limit == 0 { usize::MAX } else { self.limit }
    }
}

impl Core {
    pub(crate) async fn list(
        &self,
        registration: &Registration,
        options: &ListOptions,
    ) -> Result<Vec<Stored>> {
        let unknown = options.matches.keys().find(|it| registration.field(it).is_none());
        if let Some(field) = unknown {
            let workflow = registration.workflow.clone();
            return Err(Error::UnknownMatchField { workflow, field: field.clone() });
        }
        match options.consistency {
            Consistency::Fresh => self.scan(registration, options).await,
            Consistency::Indexed => match self.indexed(registration, options).await? {
                Some(found) => Ok(found),
                None => self.scan(registration, options).await,
            },
        }
    }

    /// How many entities are in each phase that occurs.
    pub(crate) async fn counts(
        &self,
        registration: &Registration,
    ) -> Result<BTreeMap<String, u64>> {
        if let Some(counts) = registration.index.ask(|it| it.counts()) {
            self.vouch(registration).await?;
            return Ok(counts);
        }
        let mut counts = BTreeMap::new();
        for stored in self.scan(registration, &ListOptions::default()).await? {
            *counts.entry(stored.held.phase().to_owned()).or_default() += 1;
        }
        Ok(counts)
    }

    /// Reads everything.
    pub(crate) async fn scan(
        &self,
        registration: &Registration,
        options: &ListOptions,
    ) -> Result<Vec<Stored>> {
        let entries = registration.bucket.entries().await;
        let entries = entries.map_err(|it| registration.store_error(it))?;
        let readable = entries.iter().filter_map(|it| self.readable(registration, it));
        let mut found: Vec<_> =
            readable.filter(|it| options.wants(registration, &*it.held)).collect();
        found.sort_by(|a, b| a.entity_id.cmp(&b.entity_id));
        Ok(found.into_iter().skip(options.offset).take(options.limit()).collect())
    }

    /// Asks the index first, and reads only what it names; nothing, if it is not there. Some of what it
    /// names may be otherwise by now: it reads on until there are enough.
    async fn indexed(
        &self,
        registration: &Registration,
        options: &ListOptions,
    ) -> Result<Option<Vec<Stored>>> {
        let (wanted, is_exact) = options.wanted(registration);
        // What the index cannot tell is compared after reading, and counted only then.
        let (mut skipped, passed_over) =
            if is_exact { (options.offset, 0) } else { (0, options.offset) };
        let enough = passed_over.saturating_add(options.limit());
        let (mut found, mut last) = (Vec::new(), None::<Arc<str>>);
        while found.len() < enough {
            let n_missing = if is_exact { CHUNK.min(enough - found.len()) } else { CHUNK };
            let page = Page { after: last.as_deref(), offset: skipped, limit: n_missing };
            let ids = registration.index.ask(|it| it.page(&wanted, &page));
            let Some(ids) = ids else { return Ok(None) };
            if ids.is_empty() {
                break;
            }
            let stored = self.read_many(registration, &ids).await?;
            found.extend(stored.into_iter().filter(|it| options.wants(registration, &*it.held)));
            (skipped, last) = (0, ids.last().cloned());
        }
        if last.is_none() {
            self.vouch(registration).await?;
        }
        Ok(Some(found.into_iter().skip(passed_over).take(options.limit()).collect()))
    }

    /// Those of the entities that are there and can be read, in the same order.
    pub(crate) async fn read_many(
        &self,
        registration: &Registration,
        ids: &[impl AsRef<str>],
    ) -> Result<Vec<Stored>> {
        let keys: Vec<_> = ids.iter().map(|id| registration.shape.key(id.as_ref())).collect();
        let entries = registration.bucket.get_many(&keys).await;
        let entries = entries.map_err(|it| registration.store_error(it))?;
        let present = entries.iter().flatten();
        Ok(present.filter_map(|it| self.readable(registration, it)).collect())
    }

    /// Makes sure that the store is there before something is told from memory alone: while it is
    /// away, nobody hears of what others write.
    pub(crate) async fn vouch(&self, registration: &Registration) -> Result<()> {
        let asked = registration.bucket.get(&registration.shape.key(PROBE)).await;
        asked.map(drop).map_err(|it| registration.store_error(it))
    }

    /// What is stored, if it is of this type and can be read.
    fn readable(&self, registration: &Registration, entry: &Entry) -> Option<Stored> {
        match registration.open(entry) {
            Ok(stored) => {
                let stored = stored?;
                self.notice(registration, &stored.entity_id, stored.held.phase());
                Some(stored)
            }
            Err(error) => {
                self.counters.pass_over(registration, &error, entry.revision);
                None
            }
        }
    }
}
