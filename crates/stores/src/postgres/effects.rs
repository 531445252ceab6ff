//! What a group of commits comes to: each row is written once, however often the group changes it.

use std::collections::{BTreeMap, BTreeSet, hash_map::Entry};

use waypost_kernel::{
    Commit, Definition, DefinitionRef, Delivery, EventRecord, Hint, Key, Lease, Message,
    MessageChange, Receipt, Request, Task, TaskChange, TaskRef, Term, Timer, TimerChange, TimerRef,
    Timestamp, Write,
};

use super::facts::{Facts, LetterRef, Standing, named};
use crate::{check::time, hint::work};

/// The rows to write.
#[derive(Default)]
pub(super) struct Effects<'a> {
    pub(super) definitions: Vec<&'a Definition>,
    pub(super) requests: Vec<(&'a Request, Receipt)>,
    /// Instances to forget before anything else is written.
    pub(super) erased: BTreeSet<&'a Key>,
    pub(super) instances: BTreeMap<&'a Key, Written<'a>>,
    /// Instances of which the stored version is to be kept.
    pub(super) kept: BTreeSet<&'a Key>,
    /// Versions to keep that the group itself has made.
    pub(super) passed: Vec<Written<'a>>,
    /// The last writes that say what instances can be looked up by.
    terms: BTreeMap<&'a Key, &'a Write>,
    pub(super) dropped_terms: Vec<(&'a Key, Term)>,
    pub(super) added_terms: Vec<(&'a Key, &'a DefinitionRef, &'a Term)>,
    /// With their times, and their positions in the writer's stream.
    pub(super) events: Vec<(&'a EventRecord, Timestamp, u64)>,
    pub(super) tasks: BTreeMap<&'a TaskRef, TaskEffect<'a>>,
    /// Armed, or disarmed if absent.
    pub(super) timers: BTreeMap<&'a TimerRef, Option<&'a Timer>>,
    pub(super) posted: Vec<(&'a Key, &'a Message)>,
    pub(super) sent: Vec<LetterRef<'a>>,
    pub(super) unsent: Vec<(LetterRef<'a>, &'a Delivery)>,
    /// Hints at the work that was given back.
    pub(super) released: Vec<Hint>,
}

/// An instance's new state.
pub(super) struct Written<'a> {
    pub(super) write: &'a Write,
    pub(super) at: Timestamp,
    /// When it began, if it begins in this group.
    pub(super) begun_at: Option<Timestamp>,
    pub(super) position: u64,
}

/// What becomes of a task.
pub(super) enum TaskEffect<'a> {
    Put { task: &'a Task, lease: Option<Lease> },
    Drop,
    Hold { until: Timestamp },
    Free,
}

impl<'a> Effects<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
            && self.requests.is_empty()
            && self.erased.is_empty()
            && self.instances.is_empty()
            && self.events.is_empty()
            && self.tasks.is_empty()
            && self.timers.is_empty()
            && self.posted.is_empty()
            && self.sent.is_empty()
            && self.unsent.is_empty()
    }

    /// Adds what `commit` does. `position` is the last one used in the writer's stream.
    pub(super) fn add(
        &mut self,
        commit: &'a Commit,
        receipt: &Receipt,
        facts: &mut Facts<'a>,
        position: &mut u64,
    ) {
        if let Some(request) = &commit.request {
            let seen = (request.digest.clone(), receipt.clone());
            facts.requests.insert((&request.tenant, &request.id), seen);
            self.requests.push((request, receipt.clone()));
        }
        for definition in &commit.definitions {
            facts.definitions.insert(named(definition));
            self.definitions.push(definition);
        }
        let time = |decided| time(commit.timing, receipt.at, decided);
        commit.writes.iter().for_each(|it| self.write(it, time(it.at), facts));
        for record in &commit.events {
            *position = self.place(record, time(record.at), facts, *position);
        }
        commit.tasks.iter().for_each(|change| self.change_task(change, facts));
        commit.timers.iter().for_each(|change| self.change_timer(change, facts));
        commit.messages.iter().for_each(|change| self.change_message(change, facts));
        commit.erased.iter().for_each(|key| self.erase(key, facts));
    }

    fn write(&mut self, write: &'a Write, at: Timestamp, facts: &mut Facts<'a>) {
        let (key, unique) = (&write.key, write.facets.unique_key.as_deref());
        let begins = !facts.instances.contains_key(key);
        let standing = facts.instances.entry(key).or_default();
        standing.version = write.version;
        standing.updated_at = at;
        let before = standing.unique_key.take();
        standing.unique_key = unique.map(str::to_owned);
        if let Some(freed) = before.as_deref().filter(|it| Some(*it) != unique) {
            facts.holders.retain(|(_, _, held), holder| !(*held == freed && *holder == *key));
        }
        if let Some(unique) = unique {
            facts.holders.insert((&key.tenant, key.kind, unique), key.clone());
        }
        if write.terms.is_some() {
            self.terms.insert(key, write);
        }
        let position = standing_position(facts, key);
        match self.instances.get_mut(key) {
            Some(written) => {
                let next = Written { write, at, ..*written };
                let passed = std::mem::replace(written, next);
                self.passed.extend(write.keeps_past.then_some(passed));
            }
            None => {
                let begun_at = begins.then_some(at);
                self.instances.insert(key, Written { write, at, begun_at, position });
                self.kept.extend((write.keeps_past && !begins).then_some(key));
            }
        }
    }

    /// Takes back what the group has done to an instance, and makes the rest of it disappear.
    fn erase(&mut self, key: &'a Key, facts: &mut Facts<'a>) {
        facts.instances.remove(key);
        facts.terms.remove(key);
        facts.holders.retain(|_, holder| holder != key);
        facts.tasks.retain(|at, _| at.key != *key);
        facts.timers.retain(|at, _| at.key != *key);
        self.instances.remove(key);
        self.kept.remove(key);
        self.passed.retain(|it| it.write.key != *key);
        self.terms.remove(key);
        self.events.retain(|(record, ..)| record.key != *key);
        self.tasks.retain(|at, _| at.key != *key);
        self.timers.retain(|at, _| at.key != *key);
        self.erased.insert(key);
    }

    /// Compares what instances can be looked up by with what is stored: what stays is not written
    /// again.
    pub(super) fn replace_terms(&mut self, facts: &mut Facts<'a>) {
        for (key, write) in std::mem::take(&mut self.terms) {
            let definition = write.facets.definition.as_ref();
            // Lookups go by definition: whoever has none cannot be found.
            let mut wanted: BTreeSet<&Term> =
                write.terms.iter().flatten().filter(|_| definition.is_some()).collect();
            for (term, known_under) in facts.terms.remove(key).unwrap_or_default() {
                let is_known_so = definition == Some(&known_under);
                if !(is_known_so && wanted.remove::<Term>(&term)) {
                    self.dropped_terms.push((key, term));
                }
            }
            let added = wanted.into_iter().zip(std::iter::repeat(definition));
            self.added_terms.extend(added.filter_map(|(term, by)| Some((key, by?, term))));
        }
    }

    /// Gives a record the next position of the stream. It is also above the position of what
    /// happened to the same instance before, in whatever stream: so sorting by position never puts
    /// an instance's history out of order.
    fn place(
        &mut self,
        record: &'a EventRecord,
        at: Timestamp,
        facts: &mut Facts<'a>,
        last: u64,
    ) -> u64 {
        let position = last.max(standing_position(facts, &record.key)) + 1;
        if let Some(standing) = facts.instances.get_mut(&record.key) {
            standing.position = position;
        }
        if let Some(written) = self.instances.get_mut(&record.key) {
            written.position = position;
        }
        self.events.push((record, at, position));
        position
    }

    fn change_task(&mut self, change: &'a TaskChange, facts: &mut Facts<'a>) {
        match change {
            TaskChange::Schedule(task) => {
                facts.tasks.insert(&task.at, task.into());
                self.tasks.insert(&task.at, TaskEffect::Put { task, lease: task.lease.clone() });
            }
            TaskChange::Withdraw(at) => {
                facts.tasks.remove(at);
                self.tasks.insert(at, TaskEffect::Drop);
            }
            TaskChange::Extend { task, until } => {
                let known = facts.tasks.get_mut(task);
                let Some(lease) = known.and_then(|it| it.lease.as_mut()) else { return };
                lease.until = *until;
                self.hold(task, Some(lease.clone()));
            }
            TaskChange::Release(at) => {
                let Some(known) = facts.tasks.get_mut(at) else { return };
                known.lease = None;
                self.released.push(work(at, &known.family, &known.queue, known.ready_at));
                self.hold(at, None);
            }
        }
    }

    fn hold(&mut self, at: &'a TaskRef, held: Option<Lease>) {
        match self.tasks.get_mut(at) {
            Some(TaskEffect::Put { lease, .. }) => *lease = held,
            Some(TaskEffect::Drop) => {}
            Some(TaskEffect::Hold { .. } | TaskEffect::Free) | None => {
                let effect =
                    held.map_or(TaskEffect::Free, |it| TaskEffect::Hold { until: it.until });
                self.tasks.insert(at, effect);
            }
        }
    }

    fn change_timer(&mut self, change: &'a TimerChange, facts: &mut Facts<'a>) {
        match change {
            TimerChange::Arm(timer) => {
                facts.timers.insert(&timer.at, timer.due_at);
                self.timers.insert(&timer.at, Some(timer));
            }
            TimerChange::Disarm(at) => {
                facts.timers.remove(at);
                self.timers.insert(at, None);
            }
        }
    }

    fn change_message(&mut self, change: &'a MessageChange, facts: &mut Facts<'a>) {
        match change {
            MessageChange::Send { key, message } => {
                // One that is there already stays as it is.
                if let Entry::Vacant(room) = facts.letters.entry((key, &message.id)) {
                    room.insert(None);
                    self.posted.push((key, message));
                }
            }
            MessageChange::Settle { message, token, delivery } => {
                let at = (&message.key, &message.id);
                match facts.letters.get_mut(&at) {
                    Some(holder) if holder.as_ref() == Some(token) => *holder = None,
                    Some(_) | None => return,
                }
                match delivery {
                    Delivery::Sent => {
                        facts.letters.remove(&at);
                        self.sent.push(at);
                    }
                    Delivery::Failed { .. } | Delivery::Dead { .. } => {
                        self.unsent.push((at, delivery));
                    }
                }
            }
        }
    }
}

fn standing_position(facts: &Facts<'_>, key: &Key) -> u64 {
    facts.instances.get(key).map_or(0, |it: &Standing| it.position)
}
