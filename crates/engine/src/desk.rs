//! Where claims wait for work, and are called when there is some.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;
use waypost_kernel::{Claim, Hint, Kind, Tenant, Timestamp};

use crate::{
    error::Error,
    limits::{ALARMS_MAX, CLAIMS_WAITING_MAX},
};

/// Work that can be claimed from `ready_at` on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Work {
    ready_at: Timestamp,
    tenant: Tenant,
    kind: Kind,
    family: String,
    queue: String,
}

struct Waiter {
    number: u64,
    claim: Claim,
    called: Arc<Notify>,
}

#[derive(Default)]
struct Inside {
    waiters: Vec<Waiter>,
    n_waiters: u64,
    alarms: BinaryHeap<Reverse<Work>>,
}

/// The desk of one node.
#[derive(Default)]
pub(crate) struct Desk {
    inside: Mutex<Inside>,
    /// Called when an alarm was set that may be the next one.
    alarm_set: Notify,
}

/// A place at the desk, given up when dropped.
pub(crate) struct Place<'a> {
    desk: &'a Desk,
    number: u64,
    called: Arc<Notify>,
}

impl Desk {
    fn inside(&self) -> std::sync::MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a claim that found nothing.
    pub(crate) fn wait(&self, claim: &Claim) -> Result<Place<'_>, Error> {
        let called = Arc::new(Notify::new());
        let mut inside = self.inside();
        if inside.waiters.len() >= CLAIMS_WAITING_MAX {
            return Err(Error::Overloaded { what: "claims waiting for work" });
        }
        inside.n_waiters += 1;
        let number = inside.n_waiters;
        inside.waiters.push(Waiter { number, claim: claim.clone(), called: Arc::clone(&called) });
        Ok(Place { desk: self, number, called })
    }

    /// Calls the claim that has waited longest for such work, now or when it is ready.
    pub(crate) fn tell(&self, hint: &Hint, now: Timestamp) {
        let Hint::Work { tenant, kind, family, queue, ready_at } = hint else { return };
        let mut inside = self.inside();
        if *ready_at <= now {
            inside.call((tenant, *kind), family, queue);
        } else if inside.alarms.len() < ALARMS_MAX {
            let (family, queue) = (family.clone(), queue.clone());
            let work =
                Work { ready_at: *ready_at, tenant: tenant.clone(), kind: *kind, family, queue };
            inside.alarms.push(Reverse(work));
            drop(inside);
            self.alarm_set.notify_one();
        }
    }

    /// Calls claims for the work that has become ready; says how long until the next one does.
    pub(crate) fn ring(&self, now: Timestamp) -> Option<Duration> {
        let mut inside = self.inside();
        while let Some(Reverse(next)) = inside.alarms.peek() {
            if next.ready_at > now {
                return Some(next.ready_at.since(now));
            }
            let Some(Reverse(work)) = inside.alarms.pop() else { break };
            inside.call((&work.tenant, work.kind), &work.family, &work.queue);
        }
        None
    }

    /// Waits until an alarm is set.
    pub(crate) async fn alarm_set(&self) {
        self.alarm_set.notified().await;
    }
}

impl Inside {
    /// A claim is called once; if it finds nothing it takes a new place.
    fn call(&mut self, (tenant, kind): (&Tenant, Kind), family: &str, queue: &str) {
        let wants = |it: &Waiter| {
            it.claim.tenant == *tenant && it.claim.kind == kind && it.claim.wants(family, queue)
        };
        if let Some(index) = self.waiters.iter().position(wants) {
            self.waiters.remove(index).called.notify_one();
        }
    }
}

impl Place<'_> {
    /// Waits to be called.
    pub(crate) async fn called(&self) {
        self.called.notified().await;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.desk.inside().waiters.retain(|it| it.number != self.number);
    }
}
