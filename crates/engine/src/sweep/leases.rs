//! Steps whose worker disappeared.

use futures_util::future::join_all;
use waypost_kernel::{Task, Timestamp};

use super::Swept;
use crate::{
    engine::Shared,
    error::Error,
    limits::{SWEEP_BATCH, SWEEP_REACH_MAX},
};

/// Those that lapsed first come first. Where none of them can be taken back, it looks further: they
/// must not be in the way of those behind them.
pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let mut reach = SWEEP_BATCH;
    loop {
        let lapsed = shared.store.lapsed(now, reach).await?;
        let swept = Swept::of(join_all(lapsed.into_iter().map(|task| lapse(shared, task))).await);
        if swept.done > 0 || swept.found < reach || reach >= SWEEP_REACH_MAX {
            return Ok(swept);
        }
        reach *= 4;
    }
}

async fn lapse(shared: &Shared, task: Task) -> Result<(), Error> {
    let Some(face) = shared.face(task.at.key.kind) else {
        return Err(Error::Defect(format!("no face for the tasks of {}", task.at.key)));
    };
    face.lapse(task).await?;
    shared.metrics.leases_lapsed.inc();
    Ok(())
}
