//! Traces, and where they go: a collector that speaks OTLP over gRPC. Requests never wait for it.
//! What is exported lies in a queue that is bounded, and is sent by a thread of its own.

use std::{fmt, str::FromStr, time::Duration};

use axum::http::{Uri, uri::Scheme};
use opentelemetry::{KeyValue, trace::TracerProvider as _};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithTonicConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracer, SdkTracerProvider},
};
use tonic::transport::Endpoint;

use super::{
    exporter::Told,
    sampler::{Chosen, Sampler},
};

/// Spans that wait to be sent; more are lost.
const QUEUE_MAX: usize = 4_096;
/// Spans that are sent at a time.
const BATCH_MAX: usize = 512;
/// How long a span waits for others.
const DELAY: Duration = Duration::from_secs(2);
/// How long the collector may take: to be connected to, and to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server that stops tries to send what is left.
const LAST_CHANCE: Duration = Duration::from_secs(3);

/// Where traces are collected: `http://HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector(String);

impl FromStr for Collector {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let uri: Uri = text.parse().map_err(drop)?;
        let authority = uri.authority().filter(|it| it.port_u16().is_some_and(|it| it > 0));
        let is_whole =
            authority.is_some_and(|it| !it.host().is_empty() && !it.as_str().contains('@'));
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let is_one = uri.scheme() == Some(&Scheme::HTTP) && is_whole && is_bare;
        is_one.then(|| Self(text.to_owned())).ok_or(())
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where traces go, and as whose.
#[derive(Clone, Debug)]
pub struct Export {
    /// Who takes them.
    pub collector: Collector,
    /// What this service is called there.
    pub service: String,
}

/// Why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
#[error("traces cannot be sent to {collector}: {reason}")]
pub struct TracesError {
    collector: Collector,
    reason: String,
}

/// Traces of requests. By default they go nowhere, and cost nothing. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    sampler: Chosen,
    pub(super) exporting: Option<Exporting>,
}

#[derive(Clone, Debug)]
pub(super) struct Exporting {
    provider: SdkTracerProvider,
    pub(super) tracer: SdkTracer,
}

impl Traces {
    /// Traces that go nowhere; the sampler is kept for whoever asks.
    #[must_use]
    pub fn off(sampler: Sampler) -> Self {
        Self { sampler: Chosen::new(sampler), exporting: None }
    }

    /// Traces that are exported. Called within the runtime that the server runs in.
    ///
    /// # Errors
    /// When the collector cannot be talked to in the way the environment (`OTEL_EXPORTER_OTLP_…`)
    /// wants it. Whether it is there shows later.
    pub fn export(export: Export, sampler: Sampler) -> Result<Self, TracesError> {
        let sampler = Chosen::new(sampler);
        let collector = export.collector.clone();
        let exporter = exporter(&collector).map_err(|reason| TracesError { collector, reason })?;
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_MAX)
            .with_max_export_batch_size(BATCH_MAX)
            .with_scheduled_delay(DELAY);
        let told = Told::new(exporter, export.collector.to_string());
        let processor = BatchSpanProcessor::builder(told).with_batch_config(config.build());
        let provider = SdkTracerProvider::builder()
            .with_resource(resource(export.service))
            .with_sampler(sampler.clone())
            .with_span_processor(processor.build())
            .build();
        let tracer = provider.tracer("waypost");
        Ok(Self { sampler, exporting: Some(Exporting { provider, tracer }) })
    }

    /// Which of them are exported.
    pub(crate) fn sampler(&self) -> &Chosen {
        &self.sampler
    }

    /// Sends what waits to be sent; whether that was taken. What was refused before is not waiting.
    pub async fn flush(&self) -> bool {
        self.finish(|provider| provider.force_flush()).await.is_ok()
    }

    /// Sends what waits to be sent, within a few seconds, and nothing after it.
    pub(crate) async fn close(&self) {
        let closed = self.finish(|it| it.shutdown_with_timeout(LAST_CHANCE)).await;
        if let Err(error) = closed {
            tracing::warn!(error, "the last traces may be lost");
        }
    }

    /// The provider blocks the thread it is called on.
    async fn finish(
        &self,
        work: impl FnOnce(&SdkTracerProvider) -> OTelSdkResult + Send + 'static,
    ) -> Result<(), String> {
        let Some(Exporting { provider, .. }) = self.exporting.clone() else { return Ok(()) };
        match tokio::task::spawn_blocking(move || work(&provider)).await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What connects when there is something to send, and again after that.
fn exporter(collector: &Collector) -> Result<SpanExporter, String> {
    let endpoint = Endpoint::from_shared(collector.0.clone()).map_err(|it| it.to_string())?;
    let channel = endpoint.connect_timeout(PATIENCE).timeout(PATIENCE).connect_lazy();
    let builder = SpanExporter::builder().with_tonic().with_channel(channel);
    builder.with_timeout(PATIENCE).build().map_err(|it| it.to_string())
}

fn resource(service: String) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    Resource::builder().with_service_name(service).with_attribute(version).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_a_host_and_a_port() {
        for good in ["http://localhost:4317", "http://[::1]:4317/", "http://collector.example:80"] {
            assert_eq!(good.parse().map(|it: Collector| it.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "localhost:4317",
            "http://localhost",
            "http://localhost:0",
            "http://localhost:65536",
            "http://:4317",
            "https://localhost:4317",
            "http://me:secret@localhost:4317",
            "http://localhost:4317/v1/traces",
            "http://localhost:4317?a=b",
            "grpc://localhost:4317",
        ] {
            assert_eq!(bad.parse::<Collector>(), Err(()), "{bad}");
        }
    }

    #[tokio::test]
    async fn traces_that_go_nowhere_are_no_trouble() {
        let traces = Traces::default();
        assert!(traces.exporting.is_none());
        assert!(traces.flush().await);
        traces.close().await;
    }
}
