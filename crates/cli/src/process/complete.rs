//! `waypost complete ID STEP`

use waypost_api::process::CompleteUserTask;

use super::story::report;
use crate::{
    exit::Failure,
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

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: CompleteArgs, output: Output) -> Result<(), Failure> {
    let variables = Some(variables(args.variables.as_deref())?);
    let done = CompleteUserTask { variables, ..CompleteUserTask::default() };
    let processes = args.remote.processes()?;
    processes.complete_user_task(&args.id, &args.step, &done).await?;
    report("completed", &args.step, &processes.show(&args.id).await?, output)
}
