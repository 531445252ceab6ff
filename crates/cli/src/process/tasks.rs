//! `waypost list tasks`

use waypost_client::ProcessQuery;

use crate::{
    exit::Failure,
    list::{PageArgs, show},
    output::{Output, Tone, cell, table, toned},
    remote::RemoteArgs,
    when::{now, relative},
};

/// List tasks of processes that wait for people
#[derive(Debug, clap::Args)]
pub(crate) struct TasksArgs {
    /// Only those of this definition
    #[arg(long, value_name = "ID")]
    definition: Option<String>,

    /// Only those of processes with this business key
    #[arg(long, value_name = "KEY")]
    business_key: Option<String>,

    /// Only those at this step
    #[arg(long, value_name = "STEP")]
    step: Option<String>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: TasksArgs, output: Output) -> Result<(), Failure> {
    let query = ProcessQuery {
        definition_id: args.definition,
        business_key: args.business_key,
        step_id: args.step,
        page: Some(args.page.page),
        page_size: Some(args.page.limit),
        ..ProcessQuery::default()
    };
    let page = args.remote.processes()?.user_tasks(&query).await?;
    if output.is_json {
        return output.json(&page);
    }
    let now = now();
    let mut shown = table(&["PROCESS", "STEP", "NAME", "DEFINITION", "BUSINESS KEY", "SINCE"]);
    for it in &page.items {
        shown.add_row([
            cell(&it.instance_id),
            cell(&it.step_id),
            cell(&it.step_name),
            cell(&it.definition_id),
            cell(it.business_key.as_deref().unwrap_or("-")),
            toned(&relative(it.created_at, now), Tone::Faint),
        ]);
    }
    show(shown, page.next.map(|_| args.page.page + 1), "tasks", output)
}
