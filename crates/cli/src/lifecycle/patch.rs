//! `waypost patch lifecycle TYPE ID JSON`

use serde_json::{Map, Value};

use crate::{
    exit::Failure,
    forecast::show,
    output::{Output, printable},
    remote::{LifecycleRemoteArgs, document},
};

/// Write fields of an entity of a lifecycle, all or none
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost patch lifecycle drone-survey m-1 '{\"battery\": 80}'")]
pub(crate) struct PatchArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    workflow: String,

    /// The entity's id
    id: String,

    /// Fields by their names: JSON, or @FILE; null sets what the type begins with
    #[arg(value_name = "JSON")]
    fields: String,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

pub(crate) async fn run(args: PatchArgs, output: Output) -> Result<(), Failure> {
    let fields = document("JSON", &args.fields)?;
    let fields: Map<String, Value> = fields.read().map_err(|_| {
        Failure::usage("JSON is not an object")
            .advise("give fields by their names, such as '{\"battery\": 80}'")
    })?;
    if args.dry_run {
        let lifecycles = args.remote.lifecycles()?;
        let foreseen = lifecycles.foresee_patch(&args.workflow, &args.id, &fields).await?;
        return show(&foreseen, output);
    }
    let done = args.remote.lifecycles()?.patch(&args.workflow, &args.id, &fields).await?;
    if output.is_json {
        return output.json(&done);
    }
    let names: Vec<_> = fields.keys().map(String::as_str).collect();
    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    output.line(&format!("wrote {} of {}", printable(&names), printable(&args.id)))
}
