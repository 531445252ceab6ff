//! `waypost cancel process ID`

use crate::{exit::Failure, output::Output, remote::RemoteArgs};

/// Cancel a process
#[derive(Debug, clap::Args)]
pub(crate) struct CancelArgs {
    /// The process's id
    id: String,

    /// Kept with the process
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: CancelArgs, output: Output) -> Result<(), Failure> {
    let instance = args.remote.processes()?.cancel(&args.id, args.reason).await?;
    if output.is_json {
        return output.json(&instance);
    }
    output.line(&format!("cancelled {}", instance.id))
}
