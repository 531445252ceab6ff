//! Transactions: what was read and what is written, in memory until it lands as one commit.
//!
//! A transaction has layers. What a compute member does through callbacks belongs to the layer of
//! the call; it is merged into the layer beneath when the call succeeds and dropped when it fails.
//! So a savepoint is a layer, and nobody waits for anybody.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use waypost_kernel::{DefinitionRef, InstanceId, Key, Term, Timestamp, Version};
use waypost_machines::entity::cascade::{Armed, AuditEvent};

use super::{Caller, Code, Entity, Refusal, model::Model};
use crate::limits::{LAYERS_MAX, NESTING_MAX, TRANSACTION_BYTES_MAX, TRANSACTION_INSTANCES_MAX};

/// A transaction under way.
pub(crate) struct Transaction {
    pub(super) id: String,
    pub(super) caller: Caller,
    pub(super) began_at: Timestamp,
    /// When somebody outside was first told of it, in the time of the store. From then on it cannot
    /// be decided again from the start, and sees everything else as of that instant.
    told_at: OnceLock<Timestamp>,
    parts: Mutex<Parts>,
}

/// One layer of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerId(pub(super) u32);

/// An entity as the transaction leaves it.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) base: Base,
    pub(super) entity: Arc<Entity>,
    /// What the machine did, oldest first.
    pub(super) audit: Vec<AuditEvent>,
    /// What it can be looked up by; none if its model has no indexes.
    pub(super) terms: Option<Vec<Term>>,
    /// Another one for every draft of the transaction.
    stamp: u64,
}

/// What is stored of an entity while a transaction works on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) version: Version,
    /// What is armed with that version.
    pub(super) armed: Vec<Armed>,
}

impl Base {
    /// Nothing: the entity begins in the transaction.
    pub(super) const ABSENT: Self = Self { version: Version::ABSENT, armed: Vec::new() };

    pub(super) fn of(stored: &Entity) -> Self {
        Self { version: stored.version, armed: stored.save.armed.clone() }
    }
}

impl Draft {
    pub(super) const fn new(
        base: Base,
        entity: Arc<Entity>,
        audit: Vec<AuditEvent>,
        terms: Option<Vec<Term>>,
    ) -> Self {
        Self { base, entity, audit, terms, stamp: 0 }
    }

    /// What it takes to keep it. Terms may take more than the document.
    fn n_bytes(&self) -> usize {
        let terms = self.terms.iter().flatten().map(|it| it.path.len() + it.key.len());
        terms.sum::<usize>() + self.entity.value.as_str().len()
    }
}

struct Parts {
    /// What each layer there ever was lies on; the bottom on itself.
    beneath: Vec<usize>,
    /// Those that still are. What is closed has handed on to the layer beneath.
    open: BTreeMap<usize, Layer>,
    /// Those that lay on what was taken back before they were closed. Nothing comes of them.
    void: BTreeSet<usize>,
    n_stamps: u64,
    n_bytes: usize,
    n_instances_max: usize,
    is_over: bool,
}

#[derive(Default)]
struct Layer {
    drafts: BTreeMap<InstanceId, Draft>,
    models: BTreeMap<DefinitionRef, Model>,
    reads: BTreeMap<Key, Version>,
    /// The stamps of the drafts beneath that were read; 0 where there was none.
    seen: BTreeMap<InstanceId, u64>,
}

/// What a transaction comes to.
pub(super) struct Outcome {
    pub(super) drafts: Vec<Draft>,
    pub(super) models: BTreeMap<DefinitionRef, Model>,
    pub(super) reads: BTreeMap<Key, Version>,
}

impl Transaction {
    pub(super) const BOTTOM: LayerId = LayerId(0);

