//! What nobody asks for: lapsed leases, due timers, the outbox, old request ids.
//!
//! Each duty is a `run_once` that a test or the simulator can call, plus a loop. Several nodes may
//! sweep at once: the commits' expectations see to it that each thing happens once.

mod leases;
mod outbox;
mod requests;
mod timers;

use std::{future::Future, sync::Arc, time::Duration};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use waypost_kernel::Timestamp;

pub use self::outbox::Transport;
use crate::{
    engine::Shared,
    error::Error,
    limits::{SWEEP_BATCH, SWEEP_INTERVAL},
};

/// How often request ids are forgotten. They are kept for a day; an hour more or less is no harm.
const FORGET_INTERVAL: Duration = Duration::from_secs(600);

/// What one pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many things it found to do.
    pub found: u32,
    /// How many of them it did or put off; the others were overtaken or failed.
    pub done: u32,
}

impl Swept {
    fn of(results: impl IntoIterator<Item = Result<(), Error>>) -> Self {
        let mut swept = Self::default();
        for result in results {
            swept.found += 1;
            match result {
                Ok(()) => swept.done += 1,
                Err(Error::Overtaken) => {}
                Err(error) => tracing::warn!(%error, "a sweep could not do its duty"),
            }
        }
        swept
    }
}

/// The background duties of an engine.
pub struct Sweeps {
    shared: Arc<Shared>,
}

impl Sweeps {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Takes steps back from workers whose lease has lapsed at `now`.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub async fn leases(&self, now: Timestamp) -> Result<Swept, Error> {
        leases::run_once(&self.shared, now).await
    }

    /// Fires the timers that are due at `now`, and waits for what compute members say about them.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub async fn timers(&self, now: Timestamp) -> Result<Swept, Error> {
        let swept = timers::run_once(&self.shared, now).await;
        self.shared.entities.fired().await;
        swept
    }

    /// Sends messages that are waiting at `now`.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub async fn outbox(&self, now: Timestamp) -> Result<Swept, Error> {
        outbox::run_once(&self.shared, now).await
    }

    /// Forgets request ids that are old at `now`.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub async fn requests(&self, now: Timestamp) -> Result<Swept, Error> {
        requests::run_once(&self.shared, now).await
    }

    /// All duties, until `stop` is canceled.
    pub(crate) async fn run(&self, stop: CancellationToken) {
        let all = async {
            tokio::join!(
                self.repeat(SWEEP_INTERVAL, || self.leases(self.now())),
                self.repeat(SWEEP_INTERVAL, || timers::run_once(&self.shared, self.now())),
                self.repeat(SWEEP_INTERVAL, || self.outbox(self.now())),
                self.repeat(FORGET_INTERVAL, || self.requests(self.now())),
                self.ring(),
            );
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = all => {}
        }
    }

    fn now(&self) -> Timestamp {
        self.shared.store.now()
    }

    /// Goes on at once while there is a full batch to do, and rests otherwise.
    async fn repeat<F>(&self, interval: Duration, mut duty: impl FnMut() -> F)
    where
        F: Future<Output = Result<Swept, Error>>,
    {
        loop {
            match duty().await {
                Ok(swept) if swept.found >= SWEEP_BATCH && swept.done > 0 => {}
                Ok(_) => sleep(interval).await,
                Err(error) => {
                    tracing::warn!(%error, "a sweep could not look");
                    sleep(interval * 2).await;
                }
            }
        }
    }

    /// Calls claims that wait for work which becomes ready later.
    async fn ring(&self) {
        loop {
            let next = self.shared.desk.ring(self.now());
            tokio::select! {
                () = sleep(next.unwrap_or(SWEEP_INTERVAL)) => {}
                () = self.shared.desk.alarm_set() => {}
            }
        }
    }
}
