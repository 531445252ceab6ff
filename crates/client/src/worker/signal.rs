//! How a program that is a worker is told to stop.

use std::io;

use tokio_util::sync::CancellationToken;

/// A token for [`super::JobWorker::run`] and the others that is canceled when the program is asked
/// to end: by SIGINT or SIGTERM, or by Ctrl-C where there are no signals. What runs is finished
/// then, for as long as the worker's grace lasts.
///
/// # Errors
/// When the program cannot listen for signals.
pub fn stop_on_signal() -> io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    let asked = asked_to_end()?;
    tokio::spawn(async move {
        asked.await;
        told.cancel();
    });
    Ok(stop)
}

#[cfg(unix)]
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
