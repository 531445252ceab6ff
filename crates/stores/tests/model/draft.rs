//! Turns the parts of a random commit into a commit, by what the model has stored.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{
    ClaimId, Commit, Definition, DefinitionRef, EventRecord, Expectation, Facets, Json, Key, Lease,
    Message, MessageChange, MessageRef, Request, Store, Task, TaskChange, TaskRef, Term, Timer,
    TimerChange, TimerRef, Timestamp, Timing, Version, Write,
};

use crate::operation::{self, Delivery, Expected, Name, Part, TaskPart, Token, Whose};

/// More than is ever stored.
pub(crate) const MANY: u32 = 10_000;

/// What a commit is drafted by.
pub(crate) struct Draft<'a> {
    pub(crate) model: &'a dyn Store,
    /// The last token handed out.
    pub(crate) token: ClaimId,
}

impl Draft<'_> {
    /// A commit that agrees with itself.
    pub(crate) async fn commit(&self, parts: Vec<Part>) -> Commit {
        let mut commit = self.careless(parts).await;
        keep_first_of_each(&mut commit);
        commit
    }

    /// A commit that may name things twice.
    pub(crate) async fn careless(&self, parts: Vec<Part>) -> Commit {
        let mut commit = Commit::default();
        for part in parts {
            self.add(&mut commit, part).await;
        }
        commit
    }

    async fn add(&self, commit: &mut Commit, part: Part) {
        match part {
            Part::Request { tenant, id, digest } => {
                let (tenant, id, digest) = (tenant.into(), id.into(), digest.to_owned());
                commit.request = Some(Request { tenant, id, digest });
            }
            Part::Deploy { whose, name, version } => {
                commit.definitions.push(definition(whose, name, version));
            }
            Part::Expect(expected) => commit.expect.push(self.expectation(expected).await),
            Part::Erase { key } => commit.erased.push(key),
            Part::Land => commit.timing = Timing::Landed,
            Part::Write { key, skew, facets, keeps_past, terms } => {
                let (version, at) = (self.version(&key).await.next(), self.model.now());
                let version = skewed(version, skew);
                commit.events.push(events(&key, version, at));
                let terms = terms.map(|it| it.into_iter().map(term).collect());
                let write = write(key, version, &facets, at);
                commit.writes.push(Write { keeps_past, terms, ..write });
            }
            Part::Task(task, part) => commit.tasks.push(self.task_change(task_ref(task), &part)),
            Part::Arm { timer, offset } => {
                let (at, due_at) = (timer_ref(timer), self.at(offset));
                let command = Json::of(&format!("{} {}", at.id, due_at.as_micros()));
                commit.timers.push(TimerChange::Arm(Timer { at, due_at, command }));
            }
            Part::Disarm { timer } => commit.timers.push(TimerChange::Disarm(timer_ref(timer))),
            Part::Send { message, offset } => commit.messages.push(send(message, self.at(offset))),
            Part::Settle { message, token, delivery } => {
                let message = MessageRef { key: message.key, id: message.id.into() };
                let token = self.token(token, Some(&self.token));
                let delivery = self.delivery(delivery);
                commit.messages.push(MessageChange::Settle { message, token, delivery });
            }
        }
    }

    async fn expectation(&self, expected: Expected) -> Expectation {
        match expected {
            Expected::Version { key, skew } => {
                let version = skewed(self.version(&key).await, skew);
                Expectation::Version { key, version }
            }
            Expected::Lease { task, token, worker } => {
                let (task, worker) = (task_ref(task), worker.into());
                let token = self.token(token, self.holder(&task).await.as_ref());
                Expectation::Lease { task, token, worker }
            }
            Expected::Lapsed { task, token } => {
                let task = task_ref(task);
                let token = self.token(token, self.holder(&task).await.as_ref());
                Expectation::Lapsed { task, token }
            }
            Expected::Free { task } => Expectation::Free { task: task_ref(task) },
            Expected::Open { task, worker } => {
                Expectation::Open { task: task_ref(task), worker: worker.into() }
            }
            Expected::Armed { timer, skew } => {
                let timer = timer_ref(timer);
                let due_at = self.due_at(&timer).await.as_micros() + skew;
                Expectation::Armed { timer, due_at: Timestamp::from_micros(due_at) }
            }
            Expected::Vacant { whose, definition: (name, version), status } => {
                Expectation::Vacant {
                    tenant: whose.tenant.into(),
                    kind: whose.kind,
                    definition: DefinitionRef { name: name.to_owned(), version },
                    status: status.to_owned(),
                }
            }
        }
    }

    fn task_change(&self, at: TaskRef, part: &TaskPart) -> TaskChange {
        match *part {
            TaskPart::Schedule { family, queue, offset } => {
                TaskChange::Schedule(task(at, (family, queue), self.at(offset), None))
            }
            TaskPart::Restore { worker, offset } => {
                let (token, until) = (self.token.clone(), self.at(offset));
                let lease = Lease { token, worker: worker.into(), until };
                TaskChange::Schedule(task(at, ("x", "x"), self.model.now(), Some(lease)))
            }
            TaskPart::Withdraw => TaskChange::Withdraw(at),
            TaskPart::Extend { offset } => TaskChange::Extend { task: at, until: self.at(offset) },
            TaskPart::Release => TaskChange::Release(at),
        }
    }

    fn delivery(&self, delivery: Delivery) -> waypost_kernel::Delivery {
        let error = "no answer".to_owned();
        match delivery {
            Delivery::Sent => waypost_kernel::Delivery::Sent,
            Delivery::Failed { offset } => {
                waypost_kernel::Delivery::Failed { retry_at: self.at(offset), error }
            }
            Delivery::Dead => waypost_kernel::Delivery::Dead { error },
        }
    }

    fn token(&self, token: Token, current: Option<&ClaimId>) -> ClaimId {
        match token {
            Token::Current => current.unwrap_or(&self.token).clone(),
            Token::Foreign => "foreign".into(),
        }
    }

    async fn version(&self, key: &Key) -> Version {
        let found = self.model.load(std::slice::from_ref(key)).await.unwrap();
        found.into_iter().flatten().next().map_or(Version::ABSENT, |it| it.version)
    }

    async fn holder(&self, task: &TaskRef) -> Option<ClaimId> {
        let tasks = self.model.tasks(std::slice::from_ref(&task.key)).await.unwrap();
        let lease = tasks.into_iter().find(|it| it.at == *task).and_then(|it| it.lease);
        lease.map(|it| it.token)
    }

    async fn due_at(&self, timer: &TimerRef) -> Timestamp {
        let armed = self.model.due(Timestamp::from_micros(i64::MAX), MANY).await.unwrap();
        let due_at = armed.iter().find(|it| it.at == *timer).map(|it| it.due_at);
        due_at.unwrap_or_else(|| self.model.now())
    }

    /// That many seconds from now.
    fn at(&self, offset: i64) -> Timestamp {
        Timestamp::from_micros(self.model.now().as_micros() + offset * 1_000_000)
    }
}

