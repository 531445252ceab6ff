//! Where claims are served. While one statement is under way, claims that want the same gather, and
//! the next statement serves all of them: however many workers ask, the database is asked in turn.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use tokio::sync::oneshot;
use waypost_kernel::{Claim, ClaimId, Kind, StoreError, Task, Tenant};

use super::{claim, lane::Shared, pool::Connections};
use crate::{Grouping, portion::portion};

/// Serves the claims of a node.
pub(super) struct Counter {
    pub(super) connections: Connections,
    shared: Arc<Shared>,
    grouping: Grouping,
    /// Those who wait, by what they want. Who is in here is served by a task of its own.
    waiting: Mutex<HashMap<Wish, Vec<Waiting>>>,
}

/// What decides which tasks a claim gets.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Wish {
    tenant: Tenant,
    kind: Kind,
    families: Option<Vec<String>>,
    queues: Option<Vec<String>>,
}

impl Wish {
    fn of(claim: &Claim) -> Self {
        let Claim { tenant, kind, families, queues, .. } = claim;
        let (tenant, kind) = (tenant.clone(), *kind);
        Self { tenant, kind, families: families.clone(), queues: queues.clone() }
    }
}

/// A claim and whoever waits for what it gets.
struct Waiting {
    claim: Claim,
    answer: oneshot::Sender<Result<Vec<Task>, StoreError>>,
}

impl Counter {
    pub(super) fn new(
        connections: Connections,
        shared: Arc<Shared>,
        grouping: Grouping,
    ) -> Arc<Self> {
        Arc::new(Self { connections, shared, grouping, waiting: Mutex::default() })
    }

    /// Leases what is ready, longest ready first.
    pub(super) async fn claim(self: &Arc<Self>, claim: Claim) -> Result<Vec<Task>, StoreError> {
        if self.grouping == Grouping::OneByOne {
            let mut served = self.serve(&[&claim]).await?;
            return Ok(served.remove(&claim.id).unwrap_or_default());
        }
        let (answer, outcome) = oneshot::channel();
        let wish = Wish::of(&claim);
        if self.queue_up(&wish, Waiting { claim, answer }) {
            tokio::spawn(Arc::clone(self).attend(wish));
        }
        outcome.await.unwrap_or_else(|_| {
            Err(StoreError::Unknown("the store was closed during the claim".to_owned()))
        })
    }

    /// Whether nobody attends to that wish yet.
    fn queue_up(&self, wish: &Wish, asked: Waiting) -> bool {
        match self.waiting().entry(wish.clone()) {
            Entry::Occupied(mut queue) => {
                queue.get_mut().push(asked);
                false
            }
            Entry::Vacant(place) => {
                place.insert(vec![asked]);
                true
            }
        }
    }

    /// Serves those who have a wish until there are none.
    async fn attend(self: Arc<Self>, wish: Wish) {
        let _last_words = LastWords { counter: &self, wish: &wish };
        while let Some(group) = self.next(&wish) {
            let claims: Vec<&Claim> = group.iter().map(|it| &it.claim).collect();
            let mut served = self.serve(&claims).await;
            for Waiting { claim, answer } in group {
                let tasks = match &mut served {
                    Ok(served) => Ok(served.remove(&claim.id).unwrap_or_default()),
                    Err(error) => Err(error.clone()),
                };
                // Whoever asked may have gone away: what was leased to it will lapse.
                drop(answer.send(tasks));
            }
        }
    }

    async fn serve(&self, claims: &[&Claim]) -> Result<HashMap<ClaimId, Vec<Task>>, StoreError> {
        let served = claim::claim(&self.connections, &self.shared.clock, claims).await?;
        if !served.is_empty() {
            self.shared.tally.count_group(served.len() as u64);
        }
        Ok(served)
    }

    /// Those to serve together. Nobody attends to the wish any more once there is nobody.
    fn next(&self, wish: &Wish) -> Option<Vec<Waiting>> {
        let mut waiting = self.waiting();
        let queue = waiting.get_mut(wish)?;
        queue.retain(|it| !it.answer.is_closed());
        let (n_served, _) = portion(queue.iter().map(|it| it.claim.limit));
        if n_served == 0 {
            waiting.remove(wish);
            return None;
        }
        Some(queue.drain(..n_served).collect())
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Wish, Vec<Waiting>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sees to it that nobody waits for one who is gone.
struct LastWords<'c> {
    counter: &'c Counter,
    wish: &'c Wish,
}

impl Drop for LastWords<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.counter.waiting().remove(self.wish);
        }
    }
}
