//! The one way an entity changes: read it, decide, write it if nobody else has meanwhile, or begin
//! again.

use std::{
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

use bytes::Bytes;
use waypost_machines::lifecycle::{Goal, RESERVED, Source, Target, Trail, check, decide};

use crate::{
    BucketError, Error, Result, Revision,
    core::{Core, Stored},
    figures::count,
    held::Held,
    kept::{Before, Moving, begun, grown, programs},
    registration::Registration,
};

/// What a change says about itself.
pub(crate) enum Stamp<'s> {
    /// It is not a move; if the phase differs afterwards, nobody knows why.
    Touched,
    /// It is a move.
    Moved { source: Source, note: &'s str },
}

/// A move that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Move<'m> {
    pub(crate) goal: Goal<'m>,
    pub(crate) source: Source,
    pub(crate) note: &'m str,
}

/// A change of fields along with a move. May be repeated, and must therefore have no effect outside.
pub(crate) type Mutator<'m> = dyn FnMut(&mut dyn Held) -> Result<()> + Send + 'm;

impl Core {
    pub(crate) async fn load(
        &self,
        registration: &Registration,
        entity_id: &str,
    ) -> Result<Stored> {
        let key = self.key(registration, entity_id)?;
        let found = registration.bucket.get(&key).await;
        let entry = found.map_err(|it| registration.store_error(it))?;
        let stored = entry.map(|it| registration.open(&it)).transpose()?.flatten();
        let stored = stored.ok_or_else(|| registration.not_found(entity_id))?;
        self.notice(registration, entity_id, stored.held.phase());
        Ok(stored)
    }

    pub(crate) async fn create(
        &self,
        registration: &Registration,
        initial: &dyn Held,
    ) -> Result<Revision> {
        let (entity_id, phase) = (initial.entity_id(), initial.phase());
        let key = self.key(registration, entity_id)?;
        check(&registration.table, Goal::Move(phase))
            .map_err(|it| Error::refused(&registration.workflow, entity_id, it))?;
        let text = registration.text(initial, &key)?;
        let value = match self.settings.keeps_trail {
            true => begun(text, &registration.workflow, phase),
            false => Ok(text.into()),
        };
        let value = value.map_err(|it| registration.unwritable(&key, it))?;
        match registration.bucket.create(&key, value).await {
            Ok(revision) => {
                registration.index.wrote(registration, initial, revision);
                Ok(revision)
            }
            Err(BucketError::Exists(_)) => Err(Error::AlreadyExists {
                workflow: registration.workflow.clone(),
                entity_id: entity_id.to_owned(),
            }),
            Err(error) => Err(registration.store_error(error)),
        }
    }

    /// Moves an entity. What can be refused without reading it is.
    pub(crate) async fn transition(
        &self,
        registration: &Registration,
        entity_id: &str,
        asked: Move<'_>,
        mutator: &mut Mutator<'_>,
    ) -> Result<Stored> {
        check(&registration.table, asked.goal)
            .map_err(|it| Error::refused(&registration.workflow, entity_id, it))?;
        let change = &mut |held: &mut dyn Held| moved(registration, held, asked, mutator);
        self.change(registration, entity_id, change).await
    }

    /// What a move would come to, while nothing is written.
    pub(crate) async fn foresee_transition(
        &self,
        registration: &Registration,
        entity_id: &str,
        asked: Move<'_>,
    ) -> Result<Stored> {
        check(&registration.table, asked.goal)
            .map_err(|it| Error::refused(&registration.workflow, entity_id, it))?;
        let change = &mut |held: &mut dyn Held| moved(registration, held, asked, &mut |_| Ok(()));
        self.foresee(registration, entity_id, change).await
    }

    /// Reads and lets `change` decide, as [`Self::change`] does, and writes nothing.
    pub(crate) async fn foresee<'s>(
        &self,
        registration: &Registration,
        entity_id: &str,
        change: &mut (dyn FnMut(&mut dyn Held) -> Result<Stamp<'s>> + Send),
    ) -> Result<Stored> {
        let mut stored = self.load(registration, entity_id).await?;
        change(&mut *stored.held)?;
        check_identity(registration, entity_id, &*stored.held)?;
        Ok(stored)
    }

    /// Reads, lets `change` decide, and writes, as often as others are faster.
    pub(crate) async fn change<'s>(
        &self,
        registration: &Registration,
        entity_id: &str,
        change: &mut (dyn FnMut(&mut dyn Held) -> Result<Stamp<'s>> + Send),
    ) -> Result<Stored> {
        let key = self.key(registration, entity_id)?;
        for attempt in 1..=self.settings.attempts {
            let mut stored = self.load(registration, entity_id).await?;
            let from = stored.held.phase().to_owned();
            let stamp = change(&mut *stored.held)?;
            check_identity(registration, entity_id, &*stored.held)?;
            let written = self.write((registration, &key), &stored, (&from, &stamp)).await?;
            match written {
                Ok(revision) => {
                    registration.index.wrote(registration, &*stored.held, revision);
                    return Ok(Stored { revision, ..stored });
                }
                Err(BucketError::Conflict(_)) => {
                    count(&self.counters.conflicts);
                    self.pause(attempt).await;
                }
                Err(BucketError::NotFound(_)) => return Err(registration.not_found(entity_id)),
                Err(error) => return Err(registration.store_error(error)),
            }
        }
        count(&self.counters.exhausted);
        let (workflow, entity_id) = (registration.workflow.clone(), entity_id.to_owned());
        Err(Error::UpdateRetriesExhausted { workflow, entity_id, attempts: self.settings.attempts })
    }

