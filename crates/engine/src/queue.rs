//! Claiming tasks, at once or when there are some.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use waypost_kernel::{Claim, Task};

use crate::{engine::Shared, error::Error, limits::CLAIM_POLL};

/// Claims; waits up to `wait` for the first task. Each look is a claim of its own.
pub(crate) async fn claim(
    shared: &Shared,
    next: impl Fn() -> Claim,
    wait: Duration,
) -> Result<Vec<Task>, Error> {
    let deadline = (!wait.is_zero()).then(|| Instant::now() + wait);
    loop {
        let claim = next();
        let now = shared.store.now();
        shared.demands.note(&claim, now);
        shared.crew.note(&claim, now);
        // The place is taken before looking, so that no call is missed.
        let place = match deadline {
            Some(_) => Some(shared.desk.wait(&claim)?),
            None => None,
        };
        let tasks = shared.store.claim(claim).await?;
        let left = deadline.map(|it| it.saturating_duration_since(Instant::now()));
        match (place, left) {
            (Some(place), Some(left)) if tasks.is_empty() && !left.is_zero() => {
                tokio::select! {
                    () = place.called() => {}
                    () = sleep(left.min(CLAIM_POLL)) => {}
                }
            }
            _ => return Ok(tasks),
        }
    }
}
