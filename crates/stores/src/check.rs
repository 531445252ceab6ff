//! Whether a commit may land: the one reading of expectations that all stores share.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use waypost_kernel::{
    Commit, Conflict, DefinitionRef, EventRecord, Expectation, Key, Kind, Lease, Receipt, Request,
    StoreError, TaskRef, Tenant, TimerRef, Timestamp, Timing, Version,
};

/// The smallest step of time.
pub(crate) const TICK: Duration = Duration::from_micros(1);

/// What a store knows at the moment a commit is judged.
pub(crate) trait Facts {
    fn version(&mut self, key: &Key) -> Result<Version, StoreError>;
    /// When the instance last changed, if it exists.
    fn updated_at(&mut self, key: &Key) -> Result<Option<Timestamp>, StoreError>;
    fn hold(&mut self, task: &TaskRef) -> Result<Hold, StoreError>;
    fn due_at(&mut self, timer: &TimerRef) -> Result<Option<Timestamp>, StoreError>;
    /// Who holds a unique key.
    fn holder(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        unique: &str,
    ) -> Result<Option<Key>, StoreError>;
    /// Whether an instance runs by the definition and has the status.
    fn is_occupied(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        definition: &DefinitionRef,
        status: &str,
    ) -> Result<bool, StoreError>;
    fn has_definition(
        &mut self,
        definition: &waypost_kernel::Definition,
    ) -> Result<bool, StoreError>;
    /// The digest and the receipt of a request that was seen before.
    fn request(&mut self, request: &Request) -> Result<Option<(String, Receipt)>, StoreError>;
}

/// How a task stands.
pub(crate) enum Hold {
    /// It is not there.
    Absent,
    Free,
    Held(Lease),
}

impl Hold {
    /// Of a task that is there.
    pub(crate) fn of(lease: Option<Lease>) -> Self {
        lease.map_or(Self::Free, Self::Held)
    }

    fn is_held(&self, by: impl FnOnce(&Lease) -> bool) -> bool {
        match self {
            Self::Held(lease) => by(lease),
            Self::Absent | Self::Free => false,
        }
    }
}

/// What is to be done with a commit.
pub(crate) enum Verdict {
    Apply,
    Repeat(Receipt),
    Refuse(Conflict),
}

/// Judges a commit. The request comes first: what landed once is answered as before, whatever has
/// happened since.
pub(crate) fn judge(
    commit: &Commit,
    facts: &mut impl Facts,
    now: Timestamp,
) -> Result<Verdict, StoreError> {
    if let Some(request) = &commit.request
        && let Some((digest, receipt)) = facts.request(request)?
    {
        return Ok(if digest == request.digest {
            Verdict::Repeat(Receipt { repeated: true, ..receipt })
        } else {
            Verdict::Refuse(Conflict::Request)
        });
    }
    Ok(match first_conflict(commit, facts, now)? {
        Some(conflict) => Verdict::Refuse(conflict),
        None => Verdict::Apply,
    })
}

fn first_conflict(
    commit: &Commit,
    facts: &mut impl Facts,
    now: Timestamp,
) -> Result<Option<Conflict>, StoreError> {
    for expectation in &commit.expect {
        if let Some(conflict) = unmet(expectation, facts, now)? {
            return Ok(Some(conflict));
        }
    }
    if let Some(conflict) = contradiction(commit) {
        return Ok(Some(conflict));
    }
    for write in &commit.writes {
        if facts.version(&write.key)?.next() != write.version {
            return Ok(Some(Conflict::Version(write.key.clone())));
        }
        let Some(unique) = &write.facets.unique_key else { continue };
        match facts.holder(&write.key.tenant, write.key.kind, unique)? {
            Some(holder) if holder != write.key => return Ok(Some(Conflict::Unique(holder))),
            Some(_) | None => {}
        }
    }
    for definition in &commit.definitions {
        if facts.has_definition(definition)? {
            let which = &definition.which;
            return Ok(Some(Conflict::Definition(which.name.clone(), which.version)));
        }
    }
    Ok(None)
}

