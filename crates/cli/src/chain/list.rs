//! `waypost list chains` and `waypost list definitions`

use clap::value_parser;
use comfy_table::Table;
use waypost_api::{
    Page,
    chain::{DeployedDefinition, Instance, InstanceQuery, InstanceStatus, PageQuery},
};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, status_cell, table, toned},
    remote::RemoteArgs,
    when::{now, relative},
};

/// What to list.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List chains, newest first
    Chains(ChainsArgs),
    /// List definitions
    Definitions(DefinitionsArgs),
}

#[derive(Debug, clap::Args)]
struct ChainsArgs {
    /// Only those with this status
    #[arg(long, value_enum, ignore_case = true)]
    status: Option<Status>,

    /// Only those of this type
    #[arg(long = "type", value_name = "TYPE")]
    workflow_type: Option<String>,

    /// Only those with this business key
    #[arg(long, value_name = "KEY")]
    biz_key: Option<String>,

    /// Only those that wait for this event
    #[arg(long, value_name = "EVENT")]
    awaits: Option<String>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Debug, clap::Args)]
struct DefinitionsArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Debug, clap::Args)]
struct PageArgs {
    /// How many at the most, up to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000))]
    limit: u32,

    /// Which page, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    page: u32,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Status {
    Running,
    Completed,
    Failed,
    Canceled,
}

impl From<Status> for InstanceStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Running => Self::Running,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Canceled => Self::Canceled,
        }
    }
}

pub(crate) async fn run(args: ListArgs, output: Output) -> Result<(), Failure> {
    match args.what {
        What::Chains(args) => chains(args, output).await,
        What::Definitions(args) => definitions(args, output).await,
    }
}

async fn chains(args: ChainsArgs, output: Output) -> Result<(), Failure> {
    let query = InstanceQuery {
        status: args.status.map(InstanceStatus::from),
        workflow_type: args.workflow_type,
        biz_key: args.biz_key,
        awaits: args.awaits,
        page: Some(args.page.page),
        page_size: Some(args.page.limit),
        after: None,
    };
    let page: Page<Instance> = args.remote.chains()?.list(&query).await?;
    if output.is_json {
        return output.json(&page);
    }
    let now = now();
    let mut shown = table(&["ID", "TYPE", "VERSION", "BIZ KEY", "STATUS", "STEP", "STARTED"]);
    for it in &page.items {
        shown.add_row([
            cell(&it.instance_id),
            cell(&it.workflow_type),
            cell(&it.workflow_version.to_string()),
            cell(it.biz_key.as_deref().unwrap_or("-")),
            status_cell(it.status.as_str()),
            cell(&it.current_step_type),
            toned(&relative(it.started_at, now), Tone::Faint),
        ]);
    }
    show(shown, page.has_more.then_some(page.page + 1), "chains", output)
}

async fn definitions(args: DefinitionsArgs, output: Output) -> Result<(), Failure> {
    let query = PageQuery { page: Some(args.page.page), page_size: Some(args.page.limit) };
    let page: Page<DeployedDefinition> = args.remote.chains()?.definitions(&query).await?;
    if output.is_json {
        return output.json(&page);
    }
    let now = now();
    let mut shown = table(&["TYPE", "VERSION", "STEPS", "DEPLOYED"]);
    for it in &page.items {
        let steps: Vec<_> = it.steps.iter().map(|step| step.step_type.as_str()).collect();
        shown.add_row([
            cell(&it.workflow_type),
            cell(&it.workflow_version.to_string()),
            cell(&steps.join(" → ")),
            toned(&relative(it.deployed_at, now), Tone::Faint),
        ]);
    }
    show(shown, page.has_more.then_some(page.page + 1), "definitions", output)
}

/// The table, unless it is empty, and whether there is more.
fn show(shown: Table, next: Option<u32>, what: &str, output: Output) -> Result<(), Failure> {
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
