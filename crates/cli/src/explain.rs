//! `waypost explain`: why an instance is where it is.

use waypost_api::{
    Timestamp,
    explain::{Condition, Explanation, Next, Wait},
};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, printable, table, toned},
    place::{Place, PlaceArgs},
    when::{date_time, now, relative},
};

/// Which instance.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Explain {
    /// Why a chain is where it is
    Chain(OneArgs),
    /// Why a process is where it is
    Process(OneArgs),
    /// Why an entity is in its state
    Entity(OneArgs),
    /// Why an entity of a lifecycle is in its phase
    Lifecycle(LifecycleArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct OneArgs {
    /// Its id
    id: String,

    #[command(flatten)]
    remote: PlaceArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LifecycleArgs {
    /// The name of its type
    workflow: String,

    /// Its id
    id: String,

    #[command(flatten)]
    remote: PlaceArgs,
}

impl Explain {
    fn place(self) -> (Place, PlaceArgs) {
        match self {
            Self::Chain(OneArgs { id, remote }) => (Place::Chain { id }, remote),
            Self::Process(OneArgs { id, remote }) => (Place::Process { id }, remote),
            Self::Entity(OneArgs { id, remote }) => (Place::Entity { id }, remote),
            Self::Lifecycle(LifecycleArgs { workflow, id, remote }) => {
                (Place::Lifecycle { workflow, id }, remote)
            }
        }
    }
}

pub(crate) async fn run(which: Explain, output: Output) -> Result<(), Failure> {
    let (place, remote) = which.place();
    let explained: Explanation = place.read(&remote, (&["explain"], &[])).await?;
    if output.is_json {
        return output.json(&explained);
    }
    let status = output.paint(&explained.status, Tone::of_status(&explained.status));
    output.line(&format!("{status}: {}", printable(&explained.summary)))?;
    waits(&explained.waits, output)?;
    conditions(&explained.conditions, output)?;
    next(&explained.next, output)
}

fn waits(waits: &[Wait], output: Output) -> Result<(), Failure> {
    if waits.is_empty() {
        return Ok(());
    }
    let now = now();
    let when = |at: Timestamp| format!("{} ({})", relative(at, now), date_time(at));
    let mut shown = table(&["WAITS AT", "CAUSE", "FOR", "SINCE", "UNTIL"]);
    for it in waits {
        shown.add_row([
            cell(&it.at),
            toned(&it.cause, Tone::Faint),
            cell(&it.what),
            cell(&it.since.map_or_else(String::new, when)),
            cell(&it.until.map_or_else(String::new, when)),
        ]);
    }
    output.line("")?;
    output.table(shown)
}

fn conditions(conditions: &[Condition], output: Output) -> Result<(), Failure> {
    if conditions.is_empty() {
        return Ok(());
    }
    let mut shown = table(&["CONDITION", "OF", "IS", "WITH"]);
    for it in conditions {
        let values = it.values.iter().map(|(name, value)| format!("{name} = {value}"));
        let values = values.chain(it.error.clone()).collect::<Vec<_>>().join(", ");
        let tone = match it.outcome.as_str() {
            "true" => Tone::Good,
            "false" => Tone::Attention,
            "error" => Tone::Bad,
            _ => Tone::Plain,
        };
        let place = format!("{} ({})", it.at, it.tense);
        shown.add_row([cell(&it.text), cell(&place), toned(&it.outcome, tone), cell(&values)]);
    }
    output.line("")?;
    output.table(shown)
}

fn next(next: &[Next], output: Output) -> Result<(), Failure> {
    let mut shown = table(&["NEXT", "BY", "LEADS TO"]);
    for it in next {
        let end = match &it.refused_because {
            Some(why) => toned(&format!("refused: {why}"), Tone::Attention),
            None => cell(&it.leads_to.join(", ")),
        };
        shown.add_row([cell(&it.what), cell(&it.by), end]);
    }
    output.line("")?;
    output.table(shown)
}
