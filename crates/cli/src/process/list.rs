//! `waypost list processes`

use waypost_api::process::InstanceStatus;
use waypost_client::ProcessQuery;

use super::story::places;
use crate::{
    exit::Failure,
    list::{PageArgs, is_beyond, show},
    output::{Output, Tone, cell, status_cell, table, toned},
    remote::RemoteArgs,
    when::{now, relative},
};

/// List processes, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only those of this definition
    #[arg(long, value_name = "ID")]
    definition: Option<String>,

    /// Only those with this status
    #[arg(long, value_enum, ignore_case = true)]
    status: Option<Status>,

    /// Only those with this business key
    #[arg(long, value_name = "KEY")]
    business_key: Option<String>,

    /// Only those that are at this step
    #[arg(long, value_name = "STEP")]
    step: Option<String>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Status {
    Active,
    Waiting,
    Completed,
    Failed,
    Cancelled,
}

impl From<Status> for InstanceStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Waiting => Self::Waiting,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

pub(crate) async fn run(args: ListArgs, output: Output) -> Result<(), Failure> {
    let query = ProcessQuery {
        definition_id: args.definition,
        status: args.status.map(InstanceStatus::from),
        business_key: args.business_key,
        step_id: args.step,
        page: Some(args.page.page),
        page_size: Some(args.page.limit),
        ..ProcessQuery::default()
    };
    let page = args.remote.processes()?.list(&query).await?;
    if output.is_json {
        return output.json(&page);
    }
    let now = now();
    let columns = ["ID", "DEFINITION", "VERSION", "BUSINESS KEY", "STATUS", "AT", "STARTED"];
    let mut shown = table(&columns);
    for it in &page.items {
        shown.add_row([
            cell(&it.id),
            cell(&it.definition_id),
            cell(&it.definition_version.to_string()),
            cell(it.business_key.as_deref().unwrap_or("-")),
            status_cell(it.status.as_str()),
            cell(&places(it).unwrap_or_else(|| "-".to_owned())),
            toned(&relative(it.started_at, now), Tone::Faint),
        ]);
    }
    let next = is_beyond(page.total, &args.page).then_some(args.page.page + 1);
    show(shown, next, "processes", output)
}