    pub(super) fn new(id: String, caller: Caller, began_at: Timestamp) -> Self {
        let open = BTreeMap::from([(0, Layer::default())]);
        let parts = Parts {
            beneath: vec![0],
            open,
            void: BTreeSet::new(),
            n_stamps: 0,
            n_bytes: 0,
            n_instances_max: TRANSACTION_INSTANCES_MAX,
            is_over: false,
        };
        Self { id, caller, began_at, told_at: OnceLock::new(), parts: Mutex::new(parts) }
    }

    /// The same for one that only deletes, which may touch that many.
    pub(super) fn deleting(mut self, n_instances_max: usize) -> Self {
        let parts = self.parts.get_mut().unwrap_or_else(PoisonError::into_inner);
        parts.n_instances_max = n_instances_max;
        self
    }

    /// Takes note that somebody outside knows of it from `at` on, or from an earlier instant.
    pub(super) fn tell(&self, at: Timestamp) {
        self.told_at.get_or_init(|| at);
    }

    pub(super) fn is_told(&self) -> bool {
        self.told_at().is_some()
    }

    pub(super) fn told_at(&self) -> Option<Timestamp> {
        self.told_at.get().copied()
    }

    /// A new layer on top of `beneath`, or of what has become of it.
    pub(super) fn open(&self, beneath: LayerId) -> Result<LayerId, Refusal> {
        let mut parts = self.parts()?;
        let beneath = parts.resolve(beneath)?;
        if parts.open.len() > NESTING_MAX || parts.beneath.len() > LAYERS_MAX {
            let detail = format!(
                "a transaction has at most {NESTING_MAX} calls and callbacks under way, and \
                 {LAYERS_MAX} in all"
            );
            return Err(Refusal::new(Code::TransactionTooLarge, detail));
        }
        let index = parts.beneath.len();
        parts.beneath.push(beneath);
        parts.open.insert(index, Layer::default());
        Ok(LayerId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// Makes what was done in `layer` part of the layer beneath.
    ///
    /// # Errors
    /// When another layer has written there what this one has read, or extended a model otherwise.
    pub(super) fn merge(&self, layer: LayerId) -> Result<(), Refusal> {
        let mut parts = self.parts()?;
        let top = parts.resolve(layer)?;
        let Some(beneath) = parts.under(top) else { return Ok(()) };
        let taken = parts.take(top);
        let is_overtaken = |(id, stamp): (&InstanceId, &u64)| parts.stamp(beneath, id) != *stamp;
        if taken.seen.iter().filter(|it| taken.drafts.contains_key(it.0)).any(is_overtaken) {
            let detail = "another callback of the same transaction has written the entity";
            return Err(Refusal::new(Code::Conflict, detail));
        }
        let models = parts.united(beneath, taken.models)?;
        if let Some(below) = parts.open.get_mut(&beneath) {
            // What it read further down, the layer beneath has read by it.
            for (id, stamp) in taken.seen {
                if !below.drafts.contains_key(&id) {
                    below.seen.entry(id).or_insert(stamp);
                }
            }
            taken.drafts.into_iter().for_each(|(id, draft)| below.put(id, draft));
            below.models.extend(models);
            for (key, version) in taken.reads {
                below.reads.entry(key).or_insert(version);
            }
        }
        Ok(())
    }

    /// Forgets what was done in `layer`, unless it is closed already: what it lies on has more in it.
    pub(super) fn discard(&self, layer: LayerId) {
        if let Ok(mut parts) = self.parts()
            && let Ok(top) = parts.resolve(layer)
        {
            let is_open = usize::try_from(layer.0) == Ok(top);
            if is_open && parts.under(top).is_some() {
                drop(parts.take(top));
                parts.avoid(top);
            }
        }
    }

    /// The entity as those have left it that called back into `layer`, if they have written it.
    pub(super) fn written(
        &self,
        layer: LayerId,
        id: &InstanceId,
    ) -> Result<Option<Arc<Entity>>, Refusal> {
        let parts = self.parts()?;
        let at = parts.resolve(layer)?;
        let found = parts.open.get(&at).and_then(|it| it.drafts.get(id));
        Ok(found.map(|it| Arc::clone(&it.entity)))
    }

    /// The entity as `layer` sees it, if the transaction has written it.
    pub(super) fn draft(&self, layer: LayerId, id: &InstanceId) -> Result<Option<Draft>, Refusal> {
        let mut parts = self.parts()?;
        let at = parts.resolve(layer)?;
        let found = parts.find(at, |it| it.drafts.get(id)).cloned();
        let is_own = parts.open.get(&at).is_some_and(|it| it.drafts.contains_key(id));
        if !is_own && let Some(layer) = parts.open.get_mut(&at) {
            let stamp = found.as_ref().map_or(0, |it| it.stamp);
            layer.seen.entry(id.clone()).or_insert(stamp);
        }
        Ok(found)
    }

    /// All entities that `layer` sees written.
    pub(super) fn drafts(&self, layer: LayerId) -> Result<BTreeMap<InstanceId, Draft>, Refusal> {
        let parts = self.parts()?;
        let mut drafts = BTreeMap::new();
        let mut at = Some(parts.resolve(layer)?);
        while let Some(index) = at {
            for (id, draft) in parts.open.get(&index).into_iter().flat_map(|it| &it.drafts) {
                drafts.entry(id.clone()).or_insert_with(|| draft.clone());
            }
            at = parts.under(index);
        }
        Ok(drafts)
    }

    /// The model as `layer` sees it, if the transaction has extended it.
    pub(super) fn model(
        &self,
        layer: LayerId,
        which: &DefinitionRef,
    ) -> Result<Option<Model>, Refusal> {
        let parts = self.parts()?;
        Ok(parts.find(parts.resolve(layer)?, |it| it.models.get(which)).cloned())
    }

    /// Notes that `key` was read at `version`, which must be so still when the transaction lands.
    pub(super) fn read(&self, layer: LayerId, key: Key, version: Version) -> Result<(), Refusal> {
        let mut parts = self.parts()?;
        let at = parts.resolve(layer)?;
        if let Some(layer) = parts.open.get_mut(&at) {
            layer.reads.entry(key).or_insert(version);
        }
        parts.within_limits()
    }

    /// What it has read so far, and of which versions.
    pub(super) fn reads(&self) -> Result<Vec<(Key, Version)>, Refusal> {
        let parts = self.parts()?;
        let reads = parts.open.values().flat_map(|it| &it.reads);
        Ok(reads.map(|(key, version)| (key.clone(), *version)).collect())
    }

    pub(super) fn write(&self, layer: LayerId, draft: Draft) -> Result<(), Refusal> {
        let mut parts = self.parts()?;
        let at = parts.resolve(layer)?;
        parts.n_stamps += 1;
        parts.n_bytes += draft.n_bytes();
        let draft = Draft { stamp: parts.n_stamps, ..draft };
        if let Some(layer) = parts.open.get_mut(&at) {
            layer.put(draft.entity.id.clone(), draft);
        }
        parts.within_limits()
    }

    pub(super) fn extend(
        &self,
        layer: LayerId,
        which: DefinitionRef,
        model: Model,
    ) -> Result<(), Refusal> {
        let mut parts = self.parts()?;
        let at = parts.resolve(layer)?;
        if let Some(layer) = parts.open.get_mut(&at) {
            layer.models.insert(which, model);
        }
        Ok(())
    }

    /// Ends it: whoever comes later comes too late.
    pub(super) fn end(&self) -> Result<Outcome, Refusal> {
        let mut parts = self.parts()?;
        parts.is_over = true;
        let bottom = parts.take(0);
        let Layer { drafts, models, reads, .. } = bottom;
        Ok(Outcome { drafts: drafts.into_values().collect(), models, reads })
    }

    fn parts(&self) -> Result<MutexGuard<'_, Parts>, Refusal> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.is_over {
            let detail = format!("transaction {} is over", self.id);
            return Err(Refusal::new(Code::TransactionNotFound, detail));
        }
        Ok(parts)
    }
}

