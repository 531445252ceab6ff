//! Types described by data instead of Rust, so that a server can show buckets of other programs.

use std::{any::Any, collections::HashMap};

use serde::{Deserialize, Serialize, Serializer as _};
use serde_json::{Map, Value, value::RawValue};
use waypost_machines::lifecycle::{FieldKind, FieldValue, Mismatch, Transitions};

use crate::{
    Error, Result,
    held::{Held, Shape, plain_default},
    participant::{FieldMeta, Role},
    registration::{Claims, check_table},
};

/// A type, in words.
///
/// ```
/// use waypost_lifecycle::TypeDescription;
///
/// let described: TypeDescription = serde_json::from_str(
///     r#"{
///         "workflow": "drone-survey",
///         "bucket": "MISSIONS",
///         "key_prefix": "mission.",
///         "transitions": {"planning": ["done"], "done": []},
///         "fields": [
///             {"name": "entity_id", "tags": "id"},
///             {"name": "phase", "tags": "phase"},
///             {"name": "battery", "kind": "u8", "tags": "operator_writable,indexable"}
///         ]
///     }"#,
/// )?;
/// assert_eq!(described.fields.len(), 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeDescription {
    /// Its name.
    pub workflow: String,
    /// Where its entities are.
    pub bucket: String,
    /// What comes before the id in their keys.
    #[serde(default)]
    pub key_prefix: String,
    /// Its phases and the moves between them.
    pub transitions: Transitions,
    /// Its fields. Values may have others, which stay as they are.
    pub fields: Vec<FieldDescription>,
}

/// A field, in words.
///
/// ```
/// use waypost_lifecycle::{FieldDescription, FieldKind};
///
/// let field: FieldDescription =
///     serde_json::from_str(r#"{"name": "battery", "kind": "u8?", "tags": "operator_writable"}"#)?;
/// assert_eq!(field.kind, FieldKind::Optional(Box::new(FieldKind::U8)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldDescription {
    /// Its name in the JSON that is stored.
    pub name: String,
    /// What it holds.
    #[serde(default = "text")]
    pub kind: FieldKind,
    /// Words between commas: see [`FieldMeta::tagged`].
    #[serde(default)]
    pub tags: String,
}

const fn text() -> FieldKind {
    FieldKind::Text
}

impl TypeDescription {
    pub(crate) fn claims(self) -> Result<Claims> {
        let Self { workflow, bucket, key_prefix, transitions: table, fields } = self;
        check_table(&workflow, &table)?;
        let tagged = |it: FieldDescription| FieldMeta::new(it.name, it.kind).tagged(&it.tags);
        let fields = fields.into_iter().map(tagged).collect::<Result<Vec<_>, _>>();
        let fields = fields
            .map_err(|reason| Error::InvalidRegistration { workflow: workflow.clone(), reason })?;
        let named = |role| fields.iter().find(|it| it.role == role).map(|it| it.name.clone());
        let names = Names {
            id: named(Role::Id).unwrap_or_default(),
            phase: named(Role::Phase).unwrap_or_default(),
            parent: named(Role::Parent),
        };
        let shape = Box::new(Described { key_prefix, fields: fields.into(), names: names.into() });
        Ok(Claims { workflow, bucket, table, shape })
    }
}

/// What the fields are called that the library itself looks at.
struct Names {
    id: String,
    phase: String,
    parent: Option<String>,
}

struct Described {
    key_prefix: String,
    fields: std::sync::Arc<[FieldMeta]>,
    names: std::sync::Arc<Names>,
}

impl Shape for Described {
    fn key(&self, entity_id: &str) -> String {
        format!("{}{entity_id}", self.key_prefix)
    }

    fn id_of<'k>(&self, key: &'k str) -> Option<&'k str> {
        key.strip_prefix(&self.key_prefix).filter(|it| !it.is_empty())
    }

    fn fields(&self) -> &[FieldMeta] {
        &self.fields
    }

    fn decode(&self, text: &[u8]) -> Result<Box<dyn Held>, serde_json::Error> {
        let members: Map<String, Value> = serde_json::from_slice(text)?;
        for name in [&self.names.id, &self.names.phase] {
            if members.get(name).and_then(Value::as_str).is_none() {
                return Err(serde::de::Error::custom(format!("its {name:?} is not text")));
            }
        }
        let written = serde_json::from_slice(text)?;
        let (fields, names) = (self.fields.clone(), self.names.clone());
        Ok(Box::new(Document { members, written, fields, names }))
    }

    fn default_of(&self, field: &FieldMeta) -> Option<FieldValue> {
        plain_default(field)
    }

    /// What has an inside is only known to the program that has the type.
    fn check(&self, _: &FieldMeta, _: &FieldValue) -> Result<(), Mismatch> {
        Ok(())
    }

    fn sample_is_terminal(&self, _: &str, _: &Transitions) -> Option<bool> {
        None
    }
}

/// A value of a type that was described.
struct Document {
    members: Map<String, Value>,
    /// Those that nobody has set here, as they were written: a program may have numbers that are
    /// longer than ours.
    written: HashMap<String, Box<RawValue>>,
    fields: std::sync::Arc<[FieldMeta]>,
    names: std::sync::Arc<Names>,
}

/// A member as it goes back.
#[derive(Serialize)]
#[serde(untagged)]
enum Member<'m> {
    Written(&'m RawValue),
    Set(&'m Value),
}

impl Document {
    fn member<'m>(&'m self, name: &str, set: &'m Value) -> Member<'m> {
        self.written.get(name).map_or(Member::Set(set), |it| Member::Written(it))
    }

    fn text_of(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }
}

impl Held for Document {
    fn entity_id(&self) -> &str {
        self.text_of(&self.names.id).unwrap_or_default()
    }

    fn phase(&self) -> &str {
        self.text_of(&self.names.phase).unwrap_or_default()
    }

    fn parent(&self) -> Option<&str> {
        self.text_of(self.names.parent.as_deref()?).filter(|it| !it.is_empty())
    }

    fn is_terminal(&self, table: &Transitions) -> bool {
        table.is_terminal(self.phase())
    }

    fn get(&self, field: &str) -> Option<FieldValue> {
        let kind = &self.fields.iter().find(|it| it.name == field)?.kind;
        kind.of_json(self.members.get(field).unwrap_or(&Value::Null)).ok()
    }

    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), Mismatch> {
        self.members.insert(field.to_owned(), value.to_json());
        self.written.remove(field);
        Ok(())
    }

    fn set_phase(&mut self, phase: &str) -> Result<(), Mismatch> {
        let name = self.names.phase.clone();
        self.set(&name, FieldValue::from(phase))
    }

    fn text(&self) -> Result<String, serde_json::Error> {
        let mut text = Vec::new();
        let members = self.members.iter().map(|(name, set)| (name, self.member(name, set)));
        serde_json::Serializer::new(&mut text).collect_map(members)?;
        String::from_utf8(text).map_err(serde::ser::Error::custom)
    }

    fn to_value(&self) -> Result<Value, serde_json::Error> {
        Ok(Value::Object(self.members.clone()))
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
