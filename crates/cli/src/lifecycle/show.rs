//! `waypost show lifecycle TYPE [ID]` and `waypost history lifecycle TYPE ID`

use waypost_api::lifecycle::{Definition, Snapshot};
use waypost_client::Lifecycles;

use super::list::tone;
use crate::{
    exit::Failure,
    list::show as show_table,
    output::{Output, Tone, cell, printable, table, toned},
    remote::LifecycleRemoteArgs,
    when::{date_time, now, relative},
};

/// Show a type and where its phases lead, or one of its entities
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  waypost show lifecycle drone-survey\n  waypost show lifecycle drone-survey m-1"
)]
pub(crate) struct ShowArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    workflow: String,

    /// The entity's id [default: show the type]
    id: Option<String>,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

/// Show how an entity of a lifecycle got where it is
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    workflow: String,

    /// The entity's id
    id: String,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

pub(crate) async fn show(args: ShowArgs, output: Output) -> Result<(), Failure> {
    let lifecycles = args.remote.lifecycles()?;
    match &args.id {
        Some(id) => entity(&lifecycles, &args.workflow, id, output).await,
        None => definition(&lifecycles.definition(&args.workflow).await?, output),
    }
}

async fn entity(
    lifecycles: &Lifecycles,
    workflow: &str,
    id: &str,
    output: Output,
) -> Result<(), Failure> {
    let entity = lifecycles.show(workflow, id).await?;
    if output.is_json {
        return output.json(&entity);
    }
    let definition = lifecycles.definition(workflow).await?;
    for (name, value) in facts(&entity, &definition) {
        let value = match name {
            "phase" => output.paint(&printable(&value), tone(&entity)),
            _ => printable(&value),
        };
        output.line(&format!("{name:<11}{value}"))?;
    }
    Ok(())
}

fn facts(entity: &Snapshot, definition: &Definition) -> Vec<(&'static str, String)> {
    let next = definition.transitions.get(&entity.phase);
    let next = match next.map(Vec::as_slice) {
        None => "nowhere: this phase is not declared".to_owned(),
        Some([]) => "nowhere: it has ended".to_owned(),
        Some(phases) => phases.join(", "),
    };
    let mut facts = vec![
        ("entity", entity.entity_id.clone()),
        ("type", entity.workflow.clone()),
        ("phase", entity.phase.clone()),
        ("leads to", next),
    ];
    facts.extend(entity.parent.clone().map(|it| ("parent", it)));
    facts.push(("value", entity.value.as_str().to_owned()));
    facts
}

fn definition(definition: &Definition, output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(definition);
    }
    let writable = match definition.operator_writable_fields.as_slice() {
        [] => "nothing".to_owned(),
        fields => fields.join(", "),
    };
    output.line(&format!("{:<11}{}", "type", printable(&definition.workflow)))?;
    output.line(&format!("{:<11}{}", "bucket", printable(&definition.kv_bucket)))?;
    output.line(&format!("{:<11}{}", "writable", printable(&writable)))?;
    output.line("")?;
    let mut phases = table(&["PHASE", "LEADS TO"]);
    for (phase, next) in &definition.transitions {
        let next = if next.is_empty() { "-".to_owned() } else { next.join(", ") };
        phases.add_row([cell(phase), cell(&next)]);
    }
    output.table(phases)
}

pub(crate) async fn history(args: HistoryArgs, output: Output) -> Result<(), Failure> {
    let moves = args.remote.lifecycles()?.history(&args.workflow, &args.id).await?;
    if output.is_json {
        return output.json(&moves);
    }
    let now = now();
    let mut shown = table(&["FROM", "TO", "BY", "NOTE", "WHEN"]);
    for it in &moves {
        let from = if it.from.is_empty() { "-" } else { &it.from };
        let when = format!("{} ({})", relative(it.at, now), date_time(it.at));
        shown.add_row([
            cell(from),
            cell(&it.to),
            cell(&it.triggered),
            cell(&it.note),
            toned(&when, Tone::Faint),
        ]);
    }
    show_table(shown, None, "moves", output)
}
