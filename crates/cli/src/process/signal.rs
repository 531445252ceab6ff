//! `waypost signal process ID STEP`

use super::story::report;
use crate::{
    exit::Failure,
    forecast::foresee,
    output::Output,
    remote::{RemoteArgs, variables},
};

/// Tell a process that what a step waits for has happened
#[derive(Debug, clap::Args)]
pub(crate) struct SignalArgs {
    /// The process's id
    id: String,

    /// The step that waits
    step: String,

    /// What there is to know: a JSON object, or @FILE
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

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let variables = variables(args.variables.as_deref())?;
    if args.dry_run {
        return foresee(
            &args.remote,
            &["v1", "instances", &args.id, "signals", &args.step],
            &variables,
            output,
        )
        .await;
    }
    let processes = args.remote.because(args.reason.as_deref())?.process();
    processes.signal(&args.id, &args.step, &variables).await?;
    report("signaled", &args.step, &processes.show(&args.id).await?, output)
}
