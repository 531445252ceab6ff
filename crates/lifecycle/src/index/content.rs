//! The tables of the index, and the questions they answer.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use crate::Revision;

/// How many deletions are remembered, so that a late word about an older write does not bring an
/// entity back. Later than that nobody speaks of it any more.
const GRAVES_MAX: usize = 10_000;

/// What lists may ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) phase: String,
    pub(crate) is_terminal: bool,
    pub(crate) parent: Option<String>,
    pub(crate) terms: Vec<String>,
}

/// Which entities a list wants.
#[derive(Default)]
pub(crate) struct Wanted<'w> {
    pub(crate) phase: Option<&'w str>,
    pub(crate) active: bool,
    pub(crate) terms: Vec<String>,
}

struct Known {
    revision: Revision,
    /// The watch that spoke of it last.
    round: u64,
    /// Nothing, if it was deleted.
    facts: Option<Facts>,
}

type Ids = BTreeSet<Arc<str>>;

#[derive(Default)]
pub(crate) struct Content {
    round: u64,
    is_ready: bool,
    entities: BTreeMap<Arc<str>, Known>,
    active: Ids,
    phases: BTreeMap<String, Ids>,
    parents: HashMap<String, Ids>,
    terms: HashMap<String, Ids>,
    graves: VecDeque<Arc<str>>,
}

impl Content {
    pub(crate) const fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// A watch begins to show everything. What is known stays until it is through.
    pub(super) fn begin(&mut self) {
        self.round += 1;
        self.is_ready = false;
    }

    /// The watch has shown everything: what it did not speak of is not there any more.
    pub(super) fn complete(&mut self) {
        let round = self.round;
        let unseen = self.entities.iter().filter(|(_, it)| it.round < round);
        let unseen: Vec<_> = unseen.map(|(id, it)| (Arc::clone(id), it.revision)).collect();
        for (id, revision) in unseen {
            self.replace(id, revision, None);
        }
        self.is_ready = true;
    }

    /// The watch is gone: what is known may be old.
    pub(super) fn interrupt(&mut self) {
        self.is_ready = false;
    }

    /// Whether this write of an entity, or a later one, is known. It is there, in any case.
    pub(super) fn knows(&mut self, entity_id: &str, revision: Revision) -> bool {
        let Some(known) = self.entities.get_mut(entity_id) else { return false };
        known.round = self.round;
        known.revision >= revision
    }

    /// Takes note of a write, unless a later one is known.
    pub(super) fn apply(&mut self, entity_id: &str, revision: Revision, facts: Option<Facts>) {
        if self.knows(entity_id, revision) {
            return;
        }
        self.replace(entity_id.into(), revision, facts);
    }

    /// Takes note that an entity is gone, whatever is known of it.
    pub(super) fn forget(&mut self, entity_id: &str) {
        if let Some((id, known)) = self.entities.get_key_value(entity_id) {
            let (id, revision) = (Arc::clone(id), known.revision);
            self.replace(id, revision, None);
        }
    }

    fn replace(&mut self, id: Arc<str>, revision: Revision, facts: Option<Facts>) {
        let before = self.entities.remove(&id).and_then(|it| it.facts);
        if let Some(facts) = before {
            self.unlink(&id, &facts);
        }
        match &facts {
            Some(facts) => self.link(&id, facts),
            None => self.bury(&id),
        }
        self.entities.insert(id, Known { revision, round: self.round, facts });
    }

    fn link(&mut self, id: &Arc<str>, facts: &Facts) {
        if !facts.is_terminal {
            self.active.insert(Arc::clone(id));
        }
        self.phases.entry(facts.phase.clone()).or_default().insert(Arc::clone(id));
        if let Some(parent) = &facts.parent {
            self.parents.entry(parent.clone()).or_default().insert(Arc::clone(id));
        }
        for term in &facts.terms {
            self.terms.entry(term.clone()).or_default().insert(Arc::clone(id));
        }
    }

    fn unlink(&mut self, id: &Arc<str>, facts: &Facts) {
        self.active.remove(id);
        if let Some(ids) = self.phases.get_mut(&facts.phase)
            && ids.remove(id)
            && ids.is_empty()
        {
            self.phases.remove(&facts.phase);
        }
        if let Some(parent) = &facts.parent {
            take(&mut self.parents, parent, id);
        }
        for term in &facts.terms {
            take(&mut self.terms, term, id);
        }
    }

    fn bury(&mut self, id: &Arc<str>) {
        self.graves.push_back(Arc::clone(id));
        while self.graves.len() > GRAVES_MAX
            && let Some(oldest) = self.graves.pop_front()
        {
            if self.entities.get(&oldest).is_some_and(|it| it.facts.is_none()) {
                self.entities.remove(&oldest);
            }
        }
    }

