//! The `waypost` program: serves, and talks to a server.

mod about;
mod args;
mod bench;
mod chain;
mod deploy;
mod dev;
mod diagram;
mod diff;
mod doctor;
mod entity;
mod exit;
mod explain;
mod face;
mod forecast;
mod lifecycle;
mod lint;
mod list;
mod migrate;
mod output;
mod place;
mod process;
mod remote;
mod serve;
mod settings;
mod shutdown;
mod store;
mod test;
mod what_if;
mod when;

use std::{io::Write, process::ExitCode};

use clap::Parser;

use crate::{
    args::{Arguments, Cancel, Command, Show},
    exit::{Exit, Failure},
    face::{All, Every, OfLifecycle, OfProcess, spelled_out},
    output::Output,
};

/// Commits are made on one thread and freed on another; the system's allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The first thing of all: everything that speaks TLS uses the same provider.
    let _installed = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let arguments = Arguments::parse_from(spelled_out(std::env::args_os()));
    let output = Output::new(arguments.json);
    let outcome = runtime().and_then(|it| it.block_on(Box::pin(run(arguments.command, output))));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_silent => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure, output);
            failure.exit.into()
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Failed, format!("no threads to work with: {error}")))
}

async fn run(command: Command, output: Output) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => serve::run(args, output).await,
        Command::Dev(args) => dev::run(args, output).await,
        Command::Migrate(args) => migrate::run(args, output).await,
        Command::Doctor(args) => doctor::run(args, output).await,
        Command::Bench(args) => bench::run(args, output).await,
        Command::Lint(args) => lint::run(&args, output),
        Command::Schema(args) => lint::schema(&args, output),
        Command::Test(args) => test::run(args, output).await,
        Command::Deploy(args) => deploy::run(args, output).await,
        Command::Diagram(args) => diagram::run(args, output).await,
        Command::Start(Every::Chain(args)) => chain::start(args, output).await,
        Command::Start(Every::Process(args)) => process::start(args, output).await,
        Command::Start(Every::Entity(args)) => entity::start(args, output).await,
        Command::List(list) => list::run(list, output).await,
        Command::Show(Show::Chain(args)) => chain::show(args, output).await,
        Command::Show(Show::Process(args)) => process::show(args, output).await,
        Command::Show(Show::Entity(args)) => entity::show(args, output).await,
        Command::Show(Show::Model(args)) => entity::show_model(args, output).await,
        Command::Show(Show::Workflows(args)) => entity::show_workflows(args, output).await,
        Command::Show(Show::Lifecycle(args)) => lifecycle::show(args, output).await,
        Command::Show(Show::Search(args)) => entity::show_search(args, output).await,
        Command::Explain(which) => explain::run(which, output).await,
        Command::Diff(which) => diff::run(which, output).await,
        Command::History(All::Chain(args)) => chain::history(args, output).await,
        Command::History(All::Process(args)) => process::history(args, output).await,
        Command::History(All::Entity(args)) => entity::history(args, output).await,
        Command::History(All::Lifecycle(args)) => lifecycle::history(args, output).await,
        Command::Signal(All::Chain(args)) => chain::signal(args, output).await,
        Command::Signal(All::Process(args)) => process::signal(args, output).await,
        Command::Signal(All::Entity(args)) => entity::signal(args, output).await,
        Command::Signal(All::Lifecycle(args)) => lifecycle::signal(args, output).await,
        Command::Patch(OfLifecycle::Lifecycle(args)) => lifecycle::patch(args, output).await,
        Command::Complete(OfProcess::Process(args)) => process::complete(args, output).await,
        Command::Retry(OfProcess::Process(args)) => process::retry(args, output).await,
        Command::Cancel(Cancel::Chain(args)) => chain::cancel(args, output).await,
        Command::Cancel(Cancel::Process(args)) => process::cancel(args, output).await,
        Command::Cancel(Cancel::Search(args)) => entity::cancel_search(args, output).await,
        Command::WhatIf(Every::Chain(args)) => what_if::chain(args, output).await,
        Command::WhatIf(Every::Process(args)) => what_if::process(args, output).await,
        Command::WhatIf(Every::Entity(args)) => what_if::entity(args, output).await,
        Command::Watch(args) => chain::watch(args, output).await,
        Command::Model(verb) => entity::model(verb, output).await,
        Command::Search(args) => entity::search(args, output).await,
        Command::Delete(what) => entity::delete(what, output).await,
        Command::ExplainError(args) => about::explain(args, output),
        Command::Completions(args) => about::completions(&args, output),
        Command::Version => about::version(output),
    }
}

/// Says what went wrong. If even that cannot be written, the exit code has to do.
fn complain(failure: &Failure, output: Output) {
    let text = if output.is_json { failure.to_json() } else { format!("error: {failure}") };
    let _written = writeln!(std::io::stderr(), "{text}");
}
