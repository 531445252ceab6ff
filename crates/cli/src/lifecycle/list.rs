//! `waypost list lifecycles` and `waypost list lifecycles TYPE`

use waypost_api::lifecycle::{Snapshot, Type};
use waypost_client::{Lifecycles, lifecycle::LifecycleQuery};

use crate::{
    exit::Failure,
    list::{PageArgs, show},
    output::{Output, Tone, cell, table, toned},
    remote::LifecycleRemoteArgs,
};

/// List the types of lifecycles, or the entities of one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  waypost list lifecycles drone-survey --phase flying --match owner_org_id=acme"
)]
pub(crate) struct ListArgs {
    /// The type whose entities to list [default: list the types]
    #[arg(value_name = "TYPE")]
    workflow: Option<String>,

    /// Only those in this phase
    #[arg(long, requires = "workflow")]
    phase: Option<String>,

    /// Only those that have not come to their end
    #[arg(long, requires = "workflow")]
    active: bool,

    /// Only those whose field holds this
    #[arg(long = "match", value_name = "FIELD=VALUE", value_parser = pair, requires = "workflow")]
    matches: Vec<(String, String)>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("give a field and a value: FIELD=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) async fn run(args: ListArgs, output: Output) -> Result<(), Failure> {
    let lifecycles = args.remote.lifecycles()?;
    match args.workflow {
        Some(workflow) => {
            let query = LifecycleQuery {
                phase: args.phase,
                active: args.active,
                matches: args.matches,
                offset: Some(u64::from(args.page.page) * u64::from(args.page.limit)),
                // One more than is shown tells whether there are more.
                limit: Some(args.page.limit + 1),
            };
            entities(&lifecycles, &workflow, (&query, &args.page), output).await
        }
        None => types(&lifecycles.types().await?, output),
    }
}

async fn entities(
    lifecycles: &Lifecycles,
    workflow: &str,
    (query, page): (&LifecycleQuery, &PageArgs),
    output: Output,
) -> Result<(), Failure> {
    let mut found = lifecycles.list(workflow, query).await?;
    let is_more = found.len() > page.limit as usize;
    found.truncate(page.limit as usize);
    if output.is_json {
        return output.json(&found);
    }
    let mut shown = table(&["ID", "PHASE", "PARENT", "VALUE"]);
    for it in &found {
        let parent = it.parent.as_deref().unwrap_or("-");
        shown.add_row([
            cell(&it.entity_id),
            toned(&it.phase, tone(it)),
            cell(parent),
            cell(it.value.as_str()),
        ]);
    }
    show(shown, is_more.then_some(page.page + 1), "entities", output)
}

fn types(types: &[Type], output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(types);
    }
    let mut shown = table(&["TYPE", "BUCKET", "ENTITIES", "PHASES"]);
    for it in types {
        let total: u64 = it.counts_by_phase.values().sum();
        let counts = it.counts_by_phase.iter().map(|(phase, count)| format!("{phase} {count}"));
        let counts = match &it.counts_error {
            Some(error) => error.clone(),
            None => counts.collect::<Vec<_>>().join(", "),
        };
        let counts = if counts.is_empty() { "-" } else { &counts };
        let total = total.to_string();
        shown.add_row([cell(&it.workflow), cell(&it.kv_bucket), cell(&total), cell(counts)]);
    }
    show(shown, None, "lifecycles", output)
}

/// How it is with an entity.
pub(super) fn tone(entity: &Snapshot) -> Tone {
    match (entity.degraded, entity.is_terminal) {
        (true, _) => Tone::Bad,
        (false, true) => Tone::Good,
        (false, false) => Tone::Busy,
    }
}
