//! `waypost complete ID STEP`

use waypost_api::process::CompleteUserTask;

use super::story::report;
use crate::{
    exit::Failure,
    forecast::foresee,
    output::Output,
    remote::{RemoteArgs, variables},
};

/// Complete the task of a person
#[derive(Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// The process's id
    id: String,

    /// The step the task belongs to
    step: String,

    /// What came of it: a JSON object, or @FILE
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

pub(crate) async fn run(args: CompleteArgs, output: Output) -> Result<(), Failure> {
    let variables = Some(variables(args.variables.as_deref())?);
    let done = CompleteUserTask { variables, ..CompleteUserTask::default() };
    if args.dry_run {
        return foresee(
            &args.remote,
            &["v1", "instances", &args.id, "user-tasks", &args.step, "complete"],
            &done,
            output,
        )
        .await;
    }
    let processes = args.remote.because(args.reason.as_deref())?.process();
    processes.complete_user_task(&args.id, &args.step, &done).await?;
    report("completed", &args.step, &processes.show(&args.id).await?, output)
}
