//! `waypost delete entity ID` and `waypost delete model MODEL VERSION`

use super::which::{ModelArgs, told};
use crate::{exit::Failure, forecast::show, output::Output, remote::EntityRemoteArgs};

/// What to delete.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Delete {
    Entity(EntityArgs),
    Model(DeleteModelArgs),
}

/// Delete an entity; its past stays
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost delete entity ID")]
pub(crate) struct EntityArgs {
    /// The entity's id
    id: String,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Delete a model and its workflows; it must be unlocked, and without entities
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost delete model order 1")]
pub(crate) struct DeleteModelArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(what: Delete, output: Output) -> Result<(), Failure> {
    match what {
        Delete::Entity(args) => entity(args, output).await,
        Delete::Model(args) => model(args, output).await,
    }
}

async fn entity(args: EntityArgs, output: Output) -> Result<(), Failure> {
    if args.dry_run {
        return show(&args.remote.entities()?.foresee_delete(&args.id).await?, output);
    }
    let deleted = args.remote.entities()?.delete(&args.id).await?;
    if output.is_json {
        return output.json(&deleted);
    }
    output.line(&format!("deleted {}: {}", told(&deleted.model_key), deleted.id))
}

async fn model(args: DeleteModelArgs, output: Output) -> Result<(), Failure> {
    let model = args.model.key();
    let action = args.remote.entities()?.delete_model(&model).await?;
    if output.is_json {
        return output.json(&action);
    }
    output.line(&format!("deleted model {}", told(&model)))
}
