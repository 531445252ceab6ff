//! `waypost list entities MODEL VERSION`

use waypost_api::{Timestamp, entity::http::ModelKey};
use waypost_client::{Entities, entity::EntityQuery};

use super::{rows::rows, which::ModelArgs};
use crate::{
    exit::Failure,
    list::{PageArgs, is_beyond, show},
    output::Output,
    remote::EntityRemoteArgs,
    when::instant,
};

/// List entities of a model, as they are or as they were
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost list entities order 1 --at 2026-01-31T12:00:00Z")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// As they were then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<Timestamp>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: ListArgs, output: Output) -> Result<(), Failure> {
    let (model, entities) = (args.model.key(), args.remote.entities()?);
    let (page, page_size) = (Some(args.page.page), Some(args.page.limit));
    let found = entities.list(&model, &EntityQuery { page, page_size, at: args.at }).await?;
    if output.is_json {
        return output.json(&found);
    }
    // Only a full page can have others after it.
    let is_full = u32::try_from(found.len()).is_ok_and(|it| it == args.page.limit);
    let has_more = is_full && is_beyond(count(&entities, &model, args.at).await?, &args.page);
    show(rows(&found), has_more.then_some(args.page.page + 1), "entities", output)
}

async fn count(
    entities: &Entities,
    model: &ModelKey,
    at: Option<Timestamp>,
) -> Result<u64, Failure> {
    let states = entities.count_states(model, at).await?;
    Ok(states.iter().map(|it| it.count).sum())
}
