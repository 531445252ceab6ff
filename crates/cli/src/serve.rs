//! `waypost serve`: the engine over a durable store, behind HTTP and gRPC, until told to stop.

use std::{fmt::Display, future::Future, sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use waypost_api::{
    operations::{SettingFacts, StoreFacts},
    shown_url,
};
use waypost_engine::{
    Engine, Settings as EngineSettings, SystemClock, Transport,
    entity::{Compute, Rules},
};
use waypost_server::{
    EntityOptions, Facts, Options, Server, ServerError,
    cluster::Cluster,
    compute::Members,
    outbox,
    telemetry::{self, Log, Traces},
};

use crate::{
    args::ConfigArgs,
    exit::{Exit, Failure},
    lifecycle,
    migrate::Progress,
    output::{Output, cell, table},
    settings::{
        Config, EntityConfig, Outbox, Setting, Settings, Sources, StoreAddress, TelemetryConfig,
        catalog,
    },
    shutdown,
    store::OpenStore,
};

/// How often a store is asked whether it has failed.
const FAILURE_INTERVAL: Duration = Duration::from_millis(500);

/// How to serve.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,

    /// How the log looks: auto, text or json [default: auto]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,

    /// What is logged, such as warn or `info,waypost_engine=debug` [default: info]
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,

    /// Show every setting with its value and where it comes from, and do nothing else
    #[arg(long)]
    print_config: bool,
}

pub(crate) async fn run(args: ServeArgs, output: Output) -> Result<(), Failure> {
    let own = vec![(catalog::LOG_FORMAT, args.log_format), (catalog::LOG_FILTER, args.log)];
    let sources = args.config.sources(own);
    let settings = Settings::resolve(&sources)?;
    let config = Config::new(&settings)?;
    if args.print_config {
        return print(&settings, output);
    }
    let log = start_log(&config)?;
    warn(&config, &settings, &sources);
    let stop = shutdown::on_signal()?;
    let store = open(&config).await?;
    let facts = facts(&config, &settings);
    let served = serve((&config, facts, log), &store, stop, output).await;
    let closed = store.close().await;
    served?;
    Ok(closed?)
}

pub(crate) fn start_log(config: &Config) -> Result<Log, Failure> {
    telemetry::init(config.log_format, &config.log_filter).map_err(|error| {
        Failure::usage(format!("the log cannot be started: {error}"))
            .advise("--log takes a level such as info, or levels by module")
    })
}

/// Opens the store, if that may be done now and can be done in time.
async fn open(config: &Config) -> Result<OpenStore, Failure> {
    if !config.has_auto_migrate {
        let pending = Progress::read(config, String::new()).await?.pending.len();
        if pending > 0 {
            let what = format!("{pending} changes of the store's schema are pending");
            return Err(Failure::new(Exit::Unavailable, what)
                .advise("run `waypost migrate up`, or let the server do it with auto_migrate"));
        }
    }
    let opening = OpenStore::open(config);
    let Some(limit) = config.startup_timeout else { return opening.await };
    match timeout(limit, opening).await {
        Ok(opened) => opened,
        Err(_) => {
            let what = format!("the store could not be opened within {limit:?}");
            Err(Failure::new(Exit::Unavailable, what)
                .advise("check that it can be reached, or raise startup_timeout_ms"))
        }
    }
}

fn warn(config: &Config, settings: &Settings, sources: &Sources) {
    for warning in settings.warnings() {
        tracing::warn!(warning, "an environment variable is ignored");
    }
    for address in config.open_listeners() {
        tracing::warn!(%address, "reachable from other machines, without authentication (--insecure)");
    }
    for (name, meant) in sources.misspelled() {
        tracing::warn!(name, meant, "an unknown environment variable is ignored");
    }
}

