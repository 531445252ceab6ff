//! `waypost show entity ID`

use serde::Serialize;
use waypost_api::Timestamp;
use waypost_client::entity::{Entity, When};

use super::which::told;
use crate::{
    exit::Failure,
    output::{Output, printable},
    remote::EntityRemoteArgs,
    when::{date_time, instant, now, relative},
};

/// Show an entity and what it can do next, as it is or as it was
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost show entity ID --at 2026-01-31T12:00:00Z")]
pub(crate) struct ShowArgs {
    /// The entity's id
    id: String,

    /// As it was then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant, conflicts_with = "transaction")]
    at: Option<Timestamp>,

    /// As this version of it was
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["at", "transaction"])]
    version: Option<u64>,

    /// As this transaction left it
    #[arg(long, value_name = "ID")]
    transaction: Option<String>,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// An entity with its transitions, for machines.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    entity: Entity,
    transitions: Vec<String>,
}

pub(crate) async fn run(args: ShowArgs, output: Output) -> Result<(), Failure> {
    let entities = args.remote.entities()?;
    let when = When { at: args.at, transaction_id: args.transaction, version: args.version };
    let entity = entities.show(&args.id, &when).await?;
    let transitions = entities.transitions(&args.id, &when).await?;
    let shown = Shown { entity, transitions };
    if output.is_json {
        return output.json(&shown);
    }
    for (name, value) in facts(&shown, now()) {
        output.line(&format!("{name:<13}{}", printable(&value)))?;
    }
    Ok(())
}

fn facts(shown: &Shown, now: Timestamp) -> Vec<(&'static str, String)> {
    let when = |at: Timestamp| format!("{} ({})", relative(at, now), date_time(at));
    let Shown { entity: Entity { value, meta, .. }, transitions } = shown;
    let mut facts = vec![("entity", meta.id.clone())];
    facts.extend(meta.model_key.as_ref().map(|it| ("model", told(it))));
    facts.push(("state", meta.state.clone()));
    facts.push(("created", when(meta.creation_date)));
    facts.push(("saved", when(meta.last_update_time)));
    facts.extend(meta.transition_for_latest_save.clone().map(|it| ("by", it)));
    facts.extend(meta.transaction_id.clone().map(|it| ("transaction", it)));
    let next = if transitions.is_empty() { "none".to_owned() } else { transitions.join(", ") };
    facts.push(("transitions", next));
    facts.push(("value", value.as_str().to_owned()));
    facts
}
