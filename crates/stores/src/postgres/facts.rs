//! What a group of commits needs to know before it can be judged, and what is known. What an
//! earlier commit of the group does is known to the later ones.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use waypost_kernel::{
    ClaimId, Commit, Definition, DefinitionRef, Expectation, Key, Kind, Lease, MessageChange,
    MessageId, Receipt, Request, RequestId, StoreError, Task, TaskChange, TaskRef, Tenant, Term,
    TimerRef, Timestamp, Timing, Version, Write,
};

use crate::check::{self, Hold};

/// Names a message without owning its key.
pub(super) type LetterRef<'a> = (&'a Key, &'a MessageId);
/// Names a unique key.
pub(super) type Unique<'a> = (&'a Tenant, Kind, &'a str);
/// Names a definition.
pub(super) type Named<'a> = (&'a Tenant, Kind, &'a str, i32);

/// Names what no instance may run by, and the status it may not have.
pub(super) type Vacancy<'a> = (&'a Tenant, Kind, &'a str, i32, &'a str);

/// What must be looked up, in the order in which rows are locked: the same on every node.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    /// Those that many read while few write them come last, and by themselves.
    pub(super) instances: [Shelf<'a>; 3],
    /// Instances whose terms are replaced.
    pub(super) terms: BTreeSet<&'a Key>,
    pub(super) vacancies: BTreeSet<Vacancy<'a>>,
    /// Whether the store gives a time to one of the commits.
    pub(super) lands: bool,
    pub(super) tasks: BTreeSet<&'a TaskRef>,
    pub(super) timers: BTreeSet<&'a TimerRef>,
    pub(super) letters: BTreeSet<LetterRef<'a>>,
    pub(super) uniques: BTreeSet<Unique<'a>>,
    pub(super) definitions: BTreeSet<Named<'a>>,
    pub(super) requests: BTreeSet<(&'a Tenant, &'a RequestId)>,
}

/// Instances that are locked by one statement, in one way.
#[derive(Default)]
pub(super) struct Shelf<'a> {
    pub(super) keys: BTreeSet<&'a Key>,
    /// Whether any of them may change. Those that are only read may be read by others as well.
    pub(super) is_written: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(commits: &[&'a Commit]) -> Self {
        let mut wanted = Self::default();
        commits.iter().for_each(|commit| wanted.add(commit));
        wanted
    }

    fn add(&mut self, commit: &'a Commit) {
        self.requests.extend(commit.request.iter().map(|it| (&it.tenant, &it.id)));
        self.definitions.extend(commit.definitions.iter().map(named));
        commit.expect.iter().for_each(|expectation| self.expect(expectation));
        self.lands |= commit.timing == Timing::Landed;
        for key in commit.writes.iter().map(|it| &it.key).chain(&commit.erased) {
            let shelf = self.shelf(key);
            shelf.keys.insert(key);
            shelf.is_written = true;
        }
        let replaces = |it: &&'a Write| it.terms.is_some() && it.version > Version(1);
        self.terms.extend(commit.writes.iter().filter(replaces).map(|it| &it.key));
        self.uniques.extend(commit.writes.iter().filter_map(|it| {
            Some((&it.key.tenant, it.key.kind, it.facets.unique_key.as_deref()?))
        }));
        self.tasks.extend(commit.tasks.iter().filter_map(|change| match change {
            TaskChange::Extend { task, .. } | TaskChange::Release(task) => Some(task),
            TaskChange::Schedule(_) | TaskChange::Withdraw(_) => None,
        }));
        self.letters.extend(commit.messages.iter().filter_map(|change| match change {
            MessageChange::Settle { message, .. } => Some((&message.key, &message.id)),
            MessageChange::Send { .. } => None,
        }));
    }

    fn expect(&mut self, expectation: &'a Expectation) {
        match expectation {
            Expectation::Version { key, .. } => {
                self.shelf(key).keys.insert(key);
            }
            Expectation::Vacant { tenant, kind, definition, status } => {
                let DefinitionRef { name, version } = definition;
                self.vacancies.insert((tenant, *kind, name, *version, status));
            }
            Expectation::Lease { task, .. }
            | Expectation::Lapsed { task, .. }
            | Expectation::Free { task }
            | Expectation::Open { task, .. } => {
                self.tasks.insert(task);
            }
            Expectation::Armed { timer, .. } => {
                self.timers.insert(timer);
            }
        }
    }
}

