//! `waypost model import`, `waypost model lock` and `waypost model unlock`

use serde_json::json;
use waypost_client::entity::Sample;

use super::which::{ModelArgs, told};
use crate::{
    exit::Failure,
    output::Output,
    remote::{EntityRemoteArgs, document, read},
};

/// What to do with a model.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ModelVerb {
    Import(ImportArgs),
    Lock(LockArgs),
    Unlock(UnlockArgs),
}

/// Have a model learn from a sample; makes the model if there is none
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost model import order 1 sample.json")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// A file with a sample; - is standard input
    #[arg(value_name = "FILE")]
    file: String,

    /// What is in the file
    #[arg(long, value_enum, ignore_case = true, default_value = "json")]
    format: Format,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Json,
    Xml,
}

/// Let entities of a model be written, and no more samples imported
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost model lock order 1")]
pub(crate) struct LockArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Let samples be imported again; the model must have no entities
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost model unlock order 1")]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(verb: ModelVerb, output: Output) -> Result<(), Failure> {
    match verb {
        ModelVerb::Import(args) => import(args, output).await,
        ModelVerb::Lock(args) => lock(args, output).await,
        ModelVerb::Unlock(args) => unlock(args, output).await,
    }
}

async fn import(args: ImportArgs, output: Output) -> Result<(), Failure> {
    let (model, entities) = (args.model.key(), args.remote.entities()?);
    let id = match args.format {
        Format::Json => {
            let sample = document(&args.file, &format!("@{}", args.file))?;
            entities.import_sample(&model, Sample::Json(&sample)).await?
        }
        Format::Xml => entities.import_sample(&model, Sample::Xml(&read(&args.file)?)).await?,
    };
    if output.is_json {
        return output.json(&json!({ "modelId": id, "modelKey": model }));
    }
    output.line(&format!("model {}: has learned from {}", told(&model), args.file))
}

async fn lock(args: LockArgs, output: Output) -> Result<(), Failure> {
    let model = args.model.key();
    let action = args.remote.entities()?.lock(&model).await?;
    if output.is_json {
        return output.json(&action);
    }
    output.line(&format!("model {}: locked, and takes entities", told(&model)))
}

async fn unlock(args: UnlockArgs, output: Output) -> Result<(), Failure> {
    let model = args.model.key();
    let action = args.remote.entities()?.unlock(&model).await?;
    if output.is_json {
        return output.json(&action);
    }
    output.line(&format!("model {}: unlocked, and learns from samples", told(&model)))
}
