//! The maps, and what a commit or a claim does to them.

use std::{collections::BTreeMap, ops::Bound};

use waypost_kernel::{
    Change, Claim, ClaimId, Commit, Cursor, Definition, DefinitionRef, Delivery, EventRecord,
    Figures, Hint, Key, Kind, Lease, Message, MessageChange, MessageRef, Posted, QueueFigures,
    Receipt, Record, Request, RequestId, Scope, StoreError, Task, TaskChange, TaskRef, Tenant,
    Timer, TimerChange, TimerRef, Timestamp, Timing, Version, Write,
};

use super::past::Terms;
use crate::{
    check::{Facts, Hold, TICK, instant, receipt, time},
    hint::work,
};

/// The stream number in the cursors of a store with one writer.
pub(super) const STREAM: u64 = 0;

/// Everything there is.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) definitions: BTreeMap<(Tenant, Kind, String, i32), Definition>,
    pub(super) instances: BTreeMap<Key, Record>,
    /// What instances were before, as far as it was to be kept, oldest first.
    pub(super) versions: BTreeMap<Key, Vec<Record>>,
    pub(super) terms: BTreeMap<Key, Terms>,
    /// By their positions, in the order of their commits.
    pub(super) events: BTreeMap<u64, EventRecord>,
    /// The last position used. None is used twice, even if what was there is erased.
    pub(super) position: u64,
    pub(super) tasks: BTreeMap<TaskRef, Task>,
    pub(super) timers: BTreeMap<TimerRef, Timer>,
    outbox: BTreeMap<MessageRef, Letter>,
    requests: BTreeMap<(Tenant, String), (String, Receipt, Timestamp)>,
    pub(super) figures: Figures,
    /// The latest instant that was given to a commit or settled: the next one is later.
    latest: Option<Timestamp>,
}

struct Letter {
    message: Message,
    attempts: u32,
    ready_at: Timestamp,
    lease: Option<(ClaimId, Timestamp)>,
    dead: bool,
}

impl Facts for Tables {
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
        Ok(self.timers.get(timer).map(|it| it.due_at))
    }

    fn holder(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        unique: &str,
    ) -> Result<Option<Key>, StoreError> {
        let holds = |it: &&Record| {
            it.key.tenant == *tenant
                && it.key.kind == kind
                && it.facets.unique_key.as_deref() == Some(unique)
        };
        Ok(self.instances.values().find(holds).map(|it| it.key.clone()))
    }

    fn is_occupied(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        definition: &DefinitionRef,
        status: &str,
    ) -> Result<bool, StoreError> {
        let occupies = |it: &Record| {
            it.key.tenant == *tenant
                && it.key.kind == kind
                && it.facets.definition.as_ref() == Some(definition)
                && it.facets.status == status
        };
        Ok(self.instances.values().any(occupies))
    }

    fn has_definition(&mut self, definition: &Definition) -> Result<bool, StoreError> {
        Ok(self.definitions.contains_key(&definition_key(definition)))
    }

    fn request(&mut self, request: &Request) -> Result<Option<(String, Receipt)>, StoreError> {
        let key = (request.tenant.clone(), request.id.as_str().to_owned());
        Ok(self.requests.get(&key).map(|(digest, receipt, _)| (digest.clone(), receipt.clone())))
    }
}

pub(super) fn definition_key(definition: &Definition) -> (Tenant, Kind, String, i32) {
    let which = &definition.which;
    (definition.tenant.clone(), definition.kind, which.name.clone(), which.version)
}

impl Tables {
    pub(super) fn apply(
        &mut self,
        mut commit: Commit,
        now: Timestamp,
    ) -> Result<Receipt, StoreError> {
        let receipt = self.stamp(&mut commit, now)?;
        if let Some(request) = commit.request {
            let key = (request.tenant, request.id.as_str().to_owned());
            self.requests.insert(key, (request.digest, receipt.clone(), now));
        }
        for definition in commit.definitions {
            self.definitions.insert(definition_key(&definition), definition);
        }
        commit.writes.into_iter().for_each(|write| self.write(write));
        commit.events.into_iter().for_each(|record| self.tell(record));
        commit.tasks.into_iter().for_each(|change| self.change_task(change));
        commit.timers.into_iter().for_each(|change| self.change_timer(change));
        commit.messages.into_iter().for_each(|change| self.change_message(change, now));
        commit.erased.iter().for_each(|key| self.erase(key));
        Ok(receipt)
    }

