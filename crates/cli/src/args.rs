//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{
    about::{CompletionsArgs, ExplainArgs},
    bench::BenchArgs,
    chain, deploy, dev, diagram, diff, doctor, entity, exit, explain,
    face::{self, All, Every, OfLifecycle, OfProcess},
    lifecycle, lint, list, migrate, process, serve,
    settings::{Key, Sources, catalog},
    test, what_if,
};

/// A durable state-machine engine: serve it, try it, and talk to it.
#[derive(Debug, Parser)]
#[command(name = "waypost", version, after_help = exit::HELP, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Answer in JSON: one document, or one per line for streams
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve, in production
    Serve(serve::ServeArgs),
    /// Try it: serve a temporary store with examples and workers running
    Dev(dev::DevArgs),
    /// Show or apply changes of the store's schema
    Migrate(migrate::MigrateArgs),
    /// Check store, clock, ports and limits, and say what to do
    Doctor(doctor::DoctorArgs),
    /// Measure what this machine can do
    Bench(BenchArgs),

    /// Find what is wrong with definitions, without a server
    Lint(lint::LintArgs),
    /// Print the JSON Schema of a format of definitions, for editors
    Schema(lint::SchemaArgs),
    /// Play scenarios of definitions in virtual time, without a server
    Test(test::TestArgs),
    /// Deploy definitions from JSON files
    Deploy(deploy::DeployArgs),
    Diagram(diagram::DiagramArgs),
    /// Start an instance
    #[command(subcommand, override_usage = "waypost start <chain|process|entity> <NAME> [OPTIONS]")]
    Start(Every<chain::StartArgs, process::StartArgs, entity::StartArgs>),
    /// List instances, tasks of people, definitions, models, or lifecycles
    #[command(subcommand)]
    List(list::List),
    /// Show an instance, a model, its workflows, a lifecycle, or a search in the background
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost show [chain|process|entity] <ID> [OPTIONS]\n       waypost show <model|workflows> <MODEL> <VERSION> [OPTIONS]\n       waypost show lifecycle <TYPE> [ID] [OPTIONS]\n       waypost show search <ID> [OPTIONS]")]
    Show(Show),
    /// Show what happened to an instance
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost history [chain|process|entity] <ID> [OPTIONS]\n       waypost history lifecycle <TYPE> <ID> [OPTIONS]")]
    History(
        All<chain::HistoryArgs, process::HistoryArgs, entity::HistoryArgs, lifecycle::HistoryArgs>,
    ),
    /// Explain why an instance is where it is, and what can move it
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost explain [chain|process|entity] <ID> [OPTIONS]\n       waypost explain lifecycle <TYPE> <ID> [OPTIONS]")]
    Explain(explain::Explain),
    /// Show what is different between two moments of an instance
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost diff [chain|process|entity] <ID> --from <MOMENT> [--to <MOMENT>] [OPTIONS]")]
    Diff(diff::Diff),
    /// Tell an instance of an event, take it through a transition, or give it another value
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost signal [chain|process|entity] <ID> <EVENT|STEP|TRANSITION> [OPTIONS]\n       waypost signal lifecycle <TYPE> <ID> <PHASE> [OPTIONS]")]
    Signal(All<chain::SignalArgs, process::SignalArgs, entity::SignalArgs, lifecycle::SignalArgs>),
    /// Write fields of an entity that are there for operators
    #[command(subcommand)]
    Patch(OfLifecycle<lifecycle::PatchArgs>),
    /// Complete the task of a person
    #[command(subcommand, after_help = face::HELP)]
    Complete(OfProcess<process::CompleteArgs>),
    /// Try a failed step again
    #[command(subcommand, after_help = face::HELP)]
    Retry(OfProcess<process::RetryArgs>),
    /// Cancel an instance, or a search in the background
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost cancel [chain|process] <ID> [OPTIONS]\n       waypost cancel search <ID> [OPTIONS]")]
    Cancel(Cancel),
    /// Tell what would become of an instance if others did this or that
    #[command(subcommand, after_help = face::HELP, override_usage = "waypost what-if [chain|process|entity] <ID> [OPTIONS]")]
    WhatIf(Every<what_if::WhatIfArgs, what_if::WhatIfArgs, what_if::EntityArgs>),
    /// Follow what happens, as it happens
    Watch(chain::WatchArgs),
    /// Have a model of entities learn, and lock it
    #[command(subcommand)]
    Model(entity::ModelVerb),
    /// Find entities that match a condition
    Search(entity::SearchArgs),
    /// Delete an entity or a model
    #[command(subcommand)]
    Delete(entity::Delete),

    /// Explain an error code
    ExplainError(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the version
    Version,
}

/// What can be shown.
#[derive(Debug, Subcommand)]
pub(crate) enum Show {
    Chain(chain::ShowArgs),
    Process(process::ShowArgs),
    Entity(entity::ShowArgs),
    Model(entity::ShowModelArgs),
    Workflows(entity::ShowWorkflowsArgs),
    Lifecycle(lifecycle::ShowArgs),
    Search(entity::ShowSearchArgs),
}

/// What can be cancelled.
#[derive(Debug, Subcommand)]
pub(crate) enum Cancel {
    Chain(chain::CancelArgs),
    Process(process::CancelArgs),
    Search(entity::CancelSearchArgs),
}

/// What names a configuration, for every command that reads it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ConfigArgs {
    /// Where instances live: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`
    #[arg(long, value_name = "ADDRESS")]
    store: Option<String>,

    /// The configuration file [default: waypost.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Listen for HTTP here; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,

    /// Listen for gRPC here; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS")]
    grpc: Option<String>,

    /// Serve /metrics on a port of its own
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,

    /// How entities are signed in to: mock (nobody is asked) or jwt [default: mock]
    #[arg(long, value_name = "MODE")]
    auth: Option<String>,

    /// Listen on addresses that other machines can reach, although chains and processes ask nobody
    /// who they are
    #[arg(long)]
    insecure: bool,
}

impl ConfigArgs {
    /// Where the values come from, with flags of the command's own.
    pub(crate) fn sources(&self, own: Vec<(Key, Option<String>)>) -> Sources {
        let mut flags = vec![
            (catalog::STORE, self.store.clone()),
            (catalog::HTTP, self.http.clone()),
            (catalog::GRPC, self.grpc.clone()),
            (catalog::METRICS, self.metrics.clone()),
            (catalog::AUTH, self.auth.clone()),
            (catalog::INSECURE, self.insecure.then(|| "true".to_owned())),
        ];
        flags.extend(own);
        let given = flags.into_iter().filter_map(|(key, text)| Some((key, text?)));
        let environment = std::env::vars_os()
            .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)));
        Sources {
            flags: given.collect(),
            environment: environment.collect(),
            file: self.config.clone(),
        }
    }
}
