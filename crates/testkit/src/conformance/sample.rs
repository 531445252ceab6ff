//! Small things to commit.

use std::{collections::BTreeMap, time::Duration};

use waypost_kernel::{
    Claim, Commit, Definition, DefinitionRef, EventRecord, Expectation, Facets, Json, Key, Kind,
    Lease, Message, MessageChange, PAGE_BYTES_MAX, Request, Sift, TallyQuery, Task, TaskChange,
    TaskRef, Tenant, Timer, TimerChange, TimerRef, Timestamp, Timing, Version, Write,
};

/// Whose the samples are, unless a case is about tenants.
pub(super) const TENANT: &str = "acme";

/// How long the samples' leases are.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// The smallest step of time.
pub(super) const TICK: Duration = Duration::from_micros(1);

/// When the samples were decided; no store judges anything by it.
pub(super) const AT: Timestamp = Timestamp::from_millis(1_770_000_000_123);

pub(super) fn key(id: &str) -> Key {
    key_of(TENANT, Kind::Chain, id)
}

pub(super) fn key_of(tenant: &str, kind: Kind, id: &str) -> Key {
    Key::new(tenant.into(), kind, id.into())
}

/// Takes the instance to `version`.
pub(super) fn bump(key: &Key, version: u64) -> Commit {
    bump_with(key, version, Facets { status: "running".to_owned(), ..Facets::default() })
}

pub(super) fn bump_with(key: &Key, version: u64, facets: Facets) -> Commit {
    Commit {
        writes: vec![write(key, version, facets)],
        events: vec![events(key, version)],
        ..Commit::default()
    }
}

pub(super) fn write(key: &Key, version: u64, facets: Facets) -> Write {
    let state = Json::of(&BTreeMap::from([("moves", version)]));
    Write {
        key: key.clone(),
        version: Version(version),
        facets,
        state,
        at: AT,
        keeps_past: false,
        terms: None,
    }
}

pub(super) fn events(key: &Key, version: u64) -> EventRecord {
    let events = Json::of(&[format!("moved to {version}")]);
    EventRecord { key: key.clone(), version: Version(version), at: AT, events }
}

/// An entity's key.
pub(super) fn entity(id: &str) -> Key {
    key_of(TENANT, Kind::Entity, id)
}

/// The definition the sample entities run by.
pub(super) fn orders() -> DefinitionRef {
    DefinitionRef { name: "order".to_owned(), version: 1 }
}

/// An entity that is live, at `step`.
pub(super) fn live(step: &str) -> Facets {
    let (definition, step) = (Some(orders()), Some(step.to_owned()));
    Facets { definition, status: "live".to_owned(), step, ..Facets::default() }
}

/// Takes an entity to `version` when the store says, and keeps what it was.
pub(super) fn evolve(key: &Key, version: u64, facets: Facets) -> Commit {
    let mut commit = Commit { timing: Timing::Landed, ..bump_with(key, version, facets) };
    commit.writes.iter_mut().for_each(|it| it.keeps_past = true);
    commit
}

/// The same with states of which two fill a page.
pub(super) fn large(mut commit: Commit) -> Commit {
    let state = Json::of(&"x".repeat(PAGE_BYTES_MAX / 2));
    commit.writes.iter_mut().for_each(|it| it.state = state.clone());
    commit
}

/// All entities that run by [`orders`].
pub(super) fn all_orders() -> Sift {
    Sift {
        tenant: TENANT.into(),
        kind: Kind::Entity,
        definition: orders(),
        status: None,
        steps: Vec::new(),
        lookup: None,
        at: None,
        after: None,
        offset: 0,
        limit: 1_000,
    }
}

/// How many entities there are.
pub(super) fn all_entities() -> TallyQuery {
    let (tenant, kind) = (TENANT.into(), Kind::Entity);
    TallyQuery { tenant, kind, definition: None, status: None, at: None }
}

/// Both in one commit.
pub(super) fn both(mut first: Commit, second: Commit) -> Commit {
    first.expect.extend(second.expect);
    first.writes.extend(second.writes);
    first.events.extend(second.events);
    first.tasks.extend(second.tasks);
    first.timers.extend(second.timers);
    first.messages.extend(second.messages);
    first.definitions.extend(second.definitions);
    first.erased.extend(second.erased);
    first
}