impl Layer {
    fn put(&mut self, id: InstanceId, mut draft: Draft) {
        // What happened before in the same transaction has happened, too.
        if let Some(before) = self.drafts.remove(&id) {
            draft.audit = before.audit.into_iter().chain(draft.audit).collect();
        }
        self.drafts.insert(id, draft);
    }
}

impl Parts {
    /// The layer that stands for `layer` now.
    ///
    /// # Errors
    /// When it lay on something that was taken back.
    fn resolve(&self, layer: LayerId) -> Result<usize, Refusal> {
        let mut at = usize::try_from(layer.0).unwrap_or(0);
        // The bottom is open until the end, and stands for layers that never were.
        while at != 0 && !self.open.contains_key(&at) {
            if self.void.contains(&at) {
                let detail = "the call that this was part of has failed";
                return Err(Refusal::new(Code::Conflict, detail));
            }
            at = self.beneath.get(at).copied().unwrap_or_default();
        }
        Ok(at)
    }

    /// Whoever is under way on top of `at` is so for nothing.
    fn avoid(&mut self, at: usize) {
        let is_above = |it: &usize| {
            let mut it = *it;
            while it > at {
                it = self.beneath.get(it).copied().unwrap_or_default();
            }
            it == at
        };
        let above: Vec<usize> = self.open.keys().copied().filter(is_above).collect();
        for it in above {
            drop(self.take(it));
            self.void.insert(it);
        }
    }

