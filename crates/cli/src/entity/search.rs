//! `waypost search MODEL VERSION CONDITION`

use clap::value_parser;
use waypost_api::Timestamp;
use waypost_client::entity::SearchQuery;

use super::{rows::rows, which::ModelArgs};
use crate::{
    exit::Failure,
    list::show,
    output::{Output, printable},
    remote::{EntityRemoteArgs, document},
    when::instant,
};

/// Find entities of a model that match a condition
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost search order 1 '{\"type\":\"lifecycle\",\"field\":\"state\",\"operatorType\":\"EQUALS\",\"value\":\"NEW\"}'
  waypost search order 1 @large.json --at 2026-01-31
  waypost search order 1 @large.json --background")]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// What they must be like: JSON, or @FILE
    #[arg(value_name = "CONDITION")]
    condition: String,

    /// As they were then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<Timestamp>,

    /// How many at the most, up to 10000; if more match, up to 1000 is refused, and above is cut
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(1..=10_000))]
    limit: u32,

    /// Search in the background, for all of them; says the id that `waypost show search` takes
    #[arg(long, conflicts_with = "limit")]
    background: bool,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: SearchArgs, output: Output) -> Result<(), Failure> {
    let condition = document("the condition", &args.condition)?;
    let (model, entities) = (args.model.key(), args.remote.entities()?);
    if args.background {
        let id = entities.begin_search(&model, &condition, args.at).await?;
        return match output.is_json {
            true => output.json(&id),
            false => output.line(&format!("began search {}", printable(&id))),
        };
    }
    let query = SearchQuery { limit: Some(args.limit), at: args.at };
    let found = entities.search(&model, &condition, &query).await?;
    if output.is_json {
        return output.json(&found);
    }
    show(rows(&found), None, "entities", output)
}
