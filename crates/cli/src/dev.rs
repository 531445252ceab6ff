//! `waypost dev`: something to look at in seconds. Examples and workers on a temporary store.

mod demo;
mod loans;
mod offices;
mod orders;
mod steps;
mod survey;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost_engine::Engine;
use waypost_server::{Facts, Options, Server, ServerError};

use self::{demo::Faces, survey::Survey};
use crate::{
    exit::Failure,
    output::Output,
    serve::{engine, facts, members, options, server_failure, start_log, until_stopped},
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

    /// Listen for gRPC here [default: 127.0.0.1:9090, or a free port if that one is taken]
    #[arg(long, value_name = "ADDRESS")]
    grpc: Option<String>,

    /// What is logged, such as warn or info [default: warn]
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
}

pub(crate) async fn run(args: DevArgs, output: Output) -> Result<(), Failure> {
    let chosen = Chosen { http: args.http.is_some(), grpc: args.grpc.is_some() };
    let mut flags = vec![
        (catalog::STORE, "sqlite::memory:".to_owned()),
        (catalog::LOG_FILTER, args.log.unwrap_or_else(|| "warn".to_owned())),
    ];
    flags.extend(args.http.map(|it| (catalog::HTTP, it)));
    flags.extend(args.grpc.map(|it| (catalog::GRPC, it)));
    let settings = Settings::of_flags(&flags);
    let config = Config::new(&settings)?;
    let facts = facts(&config, &settings);
    start_log(&config)?;
    let stop = shutdown::on_signal()?;
    let store = OpenStore::open(&config).await?;
    let served = serve((&config, facts), chosen, &store, (stop, output)).await;
    let closed = store.close().await;
    served?;
    Ok(closed?)
}

async fn serve(
    (config, facts): (&Config, Facts),
    chosen: Chosen,
    store: &OpenStore,
    (stop, output): (CancellationToken, Output),
) -> Result<(), Failure> {
    let members = members(config)?;
    let engine = engine(config, store, Arc::new(members.clone())).await?;
    demo::deploy(&engine).await?;
    loans::deploy(&engine).await?;
    orders::deploy(&engine).await?;
    let survey = Survey::new(store.shared()).await?;
    let lifecycle = Some(survey.gateway()?);
    let options = Options { lifecycle, facts, ..options(config, members, None) };
    let server = bind(&engine, options, chosen).await?;
    greet(&server, output)?;
    let faces = Faces { engine: engine.clone(), grpc: server.grpc_addr(), survey };
    let demo = Box::pin(demo::run(faces, stop.clone()));
    until_stopped(engine, server, store, stop, demo).await
}

/// Which addresses somebody has chosen.
#[derive(Clone, Copy)]
struct Chosen {
    http: bool,
    grpc: bool,
}

/// Whoever has not chosen a port does not mind another one.
async fn bind(engine: &Engine, options: Options, chosen: Chosen) -> Result<Server, Failure> {
    let mut options = options;
    loop {
        let error = match Server::bind(engine.clone(), options.clone()).await {
            Ok(server) => return Ok(server),
            Err(error) => error,
        };
        let (flag, address) = match &error {
            ServerError::InUse { flag, address } | ServerError::Listen { flag, address, .. } => {
                (*flag, *address)
            }
            ServerError::Setting(_) => return Err(server_failure(error)),
        };
        let is_free = address.port() == 0;
        match flag {
            "--http" if !chosen.http && !is_free => options.http.set_port(0),
            "--grpc" if !chosen.grpc && !is_free => {
                options.grpc.iter_mut().for_each(|it| it.set_port(0));
            }
            _ => return Err(server_failure(error)),
        }
    }
}

fn greet(server: &Server, output: Output) -> Result<(), Failure> {
    let url = format!("http://{}", server.http_addr());
    let grpc = server.grpc_addr().map(|it| it.to_string()).unwrap_or_default();
    if output.is_json {
        return output.json(&serde_json::json!({ "http": url, "grpc": grpc }));
    }
    let is_default = url == crate::remote::DEFAULT;
    let server = if is_default { String::new() } else { format!(" --server {url}") };
    output.line(&format!(
        "Waypost is running with a demo of all four faces on a temporary store.

  API      {url}/v1/instances, {url}/v1/chains/instances, {url}/workflows
  gRPC     {grpc}
  Console  {url}
  Docs     {url}/docs
  Metrics  {url}/metrics

Try:
  waypost list processes{server}
  waypost show ID{server}
  waypost list tasks{server}
  waypost list chains{server}
  waypost list entities order 1{server}
  waypost list lifecycles drone-survey{server}
  waypost watch{server}
  curl -s '{url}/v1/instances?status=WAITING&pageSize=3'

Ctrl-C stops it; nothing is kept."
    ))
}
