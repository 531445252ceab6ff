//! `waypost dev`: something to look at in seconds. Example chains and workers on a temporary store.

mod demo;
mod steps;

use tokio_util::sync::CancellationToken;
use waypost_engine::Engine;
use waypost_server::{Options, Server};

use crate::{
    exit::Failure,
    output::Output,
    serve::{engine, options, server_failure, start_log, until_stopped},
    settings::{Config, Settings, catalog},
    shutdown,
    store::OpenStore,
};

/// How to try it.
#[derive(Debug, clap::Args)]
pub(crate) struct DevArgs {
    /// Listen for HTTP here [default: 127.0.0.1:8080, or a free port if that one is taken]
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,

    /// What is logged, such as warn or info [default: warn]
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
}

pub(crate) async fn run(args: DevArgs, output: Output) -> Result<(), Failure> {
    let is_chosen = args.http.is_some();
    let mut flags = vec![
        (catalog::STORE, "sqlite::memory:".to_owned()),
        (catalog::LOG_FILTER, args.log.unwrap_or_else(|| "warn".to_owned())),
    ];
    flags.extend(args.http.map(|it| (catalog::HTTP, it)));
    let config = Config::new(&Settings::of_flags(&flags))?;
    start_log(&config)?;
    let stop = shutdown::on_signal()?;
    let store = OpenStore::open(&config).await?;
    let served = serve(&config, is_chosen, &store, (stop, output)).await;
    let closed = store.close().await;
    served?;
    Ok(closed?)
}

async fn serve(
    config: &Config,
    is_chosen: bool,
    store: &OpenStore,
    (stop, output): (CancellationToken, Output),
) -> Result<(), Failure> {
    let engine = engine(config, store).await?;
    demo::deploy(&engine).await?;
    let server = bind(&engine, options(config), is_chosen).await?;
    greet(&format!("http://{}", server.http_addr()), output)?;
    let demo = Box::pin(demo::run(engine.clone(), stop.clone()));
    until_stopped(engine, server, store, stop, demo).await
}

/// Whoever has not chosen a port does not mind another one.
async fn bind(engine: &Engine, options: Options, is_chosen: bool) -> Result<Server, Failure> {
    let mut other = options.clone();
    other.http.set_port(0);
    match Server::bind(engine.clone(), options).await {
        Err(_) if !is_chosen => Server::bind(engine.clone(), other).await.map_err(server_failure),
        bound => bound.map_err(server_failure),
    }
}

fn greet(url: &str, output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(&serde_json::json!({ "http": url }));
    }
    let is_default = url == crate::remote::DEFAULT;
    let server = if is_default { String::new() } else { format!(" --server {url}") };
    output.line(&format!(
        "Waypost is running with demo chains on a temporary store.

  API      {url}/v1/chains/instances
  Docs     {url}/docs
  Metrics  {url}/metrics

Try:
  waypost list chains{server}
  waypost watch{server}
  curl -s '{url}/v1/chains/instances?status=RUNNING&pageSize=3'

Ctrl-C stops it; nothing is kept."
    ))
}
