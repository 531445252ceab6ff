//! How a schema is stored: as a document of the shape it describes. Objects are objects, arrays are
//! arrays of one element, scalars are the names of their types. It nests no deeper than documents
//! do, so what can be written can be read.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

use super::{
    schema::Schema,
    types::{Type, Types},
};

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leaf(types) => serializer.serialize_str(&written(*types)),
            Self::Array { element, types } if types.is_empty() => [element].serialize(serializer),
            Self::Array { element, types } => (element, written(*types)).serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Stored)
    }
}

struct Stored;

impl<'de> Visitor<'de> for Stored {
    type Value = Schema;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a schema")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Schema, E> {
        read(text).map(Schema::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Schema, A::Error> {
        let Some(element) = parts.next_element()? else {
            return Err(A::Error::invalid_length(0, &"the element of an array"));
        };
        let types = match parts.next_element::<String>()? {
            Some(text) => read(&text)?,
            None => Types::default(),
        };
        Ok(Schema::Array { element, types })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Schema, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, member)) = entries.next_entry()? {
            members.insert(name, member);
        }
        Ok(Schema::Object(members))
    }
}

fn written(types: Types) -> String {
    types.iter().map(Type::name).collect::<Vec<_>>().join("|")
}

fn read<E: Error>(text: &str) -> Result<Types, E> {
    let named = |name| Type::named(name).ok_or_else(|| E::custom(format!("no type {name:?}")));
    text.split('|').map(named).collect()
}
