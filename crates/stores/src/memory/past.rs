//! Instances as they are and as they were, by id; what they can be looked up by, and how many there
//! are.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{
    DefinitionRef, Key, Lookup, Record, Sift, Span, Tally, TallyQuery, Term, Timestamp, Version,
};

use super::tables::Tables;

/// What an instance can be looked up by, among those of a definition.
pub(super) struct Terms {
    definition: Option<DefinitionRef>,
    terms: BTreeSet<Term>,
}

impl Terms {
    pub(super) fn of(definition: Option<DefinitionRef>, terms: Vec<Term>) -> Self {
        Self { definition, terms: terms.into_iter().collect() }
    }

    fn meet(&self, definition: &DefinitionRef, lookup: &Lookup) -> bool {
        let within = |key: &Vec<u8>, span: &Span| {
            *key >= span.from && span.to.as_ref().is_none_or(|to| key < to)
        };
        let meets = |it: &Term| {
            it.path == lookup.path && lookup.spans.iter().any(|span| within(&it.key, span))
        };
        self.definition.as_ref() == Some(definition) && self.terms.iter().any(meets)
    }
}

impl Tables {
    /// The instances that `sift` wants, by id, whatever page is asked for.
    pub(super) fn sifted<'a>(&'a self, sift: &'a Sift) -> impl Iterator<Item = &'a Record> {
        self.instances
            .values()
            .filter(|it| it.key.tenant == sift.tenant && it.key.kind == sift.kind)
            .filter(|it| it.facets.definition.as_ref() == Some(&sift.definition))
            .filter(|it| sift.after.as_ref().is_none_or(|id| it.key.id > *id))
            .filter(|it| self.is_found(it, sift))
            .filter_map(|it| self.at(it, sift.at))
            .filter(|it| sift.status.as_ref().is_none_or(|status| it.facets.status == *status))
            .filter(|it| sift.steps.is_empty() || is_at(it, &sift.steps))
    }

    fn is_found(&self, record: &Record, sift: &Sift) -> bool {
        match (&sift.lookup, sift.at) {
            (Some(lookup), None) => {
                let terms = self.terms.get(&record.key);
                terms.is_some_and(|it| it.meet(&sift.definition, lookup))
            }
            (None, _) | (Some(_), Some(_)) => true,
        }
    }

    /// How many instances are where, in order.
    pub(super) fn tally(&self, query: &TallyQuery) -> Vec<Tally> {
        let mut counts: BTreeMap<(DefinitionRef, String), u64> = BTreeMap::new();
        for now in self.instances.values() {
            let Some(definition) = &now.facets.definition else { continue };
            let is_wanted = now.key.tenant == query.tenant
                && now.key.kind == query.kind
                && query.definition.as_ref().is_none_or(|it| it == definition);
            let Some(then) = self.at(now, query.at).filter(|_| is_wanted) else { continue };
            if query.status.as_ref().is_none_or(|it| *it == then.facets.status) {
                let step = then.facets.step.clone().unwrap_or_default();
                *counts.entry((definition.clone(), step)).or_default() += 1;
            }
        }
        let tally = |((definition, step), count)| Tally { definition, step, count };
        counts.into_iter().map(tally).collect()
    }

    /// The instance as it was at `at`, if it was there.
    pub(super) fn past(&self, key: &Key, at: Timestamp) -> Option<&Record> {
        self.at(self.instances.get(key)?, Some(at))
    }

    fn at<'a>(&'a self, record: &'a Record, at: Option<Timestamp>) -> Option<&'a Record> {
        let Some(at) = at.filter(|at| record.updated_at > *at) else { return Some(record) };
        let kept = self.versions.get(&record.key).into_iter().flatten();
        let then = kept.rev().find(|it| it.updated_at <= at);
        (record.created_at <= at).then(|| then.unwrap_or(record))
    }

    /// The versions before `before` that are known, newest first.
    pub(super) fn known<'a>(
        &'a self,
        key: &'a Key,
        before: Option<Version>,
    ) -> impl Iterator<Item = &'a Record> {
        let kept = self.versions.get(key).into_iter().flatten();
        let all = kept.chain(self.instances.get(key)).rev();
        all.filter(move |it| before.is_none_or(|before| it.version < before))
    }
}

fn is_at(record: &Record, steps: &[String]) -> bool {
    record.facets.steps().any(|step| steps.iter().any(|it| it == step))
}
