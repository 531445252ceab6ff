//! What every piece of work needs while it is in our hands: its lease kept alive, its panics
//! caught, and its report sent until somebody has taken it.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::backoff::Backoff;
use crate::error::Error;

/// Returns when the lease is lost: the server says so, or it did not answer until the end.
pub(super) async fn keep_alive<R>(until: &mut Instant, lease: Duration, renew: impl Fn() -> R)
where
    R: Future<Output = Result<(), Error>>,
{
    loop {
        sleep(lease / 3).await;
        let begun = Instant::now();
        match timeout_at(*until, renew()).await {
            Ok(Ok(())) => *until = begun + lease,
            Ok(Err(error)) if error.is_retryable() => {
                tracing::warn!(%error, "a lease could not be renewed");
                if Instant::now() + lease / 3 >= *until {
                    sleep_until(*until).await;
                    return;
                }
            }
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// Sends a report until it is answered or the lease is over: the same report again is harmless.
pub(super) async fn report<T, R>(until: Instant, send: impl Fn() -> R) -> Result<T, Error>
where
    R: Future<Output = Result<T, Error>>,
{
    let mut backoff = Backoff::default();
    loop {
        let error = match send().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let pause = backoff.next();
        if !error.is_retryable() || Instant::now() + pause >= until {
            return Err(error);
        }
        tracing::debug!(%error, "a report is sent again");
        sleep(pause).await;
    }
}

/// What a function says; or the words of its panic, which may come before there is a future.
pub(crate) async fn caught<T, R: Future<Output = T>>(run: impl FnOnce() -> R) -> Result<T, String> {
    let running = async { run().await };
    let caught = AssertUnwindSafe(running).catch_unwind().await;
    caught.map_err(|panic| format!("panic: {}", message_of(&*panic)))
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
