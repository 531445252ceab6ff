//! `waypost migrate`: which schema changes the store has, and applying those it has not.

use serde::Serialize;
use waypost_stores::{PostgresMigrations, SqliteStore};

use crate::{
    args::ConfigArgs,
    exit::Failure,
    output::Output,
    settings::{Config, Settings, StoreAddress, catalog},
    store::OpenStore,
};

/// What to do.
#[derive(Debug, clap::Args)]
pub(crate) struct MigrateArgs {
    #[arg(value_enum, default_value_t = Action::Status)]
    action: Action,

    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Action {
    /// Show what is applied and what is pending
    Status,
    /// Apply what is pending; `serve` does so too
    Up,
}

/// How far a store is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Progress {
    pub(crate) store: String,
    pub(crate) applied: Vec<u32>,
    pub(crate) pending: Vec<u32>,
}

impl Progress {
    /// Looks without changing anything.
    pub(crate) async fn read(config: &Config, store: String) -> Result<Self, Failure> {
        let (applied, pending) = match &config.store {
            StoreAddress::Sqlite { path, .. } => {
                let it = SqliteStore::migrations(path)?;
                (it.applied, it.pending)
            }
            StoreAddress::Temporary => return Err(nothing_to_migrate()),
            StoreAddress::Postgres(url) => {
                let it = PostgresMigrations::read(url, config.postgres.schema.as_deref()).await?;
                (it.applied, it.pending)
            }
        };
        Ok(Self { store, applied, pending })
    }

    fn describe(&self) -> String {
        let list = |numbers: &[u32]| match numbers {
            [] => "none".to_owned(),
            [_, ..] => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        };
        let Self { store, applied, pending } = self;
        format!("store    {store}\napplied  {}\npending  {}", list(applied), list(pending))
    }
}

pub(crate) async fn run(args: MigrateArgs, output: Output) -> Result<(), Failure> {
    let settings = Settings::resolve(&args.config.sources(Vec::new()))?;
    let config = Config::new(&settings)?;
    let name = settings.get(&catalog::STORE).map(|it| it.shown()).unwrap_or_default();
    let before = Progress::read(&config, name.clone()).await?;
    let after = match args.action {
        Action::Status => before,
        Action::Up if before.pending.is_empty() => before,
        Action::Up => {
            // Opening a store brings it up to date.
            OpenStore::open(&config).await?.close().await?;
            Progress::read(&config, name).await?
        }
    };
    if output.is_json { output.json(&after) } else { output.line(&after.describe()) }
}

fn nothing_to_migrate() -> Failure {
    Failure::usage("a temporary store has nothing to migrate")
        .advise("name the store with --store or in waypost.toml")
}