pub(super) fn expecting(expectation: Expectation) -> Commit {
    Commit { expect: vec![expectation], ..Commit::default() }
}

pub(super) fn task_ref(key: &Key, id: &str) -> TaskRef {
    TaskRef { key: key.clone(), id: id.into() }
}

/// A task of the queue `pack`.
pub(super) fn task(key: &Key, id: &str, ready_at: Timestamp) -> Task {
    task_in(key, id, "pack", ready_at)
}

pub(super) fn task_in(key: &Key, id: &str, queue: &str, ready_at: Timestamp) -> Task {
    Task {
        at: task_ref(key, id),
        family: "orders".to_owned(),
        queue: queue.to_owned(),
        ready_at,
        version: Version(1),
        lease: None,
    }
}

pub(super) fn schedule(tasks: impl IntoIterator<Item = Task>) -> Commit {
    let tasks = tasks.into_iter().map(TaskChange::Schedule).collect();
    Commit { tasks, ..Commit::default() }
}

pub(super) fn change_task(change: TaskChange) -> Commit {
    Commit { tasks: vec![change], ..Commit::default() }
}

/// Asks for all work there is, as the worker `ann`.
pub(super) fn claim(token: &str) -> Claim {
    Claim {
        id: token.into(),
        tenant: TENANT.into(),
        kind: Kind::Chain,
        worker: "ann".into(),
        families: None,
        queues: None,
        limit: 100,
        lease: LEASE,
    }
}

/// The hold a [`claim`] made at `now` gives.
pub(super) fn lease(token: &str, now: Timestamp) -> Lease {
    Lease { token: token.into(), worker: "ann".into(), until: now + LEASE }
}

/// Holds while `ann` has the task by the claim `token`.
pub(super) fn held(task: &TaskRef, token: &str) -> Expectation {
    Expectation::Lease { task: task.clone(), token: token.into(), worker: "ann".into() }
}

pub(super) fn lapsed(task: &TaskRef, token: &str) -> Expectation {
    Expectation::Lapsed { task: task.clone(), token: token.into() }
}

pub(super) fn timer_ref(key: &Key, id: &str) -> TimerRef {
    TimerRef { key: key.clone(), id: id.into() }
}

pub(super) fn timer(key: &Key, id: &str, due_at: Timestamp) -> Timer {
    Timer { at: timer_ref(key, id), due_at, command: Json::of(&format!("fire {id}")) }
}

pub(super) fn arm(timers: impl IntoIterator<Item = Timer>) -> Commit {
    let timers = timers.into_iter().map(TimerChange::Arm).collect();
    Commit { timers, ..Commit::default() }
}

pub(super) fn message(id: &str, occurred_at: Timestamp) -> Message {
    Message {
        id: id.into(),
        event_type: "order.packed".to_owned(),
        occurred_at,
        payload: Json::of(&format!("about {id}")),
        headers: BTreeMap::from([("trace".to_owned(), id.to_owned())]),
    }
}

pub(super) fn send(key: &Key, messages: impl IntoIterator<Item = Message>) -> Commit {
    let send = |message| MessageChange::Send { key: key.clone(), message };
    Commit { messages: messages.into_iter().map(send).collect(), ..Commit::default() }
}

pub(super) fn definition(name: &str, version: i32) -> Definition {
    Definition {
        tenant: Tenant::from(TENANT),
        kind: Kind::Chain,
        which: DefinitionRef { name: name.to_owned(), version },
        body: Json::of(&format!("{name} {version}")),
        created_at: AT,
    }
}

pub(super) fn deploy(definitions: impl IntoIterator<Item = Definition>) -> Commit {
    Commit { definitions: definitions.into_iter().collect(), ..Commit::default() }
}

pub(super) fn request(id: &str, digest: &str) -> Option<Request> {
    Some(Request { tenant: TENANT.into(), id: id.into(), digest: digest.to_owned() })
}
