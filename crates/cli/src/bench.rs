//! Measures what this machine can do: `waypost bench chain`, `waypost bench process`,
//! `waypost bench entity`, `waypost bench lifecycle`.

mod callers;
mod entity;
mod http;
mod lifecycle;
mod meter;
mod null;
mod process;
mod table;
mod target;

use std::{net::SocketAddr, sync::Arc};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Settings, SystemClock};
use waypost_server::{
    EntityOptions, Options, Server,
    compute::{ComputeOptions, Members},
};
use waypost_stores::Grouping;

use self::{callers::Load, meter::Measured, null::NullStore, target::Target};
use crate::{
    exit::{Exit, Failure},
    output::Output,
    store::OpenStore,
};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Steps of chains: a step is a claim and a report, each synced before it is answered
    Chain(ChainArgs),
    /// Instances of a process of three service tasks, started and worked off over HTTP
    Process(process::ProcessArgs),
    /// Entities under a state machine: created, moved, read and searched over HTTP
    Entity(entity::EntityArgs),
    /// Lifecycles: moves against raw compare-and-set, lists by index, watches
    Lifecycle(lifecycle::LifecycleArgs),
}

/// How to measure chains.
#[derive(Debug, clap::Args)]
struct ChainArgs {
    /// Where: a new SQLite file in a temporary folder, or a PostgreSQL URL (use a scratch database)
    #[arg(long, default_value = "sqlite")]
    store: String,
    /// Chains that are stored before measuring begins
    #[arg(long, default_value_t = 100_000)]
    chains: u32,
    /// Callers inside this process
    #[arg(long, default_value_t = 256)]
    callers: u32,
    /// Keep-alive connections of the HTTP measurement
    #[arg(long, default_value_t = 64)]
    clients: u32,
    /// How many steps one claim takes: with one, a step is a claim and a report
    #[arg(long, default_value_t = 1)]
    claim: u32,
    /// Seconds per round
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of each measurement, interleaved; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Also measure over HTTP
    #[arg(long)]
    http: bool,
    /// Also measure one transaction per request, on the same data
    #[arg(long)]
    compare: bool,
    /// Also measure the engine alone, on a store that does nothing
    #[arg(long)]
    engine: bool,
}

/// Runs the measurement.
pub(crate) async fn run(args: BenchArgs, output: Output) -> Result<(), Failure> {
    match args.what {
        What::Chain(args) => run_chain(args, output).await,
        What::Process(args) => process::run(args, output).await,
        What::Entity(args) => entity::run(args, output).await,
        What::Lifecycle(args) => lifecycle::run(args, output).await,
    }
}

async fn run_chain(args: ChainArgs, output: Output) -> Result<(), Failure> {
    let target = Target::prepare(&args.store).await?;
    let stored = Load { callers: args.callers, claim: args.claim, seconds: args.seconds };
    fill(&target, args.chains, stored).await?;
    let mut rows: Vec<(&'static str, Vec<Measured>)> = Vec::new();
    for round in 0..args.rounds {
        measure(&args, &target, stored, round, &mut rows).await?;
    }
    table::print(&rows, output)
}

async fn fill(target: &Target, chains: u32, load: Load) -> Result<(), Failure> {
    let store = target.open(Grouping::Grouped).await?;
    let engine = Engine::new(store.shared(), Settings::default());
    callers::fill(&engine, chains, load).await?;
    drop(engine);
    Ok(store.close().await?)
}

async fn measure(
    args: &ChainArgs,
    target: &Target,
    load: Load,
    round: usize,
    rows: &mut Vec<(&'static str, Vec<Measured>)>,
) -> Result<(), Failure> {
    let mut note = |name, measured| match rows.iter_mut().find(|(it, _)| *it == name) {
        Some((_, all)) => all.push(measured),
        None => rows.push((name, vec![measured])),
    };
    tracing::info!(round, "measuring");
    note("in process, grouped", in_process(target, Grouping::Grouped, load).await?);
    if args.compare {
        let measured = in_process(target, Grouping::OneByOne, load).await?;
        note("in process, one transaction per request", measured);
    }
    if args.http {
        note("over HTTP, grouped", over_http(target, args.clients, load).await?);
    }
    if args.engine {
        note("engine alone, no store", engine_alone(load).await?);
    }
    Ok(())
}

async fn in_process(target: &Target, grouping: Grouping, load: Load) -> Result<Measured, Failure> {
    let store = target.open(grouping).await?;
    let engine = Engine::new(store.shared(), Settings::default());
    let measured = callers::measure(&engine, load).await?;
    drop(engine);
    store.close().await?;
    Ok(measured)
}

async fn over_http(target: &Target, clients: u32, load: Load) -> Result<Measured, Failure> {
    let served = Served::start(target).await?;
    let load = Load { callers: clients, ..load };
    let measured = http::measure(&served.engine, served.address, load).await;
    served.stop().await?;
    measured
}

/// A server in this process, on a free port.
struct Served {
    engine: Engine,
    address: SocketAddr,
    grpc: SocketAddr,
    store: OpenStore,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Served {
    async fn start(target: &Target) -> Result<Self, Failure> {
        let store = target.open(Grouping::Grouped).await?;
        let members = Members::new(ComputeOptions::default(), Arc::new(SystemClock))
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        let compute = Arc::new(members.clone());
        let engine = Engine::new(store.shared(), Settings { compute, ..Settings::default() });
        let http = SocketAddr::from(([127, 0, 0, 1], 0));
        let entity = EntityOptions { members: Some(members), ..EntityOptions::default() };
        let options = Options { http, grpc: Some(http), entity, ..Options::default() };
        let server = Server::bind(engine.clone(), options)
            .await
            .map_err(|error| Failure::new(Exit::Unavailable, error.to_string()))?;
        let (address, stop) = (server.http_addr(), CancellationToken::new());
        let grpc = server.grpc_addr().unwrap_or(address);
        let run = server.run(stop.clone());
        let serving = tokio::spawn(async move { drop(run.await) });
        Ok(Self { engine, address, grpc, store, stop, serving })
    }

    async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        drop(self.serving.await);
        drop(self.engine);
        Ok(self.store.close().await?)
    }
}

async fn engine_alone(load: Load) -> Result<Measured, Failure> {
    let engine = Engine::new(Arc::new(NullStore::default()), Settings::default());
    callers::fill(&engine, 20_000, load).await?;
    callers::measure(&engine, load).await
}