impl<'a> Wanted<'a> {
    /// Where an instance is locked: what many expect and few write waits for nobody who writes
    /// something else.
    const fn shelf(&mut self, key: &Key) -> &mut Shelf<'a> {
        let [faces, registers, models] = &mut self.instances;
        match key.kind {
            Kind::Entity | Kind::Process | Kind::Chain | Kind::Lifecycle => faces,
            Kind::Register => registers,
            Kind::Model => models,
        }
    }
}

/// An instance, as far as judging goes.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) version: Version,
    /// Where its last event is in the stream that has it.
    pub(super) position: u64,
    pub(super) unique_key: Option<String>,
    pub(super) updated_at: Timestamp,
}

/// A task in its queue.
pub(super) struct Known<'a> {
    pub(super) lease: Option<Lease>,
    pub(super) family: Cow<'a, str>,
    pub(super) queue: Cow<'a, str>,
    pub(super) ready_at: Timestamp,
}

impl<'a> From<&'a Task> for Known<'a> {
    fn from(task: &'a Task) -> Self {
        Self {
            lease: task.lease.clone(),
            family: Cow::Borrowed(&task.family),
            queue: Cow::Borrowed(&task.queue),
            ready_at: task.ready_at,
        }
    }
}

/// What is known. What was looked up and not found is not in the maps.
#[derive(Default)]
pub(super) struct Facts<'a> {
    pub(super) instances: HashMap<&'a Key, Standing>,
    /// What is stored of those whose terms are replaced, each with the definition it is known under.
    pub(super) terms: HashMap<&'a Key, BTreeSet<(Term, DefinitionRef)>>,
    pub(super) occupied: BTreeSet<Vacancy<'a>>,
    pub(super) tasks: HashMap<&'a TaskRef, Known<'a>>,
    pub(super) timers: HashMap<&'a TimerRef, Timestamp>,
    /// Who is sending each message.
    pub(super) letters: HashMap<LetterRef<'a>, Option<ClaimId>>,
    pub(super) holders: HashMap<Unique<'a>, Key>,
    pub(super) definitions: BTreeSet<Named<'a>>,
    pub(super) requests: HashMap<(&'a Tenant, &'a RequestId), (String, Receipt)>,
}

impl check::Facts for Facts<'_> {
    fn version(&mut self, key: &Key) -> Result<Version, StoreError> {
        Ok(self.instances.get(key).map_or(Version::ABSENT, |it| it.version))
    }

    fn updated_at(&mut self, key: &Key) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.instances.get(key).map(|it| it.updated_at))
    }

    fn hold(&mut self, task: &TaskRef) -> Result<Hold, StoreError> {
        Ok(self.tasks.get(task).map_or(Hold::Absent, |it| Hold::of(it.lease.clone())))
    }

    fn due_at(&mut self, timer: &TimerRef) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.timers.get(timer).copied())
    }

    fn holder(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        unique: &str,
    ) -> Result<Option<Key>, StoreError> {
        let holders: &HashMap<Unique<'_>, Key> = &self.holders;
        Ok(holders.get(&(tenant, kind, unique)).cloned())
    }

    fn is_occupied(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        definition: &DefinitionRef,
        status: &str,
    ) -> Result<bool, StoreError> {
        let occupied: &BTreeSet<Vacancy<'_>> = &self.occupied;
        Ok(occupied.contains(&(tenant, kind, &*definition.name, definition.version, status)))
    }

    fn has_definition(&mut self, definition: &Definition) -> Result<bool, StoreError> {
        let definitions: &BTreeSet<Named<'_>> = &self.definitions;
        Ok(definitions.contains(&named(definition)))
    }

    fn request(&mut self, request: &Request) -> Result<Option<(String, Receipt)>, StoreError> {
        let requests: &HashMap<(&Tenant, &RequestId), (String, Receipt)> = &self.requests;
        Ok(requests.get(&(&request.tenant, &request.id)).cloned())
    }
}

pub(super) fn named(definition: &Definition) -> Named<'_> {
    let which = &definition.which;
    (&definition.tenant, definition.kind, &which.name, which.version)
}
