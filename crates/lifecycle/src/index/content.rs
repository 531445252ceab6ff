//! The tables of the index, and the questions they answer.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    ops::Bound,
    slice,
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

/// Which of those that are wanted: after one, beyond some, and how many.
pub(crate) struct Page<'p> {
    pub(crate) after: Option<&'p str>,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

struct Known {
    revision: Revision,
    /// Nothing, if it was deleted.
    facts: Option<Facts>,
}

type Ids = BTreeSet<Arc<str>>;

#[derive(Default)]
pub(crate) struct Content {
    is_ready: bool,
    entities: BTreeMap<Arc<str>, Known>,
    sets: Sets,
    graves: VecDeque<Arc<str>>,
}

/// Who is where, and has what.
#[derive(Default)]
struct Sets {
    active: Ids,
    phases: HashMap<String, Ids>,
    parents: HashMap<String, Ids>,
    terms: HashMap<String, Ids>,
}

impl Content {
    pub(crate) const fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// A watch begins to show everything. What was known is not worth keeping: it may be gone, or
    /// of a bucket that was made anew with smaller numbers.
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// The watch has shown everything.
    pub(super) fn complete(&mut self) {
        self.is_ready = true;
    }

    /// The watch is gone: what is known may be old.
    pub(super) fn interrupt(&mut self) {
        self.is_ready = false;
    }

    /// The last write of an entity that is known.
    pub(super) fn revision(&self, entity_id: &str) -> Option<Revision> {
        self.entities.get(entity_id).map(|it| it.revision)
    }

    /// Whether this write of an entity, or a later one, is known.
    pub(super) fn knows(&self, entity_id: &str, revision: Revision) -> bool {
        self.revision(entity_id).is_some_and(|it| it >= revision)
    }

    /// Takes note of a write, unless a later one is known.
    pub(super) fn apply(&mut self, entity_id: &str, revision: Revision, facts: Option<Facts>) {
        let buried = match find(&mut self.entities, entity_id) {
            Some((_, known)) if known.revision >= revision => return,
            Some((id, known)) => {
                self.sets.relink(id, known.facts.as_ref(), facts.as_ref());
                let buried = facts.is_none().then(|| Arc::clone(id));
                *known = Known { revision, facts };
                buried
            }
            None => {
                let id: Arc<str> = entity_id.into();
                self.sets.relink(&id, None, facts.as_ref());
                let buried = facts.is_none().then(|| Arc::clone(&id));
                self.entities.insert(id, Known { revision, facts });
                buried
            }
        };
        self.bury(buried);
    }

    /// Takes note that an entity is gone whose last write was this one. If a later one is known,
    /// it came after the end, or the watch has told of the end already.
    pub(super) fn forget(&mut self, entity_id: &str, last: Revision) {
        let Some((id, known)) = find(&mut self.entities, entity_id) else { return };
        if known.revision > last {
            return;
        }
        let Some(facts) = known.facts.take() else { return };
        self.sets.relink(id, Some(&facts), None);
        let buried = Arc::clone(id);
        self.bury(Some(buried));
    }

    fn bury(&mut self, id: Option<Arc<str>>) {
        self.graves.extend(id);
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
        self.sets.parents.get(parent).into_iter().flatten().cloned().collect()
    }

    /// How many entities are in each phase that occurs.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        self.sets.phases.iter().map(|(phase, ids)| (phase.clone(), ids.len() as u64)).collect()
    }

    /// Entities that are wanted and in the range of a page, sorted.
    pub(crate) fn page(&self, wanted: &Wanted<'_>, page: &Page<'_>) -> Vec<Arc<str>> {
        let Page { after, offset, limit } = *page;
        let range = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let nobody = Ids::new();
        let mut sets: Vec<&Ids> = Vec::new();
        if let Some(phase) = wanted.phase {
            sets.push(self.sets.phases.get(phase).unwrap_or(&nobody));
        }
        sets.extend(wanted.terms.iter().map(|term| self.sets.terms.get(term).unwrap_or(&nobody)));
        if wanted.active {
            sets.push(&self.sets.active);
        }
        // The fewest first: whoever is not among them need not be looked for in the others.
        sets.sort_by_key(|it| it.len());
        match sets.split_first() {
            Some((fewest, others)) => {
                let is_in_all = |id: &&Arc<str>| others.iter().all(|it| it.contains(*id));
                let some = fewest.range::<str, _>(range);
                some.filter(is_in_all).skip(offset).take(limit).cloned().collect()
            }
            None => {
                let some = self.entities.range::<str, _>(range);
                let some = some.filter(|(_, it)| it.facts.is_some());
                some.map(|(id, _)| id).skip(offset).take(limit).cloned().collect()
            }
        }
    }
}

