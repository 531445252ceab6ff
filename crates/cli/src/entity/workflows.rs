//! `waypost list workflows MODEL VERSION`, `waypost show workflows MODEL VERSION`, and what
//! `waypost deploy` does with a file that has some.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use waypost_api::{Document, entity::http::ModelKey};

use super::which::{ModelArgs, told};
use crate::{
    exit::{Exit, Failure},
    list::show as show_list,
    output::{Output, Tone, cell, printable, table, toned},
    remote::EntityRemoteArgs,
};

/// List the workflows of a model
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost list workflows order 1")]
pub(crate) struct ListWorkflowsArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Show the transitions of the workflows of a model
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost show workflows order 1
  waypost show workflows order 1 --json > order.json    # can be deployed again")]
pub(crate) struct ShowWorkflowsArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// Where workflows in files belong.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ImportArgs {
    /// The model that workflows of entities are for
    #[arg(long, value_name = "NAME", requires = "model_version")]
    model: Option<String>,

    /// The model's version
    #[arg(long, value_name = "N", requires = "model", allow_negative_numbers = true)]
    model_version: Option<i32>,

    /// What becomes of the workflows the model has [default: what the file says, or merge]
    #[arg(long, value_enum, ignore_case = true, requires = "model")]
    mode: Option<Mode>,
}

/// What becomes of the workflows a model has.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Mode {
    /// Those of the same name are replaced, the others stay
    Merge,
    /// All of them go
    Replace,
    /// Those of the same name are replaced, the others rest
    Activate,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::Merge => "MERGE",
            Self::Replace => "REPLACE",
            Self::Activate => "ACTIVATE",
        }
    }
}

/// Workflows on their way to a model.
#[derive(Debug)]
pub(crate) struct Import {
    model: ModelKey,
    body: Document,
    names: Vec<String>,
}

impl ImportArgs {
    /// Whether workflows are expected in the files.
    pub(crate) const fn is_given(&self) -> bool {
        self.model.is_some()
    }

    /// The import of what a file has.
    pub(crate) fn import(&self, file: &str, item: Document) -> Result<Import, Failure> {
        let (Some(name), Some(version)) = (self.model.clone(), self.model_version) else {
            let what = format!("{file}: has workflows, and nobody says of which model");
            return Err(Failure::usage(what).advise("add --model NAME and --model-version N"));
        };
        let wrong = |error: serde_json::Error| {
            Failure::usage(format!("{file}: is not an import of workflows: {error}"))
        };
        let read: Exported = item.read().map_err(wrong)?;
        let names = read.workflows.into_iter().map(|it| it.name).collect();
        let model = ModelKey { name, version };
        Ok(Import { model, body: self.with_mode(item).map_err(wrong)?, names })
    }

    /// The document with the wished mode; the rest stays as it is written.
    fn with_mode(&self, item: Document) -> Result<Document, serde_json::Error> {
        let Some(mode) = self.mode else { return Ok(item) };
        let mut members: BTreeMap<String, Document> = item.read()?;
        members.insert("importMode".to_owned(), Document::of(mode.name())?);
        Document::of(&members)
    }
}

impl Import {
    /// Deploys the workflows; says for machines what was done.
    pub(crate) async fn run(
        self,
        remote: &EntityRemoteArgs,
        file: &str,
        output: Output,
    ) -> Result<Value, Failure> {
        let Self { model, body, names } = self;
        remote.entities()?.import_workflows(&model, &body).await?;
        if !output.is_json {
            let shown = printable(&names.join(", "));
            output.line(&format!("workflows {shown} of {}: deployed", told(&model)))?;
        }
        Ok(json!({
            "file": file, "modelKey": model, "workflows": names, "outcome": "DEPLOYED",
        }))
    }
}