async fn serve(
    (config, facts, log): (&Config, Facts, Log),
    store: &OpenStore,
    stop: CancellationToken,
    output: Output,
) -> Result<(), Failure> {
    let members = members(config)?;
    let cluster = cluster(config, store, &members)?;
    let compute: Arc<dyn Compute> = match &cluster {
        Some(cluster) => Arc::new(cluster.clone()),
        None => Arc::new(members.clone()),
    };
    let engine = engine(config, store, compute).await?;
    let lifecycle = lifecycle::gateway(&config.lifecycle, store).await?;
    let (traces, log) = (traces(config)?, Some(log));
    let options = Options { log, traces, lifecycle, facts, ..options(config, members, cluster) };
    let server = Server::bind(engine.clone(), options).await.map_err(server_failure)?;
    let (http, grpc) = (server.http_addr(), server.grpc_addr());
    tracing::info!(%http, ?grpc, store = store_name(config), "serving");
    announce(&server, output)?;
    until_stopped(engine, server, store, stop, std::future::ready(())).await
}

/// Traces, which go to a collector if there is one.
fn traces(config: &Config) -> Result<Traces, Failure> {
    let TelemetryConfig { export, sampler } = config.telemetry.clone();
    let Some(export) = export else { return Ok(Traces::off(sampler)) };
    Traces::export(export, sampler)
        .map_err(|error| Failure::usage(format!("telemetry.otlp: {error}")))
}

/// Says where it listens, for people and for scripts that let it pick a port.
fn announce(server: &Server, output: Output) -> Result<(), Failure> {
    let http = format!("http://{}", server.http_addr());
    let grpc = server.grpc_addr().map(|it| it.to_string());
    let metrics = server.metrics_addr().map(|it| format!("http://{it}/metrics"));
    if output.is_json {
        let document = serde_json::json!({ "http": http, "grpc": grpc, "metrics": metrics });
        return output.json(&document);
    }
    output.line(&format!("listening on {http}"))?;
    if let Some(grpc) = grpc {
        output.line(&format!("gRPC on {grpc}"))?;
    }
    metrics.map_or(Ok(()), |it| output.line(&format!("metrics on {it}")))
}

fn store_name(config: &Config) -> String {
    match &config.store {
        StoreAddress::Sqlite { path, .. } => format!("sqlite:{}", path.display()),
        StoreAddress::Temporary => "sqlite::memory:".to_owned(),
        StoreAddress::Postgres(url) => shown_url(url),
    }
}

/// What the server may tell of how it was set up.
pub(crate) fn facts(config: &Config, settings: &Settings) -> Facts {
    let setting = |(key, setting): (String, Option<&Setting>)| SettingFacts {
        key,
        value: setting.map(Setting::shown),
        origin: setting.map(|it| it.origin.to_string()),
    };
    let (kind, store_file) = match &config.store {
        StoreAddress::Sqlite { path, .. } => ("sqlite", Some(path.clone())),
        StoreAddress::Temporary => ("sqlite, in memory", None),
        StoreAddress::Postgres(_) => ("postgres", None),
    };
    let store = StoreFacts { kind: kind.to_owned(), place: store_name(config), bytes: None };
    let settings = settings.all().into_iter().map(setting).collect();
    Facts { settings, store: Some(store), store_file }
}

/// Where compute members will be connected: the engine asks them, the server lets them in.
pub(crate) fn members(config: &Config) -> Result<Members, Failure> {
    Members::new(config.entity.compute.clone(), Arc::new(SystemClock))
        .map_err(|error| Failure::usage(format!("compute: {error}")))
}

/// The nodes this one is among, if it is one of several.
fn cluster(
    config: &Config,
    store: &OpenStore,
    members: &Members,
) -> Result<Option<Cluster>, Failure> {
    let Some(options) = config.entity.cluster.clone() else { return Ok(None) };
    if !matches!(config.store, StoreAddress::Postgres(_)) {
        tracing::warn!("cluster.address is set, but no other node can share this store");
    }
    Cluster::new(options, members.clone(), store.shared())
        .map(Some)
        .map_err(|error| Failure::usage(format!("cluster: {error}")))
}