    /// Whether there is such an entity.
    pub(crate) fn has(&self, entity_id: &str) -> bool {
        self.entities.get(entity_id).is_some_and(|it| it.facts.is_some())
    }

    /// Which entities belong to another, sorted.
    pub(crate) fn children(&self, parent: &str) -> Vec<Arc<str>> {
        self.parents.get(parent).into_iter().flatten().cloned().collect()
    }

    /// How many entities are in each phase that occurs.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        self.phases.iter().map(|(phase, ids)| (phase.clone(), ids.len() as u64)).collect()
    }

    /// Entities that are wanted, sorted, from `offset` on, at most `limit`.
    pub(crate) fn page(&self, wanted: &Wanted<'_>, offset: usize, limit: usize) -> Vec<Arc<str>> {
        let nobody = Ids::new();
        let mut sets: Vec<&Ids> = Vec::new();
        if let Some(phase) = wanted.phase {
            sets.push(self.phases.get(phase).unwrap_or(&nobody));
        }
        sets.extend(wanted.terms.iter().map(|term| self.terms.get(term).unwrap_or(&nobody)));
        if wanted.active {
            sets.push(&self.active);
        }
        // The fewest first: whoever is not among them need not be looked for in the others.
        sets.sort_by_key(|it| it.len());
        match sets.split_first() {
            Some((fewest, others)) => {
                let is_in_all = |id: &&Arc<str>| others.iter().all(|it| it.contains(*id));
                fewest.iter().filter(is_in_all).skip(offset).take(limit).cloned().collect()
            }
            None => {
                let all = self.entities.iter().filter(|(_, it)| it.facts.is_some());
                all.map(|(id, _)| id).skip(offset).take(limit).cloned().collect()
            }
        }
    }
}

fn take(sets: &mut HashMap<String, Ids>, name: &str, id: &Arc<str>) {
    if let Some(ids) = sets.get_mut(name)
        && ids.remove(id)
        && ids.is_empty()
    {
        sets.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_phase(phase: &str) -> Option<Facts> {
        let (phase, terms) = (phase.to_owned(), vec![format!("t-{phase}")]);
        Some(Facts { phase, is_terminal: false, parent: Some("p".to_owned()), terms })
    }

    fn page(content: &Content, phase: &str) -> Vec<String> {
        let wanted = Wanted { phase: Some(phase), ..Wanted::default() };
        content.page(&wanted, 0, usize::MAX).iter().map(|it| it.to_string()).collect()
    }

    #[test]
    fn only_later_writes_count() {
        let mut content = Content::default();
        content.apply("a", Revision(2), in_phase("x"));
        content.apply("a", Revision(1), in_phase("y"));
        content.apply("a", Revision(2), in_phase("z"));
        assert_eq!((page(&content, "x"), page(&content, "y")), (vec!["a".to_owned()], vec![]));
    }

    #[test]
    fn a_late_word_does_not_bring_the_dead_back() {
        let mut content = Content::default();
        content.apply("a", Revision(5), None);
        content.apply("a", Revision(4), in_phase("x"));
        assert!(page(&content, "x").is_empty());
        assert!(content.children("p").is_empty());
    }

    #[test]
    fn what_a_new_watch_does_not_show_is_gone_but_not_what_was_written_since() {
        let mut content = Content::default();
        for id in ["kept", "gone"] {
            content.apply(id, Revision(1), in_phase("x"));
        }
        content.begin();
        content.apply("kept", Revision(1), in_phase("x"));
        content.apply("new", Revision(9), in_phase("x"));
        assert!(!content.is_ready());
        content.complete();
        assert_eq!(page(&content, "x"), ["kept", "new"]);
        assert!(content.is_ready());
    }

    #[test]
    fn nothing_is_kept_of_what_is_gone() {
        let mut content = Content::default();
        content.apply("a", Revision(1), in_phase("x"));
        content.apply("a", Revision(2), in_phase("y"));
        content.apply("a", Revision(3), None);
        assert!(
            content.phases.is_empty() && content.terms.is_empty() && content.parents.is_empty()
        );
        assert!(content.active.is_empty());
    }

    #[test]
    fn the_memory_of_the_dead_is_bounded() {
        let mut content = Content::default();
        for number in 0..GRAVES_MAX + 10 {
            content.apply(&number.to_string(), Revision(1), in_phase("x"));
            content.apply(&number.to_string(), Revision(2), None);
        }
        assert_eq!(content.entities.len(), GRAVES_MAX);
    }
}
