//! What is known beside the text of a definition.

use std::collections::{BTreeMap, BTreeSet};

use waypost_documents::document::Value;
use waypost_machines::entity::{
    explain::tags,
    judge::is_sound,
    model::{Schema, Type, Types},
    workflow::{Rules, import},
};

/// What is known beside the text of a definition. Of what is not known nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The model that workflows of entities are for.
    pub model: Option<Schema>,
    /// Sets of tags, and whether a compute member has all of a set.
    pub served: BTreeMap<Vec<String>, bool>,
}

impl Surroundings {
    /// The same, where exactly these members are there, each with its tags.
    #[must_use]
    pub fn with_members(self, text: &str, members: &[BTreeSet<String>]) -> Self {
        let is_served = |wanted: &[String]| {
            members.iter().any(|member| wanted.iter().all(|it| member.contains(it)))
        };
        let served = asked_tags(text).into_iter().map(|it| (it.clone(), is_served(&it))).collect();
        Self { served, ..self }
    }
}

/// The sets of tags that members must have whom the workflows in a text ask; none if it is not an
/// import of workflows.
#[must_use]
pub fn asked_tags(text: &str) -> BTreeSet<Vec<String>> {
    let Ok(body) = Value::parse(text) else { return BTreeSet::new() };
    let imports = match &body {
        Value::List(list) => list.as_slice(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => {
            std::slice::from_ref(&body)
        }
    };
    let rules = Rules { strict_types: true, is_sound: &is_sound };
    let read = imports.iter().filter_map(|it| import(&[], it, &rules).ok());
    read.flat_map(|it| tags(&it)).collect()
}

/// Reads a model: what `waypost show model --view json-schema` prints, or else a sample of what its
/// entities hold.
///
/// # Errors
/// When it is neither, or too large for a model; says why.
pub fn model(text: &str) -> Result<Schema, String> {
    let value = Value::parse(text).map_err(|error| error.to_string())?;
    let exported = value.member("currentState").and(value.member("model"));
    match exported.filter(|it| it.member("type").is_some()) {
        Some(exported) => Ok(described(exported)),
        None => Schema::infer(&value).map_err(|error| error.to_string()),
    }
}

/// A schema as it is exported. How deep it goes was limited when it was read.
fn described(exported: &Value) -> Schema {
    let kind = exported.member("type").and_then(Value::as_text).unwrap_or_default();
    match (kind, exported.member("properties"), exported.member("items")) {
        ("object", Some(Value::Object(members)), _) => {
            Schema::Object(members.iter().map(|(name, it)| (name.clone(), described(it))).collect())
        }
        ("array", _, Some(items)) => {
            Schema::Array { element: Box::new(described(items)), types: Types::default() }
        }
        (_, _, _) => Schema::Leaf(Types::of(leaf(kind))),
    }
}

/// A scalar of some type, of which only matters whether one is known.
fn leaf(kind: &str) -> Type {
    match kind {
        "null" => Type::Null,
        _ => Type::String,
    }
}

#[cfg(test)]
mod tests {
    use waypost_machines::entity::model::{Lock, json_schema};

    use super::*;

    #[test]
    fn a_model_is_read_from_a_sample_and_from_what_is_exported() {
        let sample = r#"{"a": {"b": [{"c": "x"}], "d": null}, "e": [[]]}"#;
        let learned = model(sample).unwrap();
        let exported = json_schema(&learned, Lock::Locked);
        assert_eq!(model(&exported).unwrap(), learned);
        assert!(model("{").unwrap_err().contains("line 1"));
    }

    #[test]
    fn a_sample_may_look_like_an_export() {
        let sample = r#"{"currentState": "NEW", "model": {"year": 1990}}"#;
        let Schema::Object(members) = model(sample).unwrap() else { unreachable!() };
        assert_eq!(members.keys().collect::<Vec<_>>(), ["currentState", "model"]);
    }
}
