//! `waypost deploy FILE…`

use serde_json::{Value, json};
use waypost_api::chain::Definition;
use waypost_client::{Chains, Deployed};

use crate::{
    exit::Failure,
    output::{Output, printable},
    remote::{RemoteArgs, read},
};

/// What to deploy.
#[derive(Debug, clap::Args)]
pub(crate) struct DeployArgs {
    /// Files with definitions, each one JSON object or an array of them; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: DeployArgs, output: Output) -> Result<(), Failure> {
    let chains = args.remote.chains()?;
    // Every file is read before the first is deployed: a mistake in the last one changes nothing.
    let mut definitions = Vec::new();
    for file in &args.files {
        definitions.extend(parse(file, &read(file)?)?.into_iter().map(|it| (file.as_str(), it)));
    }
    let mut outcomes = Vec::new();
    for (file, definition) in definitions {
        let Deployed { definition, existed } = deploy(&chains, file, &definition).await?;
        let (name, version) = (definition.workflow_type, definition.workflow_version);
        if output.is_json {
            let outcome = if existed { "UNCHANGED" } else { "DEPLOYED" };
            outcomes.push(json!({
                "file": file, "workflowType": name, "workflowVersion": version, "outcome": outcome,
            }));
        } else {
            let outcome = if existed { "was deployed before, unchanged" } else { "deployed" };
            output.line(&format!("chain {} version {version}: {outcome}", printable(&name)))?;
        }
    }
    if output.is_json { output.json(&outcomes) } else { Ok(()) }
}

async fn deploy(chains: &Chains, file: &str, definition: &Definition) -> Result<Deployed, Failure> {
    chains.deploy(definition).await.map_err(|error| {
        let failure = Failure::from(error);
        Failure { what: format!("{file}: {}", failure.what), ..failure }
    })
}

/// The definitions in a file, recognized by their members.
fn parse(file: &str, text: &str) -> Result<Vec<Definition>, Failure> {
    let wrong = |why: String| Failure::usage(format!("{file}: {why}"));
    let value: Value =
        serde_json::from_str(text).map_err(|error| wrong(format!("is not JSON: {error}")))?;
    let items = match value {
        Value::Array(items) => items,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![value]
        }
    };
    let read = |item: Value| {
        if !is_chain(&item) {
            return Err(wrong("is not recognized as a definition".to_owned())
                .advise("a chain definition has workflowType, workflowVersion and steps"));
        }
        serde_json::from_value(item)
            .map_err(|error| wrong(format!("is not a chain definition: {error}")))
    };
    items.into_iter().map(read).collect()
}

fn is_chain(item: &Value) -> bool {
    item.get("workflowType").is_some() && item.get("steps").is_some_and(Value::is_array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match parse("f.json", text) {
            Ok(found) => format!("{} found", found.len()),
            Err(failure) => failure.what,
        }
    }

    #[test]
    fn definitions_are_recognized_by_their_members() {
        let one = r#"{"workflowType":"o","workflowVersion":1,"steps":[{"stepType":"A"}]}"#;
        assert_eq!(parsed(one), "1 found");
        assert_eq!(parsed(&format!("[{one},{one}]")), "2 found");
        assert_eq!(parsed("{\"nodes\":[]}"), "f.json: is not recognized as a definition");
        assert!(parsed("{").starts_with("f.json: is not JSON: EOF"));
        assert_eq!(
            parsed(r#"{"workflowType":"o","steps":[]}"#),
            "f.json: is not a chain definition: missing field `workflowVersion`"
        );
    }
}
