//! Signals: the first one asks to stop, the second one does not ask.

use std::{process, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, Failure};

/// Signals that come so soon after the first are the same request: a terminal and a wrapper such as
/// `timeout` may both deliver it.
const ECHO: Duration = Duration::from_millis(300);

/// Cancels the token at the first signal and leaves at the second.
pub(crate) fn on_signal() -> Result<CancellationToken, Failure> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping; once more to stop at once");
        told.cancel();
        let asked_at = Instant::now();
        while asked_at.elapsed() < ECHO {
            signals.next().await;
        }
        tracing::warn!("stopped at once");
        process::exit(Exit::Failed as i32);
    });
    Ok(stop)
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| refused(&error));
        let terminate = listen(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(error = %refused(&error), "only ending the process stops it");
            std::future::pending().await
        }
    }
}

fn refused(error: &std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("signals cannot be listened to: {error}"))
}
