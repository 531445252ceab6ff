//! `waypost list models` and `waypost show model MODEL VERSION`

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_api::{Document, Timestamp, entity::http::ModelKey};
use waypost_client::entity::{ModelExport, ModelView, StateCount};

use super::which::{ModelArgs, told};
use crate::{
    exit::{Exit, Failure},
    list::show as show_list,
    output::{Output, Tone, cell, printable, table, toned},
    remote::EntityRemoteArgs,
    when::{instant, now, relative},
};

/// List models of entities
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost list models")]
pub(crate) struct ListModelsArgs {
    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Show what a model has learned, and how many entities it has in which state
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost show model order 1
  waypost show model order 1 --json    # with a JSON Schema")]
pub(crate) struct ShowModelArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// Count the entities there were then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<Timestamp>,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// A model with its schema, for machines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    model_key: ModelKey,
    current_state: String,
    states: Vec<StateCount>,
    schema: Document,
}

/// Types of fields, by their paths, by the objects they are in.
type Fields = BTreeMap<String, BTreeMap<String, String>>;

pub(crate) async fn list(args: ListModelsArgs, output: Output) -> Result<(), Failure> {
    let models = args.remote.entities()?.models().await?;
    if output.is_json {
        return output.json(&models);
    }
    let now = now();
    let mut shown = table(&["MODEL", "VERSION", "STATE", "LEARNED"]);
    for it in &models {
        shown.add_row([
            cell(&it.model_name),
            cell(&it.model_version.to_string()),
            cell(&it.current_state),
            toned(&relative(it.model_update_date, now), Tone::Faint),
        ]);
    }
    show_list(shown, None, "models", output)
}

pub(crate) async fn show(args: ShowModelArgs, output: Output) -> Result<(), Failure> {
    let (model, entities) = (args.model.key(), args.remote.entities()?);
    let view = if output.is_json { ModelView::JsonSchema } else { ModelView::Simple };
    let exported = entities.export_model(&model, view).await?;
    let counts = entities.count_states(&model, args.at).await?;
    if output.is_json {
        let ModelExport { current_state, model: schema } = exported;
        return output.json(&Shown { model_key: model, current_state, states: counts, schema });
    }
    output.line(&format!("model     {}", told(&model)))?;
    output.line(&format!("state     {}", printable(&exported.current_state)))?;
    output.line(&format!("entities  {}", counted(&counts)))?;
    output.line("")?;
    let fields: Fields = exported.model.read().map_err(|error| {
        Failure::new(Exit::Failed, format!("what the model has learned is not understood: {error}"))
    })?;
    let mut shown = table(&["FIELD", "TYPE"]);
    for (path, kind) in leaves(&fields) {
        shown.add_row([cell(&path), cell(kind)]);
    }
    show_list(shown, None, "fields", output)
}

fn counted(counts: &[StateCount]) -> String {
    let texts: Vec<_> = counts.iter().map(|it| format!("{} {}", it.count, it.state)).collect();
    if texts.is_empty() { "none".to_owned() } else { printable(&texts.join(", ")) }
}

/// The fields with values of their own. Those marked with `#` are objects, whose fields are listed.
fn leaves(fields: &Fields) -> impl Iterator<Item = (String, &str)> {
    fields.iter().flat_map(|(object, entries)| {
        let own = entries.iter().filter(|(name, _)| !name.starts_with('#'));
        own.map(move |(name, kind)| (format!("{object}{name}"), kind.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_by_their_whole_paths() {
        let view = r##"{"$": {".items": "INTEGER", "#.lines": "OBJECT"},
            "$.lines[*]": {"#": "ARRAY_ELEMENT", ".no": "STRING"}}"##;
        let fields: Fields = serde_json::from_str(view).unwrap();
        let told: Vec<_> = leaves(&fields).map(|(path, kind)| format!("{path} {kind}")).collect();
        assert_eq!(told, ["$.items INTEGER", "$.lines[*].no STRING"]);
    }
}
