//! `waypost signal process ID STEP`

use super::story::report;
use crate::{
    exit::Failure,
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

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let variables = variables(args.variables.as_deref())?;
    let processes = args.remote.processes()?;
    processes.signal(&args.id, &args.step, &variables).await?;
    report("signaled", &args.step, &processes.show(&args.id).await?, output)
}
