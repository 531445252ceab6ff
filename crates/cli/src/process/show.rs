//! `waypost show process ID` and `waypost history process ID`

use serde::Serialize;
use waypost_api::{
    Timestamp,
    process::{Instance, InstanceStatus, StepExecution},
};

use super::{
    audit::audit,
    story::{places, story},
};
use crate::{
    exit::Failure,
    output::{Output, Tone, printable},
    place::AsOfArgs,
    remote::RemoteArgs,
    when::{date_time, now, relative, took},
};

/// Show where a process stands, and how it came there; or where it stood
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost show process ID --at 2026-01-31T12:00:00Z")]
pub(crate) struct ShowArgs {
    /// The process's id
    id: String,

    #[command(flatten)]
    as_of: AsOfArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

/// Show what happened to a process, step by step
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// The process's id
    id: String,

    /// Show who did what instead
    #[arg(long)]
    audit: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

/// An instance with its story, for machines.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    instance: Instance,
    history: Vec<StepExecution>,
}

pub(crate) async fn show(args: ShowArgs, output: Output) -> Result<(), Failure> {
    if let Some((name, moment)) = args.as_of.query() {
        let path = ["v1", "instances", &args.id];
        let then: Instance = args.remote.client()?.read(&path, &[(name, &moment)]).await?;
        return if output.is_json { output.json(&then) } else { tell(&then, now(), output) };
    }
    let processes = args.remote.processes()?;
    let instance = processes.show(&args.id).await?;
    let history = processes.history(&args.id).await?;
    if output.is_json {
        return output.json(&Shown { instance, history });
    }
    let now = now();
    tell(&instance, now, output)?;
    output.line("")?;
    output.table(story(&history, &instance, now))
}

fn tell(instance: &Instance, now: Timestamp, output: Output) -> Result<(), Failure> {
    for (name, value) in facts(instance, now) {
        let value = match name {
            "status" => output.paint(&value, Tone::of_status(&value)),
            _ => printable(&value),
        };
        output.line(&format!("{name:<14}{value}"))?;
    }
    Ok(())
}

pub(crate) async fn history(args: HistoryArgs, output: Output) -> Result<(), Failure> {
    let processes = args.remote.processes()?;
    if args.audit {
        return audit(&processes, &args.id, output).await;
    }
    let history = processes.history(&args.id).await?;
    if output.is_json {
        return output.json(&history);
    }
    output.table(story(&history, &processes.show(&args.id).await?, now()))
}

fn facts(instance: &Instance, now: Timestamp) -> Vec<(&'static str, String)> {
    let when = |at: Timestamp| format!("{} ({})", relative(at, now), date_time(at));
    let (name, version) = (&instance.definition_id, instance.definition_version);
    let mut facts =
        vec![("process", instance.id.clone()), ("definition", format!("{name} version {version}"))];
    facts.extend(instance.business_key.clone().map(|it| ("business key", it)));
    facts.extend(instance.parent_instance_id.clone().map(|it| ("follows", it)));
    facts.push(("status", instance.status.as_str().to_owned()));
    facts.extend(places(instance).map(|it| ("at", it)));
    facts.push(("started", when(instance.started_at)));
    if let Some(at) = instance.completed_at {
        let name = match instance.status {
            InstanceStatus::Active | InstanceStatus::Waiting | InstanceStatus::Completed => {
                "completed"
            }
            InstanceStatus::Failed => "failed",
            InstanceStatus::Cancelled => "cancelled",
        };
        facts.push((name, format!("{} after {}", when(at), took(instance.started_at, at))));
    }
    facts.extend(instance.failure_reason.clone().map(|it| ("reason", it)));
    let variables = serde_json::to_string(&*instance.variables).unwrap_or_default();
    facts.push(("variables", variables));
    facts
}
