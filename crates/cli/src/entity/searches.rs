//! `waypost show search ID` and `waypost cancel search ID`

use serde::Serialize;
use waypost_api::Timestamp;
use waypost_client::entity::{EntityQuery, SearchPage, SearchState};

use super::rows::rows;
use crate::{
    exit::Failure,
    list::{PageArgs, is_beyond, show as show_list},
    output::{Output, printable},
    remote::EntityRemoteArgs,
    when::{date_time, now, relative, took},
};

/// Show where a search in the background stands, and what it has found
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost show search ID --limit 100 --page 1")]
pub(crate) struct ShowSearchArgs {
    /// The search's id
    id: String,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Cancel a search in the background
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost cancel search ID")]
pub(crate) struct CancelSearchArgs {
    /// The search's id
    id: String,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// A search with a page of what it has found, for machines.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    state: SearchState,
    #[serde(flatten)]
    found: Option<SearchPage>,
}

pub(crate) async fn show(args: ShowSearchArgs, output: Output) -> Result<(), Failure> {
    let entities = args.remote.entities()?;
    let state = entities.search_state(&args.id).await?;
    let found = match state.search_job_status.as_str() {
        "SUCCESSFUL" => {
            let (page, page_size) = (Some(args.page.page), Some(args.page.limit));
            let query = EntityQuery { page, page_size, at: None };
            Some(entities.search_page(&args.id, &query).await?)
        }
        // Whoever has not ended well has nothing to show.
        _ => None,
    };
    if output.is_json {
        return output.json(&Shown { state, found });
    }
    for (name, value) in facts(&args.id, &state, now()) {
        output.line(&format!("{name:<9}{}", printable(&value)))?;
    }
    let Some(found) = found else { return Ok(()) };
    output.line("")?;
    let has_more = is_beyond(found.page.total_elements, &args.page);
    show_list(rows(&found.content), has_more.then_some(args.page.page + 1), "entities", output)
}

fn facts(id: &str, state: &SearchState, now: Timestamp) -> Vec<(&'static str, String)> {
    let when = |at: Timestamp| format!("{} ({})", relative(at, now), date_time(at));
    let mut facts = vec![("search", id.to_owned()), ("status", state.search_job_status.clone())];
    facts.push(("begun", when(state.create_time)));
    facts.extend(state.finish_time.map(|it| ("took", took(state.create_time, it))));
    facts.push(("found", state.entities_count.to_string()));
    facts.push(("kept", format!("until {}", date_time(state.expiration_date))));
    facts
}

pub(crate) async fn cancel(args: CancelSearchArgs, output: Output) -> Result<(), Failure> {
    let entities = args.remote.entities()?;
    entities.cancel_search(&args.id).await?;
    if output.is_json {
        return output.json(&entities.search_state(&args.id).await?);
    }
    output.line(&format!("cancelled search {}", printable(&args.id)))
}
