//! `waypost cancel process ID`

use serde_json::json;

use crate::{exit::Failure, forecast::foresee, output::Output, remote::RemoteArgs};

/// Cancel a process
#[derive(Debug, clap::Args)]
pub(crate) struct CancelArgs {
    /// The process's id
    id: String,

    /// Kept with the process
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: CancelArgs, output: Output) -> Result<(), Failure> {
    if args.dry_run {
        return foresee(
            &args.remote,
            &["v1", "instances", &args.id, "cancel"],
            &json!({ "reason": args.reason }),
            output,
        )
        .await;
    }
    let instance = args.remote.processes()?.cancel(&args.id, args.reason).await?;
    if output.is_json {
        return output.json(&instance);
    }
    output.line(&format!("cancelled {}", instance.id))
}
