//! Commands whose time has come.

use futures_util::future::join_all;
use waypost_kernel::{Commit, Expectation, Timer, TimerChange, Timestamp};

use super::Swept;
use crate::{
    engine::Shared,
    error::Error,
    limits::{SWEEP_BATCH, TIMER_RETRY},
    turn::final_error,
};

pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let due = shared.store.due(now, SWEEP_BATCH).await?;
    Ok(Swept::of(join_all(due.into_iter().map(|timer| settle(shared, timer))).await))
}

/// Fires a timer, or puts it off. One that could not fire and stayed where it is would be in the
/// way of those behind it: a pass takes those that have been due for longest.
async fn settle(shared: &Shared, timer: Timer) -> Result<(), Error> {
    match fire(shared, timer.clone()).await {
        Ok(()) => shared.metrics.timers_fired.inc(),
        Err(Error::Overtaken) => return Err(Error::Overtaken),
        Err(error) => {
            let (instance, id) = (&timer.at.key, &timer.at.id);
            tracing::warn!(%instance, timer = %id, %error, "a timer is put off");
            return put_off(shared, timer).await;
        }
    };
    Ok(())
}

async fn fire(shared: &Shared, timer: Timer) -> Result<(), Error> {
    let Some(face) = shared.face(timer.at.key.kind) else {
        return Err(Error::Defect(format!("no face for the timers of {}", timer.at.key)));
    };
    face.fire(timer).await
}

async fn put_off(shared: &Shared, timer: Timer) -> Result<(), Error> {
    let expect = vec![Expectation::Armed { timer: timer.at.clone(), due_at: timer.due_at }];
    let due_at = shared.store.now() + TIMER_RETRY;
    let timers = vec![TimerChange::Arm(Timer { due_at, ..timer })];
    let commit = Commit { expect, timers, ..Commit::default() };
    shared.store.commit(commit).await.map(drop).map_err(final_error)
}