    /// What the layer lies on and has not been closed; none for the bottom.
    fn under(&self, at: usize) -> Option<usize> {
        let beneath = self.beneath.get(at).filter(|it| **it != at)?;
        Some(self.still_open(*beneath))
    }

    fn still_open(&self, mut at: usize) -> usize {
        // The bottom is open until the end, and stands for layers that never were.
        while at != 0 && !self.open.contains_key(&at) {
            at = self.beneath.get(at).copied().unwrap_or_default();
        }
        at
    }

    /// Closes a layer and gives what was in it.
    fn take(&mut self, at: usize) -> Layer {
        self.open.remove(&at).unwrap_or_default()
    }

    /// What the topmost layer that has it says.
    fn find<'a, T>(&'a self, at: usize, of: impl Fn(&'a Layer) -> Option<&'a T>) -> Option<&'a T> {
        let mut at = Some(at);
        while let Some(index) = at {
            if let Some(found) = self.open.get(&index).and_then(&of) {
                return Some(found);
            }
            at = self.under(index);
        }
        None
    }

    /// Models extended by a layer, together with what others on top of `at` have made of them.
    fn united(
        &self,
        at: usize,
        models: BTreeMap<DefinitionRef, Model>,
    ) -> Result<BTreeMap<DefinitionRef, Model>, Refusal> {
        let united = models.into_iter().map(|(which, model)| {
            let model = match self.find(at, |it| it.models.get(&which)) {
                Some(known) => known.and(model)?,
                None => model,
            };
            Ok((which, model))
        });
        united.collect()
    }

    fn stamp(&self, at: usize, id: &InstanceId) -> u64 {
        self.find(at, |it| it.drafts.get(id)).map_or(0, |it| it.stamp)
    }

    fn within_limits(&self) -> Result<(), Refusal> {
        let most = |of: fn(&Layer) -> usize| self.open.values().map(of).sum::<usize>();
        let n_instances = most(|it| it.drafts.len()).max(most(|it| it.reads.len()));
        let n_instances_max = self.n_instances_max;
        if n_instances > n_instances_max || self.n_bytes > TRANSACTION_BYTES_MAX {
            let detail = format!(
                "a transaction takes at most {n_instances_max} entities and \
                 {TRANSACTION_BYTES_MAX} bytes"
            );
            return Err(Refusal::new(Code::TransactionTooLarge, detail));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
