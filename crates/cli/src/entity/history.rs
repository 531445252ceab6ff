//! `waypost history entity ID`

use waypost_api::Timestamp;

use super::audit::audit;
use crate::{
    exit::Failure,
    output::{Output, Tone, cell, table, toned},
    remote::EntityRemoteArgs,
    when::instant,
};

/// Show the changes of an entity, newest first, also of one that was deleted
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost history entity ID --at 2026-01-31T12:00:00Z
  waypost history entity ID --audit")]
pub(crate) struct HistoryArgs {
    /// The entity's id
    id: String,

    /// Until then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<Timestamp>,

    /// Show also what its workflow did on the way
    #[arg(long, conflicts_with = "at")]
    audit: bool,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: HistoryArgs, output: Output) -> Result<(), Failure> {
    let entities = args.remote.entities()?;
    if args.audit {
        return audit(&entities, &args.id, output).await;
    }
    let changes = entities.changes(&args.id, args.at).await?;
    if output.is_json {
        return output.json(&changes);
    }
    let mut shown = table(&["AT", "CHANGE", "USER", "TRANSACTION"]);
    for it in &changes {
        shown.add_row([
            // To the digit: it is good for --at.
            toned(&it.time_of_change.to_string(), Tone::Faint),
            cell(&it.change_type),
            cell(&it.user),
            cell(&it.transaction_id),
        ]);
    }
    output.table(shown)
}