/// Where a commit disagrees with itself, whatever is stored: an instance, a unique key and a
/// definition appear once in it, and what is told of an instance is told of its write.
fn contradiction(commit: &Commit) -> Option<Conflict> {
    let (mut versions, mut holders) = (BTreeMap::new(), BTreeMap::new());
    for write in &commit.writes {
        let key = &write.key;
        if versions.insert(key, write.version).is_some() {
            return Some(Conflict::Version(key.clone()));
        }
        let Some(unique) = &write.facets.unique_key else { continue };
        if let Some(holder) = holders.insert((&key.tenant, key.kind, unique), key) {
            return Some(Conflict::Unique(holder.clone()));
        }
    }
    // Each write has one record, so whoever asks for a second one finds nothing.
    let untold = |it: &&EventRecord| versions.remove(&it.key) != Some(it.version);
    if let Some(record) = commit.events.iter().find(untold) {
        return Some(Conflict::Version(record.key.clone()));
    }
    let mut erased = BTreeSet::new();
    let is_written = |key: &Key| commit.writes.iter().any(|it| it.key == *key);
    let mut gone = commit.erased.iter();
    if let Some(key) = gone.find(|it| !erased.insert(*it) || is_written(it)) {
        return Some(Conflict::Version(key.clone()));
    }
    let mut named = BTreeSet::new();
    let repeated =
        commit.definitions.iter().find(|it| !named.insert((&it.tenant, it.kind, &it.which)));
    repeated.map(|it| Conflict::Definition(it.which.name.clone(), it.which.version))
}

/// A lease is good up to and including its last instant, and lapsed after it: never both.
fn unmet(
    expectation: &Expectation,
    facts: &mut impl Facts,
    now: Timestamp,
) -> Result<Option<Conflict>, StoreError> {
    let (holds, conflict) = match expectation {
        Expectation::Version { key, version } => {
            (facts.version(key)? == *version, Conflict::Version(key.clone()))
        }
        Expectation::Lease { task, token, worker } => {
            let good = |it: &Lease| it.token == *token && it.worker == *worker && it.until >= now;
            (facts.hold(task)?.is_held(good), Conflict::Lease(task.clone()))
        }
        Expectation::Lapsed { task, token } => {
            let lapsed = |it: &Lease| it.token == *token && it.until < now;
            (facts.hold(task)?.is_held(lapsed), Conflict::NotLapsed(task.clone()))
        }
        Expectation::Free { task } => {
            (!facts.hold(task)?.is_held(|_| true), Conflict::Held(task.clone()))
        }
        Expectation::Open { task, worker } => {
            let holds = match facts.hold(task)? {
                Hold::Absent => false,
                Hold::Free => true,
                Hold::Held(lease) => lease.worker == *worker && lease.until >= now,
            };
            (holds, Conflict::Lease(task.clone()))
        }
        Expectation::Armed { timer, due_at } => {
            (facts.due_at(timer)? == Some(*due_at), Conflict::Disarmed(timer.clone()))
        }
        Expectation::Vacant { tenant, kind, definition, status } => {
            let holds = !facts.is_occupied(tenant, *kind, definition, status)?;
            (holds, Conflict::Occupied(definition.clone()))
        }
    };
    Ok((!holds).then_some(conflict))
}

/// When a commit happens that lands at `now`. If the store says so, that is later than its instances
/// last changed, and not before `earliest`.
pub(crate) fn instant(
    commit: &Commit,
    facts: &mut impl Facts,
    now: Timestamp,
    earliest: Timestamp,
) -> Result<Timestamp, StoreError> {
    match commit.timing {
        Timing::Decided => Ok(now),
        Timing::Landed => {
            let mut at = now.max(earliest);
            for write in &commit.writes {
                let updated_at = facts.updated_at(&write.key)?;
                at = updated_at.map_or(at, |it| at.max(it + TICK));
            }
            Ok(at)
        }
    }
}

/// The time of a write or of events in a commit that happens at `at`.
pub(crate) const fn time(timing: Timing, at: Timestamp, decided: Timestamp) -> Timestamp {
    match timing {
        Timing::Decided => decided,
        Timing::Landed => at,
    }
}

/// The receipt of a commit that landed at `at`.
pub(crate) fn receipt(commit: &Commit, at: Timestamp) -> Receipt {
    let first = commit.writes.first();
    Receipt {
        key: first.map(|write| write.key.clone()),
        version: first.map_or(Version::ABSENT, |write| write.version),
        at,
        repeated: false,
    }
}