pub(crate) fn options(config: &Config, members: Members, cluster: Option<Cluster>) -> Options {
    let EntityConfig { context_path, auth, verbosity, .. } = config.entity.clone();
    Options {
        http: config.http,
        grpc: Some(config.grpc),
        metrics: config.metrics,
        metrics_bearer: config.metrics_bearer.clone(),
        log: None,
        traces: Traces::off(config.telemetry.sampler),
        limits: config.limits.clone(),
        entity: EntityOptions { context_path, auth, verbosity, members: Some(members), cluster },
        lifecycle: None,
        pages: config.pages.clone(),
        facts: Facts::default(),
        grace: config.grace,
    }
}

pub(crate) async fn engine(
    config: &Config,
    store: &OpenStore,
    compute: Arc<dyn Compute>,
) -> Result<Engine, Failure> {
    let settings = EngineSettings {
        compute,
        rules: Rules { has_store_alone: store.is_ours_alone(), ..config.entity.rules },
        policy: config.policy.clone(),
        coercion: config.coercion,
        transport: transport(config).await?,
        ..EngineSettings::default()
    };
    Ok(Engine::new(store.shared(), settings))
}

async fn transport(config: &Config) -> Result<Option<Arc<dyn Transport>>, Failure> {
    let refused = |key: &str, error: &dyn Display| Failure::usage(format!("{key}: {error}"));
    match &config.outbox {
        None => Ok(None),
        Some(Outbox::Webhook { url, headers }) => {
            let webhook = outbox::Webhook::new(url, headers.clone());
            Ok(Some(Arc::new(webhook.map_err(|it| refused("outbox.webhook", &it))?)))
        }
        Some(Outbox::Nats { url, subject, has_jetstream }) => {
            let nats = outbox::Nats::connect(url, subject, *has_jetstream).await;
            Ok(Some(Arc::new(nats.map_err(|it| refused("outbox.nats", &it))?)))
        }
    }
}

/// Serves, sweeps and does `beside`, until told to stop or until the store has failed for good.
pub(crate) async fn until_stopped(
    engine: Engine,
    server: Server,
    store: &OpenStore,
    stop: CancellationToken,
    beside: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let serving = async {
        let served = Box::pin(server.run(stop.clone())).await;
        // A server that ends by itself takes the rest along.
        stop.cancel();
        served.map_err(server_failure)
    };
    let all = async { tokio::join!(serving, engine.run(stop.clone()), beside).0 };
    tokio::select! {
        served = all => served,
        failure = failed(store) => {
            tracing::error!(failure, "the store has failed; nothing more can be written");
            Err(Failure::new(Exit::Unavailable, format!("the store has failed: {failure}"))
                .advise("what was acknowledged is stored; free or repair the disk, then start again"))
        }
    }
}

/// Waits for the store to fail for good.
async fn failed(store: &OpenStore) -> String {
    loop {
        if let Some(failure) = store.failure() {
            return failure;
        }
        sleep(FAILURE_INTERVAL).await;
    }
}

pub(crate) fn server_failure(error: ServerError) -> Failure {
    Failure::new(Exit::Unavailable, error.to_string())
}

fn print(settings: &Settings, output: Output) -> Result<(), Failure> {
    let all = settings.all();
    if output.is_json {
        let entry = |(key, setting): &(String, Option<&Setting>)| {
            let value = setting.map(Setting::shown);
            let origin = setting.map(|it| it.origin.to_string());
            (key.clone(), serde_json::json!({ "value": value, "origin": origin }))
        };
        let document: serde_json::Map<_, _> = all.iter().map(entry).collect();
        return output.json(&document);
    }
    let mut shown = table(&["KEY", "VALUE", "ORIGIN"]);
    for (key, setting) in all {
        let value = setting.map_or_else(|| "-".to_owned(), |it| it.shown());
        let origin = setting.map_or_else(|| "not set".to_owned(), |it| it.origin.to_string());
        shown.add_row([cell(&key), cell(&value), cell(&origin)]);
    }
    output.table(shown)
}
