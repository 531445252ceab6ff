//! The text of a definition, read strictly: its shape, not yet its sense.

use std::fmt;

use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;
use waypost_kernel::Json;

use super::limits;

/// A definition as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Source {
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub id: String,
    /// Accepted and ignored: the store counts versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub name: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub auto_start_next_workflow: bool,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub next_workflow_id: String,
    #[serde(deserialize_with = "objects", skip_serializing_if = "is_default")]
    pub steps: Vec<StepSource>,
    #[serde(deserialize_with = "document", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    #[serde(
        rename = "input_schema",
        deserialize_with = "object",
        skip_serializing_if = "Option::is_none"
    )]
    pub input_schema: Option<SchemaSource>,
}

/// One step as it is written: all members of all types in one flat object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct StepSource {
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub id: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub name: String,
    #[serde(rename = "type", deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub step_type: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub next_step: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub conditional_next_steps: IndexMap<String, String>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub parallel_next_steps: Vec<String>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub join_step: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub transformations: IndexMap<String, Value>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub job_type: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub delegate_class: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub retry_count: i64,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub hit_policy: String,
    #[serde(deserialize_with = "object", skip_serializing_if = "Option::is_none")]
    pub decision_table: Option<TableSource>,
    #[serde(deserialize_with = "objects", skip_serializing_if = "is_default")]
    pub boundary_events: Vec<BoundarySource>,
    #[serde(
        rename = "outputs_schema",
        deserialize_with = "object",
        skip_serializing_if = "Option::is_none"
    )]
    pub outputs_schema: Option<SchemaSource>,
    /// At an end: whether it starts the definition's next one. If absent, it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_start_next_workflow: Option<bool>,
}

/// A decision table as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TableSource {
    #[serde(deserialize_with = "objects", skip_serializing_if = "is_default")]
    pub rules: Vec<RuleSource>,
    #[serde(deserialize_with = "removed_default", skip_serializing)]
    default_next_step: Removed,
}

/// One rule as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RuleSource {
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub when: IndexMap<String, Option<String>>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub outputs: IndexMap<String, Value>,
    #[serde(deserialize_with = "removed_then", skip_serializing)]
    then: Removed,
}

/// A member that is no longer there, and is refused with advice.
#[derive(Clone, Debug, Default, PartialEq)]
struct Removed;

/// A timer at a step, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BoundarySource {
    #[serde(rename = "type", deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub event_type: String,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub duration: String,
    #[serde(deserialize_with = "nullable")]
    pub interrupting: bool,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub target_step_id: String,
}

/// What variables must look like, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SchemaSource {
    #[serde(deserialize_with = "named_objects", skip_serializing_if = "is_default")]
    pub properties: IndexMap<String, PropertySource>,
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub required: Vec<String>,
}

/// What one variable must look like, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PropertySource {
    #[serde(rename = "type", deserialize_with = "nullable", skip_serializing_if = "is_default")]
    pub value_type: String,
}

impl Source {
    /// Reads the text of a definition.
    ///
    /// # Errors
    /// What is wrong with its shape, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read: Result<Object<Self>, _> = serde_path_to_error::deserialize(&mut deserializer);
        let source = read.map_err(|error| {
            let path = error.path().to_string();
            // A question mark stands for a place that cannot be told.
            match path.trim_end_matches('?').trim_end_matches('.') {
                "" => error.inner().to_string(),
                place => format!("{place}: {}", error.inner()),
            }
        })?;
        deserializer.end().map_err(|error| error.to_string())?;
        Ok(source.0)
    }

    /// The text two definitions share if and only if they say the same: spaces, the order of
    /// members and the version do not count, the order of conditions does.
    #[must_use]
    pub fn canonical(&self) -> String {
        let unversioned = Self { version: None, ..self.clone() };
        canonical(&Json::of(&unversioned), Place::Definition)
    }
}

/// Where in a definition a value stands. Only there do members have an order that counts.
#[derive(Clone, Copy)]
enum Place {
    Definition,
    Step,
    Conditions,
    Elsewhere,
}

impl Place {
    fn of_member(self, name: &str) -> Self {
        match (self, name) {
            (Self::Definition, "steps") => Self::Step,
            (Self::Step, "conditionalNextSteps") => Self::Conditions,
            (Self::Definition | Self::Step | Self::Conditions | Self::Elsewhere, _) => {
                Self::Elsewhere
            }
        }
    }
}

/// Goes down the text, not the values: numbers may be longer than any number type.
fn canonical(json: &Json, place: Place) -> String {
    if let Ok(members) = json.read::<IndexMap<String, Json>>() {
        let written = members.iter().map(|(name, value)| {
            let value = canonical(value, place.of_member(name));
            (name, format!("{}:{value}", Json::of(name)))
        });
        let mut written: Vec<(&String, String)> = written.collect();
        if !matches!(place, Place::Conditions) {
            written.sort();
        }
        let written: Vec<String> = written.into_iter().map(|(_, it)| it).collect();
        return format!("{{{}}}", written.join(","));
    }
    if let Ok(items) = json.read::<Vec<Json>>() {
        let written: Vec<String> = items.iter().map(|it| canonical(it, place)).collect();
        return format!("[{}]", written.join(","));
    }
    // The same text may be written with other escapes.
    json.read::<String>().map_or_else(|_| json.to_string(), |text| Json::of(&text).to_string())
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// `null` says the same as nothing.
fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|it| it.0))
}

fn objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let items: Option<Vec<Object<T>>> = Option::deserialize(deserializer)?;
    Ok(items.unwrap_or_default().into_iter().map(|it| it.0).collect())
}

fn named_objects<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let members: Option<IndexMap<String, Object<T>>> = Option::deserialize(deserializer)?;
    Ok(members.unwrap_or_default().into_iter().map(|(name, it)| (name, it.0)).collect())
}

fn document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    let document: Option<Json> = Option::deserialize(deserializer)?;
    match &document {
        Some(it) if !it.as_str().starts_with('{') => Err(D::Error::custom("expected an object")),
        Some(it) if is_deeper(it.as_str(), limits::DEPTH_MAX) => {
            let most = limits::DEPTH_MAX;
            Err(D::Error::custom(format!("must have at most {most} levels")))
        }
        // An empty one says nothing, like everything that is empty.
        Some(it) if it.read().is_ok_and(|it: IndexMap<String, Json>| it.is_empty()) => Ok(None),
        Some(_) | None => Ok(document),
    }
}

/// Whether a document nests deeper than that. Its text is all there is of it.
fn is_deeper(text: &str, levels: usize) -> bool {
    let (mut level, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => level += 1,
            b'}' | b']' if !is_text => level = level.saturating_sub(1),
            _ => {}
        }
        if level > levels {
            return true;
        }
    }
    false
}

fn removed_then<'de, D: Deserializer<'de>>(_: D) -> Result<Removed, D::Error> {
    Err(removed("rules[].then", "give the rule outputs, and route by them in a DECISION"))
}

fn removed_default<'de, D: Deserializer<'de>>(_: D) -> Result<Removed, D::Error> {
    Err(removed("decisionTable.defaultNextStep", "end the table with a rule without when"))
}

fn removed<E: Error>(name: &str, instead: &str) -> E {
    E::custom(format!(
        "{name} is no longer supported; {instead} (see the migration from format 005 to 007)"
    ))
}

/// A struct that is written as an object. Left alone, arrays would be taken for structs as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(std::marker::PhantomData))
    }
}

struct ObjectVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}
