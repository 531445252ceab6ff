//! The clock that judges leases and due times: the database's, so that nodes need not agree.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use waypost_kernel::{Clock, Timestamp};

use crate::check::TICK;

/// The database's time, in microseconds, as an expression.
pub(super) const CLOCK: &str = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

/// The end of `lease` microseconds from `clock.now`, as an expression; the end of time at the most.
pub(super) fn end_of(lease: &str) -> String {
    let end = i64::MAX;
    format!("case when {lease} > {end} - clock.now then {end} else clock.now + {lease} end")
}

/// Longer than anything takes from its time to its end: a node that is frozen in between is given up
/// by the database before that.
const LANDING_MAX: Duration = Duration::from_secs(20);

/// Whose time counts.
#[derive(Clone)]
pub enum StoreClock {
    /// The database's. Nodes with wrong clocks do no harm.
    Database,
    /// This one, for tests.
    Given(Arc<dyn Clock>),
}

/// The clock a store goes by, and what this node knows of it between two answers.
pub(super) struct Watch {
    given: Option<Arc<dyn Clock>>,
    started: Instant,
    /// The database's time when this node's monotonic clock showed zero.
    offset: AtomicI64,
    /// The latest time told. Time never goes back, whatever the database says.
    latest: AtomicI64,
    /// The latest instant at which this node lets nothing more begin to land.
    closed: AtomicI64,
    /// The latest instant at which, as far as this node has asked, nothing more can land.
    settled: AtomicI64,
}

impl Watch {
    pub(super) fn new(clock: StoreClock) -> Self {
        let given = match clock {
            StoreClock::Database => None,
            StoreClock::Given(clock) => Some(clock),
        };
        let (offset, latest) = (AtomicI64::new(0), AtomicI64::new(i64::MIN));
        let (closed, settled) = (AtomicI64::new(i64::MIN), AtomicI64::new(i64::MIN));
        Self { given, started: Instant::now(), offset, latest, closed, settled }
    }

    /// The time that statements must go by; the database's own if absent.
    pub(super) fn given(&self) -> Option<Timestamp> {
        self.given.as_ref().map(|clock| clock.now())
    }

    /// Takes note of what the database's clock showed a moment ago.
    pub(super) fn observe(&self, now: Timestamp) {
        if self.given.is_none() {
            self.offset.store(now.as_micros() - self.elapsed(), Ordering::Relaxed);
        }
    }

    /// The time now. Behind the database's by the time its last answer traveled, never ahead.
    pub(super) fn now(&self) -> Timestamp {
        self.given().unwrap_or_else(|| {
            let now = self.offset.load(Ordering::Relaxed) + self.elapsed();
            let latest = self.latest.fetch_max(now, Ordering::Relaxed);
            Timestamp::from_micros(now.max(latest))
        })
    }

    /// From now on nothing begins to land at `at` or before. What has begun may still land there.
    ///
    /// It must be said before the others are waited for: whoever begins after the wait and before
    /// it is said would be given an instant that is settled.
    pub(super) fn close(&self, at: Timestamp) {
        self.closed.fetch_max(at.as_micros(), Ordering::SeqCst);
    }

    /// Takes note that nothing more can land at `at` or before.
    pub(super) fn pass(&self, at: Timestamp) {
        self.settled.fetch_max(at.as_micros(), Ordering::SeqCst);
    }

    /// Whether nothing more can land at `at` or before, because somebody has asked or because it
    /// is so long ago.
    pub(super) fn is_settled(&self, at: Timestamp) -> bool {
        at.as_micros() <= self.settled.load(Ordering::SeqCst) || self.now().since(at) > LANDING_MAX
    }

    /// The first instant at which something may land.
    pub(super) fn earliest(&self) -> Timestamp {
        Timestamp::from_micros(self.closed.load(Ordering::SeqCst)) + TICK
    }

    fn elapsed(&self) -> i64 {
        micros(self.started.elapsed())
    }
}

/// A duration as the database counts it.
pub(super) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{StoreClock, Timestamp, Watch};

    #[tokio::test]
    async fn time_follows_the_database_but_never_goes_back() {
        let watch = Watch::new(StoreClock::Database);
        watch.observe(Timestamp::from_millis(5_000));
        let first = watch.now();
        assert!(first >= Timestamp::from_millis(5_000));
        watch.observe(Timestamp::from_millis(1_000));
        assert!(watch.now() >= first);
        watch.observe(Timestamp::from_millis(9_000));
        assert!(watch.now() >= Timestamp::from_millis(9_000));
    }
}
