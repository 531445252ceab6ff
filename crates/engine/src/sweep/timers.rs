//! Commands whose time has come.

use futures_util::future::join_all;
use waypost_kernel::{Timer, Timestamp};

use super::Swept;
use crate::{engine::Shared, error::Error, limits::SWEEP_BATCH};

pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let due = shared.store.due(now, SWEEP_BATCH).await?;
    Ok(Swept::of(join_all(due.into_iter().map(|timer| fire(shared, timer))).await))
}

async fn fire(shared: &Shared, timer: Timer) -> Result<(), Error> {
    let Some(face) = shared.face(timer.at.key.kind) else {
        return Err(Error::Defect(format!("no face for the timers of {}", timer.at.key)));
    };
    face.fire(timer).await?;
    shared.metrics.timers_fired.inc();
    Ok(())
}
