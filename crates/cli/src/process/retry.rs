//! `waypost retry ID STEP`

use serde_json::json;

use super::story::report;
use crate::{
    exit::Failure,
    forecast::foresee,
    output::Output,
    remote::{RemoteArgs, variables},
};

/// Try a failed step of a process again
#[derive(Debug, clap::Args)]
pub(crate) struct RetryArgs {
    /// The process's id
    id: String,

    /// The step that failed
    step: String,

    /// Variables that are to have other values: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    variables: Option<String>,

    /// Why, for the history
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: RetryArgs, output: Output) -> Result<(), Failure> {
    let variables = variables(args.variables.as_deref())?;
    if args.dry_run {
        return foresee(
            &args.remote,
            &["v1", "instances", &args.id, "steps", &args.step, "retry"],
            &json!({ "variables": variables }),
            output,
        )
        .await;
    }
    let processes = args.remote.because(args.reason.as_deref())?.process();
    let instance = processes.retry(&args.id, &args.step, Some(variables)).await?;
    report("retried", &args.step, &instance, output)
}
