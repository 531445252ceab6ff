//! What the server counts, and how it is shown.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicI64},
    time::Duration,
};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, text::encode},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{self, ConstGauge},
        histogram::Histogram,
    },
    registry::Registry,
};
use tokio::time::timeout;
use waypost_api::problem::EntityProblem;
use waypost_engine::Engine;
use waypost_kernel::{Figures, Timestamp};

use super::{
    admission::Admission,
    app::App,
    entity::problem::{UNAUTHORIZED, problem},
    problem::Refusal,
};
use crate::{cluster::Cluster, compute::Members, lifecycle::Gateway};

pub(crate) type Gauge = gauge::Gauge<i64, AtomicI64>;

/// How long the store may take to count. Without its figures the rest is shown.
const FIGURES_TIMEOUT: Duration = Duration::from_secs(2);

/// Seconds; most requests take less than a few milliseconds, waiting claims up to thirty seconds.
const BUCKETS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0, 5.0, 15.0, 40.0];

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// The counters of one server. No globals: two servers in one process count for themselves.
pub(crate) struct Meter {
    pub(crate) connections: Gauge,
    requests: Family<RequestLabels, Counter>,
    durations: Histograms<PathLabels>,
    calls: Histograms<CallLabels>,
    stored: Stored,
    registry: Registry,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PathLabels {
    method: &'static str,
    path: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    method: String,
    code: &'static str,
}

impl Meter {
    pub(super) fn new(
        engine: &Engine,
        inside: &Admission,
        (members, cluster): (Option<&Members>, Option<&Cluster>),
    ) -> Self {
        let mut registry = Registry::default();
        engine.metrics().register(&mut registry);
        if let Some(members) = members {
            members.register(&mut registry);
        }
        if let Some(cluster) = cluster {
            cluster.register(&mut registry);
        }
        let connections = Gauge::default();
        let requests = Family::default();
        let durations = Family::new_with_constructor(histogram as fn() -> Histogram);
        let calls = Family::new_with_constructor(histogram as fn() -> Histogram);
        let stored = Stored::default();
        let ours = registry.sub_registry_with_prefix("waypost");
        ours.register("http_connections", "Open connections", connections.clone());
        ours.register(
            "http_requests_under_way",
            "Requests being worked on",
            inside.requests.clone(),
        );
        ours.register(
            "http_claims_waiting",
            "Claims being worked on or waiting",
            inside.claims.clone(),
        );
        let help = "Entities being written or waiting for compute members";
        ours.register("http_writes_under_way", help, inside.writes.clone());
        ours.register("http_subscribers", "Readers of changes", inside.subscribers.clone());
        ours.register("http_requests", "Requests answered", requests.clone());
        // Under the names operators of processes know.
        let help = "How long requests took, in seconds";
        registry.register("http_requests_duration_seconds", help, durations.clone());
        let help = "How long gRPC calls took until they were answered, in seconds";
        registry.register("grpc_requests_duration_seconds", help, calls.clone());
        registry.register_collector(Box::new(stored.clone()));
        Self { connections, requests, durations, calls, stored, registry }
    }

    /// Also shows what is counted about lifecycles.
    pub(crate) fn include(&mut self, gateway: &Gateway) {
        gateway.meter.register(&mut self.registry, gateway.lifecycles.clone());
    }

    pub(super) fn count(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let (method, status) = (name(method), status.as_u16());
        let labels = PathLabels { method, path: route.to_owned(), status };
        self.durations.get_or_create(&labels).observe(took.as_secs_f64());
        let PathLabels { path: route, .. } = labels;
        self.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    }

    /// Counts a gRPC call.
    pub(crate) fn count_call(&self, method: String, code: &'static str, took: Duration) {
        self.calls.get_or_create(&CallLabels { method, code }).observe(took.as_secs_f64());
    }
}

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

/// Clients may invent methods; the statistics do not grow with their imagination.
fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "OTHER",
    }
}

/// What the server, the engine and the store have counted.
#[utoipa::path(
    get, path = "/metrics", tag = "Operations",
    responses(
        (status = 200, description = "OpenMetrics", body = String,
            content_type = "application/openmetrics-text"),
        (status = 401, description = "Not without the bearer of the settings",
            body = EntityProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let shown = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    if app.metrics_bearer.as_ref().is_some_and(|it| !it.is_in(shown)) {
        return Ok(unknown());
    }
    let store = app.engine.store();
    let figures = match timeout(FIGURES_TIMEOUT, store.figures()).await {
        Ok(Ok(figures)) => Some((figures, store.now())),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the store cannot count");
            None
        }
        Err(_) => None,
    };
    *app.meter.stored.0.lock().unwrap_or_else(PoisonError::into_inner) = figures;
    let mut text = String::new();
    encode(&mut text, &app.meter.registry).map_err(|error| Refusal::defect(error.to_string()))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Under the name that operators of entities know.
fn unknown() -> Response {
    let text = "authentication failed";
    let mut answer = problem(StatusCode::UNAUTHORIZED, UNAUTHORIZED, text, "/metrics");
    let scheme = HeaderValue::from_static("Bearer realm=\"cyoda metrics\"");
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    answer
}

/// The store's figures, as of the latest time somebody looked.
#[derive(Clone, Debug, Default)]
struct Stored(Arc<Mutex<Option<(Figures, Timestamp)>>>);

impl Collector for Stored {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let latest = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut gauge = |name: &str, help: &str, value: f64| {
            let metric = ConstGauge::new(value);
            let name = format!("waypost_{name}");
            metric.encode(encoder.encode_descriptor(&name, help, None, metric.metric_type())?)
        };
        gauge("store_up", "Whether the store answers", f64::from(u8::from(latest.is_some())))?;
        let Some((it, now)) = latest else { return Ok(()) };
        let age = |since: Option<Timestamp>| since.map_or(0.0, |it| now.since(it).as_secs_f64());
        gauge("tasks_ready", "Steps that can be claimed", count(it.tasks_ready))?;
        let oldest = age(it.oldest_ready_at);
        gauge("tasks_ready_oldest_seconds", "How long the oldest of them waits", oldest)?;
        gauge("tasks_leased", "Steps being worked on", count(it.tasks_leased))?;
        gauge("awaiting", "Instances that wait for an event", count(it.awaiting))?;
        gauge("timers_due", "Timers that are due", count(it.timers_due))?;
        gauge("outbox_pending", "Messages to be sent", count(it.messages_pending))?;
        let oldest = age(it.oldest_message_at);
        gauge("outbox_oldest_seconds", "How long the oldest of them waits", oldest)?;
        gauge("outbox_dead", "Messages given up", count(it.messages_dead))?;
        let mut counter = |name: &str, help: &str, value: u64| {
            let metric = ConstCounter::new(value);
            let name = format!("waypost_{name}");
            metric.encode(encoder.encode_descriptor(&name, help, None, metric.metric_type())?)
        };
        counter("store_commits", "Commits and claims applied", it.commits)?;
        counter("store_groups", "Transactions they were grouped into", it.groups)?;
        counter("store_refused", "Commits refused by an expectation", it.refused)
    }
}

/// Counts of pending things stop at ten thousand.
fn count(value: u64) -> f64 {
    f64::from(u32::try_from(value).unwrap_or(u32::MAX))
}
