//! `waypost start process DEFINITION`

use waypost_api::process::StartInstance;

use super::story::standing;
use crate::{
    exit::Failure,
    forecast::foresee,
    output::{Output, printable},
    remote::{RemoteArgs, variables},
};

/// Start a process
#[derive(Debug, clap::Args)]
pub(crate) struct StartArgs {
    /// The definition's id
    #[arg(value_name = "DEFINITION")]
    definition_id: String,

    /// The definition's version [default: the highest]
    #[arg(long, value_name = "N")]
    version: Option<i32>,

    /// Your name for the process; only one of a definition is under way with it at a time
    #[arg(long, value_name = "KEY")]
    business_key: Option<String>,

    /// What the process knows from the beginning: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    variables: Option<String>,

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
    let start = StartInstance {
        definition_id: Some(args.definition_id),
        definition_version: args.version.map(i64::from),
        variables: Some(variables(args.variables.as_deref())?),
        business_key: args.business_key,
    };
    if args.dry_run {
        return foresee(&args.remote, &["v1", "instances"], &start, output).await;
    }
    let key = args.idempotency_key.as_deref();
    let instance = args.remote.processes()?.start(&start, key).await?;
    if output.is_json {
        return output.json(&instance);
    }
    let (name, version) = (printable(&instance.definition_id), instance.definition_version);
    let standing = standing(&instance);
    output.line(&format!("started {name} version {version}: {}, {standing}", instance.id))
}
