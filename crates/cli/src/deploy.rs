//! `waypost deploy FILE…`

use serde_json::{Value, json};
use waypost_api::{Document, chain::Definition};
use waypost_client::Deployed;

use crate::{
    entity::{Import, ImportArgs},
    exit::Failure,
    lint,
    output::{Output, printable},
    remote::{EntityRemoteArgs, RemoteArgs, read},
};

/// What to deploy.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost deploy order.json loan.json
  waypost deploy workflows.json --model order --model-version 1 --mode replace")]
pub(crate) struct DeployArgs {
    /// Files with definitions, each one JSON object or an array of them; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    import: ImportArgs,

    /// Deploy nothing if lint finds an error or a warning
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

/// A definition, recognized by its members.
enum Found {
    Chain(Definition),
    /// As it was written: the order of conditions matters.
    Process(Document),
    /// For a model of entities.
    Workflows(Import),
}

pub(crate) async fn run(args: DeployArgs, output: Output) -> Result<(), Failure> {
    // Every file is read before the first is deployed: a mistake in the last one changes nothing.
    let mut definitions = Vec::new();
    for file in &args.files {
        let text = read(file)?;
        let found = parse(file, &text, &args.import)?;
        lint::before_deploying(file, &text, args.strict)?;
        definitions.extend(found.into_iter().map(|it| (file.as_str(), it)));
    }
    let has_workflows = definitions.iter().any(|(_, it)| matches!(it, Found::Workflows(_)));
    if args.import.is_given() && !has_workflows {
        return Err(Failure::usage("--model is given, and no file has workflows of entities"));
    }
    let mut outcomes = Vec::new();
    for (file, definition) in definitions {
        let deployed = match definition {
            Found::Chain(it) => chain(&args.remote.remote, file, &it, output).await,
            Found::Process(it) => process(&args.remote.remote, file, &it, output).await,
            Found::Workflows(it) => it.run(&args.remote, file, output).await,
        };
        outcomes.push(deployed.map_err(|failure| {
            let what = format!("{file}: {}", failure.what);
            Failure { what, ..failure }
        })?);
    }
    if output.is_json { output.json(&outcomes) } else { Ok(()) }
}

async fn chain(
    remote: &RemoteArgs,
    file: &str,
    definition: &Definition,
    output: Output,
) -> Result<Value, Failure> {
    let Deployed { definition, existed } = remote.chains()?.deploy(definition).await?;
    let (name, version) = (definition.workflow_type, definition.workflow_version);
    if !output.is_json {
        let outcome = if existed { "was deployed before, unchanged" } else { "deployed" };
        output.line(&format!("chain {} version {version}: {outcome}", printable(&name)))?;
    }
    let outcome = if existed { "UNCHANGED" } else { "DEPLOYED" };
    Ok(json!({
        "file": file, "workflowType": name, "workflowVersion": version, "outcome": outcome,
    }))
}

async fn process(
    remote: &RemoteArgs,
    file: &str,
    definition: &Document,
    output: Output,
) -> Result<Value, Failure> {
    let uploaded = remote.processes()?.upload(definition).await?;
    if !output.is_json {
        let (id, version) = (printable(&uploaded.id), uploaded.version);
        output.line(&format!("process {id} version {version}: deployed"))?;
    }
    let (id, version) = (uploaded.id, uploaded.version);
    Ok(json!({ "file": file, "id": id, "version": version, "outcome": "DEPLOYED" }))
}

/// The definitions in a file.
fn parse(file: &str, text: &str, import: &ImportArgs) -> Result<Vec<Found>, Failure> {
    let wrong = |why: String| Failure::usage(format!("{file}: {why}"));
    let not_json = |error: serde_json::Error| wrong(format!("is not JSON: {error}"));
    let value: Value = serde_json::from_str(text).map_err(not_json)?;
    let items: Vec<Document> = match value {
        Value::Array(_) => serde_json::from_str(text).map_err(not_json)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![Document::parse(text).map_err(not_json)?]
        }
    };
    let read = |item: Document| {
        let value: Value = item.read().map_err(not_json)?;
        let has = |name: &str| value.get(name).is_some();
        match (has("workflowType"), has("steps") && has("id")) {
            (false, false) if has("workflows") => import.import(file, item).map(Found::Workflows),
            (true, _) => item
                .read()
                .map(Found::Chain)
                .map_err(|error| wrong(format!("is not a chain definition: {error}"))),
            (false, true) => Ok(Found::Process(item)),
            (false, false) => Err(wrong("is not recognized as a definition".to_owned()).advise(
                "a chain definition has workflowType, workflowVersion and steps; one of a process has id, name and steps; an import for entities has workflows",
            )),
        }
    };
    items.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match parse("f.json", text, &ImportArgs::default()) {
            Ok(found) => {
                let n_chains = found.iter().filter(|it| matches!(it, Found::Chain(_))).count();
                format!("{n_chains} of {} are chains", found.len())
            }
            Err(failure) => failure.what,
        }
    }

    #[test]
    fn definitions_are_recognized_by_their_members() {
        let one = r#"{"workflowType":"o","workflowVersion":1,"steps":[{"stepType":"A"}]}"#;
        let graph = r#"{"id":"o","name":"O","steps":[{"id":"a","type":"END"}]}"#;
        assert_eq!(parsed(one), "1 of 1 are chains");
        assert_eq!(parsed(graph), "0 of 1 are chains");
        assert_eq!(parsed(&format!("[{one},{graph},{one}]")), "2 of 3 are chains");
        assert_eq!(parsed("{\"nodes\":[]}"), "f.json: is not recognized as a definition");
        assert_eq!(
            parsed("{\"workflows\":[]}"),
            "f.json: has workflows, and nobody says of which model"
        );
        assert!(parsed("{").starts_with("f.json: is not JSON: EOF"));
        assert_eq!(
            parsed(r#"{"workflowType":"o","steps":[]}"#),
            "f.json: is not a chain definition: missing field `workflowVersion` at line 1 column 31"
        );
    }
}