/// What a table has room for.
#[derive(Deserialize)]
struct Exported {
    workflows: Vec<Workflow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Workflow {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    initial_state: String,
    #[serde(default)]
    active: bool,
    /// In the order the server has them.
    #[serde(default)]
    states: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct State {
    transitions: Vec<Transition>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Transition {
    name: String,
    next: String,
    manual: bool,
    disabled: bool,
    schedule: Option<Schedule>,
    criterion: Option<Value>,
    processors: Vec<Processor>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Schedule {
    #[serde(rename = "delayMs")]
    delay_millis: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Processor {
    name: String,
}

pub(crate) async fn list(args: ListWorkflowsArgs, output: Output) -> Result<(), Failure> {
    let exported = args.remote.entities()?.export_workflows(&args.model.key()).await?;
    if output.is_json {
        return output.json(&exported);
    }
    let mut shown = table(&["WORKFLOW", "VERSION", "ACTIVE", "BEGINS IN", "STATES"]);
    for it in understood::<Exported>(exported.read())?.workflows {
        let states: Vec<_> = it.states.keys().map(String::as_str).collect();
        shown.add_row([
            cell(&it.name),
            cell(&it.version),
            cell(if it.active { "yes" } else { "no" }),
            cell(&it.initial_state),
            cell(&states.join(", ")),
        ]);
    }
    show_list(shown, None, "workflows", output)
}

pub(crate) async fn show(args: ShowWorkflowsArgs, output: Output) -> Result<(), Failure> {
    let exported = args.remote.entities()?.export_workflows(&args.model.key()).await?;
    if output.is_json {
        return output.json(&exported);
    }
    let columns = ["WORKFLOW", "FROM", "TRANSITION", "TO", "TAKEN", "CRITERION", "PROCESSORS"];
    let mut shown = table(&columns);
    for workflow in understood::<Exported>(exported.read())?.workflows {
        for (from, state) in workflow.states {
            for it in understood::<State>(serde_json::from_value(state))?.transitions {
                let processors: Vec<_> = it.processors.iter().map(|it| it.name.as_str()).collect();
                shown.add_row([
                    cell(&workflow.name),
                    cell(&from),
                    cell(&it.name),
                    cell(&it.next),
                    taken(&it),
                    cell(&criterion(it.criterion.as_ref())),
                    cell(&processors.join(", ")),
                ]);
            }
        }
    }
    show_list(shown, None, "transitions", output)
}

fn taken(transition: &Transition) -> comfy_table::Cell {
    match (transition.disabled, transition.manual, &transition.schedule) {
        (true, _, _) => toned("never", Tone::Faint),
        (false, true, _) => cell("by name"),
        (false, false, Some(it)) => cell(&format!("after {} ms", it.delay_millis)),
        (false, false, None) => cell("by itself"),
    }
}

/// What is asked: the name of a function, or what kind of condition it is.
fn criterion(criterion: Option<&Value>) -> String {
    let text = |pointer: &str| criterion.and_then(|it| it.pointer(pointer)?.as_str());
    let function = text("/function/name").map(|it| format!("function {it}"));
    function.or_else(|| text("/type").map(str::to_owned)).unwrap_or_default()
}

fn understood<T>(read: Result<T, serde_json::Error>) -> Result<T, Failure> {
    read.map_err(|error| {
        Failure::new(Exit::Failed, format!("the workflows are not understood: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_takes_the_place_of_the_one_in_the_file_and_nothing_else_changes() {
        let args = ImportArgs {
            model: Some("order".to_owned()),
            model_version: Some(1),
            mode: Some(Mode::Replace),
        };
        let text = r#"{"workflows": [{"name": "w", "limit": 12.50}], "importMode": "MERGE"}"#;
        let body = args.import("f.json", Document::parse(text).unwrap()).unwrap().body;
        let workflows = r#"[{"name": "w", "limit": 12.50}]"#;
        assert_eq!(body.as_str(), format!(r#"{{"importMode":"REPLACE","workflows":{workflows}}}"#));
    }
}
