//! Request ids that nobody will repeat any more.

use waypost_kernel::Timestamp;

use super::Swept;
use crate::{
    engine::Shared,
    error::Error,
    limits::{REQUESTS_KEPT, SWEEP_BATCH},
};

pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let mut swept = Swept::default();
    loop {
        let gone = shared.store.forget(now - REQUESTS_KEPT, SWEEP_BATCH).await?;
        swept.found += gone;
        swept.done += gone;
        if gone < SWEEP_BATCH {
            return Ok(swept);
        }
    }
}
