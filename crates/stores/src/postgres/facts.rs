//! What a group of commits needs to know before it can be judged, and what is known. What an
//! earlier commit of the group does is known to the later ones.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use waypost_kernel::{
    ClaimId, Commit, Definition, Expectation, Key, Kind, Lease, MessageChange, MessageId, Receipt,
    Request, RequestId, StoreError, Task, TaskChange, TaskRef, Tenant, TimerRef, Timestamp,
    Version,
};

use crate::check::{self, Hold};

/// Names a message without owning its key.
pub(super) type LetterRef<'a> = (&'a Key, &'a MessageId);
/// Names a unique key.
pub(super) type Unique<'a> = (&'a Tenant, Kind, &'a str);
/// Names a definition.
pub(super) type Named<'a> = (&'a Tenant, Kind, &'a str, u32);

/// What must be looked up, in the order in which rows are locked: the same on every node.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    pub(super) instances: BTreeSet<&'a Key>,
    pub(super) tasks: BTreeSet<&'a TaskRef>,
    pub(super) timers: BTreeSet<&'a TimerRef>,
    pub(super) letters: BTreeSet<LetterRef<'a>>,
    pub(super) uniques: BTreeSet<Unique<'a>>,
    pub(super) definitions: BTreeSet<Named<'a>>,
    pub(super) requests: BTreeSet<(&'a Tenant, &'a RequestId)>,
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
        self.instances.extend(commit.writes.iter().map(|it| &it.key));
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
                self.instances.insert(key);
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

/// An instance, as far as judging goes.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) version: Version,
    /// Where its last event is in the stream that has it.
    pub(super) position: u64,
    pub(super) unique_key: Option<String>,
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
