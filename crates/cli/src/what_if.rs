//! `waypost what-if ID --file FILE`

use serde_json::{Map, Value};
use waypost_api::what_if::{Tried, TriedEvent, TriedInstance, TriedMismatch};

use crate::{
    exit::{Exit, Failure},
    output::{Output, printable},
    remote::{EntityRemoteArgs, RemoteArgs, read},
    test::parse,
    when::time_of_day,
};

/// Fork an instance in memory, and tell what would become of it; the instance itself stays as it is
#[derive(Debug, clap::Args)]
pub(crate) struct WhatIfArgs {
    /// The instance's id
    id: String,

    /// What others do, in YAML or JSON: workers, people, signals, do, expect, as in a scenario; - is
    /// standard input. Without it nobody does anything, and only time passes
    #[arg(long, value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    remote: RemoteArgs,
}

/// Fork an entity in memory, and tell what would become of it; the entity itself stays as it is
#[derive(Debug, clap::Args)]
pub(crate) struct EntityArgs {
    /// The entity's id
    id: String,

    /// What is done, in YAML or JSON: processors, criteria, do, expect, as in a scenario; - is
    /// standard input
    #[arg(long, value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn entity(args: EntityArgs, output: Output) -> Result<(), Failure> {
    let what = given(args.file.as_deref())?;
    show(&args.remote.entities()?.what_if(&args.id, &what).await?, output)
}

pub(crate) async fn process(args: WhatIfArgs, output: Output) -> Result<(), Failure> {
    run(&args, &["v1", "instances", &args.id], output).await
}

pub(crate) async fn chain(args: WhatIfArgs, output: Output) -> Result<(), Failure> {
    run(&args, &["v1", "chains", "instances", &args.id], output).await
}

async fn run(args: &WhatIfArgs, path: &[&str], output: Output) -> Result<(), Failure> {
    let what = given(args.file.as_deref())?;
    show(&args.remote.client()?.what_if(path, &what).await?, output)
}

fn given(file: Option<&str>) -> Result<Value, Failure> {
    file.map_or_else(|| Ok(Value::Object(Map::new())), what)
}

fn show(tried: &Tried, output: Output) -> Result<(), Failure> {
    if output.is_json {
        output.json(tried)?;
    } else {
        told(tried).iter().try_for_each(|it| output.line(&printable(it)))?;
    }
    match tried.mismatches.len() {
        0 => Ok(()),
        count => {
            Err(Failure::new(Exit::Failed, format!("{count} things would not be as expected")))
        }
    }
}

/// The file, read here so that a mistake in it is told with its line.
fn what(file: &str) -> Result<Value, Failure> {
    let text = read(file)?;
    parse::<waypost_rehearsal::WhatIf>(file, &text).map_err(Failure::usage)?;
    parse(file, &text).map_err(Failure::usage)
}

fn told(tried: &Tried) -> Vec<String> {
    let mut lines: Vec<String> = tried.instances.iter().flat_map(instance).collect();
    for TriedMismatch { place, expected, actual } in &tried.mismatches {
        lines.push(format!("{place}: expected {expected}, would be {actual}"));
    }
    lines.push("what if: nothing has changed".to_owned());
    lines
}

fn instance(it: &TriedInstance) -> Vec<String> {
    let mut lines = vec![it.definition.clone()];
    lines.extend(it.history.iter().map(event));
    let at = match it.at.is_empty() {
        true => String::new(),
        false => format!(" at {}", it.at.join(", ")),
    };
    let reason = it.reason.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
    lines.push(format!("  it would be {}{at}{reason}", it.status));
    lines.extend(it.unattended.iter().map(|it| format!("  {it}")));
    lines
}

fn event(it: &TriedEvent) -> String {
    let TriedEvent { at, what, step, detail, real } = it;
    let mark = if *real { " " } else { "?" };
    let step = step.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    let detail = detail.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
    format!("{mark} {}  {what}{step}{detail}", time_of_day(*at))
}
