//! What variables must look like. Strict: nothing is converted.

use indexmap::IndexMap;
use serde_json::Value;

use super::{parse::SchemaSource, variables::Variables};

/// A schema that is sound.
#[derive(Clone, Debug)]
pub struct Schema {
    properties: IndexMap<String, ValueType>,
    required: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum ValueType {
    String,
    Number,
    Integer,
    Boolean,
}

impl ValueType {
    fn of(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::String),
            "number" => Some(Self::Number),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        }
    }

    fn admits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|it| it.fract() == 0.0)
            }
            Self::Boolean => value.is_boolean(),
        }
    }
}

impl Schema {
    /// The schema `source` describes; what is wrong with it has been said before.
    pub(super) fn of(source: &SchemaSource) -> Self {
        let property = |(name, property): (&String, &super::parse::PropertySource)| {
            Some((name.clone(), ValueType::of(&property.value_type)?))
        };
        Self {
            properties: source.properties.iter().filter_map(property).collect(),
            required: source.required.clone(),
        }
    }

    /// Everything about `variables` that is not as it should be, by name; nothing if all is well.
    #[must_use]
    pub fn violation(&self, variables: &Variables) -> Option<String> {
        let missing = self
            .required
            .iter()
            .filter(|name| variables.get(*name).is_none_or(Value::is_null))
            .map(|name| (name, format!("required field \"{name}\" missing")));
        let wrong = self.properties.iter().filter_map(|(name, wanted)| {
            let value = variables.get(name).filter(|it| !it.is_null())?;
            let text = || {
                let (wanted, actual) = (wanted.name(), type_name(value));
                format!("field \"{name}\" expected {wanted}, got {actual}")
            };
            (!wanted.admits(value)).then(|| (name, text()))
        });
        let mut found: Vec<(&String, String)> = missing.chain(wrong).collect();
        found.sort();
        found.dedup();
        let texts: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty()).then(|| format!("schema violation: {}", texts.join("; ")))
    }
}

/// What is wrong with a schema, each finding after `place`.
pub(super) fn violations(place: &str, source: &SchemaSource) -> Vec<String> {
    let mut found = Vec::new();
    if source.properties.is_empty() {
        found.push(format!("{place}: properties must not be empty"));
    }
    for (name, property) in &source.properties {
        let value_type = &property.value_type;
        if ValueType::of(value_type).is_none() {
            found.push(format!(
                "{place}: property \"{name}\" has unsupported type \"{value_type}\" (expected one \
                 of: string, number, integer, boolean)"
            ));
        }
    }
    for name in source.required.iter().filter(|it| !source.properties.contains_key(*it)) {
        found.push(format!("{place}: required name \"{name}\" does not appear in properties"));
    }
    found
}

/// The name of a value's type, as users of JSON say it.
pub(super) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
