//! The loop every worker runs: claim no more than can begin, begin it, and end in good order.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    task::{JoinSet, yield_now},
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{WorkerOptions, backoff::Backoff};
use crate::error::Error;

/// How long a claim that is under way may take once the worker was told to stop. After that the
/// server sees the connection close and takes back what it handed out.
const CLAIM_LINGER: Duration = Duration::from_millis(500);

/// A claim that brought nothing sooner than this did not wait, and is not made again at once.
const HASTE: Duration = Duration::from_millis(100);

/// What a worker works on: steps of chains, or jobs of processes.
pub(super) trait Trade: Send + Sync + 'static {
    /// Work in our hands.
    type Held: Send + 'static;

    fn options(&self) -> &WorkerOptions;

    fn claim(
        &self,
        max: u32,
        wait: Duration,
    ) -> impl Future<Output = Result<Vec<Self::Held>, Error>> + Send;

    fn execute(&self, held: Self::Held) -> impl Future<Output = ()> + Send;

    /// Gives back what was not begun. What cannot be given back is returned, and done.
    fn give_back(&self, held: Self::Held) -> impl Future<Output = Option<Self::Held>> + Send;
}

/// Works until `stop` is canceled; then lets what runs finish, for a while.
pub(super) async fn work<T: Trade>(trade: Arc<T>, stop: CancellationToken) {
    let slots = Arc::new(Semaphore::new(trade.options().concurrency as usize));
    let mut running = JoinSet::new();
    let mut backoff = Backoff::default();
    while !stop.is_cancelled() {
        let free = tokio::select! {
            () = stop.cancelled() => break,
            permit = Arc::clone(&slots).acquire_owned() => permit,
        };
        drop(free);
        // What ends together frees its places together: one claim for all of them.
        yield_now().await;
        let n_free = u32::try_from(slots.available_permits()).unwrap_or(u32::MAX).max(1);
        let asked_at = Instant::now();
        match claim(&*trade, n_free, &stop).await {
            Ok(tasks) => {
                backoff = Backoff::default();
                if tasks.is_empty() && asked_at.elapsed() < HASTE {
                    pause(Backoff::default().next(), &stop).await;
                }
                begin(&trade, tasks, (&slots, &mut running), &stop).await;
            }
            Err(error) => {
                tracing::warn!(%error, "no work could be claimed");
                pause(backoff.next(), &stop).await;
            }
        }
        while running.try_join_next().is_some() {}
    }
    let finish = async { while running.join_next().await.is_some() {} };
    if timeout(trade.options().grace, finish).await.is_err() {
        let left = running.len();
        tracing::warn!(left, "work did not end in time; its leases will lapse");
    }
}

/// Claims once and executes what it got; says how much that was.
pub(super) async fn work_once<T: Trade>(trade: &T) -> Result<usize, Error> {
    let tasks = trade.claim(trade.options().concurrency, Duration::ZERO).await?;
    let n_tasks = tasks.len();
    futures_util::future::join_all(tasks.into_iter().map(|held| trade.execute(held))).await;
    Ok(n_tasks)
}

/// Sleeps, unless the worker is told to stop.
async fn pause(duration: Duration, stop: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = sleep(duration) => {}
    }
}

async fn claim<T: Trade>(
    trade: &T,
    max: u32,
    stop: &CancellationToken,
) -> Result<Vec<T::Held>, Error> {
    let claiming = trade.claim(max, trade.options().wait);
    tokio::pin!(claiming);
    tokio::select! {
        tasks = &mut claiming => tasks,
        () = stop.cancelled() => {
            timeout(CLAIM_LINGER, claiming).await.unwrap_or_else(|_| Ok(Vec::new()))
        }
    }
}

async fn begin<T: Trade>(
    trade: &Arc<T>,
    tasks: Vec<T::Held>,
    (slots, running): (&Arc<Semaphore>, &mut JoinSet<()>),
    stop: &CancellationToken,
) {
    for held in tasks {
        let left = match stop.is_cancelled() {
            true => trade.give_back(held).await,
            false => Some(held),
        };
        let Some(held) = left else { continue };
        let Ok(slot) = Arc::clone(slots).acquire_owned().await else { return };
        let trade = Arc::clone(trade);
        running.spawn(async move {
            trade.execute(held).await;
            drop(slot);
        });
    }
}
