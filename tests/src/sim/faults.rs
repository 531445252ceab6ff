//! A store that loses answers, refuses and delays; and a witness that sees what really happened.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use waypost_kernel::{
    Change, Claim, ClaimId, Clock, Commit, Cursor, Definition, DefinitionQuery, EventRecord,
    Figures, Key, Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId,
    Scope, Sift, Store, StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version,
    Write,
};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

use super::{chance::Chance, executor::give_way, ledger::Leases, mutant::Mutant};

/// How often things go wrong, in percent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Odds {
    pub(super) refused: u64,
    pub(super) answer_lost: u64,
    pub(super) busy: u64,
    pub(super) delay: u64,
}

/// What all nodes share: the store, its clock, and the witness.
pub(super) struct Ground {
    pub(super) store: MemoryStore,
    pub(super) clock: Arc<SimClock>,
    pub(super) leases: Mutex<Leases>,
    pub(super) is_calm: AtomicBool,
    pub(super) n_faults: AtomicU64,
}

/// The store as one node sees it.
pub(super) struct FaultyStore {
    pub(super) ground: Arc<Ground>,
    pub(super) chance: Mutex<Chance>,
    pub(super) odds: Odds,
    pub(super) mutant: Option<Mutant>,
    /// How far this node's idea of the store's clock is off, in microseconds.
    pub(super) skew: i64,
}

enum Fault {
    Refused,
    AnswerLost,
}

impl FaultyStore {
    fn roll(&self, end: u64) -> u64 {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner).below(end)
    }

    /// Delays, and says what is to go wrong, if anything is.
    async fn trouble(&self) -> Result<Option<Fault>, StoreError> {
        if self.ground.is_calm.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if self.roll(100) < self.odds.delay {
            give_way(1 + self.roll(6)).await;
        }
        let roll = self.roll(1_000);
        let Odds { refused, answer_lost, busy, .. } = self.odds;
        let fault = match roll {
            _ if roll < busy * 10 => return Err(self.fail(StoreError::Busy)),
            _ if roll < (busy + refused) * 10 => Some(Fault::Refused),
            _ if roll < (busy + refused + answer_lost) * 10 => Some(Fault::AnswerLost),
            _ => None,
        };
        Ok(fault)
    }

    fn fail(&self, error: StoreError) -> StoreError {
        self.ground.n_faults.fetch_add(1, Ordering::Relaxed);
        error
    }

    /// Does `act` unless it is refused; forgets its answer if that is to be lost.
    async fn troubled<T>(
        &self,
        lost: impl Fn(String) -> StoreError,
        act: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match self.trouble().await? {
            Some(Fault::Refused) => Err(self.fail(StoreError::Unavailable("simulated".into()))),
            Some(Fault::AnswerLost) => {
                drop(act.await);
                give_way(self.roll(3)).await;
                Err(self.fail(lost("simulated".into())))
            }
            None => {
                let answer = act.await;
                if !self.ground.is_calm.load(Ordering::Relaxed) {
                    give_way(self.roll(2)).await;
                }
                answer
            }
        }
    }

    fn witness(&self) -> std::sync::MutexGuard<'_, Leases> {
        self.ground.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn commit_really(&self, mut commit: Commit) -> Result<Receipt, StoreError> {
        let meant = commit.clone();
        if let Some(mutant) = self.mutant {
            mutant.spoil(&mut commit, self.roll(100));
        }
        if self.mutant == Some(Mutant::AckEarly) && self.roll(100) < 2 && !commit.writes.is_empty()
        {
            let (version, at) = (Version::ABSENT, self.now());
            return Ok(Receipt { key: None, version, at, repeated: false });
        }
        let seen = commit.clone();
        let receipt = self.ground.store.commit(commit).await?;
        if !receipt.repeated {
            let mut witness = self.witness();
            witness.committed(&seen, self.ground.clock.now());
            witness.promised(&meant);
        }
        Ok(receipt)
    }

    async fn claim_really(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        let tasks = self.ground.store.claim(claim).await?;
        self.witness().claimed(&tasks, self.ground.clock.now());
        Ok(tasks)
    }
}

#[async_trait]
impl Records for FaultyStore {
    async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.load(keys)).await
    }

    async fn replace(&self, write: Write, events: EventRecord) -> Result<Receipt, StoreError> {
        self.ground.store.replace(write, events).await
    }

    async fn history(
        &self,
        key: &Key,
        after: Version,
        limit: u32,
    ) -> Result<Vec<EventRecord>, StoreError> {
        self.ground.store.history(key, after, limit).await
    }

    async fn head(&self, scope: &Scope) -> Result<Cursor, StoreError> {
        self.ground.store.head(scope).await
    }

    async fn watch(
        &self,
        scope: &Scope,
        cursor: &Cursor,
        limit: u32,
        wait: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        self.ground.store.watch(scope, cursor, limit, wait).await
    }
}

#[async_trait]
impl Store for FaultyStore {
    fn now(&self) -> Timestamp {
        let now = self.ground.store.now().as_micros();
        Timestamp::from_micros(now.saturating_add(self.skew))
    }

    async fn commit(&self, commit: Commit) -> Result<Receipt, StoreError> {
        self.troubled(StoreError::Unknown, self.commit_really(commit)).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Task>, StoreError> {
        self.troubled(StoreError::Unknown, self.claim_really(claim)).await
    }

    async fn tasks(&self, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.tasks(keys)).await
    }

    async fn definitions(&self, query: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.definitions(query)).await
    }

    async fn count_definitions(&self, query: &DefinitionQuery) -> Result<u64, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.count_definitions(query)).await
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<Timer>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.due(now, limit)).await
    }

    async fn lapsed(&self, now: Timestamp, limit: u32) -> Result<Vec<Task>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.lapsed(now, limit)).await
    }

    async fn outbox(
        &self,
        token: ClaimId,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Posted>, StoreError> {
        self.troubled(StoreError::Unknown, self.ground.store.outbox(token, lease, limit)).await
    }

    async fn search(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.search(query)).await
    }

    async fn count(&self, query: &Query) -> Result<u64, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.count(query)).await
    }

    async fn sift(&self, sift: &Sift) -> Result<Vec<Record>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.sift(sift)).await
    }

    async fn tally(&self, query: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.tally(query)).await
    }

    async fn past(&self, keys: &[Key], at: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.past(keys, at)).await
    }

    async fn versions(
        &self,
        key: &Key,
        before: Option<Version>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        let versions = self.ground.store.versions(key, before, limit);
        self.troubled(StoreError::Unavailable, versions).await
    }

    async fn settle(&self, at: Timestamp) -> Result<(), StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.settle(at)).await
    }

    async fn receipt(
        &self,
        tenant: &Tenant,
        request: &RequestId,
    ) -> Result<Option<Receipt>, StoreError> {
        self.troubled(StoreError::Unavailable, self.ground.store.receipt(tenant, request)).await
    }

    async fn forget(&self, before: Timestamp, limit: u32) -> Result<u32, StoreError> {
        self.ground.store.forget(before, limit).await
    }

    async fn queues(&self, tenant: &Tenant, limit: u32) -> Result<Vec<QueueFigures>, StoreError> {
        self.ground.store.queues(tenant, limit).await
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        self.ground.store.figures().await
    }

    fn listen(&self, listener: Listener) {
        self.ground.store.listen(listener);
    }
}
