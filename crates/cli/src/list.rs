//! `waypost list …`: chains, processes, tasks of people, their definitions, entities with their
//! models and workflows, and lifecycles.

use clap::value_parser;
use comfy_table::Table;
use serde_json::json;
use waypost_api::{Page, chain, process};
use waypost_client::DefinitionQuery;

use crate::{
    chain::{ListArgs as ChainsArgs, list as list_chains},
    entity::{self, ListArgs as EntitiesArgs, ListModelsArgs, ListWorkflowsArgs},
    exit::Failure,
    lifecycle::{ListArgs as LifecyclesArgs, list as list_lifecycles},
    output::{Output, Tone, cell, table, toned},
    process::{ListArgs as ProcessesArgs, TasksArgs, list as list_processes, tasks},
    remote::RemoteArgs,
    when::{now, relative},
};

/// What to list.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum List {
    Chains(ChainsArgs),
    Processes(ProcessesArgs),
    Tasks(TasksArgs),
    Definitions(DefinitionsArgs),
    Entities(EntitiesArgs),
    Models(ListModelsArgs),
    Workflows(ListWorkflowsArgs),
    Lifecycles(LifecyclesArgs),
}

/// List definitions, of chains and of processes
#[derive(Debug, clap::Args)]
pub(crate) struct DefinitionsArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PageArgs {
    /// How many at the most, up to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000))]
    pub(crate) limit: u32,

    /// Which page, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) page: u32,
}

pub(crate) async fn run(list: List, output: Output) -> Result<(), Failure> {
    match list {
        List::Chains(args) => list_chains(args, output).await,
        List::Processes(args) => list_processes(args, output).await,
        List::Tasks(args) => tasks(args, output).await,
        List::Definitions(args) => definitions(args, output).await,
        List::Entities(args) => entity::list(args, output).await,
        List::Models(args) => entity::list_models(args, output).await,
        List::Workflows(args) => entity::list_workflows(args, output).await,
        List::Lifecycles(args) => list_lifecycles(args, output).await,
    }
}

async fn definitions(args: DefinitionsArgs, output: Output) -> Result<(), Failure> {
    let (page, page_size) = (Some(args.page.page), Some(args.page.limit));
    let query = chain::PageQuery { page, page_size };
    let chains: Page<chain::DeployedDefinition> = args.remote.chains()?.definitions(&query).await?;
    let query = DefinitionQuery { keyword: None, page, page_size };
    let processes: process::DefinitionPage = args.remote.processes()?.definitions(&query).await?;
    if output.is_json {
        return output.json(&json!({ "chains": chains, "processes": processes }));
    }
    let now = now();
    let mut shown = table(&["FACE", "DEFINITION", "VERSION", "ABOUT", "DEPLOYED"]);
    let mut row = |face: &str, name: &str, version: i32, about: &str, at| {
        let (version, at) = (version.to_string(), toned(&relative(at, now), Tone::Faint));
        shown.add_row([cell(face), cell(name), cell(&version), cell(about), at]);
    };
    for it in &chains.items {
        let steps: Vec<_> = it.steps.iter().map(|step| step.step_type.as_str()).collect();
        let about = steps.join(" → ");
        row("chain", &it.workflow_type, it.workflow_version, &about, it.deployed_at);
    }
    for it in &processes.items {
        row("process", &it.id, it.version, &it.name, it.uploaded_at);
    }
    let has_more = chains.has_more || is_beyond(processes.total, &args.page);
    show(shown, has_more.then_some(args.page.page + 1), "definitions", output)
}

/// Whether some of `total` come after this page.
pub(crate) fn is_beyond(total: u64, page: &PageArgs) -> bool {
    total > (u64::from(page.page) + 1) * u64::from(page.limit)
}

/// The table, unless it is empty, and whether there is more.
pub(crate) fn show(
    shown: Table,
    next: Option<u32>,
    what: &str,
    output: Output,
) -> Result<(), Failure> {
    if shown.is_empty() {
        return output.line(&output.paint(&format!("no {what}"), Tone::Faint));
    }
    output.table(shown)?;
    match next {
        Some(page) => {
            let note = format!("there are more: add --page {page}");
            output.line(&output.paint(&note, Tone::Faint))
        }
        None => Ok(()),
    }
}
