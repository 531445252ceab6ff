//! Definitions in files, recognized by what they have, as pictures.

use serde_json::Value;
use waypost_diagram::{
    of::{self, lifecycle::Phases},
    picture::Picture,
};
use waypost_lifecycle::TypeDescription;
use waypost_machines::{chain::Plan, entity::workflow::read_stored, process::Source};

use crate::{exit::Failure, lifecycle, lint::first_error, remote::read};

/// Bytes of a file. Definitions are written by people, and pictures are for them.
const FILE_MAX: usize = 8 << 20;

/// A picture under the name of what it shows.
type Named = (String, Picture);

/// The only definition of a file, or the one of that name.
pub(super) fn picture(file: &str, name: Option<&str>) -> Result<Picture, Failure> {
    let text = read(file)?;
    if text.len() > FILE_MAX {
        let length = text.len();
        return Err(Failure::usage(format!("{file}: has {length} bytes; at most {FILE_MAX}")));
    }
    // Lint knows the place; what it has nothing against is told as it was found.
    let told = |why: String| first_error(file, &text).unwrap_or_else(|| format!("{file}: {why}"));
    let found = pictures(file, &text).map_err(|why| Failure::usage(told(why)))?;
    choose(found, name).map_err(|why| Failure::usage(format!("{file}: {why}")))
}

fn choose(mut found: Vec<Named>, name: Option<&str>) -> Result<Picture, String> {
    let names: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
    let at = match name {
        Some(name) => names
            .iter()
            .position(|it| *it == name)
            .ok_or_else(|| format!("has no definition {name:?}; there are {}", names.join(", ")))?,
        None if names.len() > 1 => {
            let all = names.join(", ");
            return Err(format!("has several definitions; choose one with --name: {all}"));
        }
        None => 0,
    };
    if found.is_empty() {
        return Err("has no definition".to_owned());
    }
    Ok(found.swap_remove(at).1)
}

fn pictures(file: &str, text: &str) -> Result<Vec<Named>, String> {
    let is_toml = file.ends_with(".toml") || text.contains("[[types]]");
    if is_toml {
        return Ok(lifecycle::parse(text)?.iter().map(of_type).collect());
    }
    let value: Value = serde_json::from_str(text).map_err(|it| format!("is not JSON: {it}"))?;
    let Some(items) = value.as_array() else { return of_value(&value, text) };
    let each = items.iter().map(|it| of_value(it, &it.to_string()));
    Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn of_value(value: &Value, text: &str) -> Result<Vec<Named>, String> {
    let has = |name: &str| value.get(name).is_some();
    if has("workflowType") {
        let plan: Plan = serde_json::from_str(text)
            .map_err(|error| format!("is not a chain definition: {error}"))?;
        return Ok(vec![(plan.workflow_type.clone(), of::chain::picture(&plan))]);
    }
    if has("id") && has("steps") {
        let source =
            Source::parse(text).map_err(|error| format!("is not a process definition: {error}"))?;
        return Ok(vec![(source.id.clone(), of::process::picture(&source))]);
    }
    if let Some(workflows) = value.get("workflows") {
        let read = read_stored(&workflows.to_string())
            .map_err(|error| format!("workflows cannot be read: {error}"))?;
        return Ok(read.iter().map(|it| (it.name.clone(), of::entity::picture(it))).collect());
    }
    Err("is not recognized as a definition; a process has id, name and steps, a chain has \
         workflowType, workflowVersion and steps, an import for entities has workflows, a file of \
         lifecycles is TOML with [[types]]"
        .to_owned())
}

fn of_type(described: &TypeDescription) -> Named {
    let table = &described.transitions;
    let targets = |phase| table.targets(phase).iter().map(String::as_str).collect();
    let phases = Phases {
        title: &described.workflow,
        initial: None,
        phases: table.phases().into_iter().map(|it| (it, targets(it))).collect(),
    };
    (described.workflow.clone(), of::lifecycle::picture(&phases))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str, text: &str) -> Result<Vec<String>, String> {
        Ok(pictures(file, text)?.into_iter().map(|it| it.0).collect())
    }

    #[test]
    fn definitions_of_all_kinds_are_recognized() {
        let chain = r#"{"workflowType":"o","workflowVersion":1,"steps":[{"stepType":"A"}]}"#;
        let graph = r#"{"id":"g","name":"G","steps":[{"id":"a","type":"END"}]}"#;
        let entity = r#"{"workflows":[{"name":"w","initialState":"A","states":{"A":{}}}]}"#;
        let types = include_str!("../../../../examples/lifecycles.toml");
        assert_eq!(names("f.json", chain).unwrap(), ["o"]);
        assert_eq!(names("f.json", graph).unwrap(), ["g"]);
        assert_eq!(names("f.json", entity).unwrap(), ["w"]);
        assert_eq!(names("f.toml", types).unwrap(), ["drone-survey"]);
        assert_eq!(names("-", types).unwrap(), ["drone-survey"]);
        assert_eq!(names("f.json", &format!("[{chain},{graph}]")).unwrap(), ["o", "g"]);
    }

    #[test]
    fn what_is_no_definition_is_told() {
        for (file, text, expected) in [
            ("f.json", "{", "is not JSON: EOF"),
            ("f.json", "{}", "is not recognized as a definition"),
            ("f.json", r#"{"workflowType":1}"#, "is not a chain definition: invalid type"),
            ("f.json", r#"{"workflows":1}"#, "workflows cannot be read"),
            ("f.toml", "types = 1", "TOML parse error at line 1"),
        ] {
            let found = names(file, text).unwrap_err();
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn one_of_several_must_be_chosen() {
        let two = || vec![("a".into(), Picture::default()), ("b".into(), Picture::default())];
        assert!(choose(two(), Some("b")).is_ok());
        assert_eq!(
            choose(two(), None).unwrap_err(),
            "has several definitions; choose one with --name: a, b"
        );
        assert_eq!(
            choose(two(), Some("c")).unwrap_err(),
            "has no definition \"c\"; there are a, b"
        );
        assert_eq!(choose(Vec::new(), None).unwrap_err(), "has no definition");
    }
}
