//! Polls whatever future chance picks. Wakers do nothing: everything is polled now and then.

use std::{
    cell::RefCell,
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::chance::Chance;

type Job = Pin<Box<dyn Future<Output = ()>>>;

/// The actors of a simulation, each on its node.
#[derive(Default)]
pub(super) struct Executor {
    jobs: RefCell<Vec<(usize, Job)>>,
}

impl Executor {
    pub(super) fn spawn(&self, node: usize, job: impl Future<Output = ()> + 'static) {
        self.jobs.borrow_mut().push((node, Box::pin(job)));
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.borrow().len()
    }

    /// Lets one actor go on a little.
    pub(super) fn step(&self, chance: &Chance) {
        // The job is taken out while it runs, for it may spawn others.
        let taken = {
            let mut jobs = self.jobs.borrow_mut();
            match jobs.len() {
                0 => return,
                n_jobs => jobs.swap_remove(chance.index(n_jobs)),
            }
        };
        let (node, mut job) = taken;
        match job.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(()) => {}
            Poll::Pending => self.jobs.borrow_mut().push((node, job)),
        }
    }

    /// The node dies: whatever it was doing stops where it is.
    pub(super) fn kill(&self, node: usize) {
        let dead: Vec<_> = {
            let mut jobs = self.jobs.borrow_mut();
            let (dead, alive) = jobs.drain(..).partition(|(at, _)| *at == node);
            *jobs = alive;
            dead
        };
        drop(dead);
    }
}

/// Lets others go first, `times` times.
pub(super) async fn give_way(times: u64) {
    let mut left = times;
    std::future::poll_fn(move |_| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        Poll::Pending
    })
    .await;
}