    /// Writes with as much of the trail as the store takes: an entity that is nearly too large must
    /// not stay where it is because of where it has been.
    async fn write(
        &self,
        (registration, key): (&Registration, &str),
        stored: &Stored,
        change: (&str, &Stamp<'_>),
    ) -> Result<Result<Revision, BucketError>> {
        // A store that forgets nothing knows the moves before the last one by itself.
        let mut steps_max = if registration.bucket.remembers_all() { 1 } else { Trail::STEPS_MAX };
        loop {
            let value = self.encode(registration, stored, change, steps_max);
            let value = value.map_err(|it| registration.unwritable(key, it))?;
            match registration.bucket.update(key, value, stored.revision).await {
                Err(BucketError::TooLarge { .. }) if self.settings.keeps_trail && steps_max > 1 => {
                    steps_max /= 2;
                }
                written => return Ok(written),
            }
        }
    }

    /// What is to be written, with the trail of what was read.
    fn encode(
        &self,
        registration: &Registration,
        stored: &Stored,
        (from, stamp): (&str, &Stamp<'_>),
        steps_max: usize,
    ) -> Result<Bytes, serde_json::Error> {
        let text = programs_text(&*stored.held)?;
        if !self.settings.keeps_trail {
            return Ok(text.into());
        }
        let to = stored.held.phase();
        let (source, note) = match stamp {
            Stamp::Touched => (Source::Framework, ""),
            Stamp::Moved { source, note } => (*source, *note),
        };
        let moving = (from != to).then_some(Moving { from, to, source, note });
        let (workflow, mark) = (&*registration.workflow, &*registration.mark);
        let before = Before { text: &stored.text, at: stored.at, workflow, mark, steps_max };
        grown(text, before, moving)
    }

    /// Waits for a moment before trying again, if that is wanted; others wait for another one.
    async fn pause(&self, attempt: u32) {
        let most = self.settings.delay;
        if most.is_zero() || attempt == self.settings.attempts {
            return;
        }
        let chance = RandomState::new().hash_one(attempt);
        let micros = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
        tokio::time::sleep(Duration::from_micros(chance % micros.max(1))).await;
    }
}

impl Registration {
    fn text(&self, held: &dyn Held, key: &str) -> Result<String> {
        programs_text(held).map_err(|it| self.unwritable(key, it))
    }

    fn unwritable(&self, key: &str, source: serde_json::Error) -> Error {
        Error::Decode { workflow: self.workflow.clone(), key: key.to_owned(), source }
    }
}

/// The program's part of what is written. The library's is not the program's to give: it would stand
/// there twice, and nobody would know which one counts.
fn programs_text(held: &dyn Held) -> Result<String, serde_json::Error> {
    let text = held.text()?;
    if text.contains(RESERVED) && programs(text.as_bytes()).is_some() {
        let taken = format!("a value cannot have a member {RESERVED:?}: it is the library's");
        return Err(serde::ser::Error::custom(taken));
    }
    Ok(text)
}

/// Moves what was read along the table.
fn moved<'m>(
    registration: &Registration,
    held: &mut dyn Held,
    asked: Move<'m>,
    mutator: &mut Mutator<'_>,
) -> Result<Stamp<'m>> {
    let (workflow, entity_id) = (registration.workflow.as_str(), held.entity_id().to_owned());
    let target = decide(&registration.table, held.phase(), asked.goal)
        .map_err(|it| Error::refused(workflow, &entity_id, it))?;
    warn_of_alternatives(workflow, &entity_id, &target);
    mutator(held)?;
    held.set_phase(&target.phase).map_err(|it| Error::Mutator(it.into()))?;
    Ok(Stamp::Moved { source: asked.source, note: asked.note })
}

fn check_identity(registration: &Registration, entity_id: &str, held: &dyn Held) -> Result<()> {
    if held.entity_id() == entity_id {
        return Ok(());
    }
    let (workflow, entity_id) = (registration.workflow.clone(), entity_id.to_owned());
    Err(Error::IdentityChanged { workflow, entity_id, changed_to: held.entity_id().to_owned() })
}

fn warn_of_alternatives(workflow: &str, entity_id: &str, target: &Target) {
    if !target.alternatives.is_empty() {
        let (picked, alternatives) = (&target.phase, &target.alternatives);
        tracing::warn!(workflow, entity_id, picked, ?alternatives, "completing was ambiguous");
    }
}
