//! What a transaction sees of what others do: all that had landed when it was first told to somebody
//! outside, and nothing that has landed since. Before that nobody can compare what it has read, and
//! whether that is still so is found out when it lands.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use waypost_kernel::{InstanceId, Key, Record, Timestamp};

use super::{Entities, Entity, Fault, record::LIVE, transaction::Transaction};

/// The latest instant at which an entity is known to have landed, here or elsewhere. Stores give
/// each version of an entity a later time than the one before, so that it may be ahead of any clock.
#[derive(Default)]
pub(super) struct Latest(AtomicI64);

impl Latest {
    pub(super) fn note(&self, at: Timestamp) {
        self.0.fetch_max(at.as_micros(), Ordering::Relaxed);
    }

    fn at(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }
}

impl Entities {
    /// The instant to see everything as of from now on, not before that of any write that somebody
    /// was answered.
    pub(super) async fn moment(&self) -> Result<Timestamp, Fault> {
        // If others' times are ahead of that clock, then what they have written is met as something
        // later: it is a conflict, and known to whoever comes again.
        Ok(self.store().instant().await?.max(self.home().latest.at()))
    }

    /// As of when the transaction that this is part of sees everything; none if it sees what is
    /// there.
    pub(super) async fn snapshot(&self) -> Result<Option<Timestamp>, Fault> {
        match &self.within {
            Some((transaction, _)) => self.snapshot_of(transaction).await,
            None => Ok(None),
        }
    }

    /// The same for this transaction. All that belongs to the instant has landed.
    pub(super) async fn snapshot_of(
        &self,
        transaction: &Transaction,
    ) -> Result<Option<Timestamp>, Fault> {
        let told_at = transaction.told_at();
        if let Some(at) = told_at {
            self.store().settle(at).await?;
        }
        Ok(told_at)
    }

    /// The instant that is asked about, or else that of the transaction this is part of.
    pub(super) async fn instant(&self, at: Option<Timestamp>) -> Result<Option<Timestamp>, Fault> {
        match at {
            Some(_) => self.settled(at).await,
            None => self.snapshot().await,
        }
    }

    /// What was found, unless the transaction that this is part of cannot see it.
    pub(super) async fn seen(&self, found: Option<Entity>) -> Result<Option<Entity>, Fault> {
        let snapshot = self.snapshot().await?;
        Ok(found.filter(|it| snapshot.is_none_or(|at| it.updated_at <= at)))
    }

    /// The entity as it is stored, or as it was then if it has changed since.
    pub(super) async fn as_of(
        &self,
        id: &InstanceId,
        at: Option<Timestamp>,
    ) -> Result<Option<Arc<Entity>>, Fault> {
        let stored = self.stored(id).await?;
        match (at, &stored) {
            (Some(at), Some(entity)) if entity.updated_at > at => {
                Ok(self.past(id, at).await?.map(Arc::new))
            }
            _ => Ok(stored),
        }
    }

    /// The same for records that are there now. Those that were not there then are left out.
    pub(super) async fn all_as_of(
        &self,
        records: Vec<Record>,
        at: Timestamp,
    ) -> Result<Vec<Record>, Fault> {
        let is_later = |it: &Record| it.updated_at > at;
        let later: Vec<Key> =
            records.iter().filter(|it| is_later(it)).map(|it| it.key.clone()).collect();
        if later.is_empty() {
            return Ok(records);
        }
        let mut past = self.store().past(&later, at).await?.into_iter();
        let then = |it: Record| if is_later(&it) { past.next().flatten() } else { Some(it) };
        let then = records.into_iter().filter_map(then);
        Ok(then.filter(|it| it.facets.status == LIVE).collect())
    }
}
