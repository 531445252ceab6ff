//! `waypost list chains`

use waypost_api::{
    Page,
    chain::{Instance, InstanceQuery, InstanceStatus},
};

use crate::{
    exit::Failure,
    list::{PageArgs, show},
    output::{Output, Tone, cell, status_cell, table, toned},
    remote::RemoteArgs,
    when::{now, relative},
};

/// List chains, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
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
    let query = InstanceQuery {
        status: args.status.map(InstanceStatus::from),
        workflow_type: args.workflow_type,
        biz_key: args.biz_key,
        awaits: args.awaits,
        page: Some(args.page.page),
        page_size: Some(args.page.limit),
        ..InstanceQuery::default()
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