impl Sets {
    /// Takes an entity from where it was to where it is. Most of it stays in most writes.
    fn relink(&mut self, id: &Arc<str>, before: Option<&Facts>, after: Option<&Facts>) {
        match after.is_some_and(|it| !it.is_terminal) {
            true if before.is_some_and(|it| !it.is_terminal) => {}
            true => drop(self.active.insert(Arc::clone(id))),
            false => drop(self.active.remove(id)),
        }
        let both =
            |of: fn(&Facts) -> &[String]| [before, after].map(|it| it.map(of).unwrap_or_default());
        shift(&mut self.phases, id, both(|it| slice::from_ref(&it.phase)));
        shift(&mut self.parents, id, both(|it| it.parent.as_slice()));
        shift(&mut self.terms, id, both(|it| &it.terms));
    }
}

/// Takes an entity out of the sets that it was in only before, and into those that it is in since.
fn shift(sets: &mut HashMap<String, Ids>, id: &Arc<str>, [before, after]: [&[String]; 2]) {
    for name in before.iter().filter(|it| !after.contains(it)) {
        if let Some(ids) = sets.get_mut(name)
            && ids.remove(id)
            && ids.is_empty()
        {
            sets.remove(name);
        }
    }
    for name in after.iter().filter(|it| !before.contains(it)) {
        match sets.get_mut(name) {
            Some(ids) => drop(ids.insert(Arc::clone(id))),
            None => drop(sets.insert(name.clone(), Ids::from([Arc::clone(id)]))),
        }
    }
}

/// An entity with the id that others share.
fn find<'e>(
    entities: &'e mut BTreeMap<Arc<str>, Known>,
    entity_id: &str,
) -> Option<(&'e Arc<str>, &'e mut Known)> {
    entities.range_mut::<str, _>((Bound::Included(entity_id), Bound::Included(entity_id))).next()
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
        let all = Page { after: None, offset: 0, limit: usize::MAX };
        content.page(&wanted, &all).iter().map(|it| it.to_string()).collect()
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
    fn a_bucket_that_was_made_anew_begins_with_small_numbers() {
        let mut content = Content::default();
        content.apply("a", Revision(9), in_phase("x"));
        content.begin();
        content.apply("a", Revision(1), in_phase("y"));
        content.complete();
        assert_eq!((page(&content, "x"), page(&content, "y")), (vec![], vec!["a".to_owned()]));
    }

    #[test]
    fn an_end_takes_nothing_that_began_after_it() {
        let mut content = Content::default();
        content.apply("a", Revision(1), in_phase("x"));
        let last = content.revision("a").unwrap();
        content.apply("a", Revision(3), in_phase("x"));
        content.forget("a", last);
        assert_eq!(page(&content, "x"), ["a"]);
        content.forget("a", Revision(3));
        assert!(page(&content, "x").is_empty());
    }

    #[test]
    fn nothing_is_kept_of_what_is_gone() {
        let mut content = Content::default();
        content.apply("a", Revision(1), in_phase("x"));
        content.apply("a", Revision(2), in_phase("y"));
        content.apply("a", Revision(3), None);
        let Sets { active, phases, parents, terms } = &content.sets;
        assert!(phases.is_empty() && terms.is_empty() && parents.is_empty());
        assert!(active.is_empty());
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
