//! `waypost cancel chain ID`

use serde_json::json;
use waypost_api::chain::InstanceStatus;

use crate::{exit::Failure, forecast::foresee, output::Output, remote::RemoteArgs};

/// Cancel a chain; one that has ended stays as it is
#[derive(Debug, clap::Args)]
pub(crate) struct CancelArgs {
    /// The chain's id
    id: String,

    /// Kept with the chain
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
            &["v1", "chains", "instances", &args.id, "cancel"],
            &json!({ "reason": args.reason }),
            output,
        )
        .await;
    }
    let instance = args.remote.chains()?.cancel(&args.id, args.reason).await?;
    if output.is_json {
        return output.json(&instance);
    }
    let id = &instance.instance_id;
    output.line(&match instance.status {
        InstanceStatus::Canceled => format!("canceled {id}"),
        InstanceStatus::Running | InstanceStatus::Completed | InstanceStatus::Failed => {
            format!("{id} had ended before and stays {}", instance.status.as_str())
        }
    })
}
