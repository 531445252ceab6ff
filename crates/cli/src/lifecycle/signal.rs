//! `waypost signal lifecycle TYPE ID PHASE`

use waypost_api::lifecycle::Transition;

use crate::{
    exit::Failure,
    forecast::show,
    output::{Output, printable},
    remote::LifecycleRemoteArgs,
};

/// Move an entity of a lifecycle to another phase, as its table allows
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  waypost signal lifecycle drone-survey m-1 aborted --note 'storm ahead'"
)]
pub(crate) struct SignalArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    workflow: String,

    /// The entity's id
    id: String,

    /// The phase to move to
    phase: String,

    /// Why; kept in its history
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let to = Transition { phase: args.phase, note: args.note };
    if args.dry_run {
        let lifecycles = args.remote.lifecycles()?;
        let foreseen = lifecycles.foresee_transition(&args.workflow, &args.id, &to).await?;
        return show(&foreseen, output);
    }
    let done = args.remote.lifecycles()?.transition(&args.workflow, &args.id, &to).await?;
    if output.is_json {
        return output.json(&done);
    }
    let phase = done.phase.unwrap_or(to.phase);
    output.line(&format!("{} is {}", printable(&args.id), printable(&phase)))
}
