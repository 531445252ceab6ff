//! `waypost show chain ID`

use waypost_api::{
    Timestamp,
    chain::{Instance, InstanceDetail, InstanceStatus, Step, StepStatus},
};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, printable, status_cell, table},
    place::AsOfArgs,
    remote::RemoteArgs,
    when::{date_time, now, relative},
};

/// Show a chain and its steps, as they are or as they were
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost show chain ID --at 2026-01-31T12:00:00Z")]
pub(crate) struct ShowArgs {
    /// The chain's id
    id: String,

    #[command(flatten)]
    as_of: AsOfArgs,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: ShowArgs, output: Output) -> Result<(), Failure> {
    let detail: InstanceDetail = match args.as_of.query() {
        Some((name, moment)) => {
            let path = ["v1", "chains", "instances", &args.id];
            args.remote.client()?.read(&path, &[(name, &moment)]).await?
        }
        None => args.remote.chains()?.show(&args.id).await?,
    };
    if output.is_json {
        return output.json(&detail);
    }
    let InstanceDetail { instance, steps } = detail;
    let now = now();
    for (name, value) in facts(&instance, now) {
        let value = match name {
            "status" => output.paint(&value, Tone::of_status(&value)),
            _ => printable(&value),
        };
        output.line(&format!("{name:<10}{value}"))?;
    }
    output.line("")?;
    let is_running = instance.status == InstanceStatus::Running;
    let mut shown = table(&["SEQ", "STEP", "STATUS", "ATTEMPTS", "DETAIL"]);
    for step in &steps {
        shown.add_row([
            cell(&step.step_seq.to_string()),
            cell(&step.step_type),
            status_cell(step.status.as_str()),
            cell(&format!("{}/{}", step.attempts, step.max_attempts)),
            cell(&describe(step, is_running, now)),
        ]);
    }
    output.table(shown)
}

fn facts(instance: &Instance, now: Timestamp) -> Vec<(&'static str, String)> {
    let when = |at: Timestamp| format!("{} ({})", relative(at, now), date_time(at));
    let mut facts = vec![
        ("chain", instance.instance_id.clone()),
        ("type", format!("{} version {}", instance.workflow_type, instance.workflow_version)),
    ];
    facts.extend(instance.biz_key.clone().map(|it| ("biz key", it)));
    facts.push(("status", instance.status.as_str().to_owned()));
    facts.push(("started", when(instance.started_at)));
    facts.extend(instance.completed_at.map(|it| ("completed", when(it))));
    facts.extend(instance.failed_at.map(|it| ("failed", when(it))));
    facts.extend(instance.canceled_at.map(|it| ("canceled", when(it))));
    facts.extend(instance.cancel_reason.clone().map(|it| ("reason", it)));
    facts.extend(instance.context.as_ref().map(|it| ("context", it.as_str().to_owned())));
    facts
}

/// What is worth knowing about a step beside its status.
fn describe(step: &Step, is_running: bool, now: Timestamp) -> String {
    let until = |at: Option<Timestamp>| at.map(|it| relative(it, now));
    let state = match step.status {
        // Nothing comes of it any more.
        _ if !is_running => None,
        StepStatus::Pending | StepStatus::Done | StepStatus::Dead => None,
        StepStatus::Ready => until(step.next_run_at).map(|it| format!("due {it}")),
        StepStatus::Running => {
            let worker = step.locked_by.as_deref().unwrap_or("somebody");
            let lease = until(step.locked_until).unwrap_or_else(|| "sometime".to_owned());
            Some(format!("held by {worker}, lease ends {lease}"))
        }
        StepStatus::Waiting => {
            let event = step.waiting_event_type.as_deref().unwrap_or("an event");
            let deadline = until(step.deadline_at).map(|it| format!(", gives up {it}"));
            Some(format!("waits for {event}{}", deadline.unwrap_or_default()))
        }
    };
    let error = step.last_error.as_ref().map(|it| format!("last error {it}"));
    [state, error].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