fn task(
    at: TaskRef,
    (family, queue): (&str, &str),
    ready_at: Timestamp,
    lease: Option<Lease>,
) -> Task {
    let (family, queue) = (family.to_owned(), queue.to_owned());
    Task { at, family, queue, ready_at, version: Version(7), lease }
}

/// A commit names an instance, a unique key and a definition once.
fn keep_first_of_each(commit: &mut Commit) {
    let mut seen = BTreeSet::new();
    commit.writes.retain(|it| seen.insert(it.key.clone()));
    let mut seen = BTreeSet::new();
    commit.events.retain(|it| seen.insert(it.key.clone()));
    // Seen by now are those that are written.
    commit.erased.retain(|it| seen.insert(it.clone()));
    let mut seen = BTreeSet::new();
    commit.definitions.retain(|it| seen.insert((it.tenant.clone(), it.kind, it.which.clone())));
    let mut seen = BTreeSet::new();
    for write in &mut commit.writes {
        let (tenant, kind) = (&write.key.tenant, write.key.kind);
        let unique = write.facets.unique_key.take();
        write.facets.unique_key =
            unique.filter(|it| seen.insert((tenant.clone(), kind, it.clone())));
    }
}

fn skewed(version: Version, skew: i64) -> Version {
    Version(version.0.saturating_add_signed(skew))
}

fn task_ref(name: Name) -> TaskRef {
    TaskRef { key: name.key, id: name.id.into() }
}

fn timer_ref(name: Name) -> TimerRef {
    TimerRef { key: name.key, id: name.id.into() }
}

fn write(key: Key, version: Version, facets: &operation::Facets, at: Timestamp) -> Write {
    let some = |name: Option<&str>| name.map(str::to_owned);
    let definition =
        facets.definition.map(|(name, version)| DefinitionRef { name: name.to_owned(), version });
    let facets = Facets {
        definition,
        status: facets.status.to_owned(),
        step: facets.awaits.map(|it| format!("{it}{}x", Facets::STEP_SEPARATOR)),
        awaits: some(facets.awaits),
        business_key: some(facets.business_key),
        unique_key: some(facets.unique_key),
    };
    let state = Json::of(&format!("{key} {version}"));
    Write { key, version, facets, state, at, keeps_past: false, terms: None }
}

fn term((path, key): operation::Term) -> Term {
    Term { path: path.to_owned(), key }
}

fn events(key: &Key, version: Version, at: Timestamp) -> EventRecord {
    EventRecord { key: key.clone(), version, at, events: Json::of(&[version]) }
}

fn send(name: Name, occurred_at: Timestamp) -> MessageChange {
    let message = Message {
        id: name.id.into(),
        event_type: "moved".to_owned(),
        occurred_at,
        payload: Json::of(&occurred_at),
        headers: BTreeMap::from([(name.id.to_owned(), String::new())]),
    };
    MessageChange::Send { key: name.key, message }
}

fn definition(whose: Whose, name: &str, version: i32) -> Definition {
    Definition {
        tenant: whose.tenant.into(),
        kind: whose.kind,
        which: DefinitionRef { name: name.to_owned(), version },
        body: Json::of(name),
        created_at: Timestamp::EPOCH,
    }
}