    /// Gives the commit its time.
    fn stamp(&mut self, commit: &mut Commit, now: Timestamp) -> Result<Receipt, StoreError> {
        let earliest = self.latest.map_or(now, |it| it + TICK);
        let at = instant(commit, self, now, earliest)?;
        let timing = commit.timing;
        if timing == Timing::Landed {
            self.pass(at);
        }
        commit.writes.iter_mut().for_each(|it| it.at = time(timing, at, it.at));
        commit.events.iter_mut().for_each(|it| it.at = time(timing, at, it.at));
        Ok(receipt(commit, at))
    }

    /// From now on, commits get later times than this one.
    pub(super) fn pass(&mut self, at: Timestamp) {
        self.latest = self.latest.max(Some(at));
    }

    fn tell(&mut self, record: EventRecord) {
        self.position += 1;
        self.events.insert(self.position, record);
    }

    fn erase(&mut self, key: &Key) {
        self.instances.remove(key);
        self.versions.remove(key);
        self.terms.remove(key);
        self.events.retain(|_, it| it.key != *key);
        self.tasks.retain(|at, _| at.key != *key);
        self.timers.retain(|at, _| at.key != *key);
    }

    fn write(&mut self, write: Write) {
        let before = self.instances.remove(&write.key);
        let created_at = before.as_ref().map_or(write.at, |it| it.created_at);
        if let Some(before) = before.filter(|_| write.keeps_past) {
            self.versions.entry(write.key.clone()).or_default().push(before);
        }
        if let Some(terms) = write.terms {
            let terms = Terms::of(write.facets.definition.clone(), terms);
            self.terms.insert(write.key.clone(), terms);
        }
        let record = Record {
            key: write.key.clone(),
            version: write.version,
            facets: write.facets,
            state: write.state,
            created_at,
            updated_at: write.at,
        };
        self.instances.insert(write.key, record);
    }

    fn change_task(&mut self, change: TaskChange) {
        match change {
            TaskChange::Schedule(task) => {
                self.tasks.insert(task.at.clone(), task);
            }
            TaskChange::Withdraw(at) => {
                self.tasks.remove(&at);
            }
            TaskChange::Extend { task, until } => {
                if let Some(lease) = self.tasks.get_mut(&task).and_then(|it| it.lease.as_mut()) {
                    lease.until = until;
                }
            }
            TaskChange::Release(at) => {
                if let Some(task) = self.tasks.get_mut(&at) {
                    task.lease = None;
                }
            }
        }
    }

    /// Hints at the work that `commit` gives back.
    pub(super) fn released(&self, commit: &Commit) -> Vec<Hint> {
        let released = |change: &TaskChange| match change {
            TaskChange::Release(at) => self.tasks.get(at),
            TaskChange::Schedule(_) | TaskChange::Withdraw(_) | TaskChange::Extend { .. } => None,
        };
        let tasks = commit.tasks.iter().filter_map(released);
        tasks.map(|it| work(&it.at, &it.family, &it.queue, it.ready_at)).collect()
    }

    fn change_timer(&mut self, change: TimerChange) {
        match change {
            TimerChange::Arm(timer) => {
                self.timers.insert(timer.at.clone(), timer);
            }
            TimerChange::Disarm(at) => {
                self.timers.remove(&at);
            }
        }
    }

    fn change_message(&mut self, change: MessageChange, now: Timestamp) {
        match change {
            MessageChange::Send { key, message } => {
                let at = MessageRef { key, id: message.id.clone() };
                let letter =
                    Letter { message, attempts: 0, ready_at: now, lease: None, dead: false };
                self.outbox.entry(at).or_insert(letter);
            }
            MessageChange::Settle { message, token, delivery } => {
                self.settle(&message, &token, delivery);
            }
        }
    }

    fn settle(&mut self, at: &MessageRef, token: &ClaimId, delivery: Delivery) {
        let Some(letter) = self.outbox.get_mut(at) else { return };
        if letter.lease.as_ref().is_none_or(|(holder, _)| holder != token) {
            return;
        }
        letter.lease = None;
        letter.attempts += 1;
        match delivery {
            Delivery::Sent => {
                self.outbox.remove(at);
            }
            Delivery::Failed { retry_at, .. } => letter.ready_at = retry_at,
            Delivery::Dead { .. } => letter.dead = true,
        }
    }

    pub(super) fn claim(&mut self, claim: &Claim, now: Timestamp) -> Vec<Task> {
        let mut ready: Vec<&mut Task> = self
            .tasks
            .values_mut()
            .filter(|it| it.at.key.tenant == claim.tenant && it.at.key.kind == claim.kind)
            .filter(|it| it.lease.is_none() && it.ready_at <= now)
            .filter(|it| claim.wants(&it.family, &it.queue))
            .collect();
        ready.sort_by(|a, b| (a.ready_at, &a.at).cmp(&(b.ready_at, &b.at)));
        ready
            .into_iter()
            .take(claim.limit as usize)
            .map(|task| {
                task.lease = Some(Lease {
                    token: claim.id.clone(),
                    worker: claim.worker.clone(),
                    until: now + claim.lease,
                });
                task.clone()
            })
            .collect()
    }

