//! `waypost start chain TYPE`

use waypost_api::chain::StartInstance;

use crate::{
    exit::Failure,
    forecast::foresee,
    output::{Output, printable},
    remote::{RemoteArgs, document},
};

/// Start a chain
#[derive(Debug, clap::Args)]
pub(crate) struct StartArgs {
    /// The definition's name
    #[arg(value_name = "TYPE")]
    workflow_type: String,

    /// The definition's version [default: the highest]
    #[arg(long, value_name = "N")]
    version: Option<i32>,

    /// Your name for the chain; only one of a type runs under it at a time
    #[arg(long, value_name = "KEY")]
    biz_key: Option<String>,

    /// What the chain is about: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    context: Option<String>,

    /// Makes asking twice the same as asking once
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: StartArgs, output: Output) -> Result<(), Failure> {
    let context = args.context.map(|it| document("--context", &it)).transpose()?;
    let start = StartInstance {
        workflow_type: args.workflow_type,
        workflow_version: args.version,
        biz_key: args.biz_key,
        context,
    };
    if args.dry_run {
        return foresee(&args.remote, &["v1", "chains", "instances"], &start, output).await;
    }
    let key = args.idempotency_key.as_deref();
    let instance = args.remote.chains()?.start(&start, key).await?;
    if output.is_json {
        return output.json(&instance);
    }
    let (name, version) = (printable(&instance.workflow_type), instance.workflow_version);
    output.line(&format!("started {name} version {version}: {}", instance.instance_id))
}
