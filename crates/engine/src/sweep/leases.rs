//! Steps whose worker disappeared.

use futures_util::future::join_all;
use waypost_kernel::{Task, Timestamp};

use super::Swept;
use crate::{engine::Shared, error::Error, limits::SWEEP_BATCH};

pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let lapsed = shared.store.lapsed(now, SWEEP_BATCH).await?;
    Ok(Swept::of(join_all(lapsed.into_iter().map(|task| lapse(shared, task))).await))
}

async fn lapse(shared: &Shared, task: Task) -> Result<(), Error> {
    let Some(face) = shared.face(task.at.key.kind) else {
        return Err(Error::Defect(format!("no face for the tasks of {}", task.at.key)));
    };
    face.lapse(task).await?;
    shared.metrics.leases_lapsed.inc();
    Ok(())
}
