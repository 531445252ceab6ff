//! Drones that survey: a program with a lifecycle of its own.
//!
//! ```text
//! cargo run --package waypost --example drone_survey -- --store survey.db --http 127.0.0.1:8080
//! cargo run --package waypost --example drone_survey -- --nats nats://127.0.0.1:4222
//! ```
//!
//! A mission waits until an operator has charged its drone, flies from photo to photo, and lands.
//! On a SQLite file the program shows its missions itself; on NATS any `waypost serve` does that
//! has `examples/lifecycles.toml`. Kill it at any moment and run it again: what was under way goes
//! on from where it was.
#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

mod mission;

use std::{
    error::Error,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::Parser as _;
use futures_util::StreamExt as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Settings, SystemClock};
use waypost_lifecycle::{
    Error as Refused, ListOptions, Manager, Rules, Source, SqlBuckets, WatchEvent, Workflow,
};
use waypost_server::{
    Options, Server,
    lifecycle::{Gateway, GatewayOptions, nats_buckets},
};
use waypost_stores::{SqliteOptions, SqliteStore};

use self::mission::Mission;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Writes that a bucket remembers of a mission.
const DEPTH: u8 = 16;

/// Where missions are, and how they go.
#[derive(clap::Parser)]
struct Arguments {
    /// The SQLite file with the missions
    #[arg(long, default_value = "survey.db")]
    store: PathBuf,
    /// Keep them in this NATS server instead
    #[arg(long, conflicts_with = "store")]
    nats: Option<String>,
    /// Show missions in the SQLite file to operators here
    #[arg(long, default_value = "127.0.0.1:8080")]
    http: SocketAddr,
    /// Let the rules in this file act, too
    #[arg(long)]
    rules: Option<PathBuf>,
    /// How many missions there are to be
    #[arg(long, default_value_t = 2)]
    missions: u32,
    /// How long a drone takes from one phase to the next, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    pace: u64,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments = Arguments::parse();
    let stop = CancellationToken::new();
    let (manager, serving) = match &arguments.nats {
        Some(url) => {
            let buckets = nats_buckets(url).await?;
            (Manager::builder(buckets).create_buckets(DEPTH).build(), None)
        }
        None => on_sqlite(&arguments, &stop).await?,
    };
    let missions = manager.register::<Mission>().await?;
    let _ruling = arguments.rules.as_deref().map(|file| rule(&manager, file)).transpose()?;
    plan(&missions, arguments.missions).await?;
    let flying = fly(&missions, Duration::from_millis(arguments.pace)).await;
    stop.cancel();
    // Whoever has asked for something is answered.
    if let Some(serving) = serving {
        serving.await?;
    }
    flying
}

/// Missions in a file that nobody else can open, with a gateway to them.
async fn on_sqlite(
    arguments: &Arguments,
    stop: &CancellationToken,
) -> Outcome<(Manager, Option<JoinHandle<()>>)> {
    let clock = Arc::new(SystemClock);
    let store = Arc::new(SqliteStore::open(&arguments.store, SqliteOptions::default(), clock)?);
    let buckets = SqlBuckets::new(Arc::<SqliteStore>::clone(&store), "default".into());
    let manager = Manager::builder(buckets).create_buckets(DEPTH).build();
    let gateway = Gateway::new(manager.dynamic().clone(), GatewayOptions::default())?;
    let engine = Engine::new(store, Settings::default());
    let options = Options { http: arguments.http, lifecycle: Some(gateway), ..Options::default() };
    let server = Server::bind(engine, options).await?;
    println!("http://{}", server.http_addr());
    let run = server.run(stop.clone());
    let serving = tokio::spawn(async move { drop(run.await) });
    Ok((manager, Some(serving)))
}

/// Lets rules act beside the program, for as long as it runs.
fn rule(manager: &Manager, file: &Path) -> Outcome<JoinHandle<()>> {
    let rules = serde_json::from_slice(&std::fs::read(file)?)?;
    let rules = Rules::new(manager.dynamic().clone(), rules)?;
    Ok(tokio::spawn(async move {
        if let Err(error) = rules.run().await {
            println!("the rules ended: {error}");
        }
    }))
}

/// Plans the missions that are not there yet.
async fn plan(missions: &Workflow<Mission>, count: u32) -> Outcome<()> {
    for number in 1..=count {
        let mission = Mission {
            entity_id: format!("m-{number}"),
            phase: "planning".to_owned(),
            ..Mission::default()
        };
        match missions.create(&mission).await {
            Ok(_) => println!("{} is planned", mission.entity_id),
            Err(Refused::AlreadyExists { .. }) => {
                let found = missions.get(&mission.entity_id).await?;
                println!("{} is {} with {} photos", found.entity_id, found.phase, found.photos);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Takes missions further whenever they are seen, be it because they were there at the beginning,
/// because we have moved them, or because an operator has changed them. Until all have ended.
async fn fly(missions: &Workflow<Mission>, pace: Duration) -> Outcome<()> {
    let mut seen = missions.watch_events().await?;
    while let Some(event) = seen.next().await {
        match event {
            WatchEvent::Value(found) => {
                tokio::spawn(take_further(missions.clone(), found.value, pace));
            }
            WatchEvent::Deleted { .. } | WatchEvent::CaughtUp | WatchEvent::Missed { .. } => {}
            WatchEvent::Failed(error) => return Err(error.into()),
        }
        let active = ListOptions::default().only_active();
        if missions.list(&active).await?.is_empty() {
            println!("every mission has ended");
            return Ok(());
        }
    }
    Err("the watch ended".into())
}

/// Moves a mission on, however long the store is in trouble meanwhile.
async fn take_further(missions: Workflow<Mission>, seen: Mission, pace: Duration) {
    let Some(to) = seen.next() else { return };
    let id = seen.entity_id.clone();
    loop {
        tokio::time::sleep(pace).await;
        let moved = missions.transition_with(&id, to, Source::Component, "", |mission| {
            // Whoever has changed it meanwhile was seen, too, and is dealt with there.
            if *mission != seen {
                return Err("it has changed".into());
            }
            mission.work();
            Ok(())
        });
        match moved.await {
            Ok(mission) => println!("{id} is {} with {} photos", mission.phase, mission.photos),
            Err(Refused::Store { .. } | Refused::UpdateRetriesExhausted { .. }) => continue,
            // It has changed, or has ended.
            Err(Refused::Mutator(_) | Refused::TerminalPhase { .. }) => {}
            Err(error) => println!("{id} cannot go on: {error}"),
        }
        return;
    }
}
