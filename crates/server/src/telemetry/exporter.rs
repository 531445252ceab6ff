//! The way to the collector, which may be closed: that is said once, not for every span.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{SpanData, SpanExporter},
};

/// An exporter whose failures are in the log when they begin and when they end.
pub(super) struct Told<E> {
    inner: E,
    collector: String,
    is_failing: AtomicBool,
}

impl<E> Told<E> {
    pub(super) fn new(inner: E, collector: String) -> Self {
        Self { inner, collector, is_failing: AtomicBool::new(false) }
    }

    /// Whether this is something new.
    fn is_news(&self, has_failed: bool) -> bool {
        self.is_failing.swap(has_failed, Ordering::Relaxed) != has_failed
    }

    fn tell(&self, result: &OTelSdkResult) {
        let collector = &self.collector;
        if !self.is_news(result.is_err()) {
            return;
        }
        match result {
            Ok(()) => tracing::info!(collector, "traces are taken again"),
            Err(error) => {
                tracing::warn!(collector, %error, "traces are not taken, and lost until they are");
            }
        }
    }
}

impl<E> fmt::Debug for Told<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told").field("collector", &self.collector).finish_non_exhaustive()
    }
}

impl<E: SpanExporter> SpanExporter for Told<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let result = self.inner.export(batch).await;
        self.tell(&result);
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_change_is_news() {
        let told = Told::new((), "http://localhost:4317".to_owned());
        let heard = [false, true, true, false, false, true].map(|it| told.is_news(it));
        assert_eq!(heard, [false, true, false, true, false, true]);
    }
}