    pub(super) fn post(
        &mut self,
        token: &ClaimId,
        until: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Vec<Posted> {
        let mut ready: Vec<(&MessageRef, &mut Letter)> = self
            .outbox
            .iter_mut()
            .filter(|(_, it)| !it.dead)
            .filter(|(_, it)| match &it.lease {
                Some((_, until)) => *until < now,
                None => it.ready_at <= now,
            })
            .collect();
        ready.sort_by_key(|(at, it)| (it.message.occurred_at, (*at).clone()));
        ready
            .into_iter()
            .take(limit as usize)
            .map(|(at, letter)| {
                let lapsed = letter.lease.is_some();
                letter.lease = Some((token.clone(), until));
                let (message, attempts) = (letter.message.clone(), letter.attempts);
                Posted { key: at.key.clone(), message, attempts, lapsed }
            })
            .collect()
    }

    pub(super) fn receipt(&self, tenant: &Tenant, request: &RequestId) -> Option<Receipt> {
        let key = (tenant.clone(), request.as_str().to_owned());
        self.requests.get(&key).map(|(_, receipt, _)| receipt.clone())
    }

    pub(super) fn forget(&mut self, before: Timestamp, limit: u32) -> u32 {
        let old = self.requests.iter().filter(|(_, (_, _, made_at))| *made_at < before);
        let mut old: Vec<_> = old.map(|(name, (_, _, made_at))| (*made_at, name.clone())).collect();
        old.sort();
        old.truncate(limit as usize);
        for (_, name) in &old {
            self.requests.remove(name);
        }
        u32::try_from(old.len()).unwrap_or(limit)
    }

    /// Counts something that was applied by itself: here, nothing ever shares a transaction.
    pub(super) fn count_as_group(&mut self) {
        self.figures.commits += 1;
        self.figures.groups += 1;
    }

    pub(super) fn changes(&self, scope: &Scope, cursor: &Cursor, limit: u32) -> Vec<Change> {
        let after = cursor.0.get(&STREAM).copied().unwrap_or(0);
        let inside = |key: &Key| {
            key.tenant == scope.tenant
                && key.kind == scope.kind
                && scope.instance.as_ref().is_none_or(|id| *id == key.id)
        };
        let later = (Bound::Excluded(after), Bound::Unbounded);
        self.events
            .range(later)
            .filter(|(_, record)| inside(&record.key))
            .take(limit as usize)
            .map(|(position, record)| Change {
                record: record.clone(),
                cursor: Cursor([(STREAM, *position)].into()),
            })
            .collect()
    }

    /// The free tasks of a tenant, queue by queue.
    pub(super) fn queues(&self, tenant: &Tenant, now: Timestamp) -> Vec<QueueFigures> {
        let mut queues: BTreeMap<(i16, &str, &str), QueueFigures> = BTreeMap::new();
        let free = |it: &&Task| it.lease.is_none() && it.at.key.tenant == *tenant;
        for task in self.tasks.values().filter(free) {
            let (kind, queue, family) = (task.at.key.kind, &task.queue, &task.family);
            let found = queues.entry((kind.code(), queue, family)).or_insert(QueueFigures {
                kind,
                queue: queue.clone(),
                family: family.clone(),
                ready: 0,
                first_at: task.ready_at,
            });
            found.first_at = found.first_at.min(task.ready_at);
            let is_counted = task.ready_at <= now && found.ready < u64::from(Figures::COUNT_MAX);
            found.ready += u64::from(is_counted);
        }
        queues.into_values().collect()
    }

    pub(super) fn figures(&self, now: Timestamp) -> Figures {
        let free = |it: &&Task| it.lease.is_none() && it.ready_at <= now;
        let letters = || self.outbox.values().filter(|it| !it.dead);
        let most = |count: usize| (count as u64).min(u64::from(Figures::COUNT_MAX));
        Figures {
            tasks_ready: most(self.tasks.values().filter(free).count()),
            oldest_ready_at: self.tasks.values().filter(free).map(|it| it.ready_at).min(),
            tasks_leased: most(self.tasks.values().filter(|it| it.lease.is_some()).count()),
            awaiting: most(self.instances.values().filter(|it| it.facets.awaits.is_some()).count()),
            timers_due: most(self.timers.values().filter(|it| it.due_at <= now).count()),
            messages_pending: most(letters().count()),
            oldest_message_at: letters().map(|it| it.message.occurred_at).min(),
            messages_dead: most(self.outbox.values().filter(|it| it.dead).count()),
            ..self.figures.clone()
        }
    }
}
