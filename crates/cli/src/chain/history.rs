//! `waypost history chain ID`

use clap::value_parser;
use waypost_api::chain::HistoryQuery;

use super::events::{describe, step, step_types, tone};
use crate::{
    exit::Failure,
    output::{Output, Tone, cell, table, toned},
    remote::RemoteArgs,
    when::date_time,
};

/// Show what happened to a chain
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// The chain's id
    id: String,

    /// Go on after this version
    #[arg(long, value_name = "VERSION")]
    after: Option<u64>,

    /// How many commits at the most, up to 1000
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(1..=1_000))]
    limit: u32,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: HistoryArgs, output: Output) -> Result<(), Failure> {
    let query = HistoryQuery { after: args.after, page_size: Some(args.limit) };
    let history = args.remote.chains()?.history(&args.id, &query).await?;
    if output.is_json {
        return output.json(&history);
    }
    let mut names = Vec::new();
    let mut shown = table(&["VERSION", "AT", "EVENT", "STEP", "DETAIL"]);
    for entry in &history.items {
        for event in &entry.events {
            names = step_types(event).unwrap_or(names);
            shown.add_row([
                cell(&entry.version.to_string()),
                toned(&date_time(entry.at), Tone::Faint),
                toned(event.kind.as_str(), tone(event.kind)),
                cell(&step(event, &names)),
                cell(&describe(event, entry.at)),
            ]);
        }
    }
    output.table(shown)?;
    match history.items.last() {
        Some(last) if history.has_more => {
            let next = format!("there are more: add --after {}", last.version);
            output.line(&output.paint(&next, Tone::Faint))
        }
        Some(_) | None => Ok(()),
    }
}
