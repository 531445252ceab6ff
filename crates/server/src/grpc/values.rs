//! JSON as protocol buffers carry it, and back.

use prost_types::{ListValue, Struct, Value as Wire, value::Kind};
use serde_json::{Map, Number, Value};
use tonic::Status;

/// Levels of a value. What reads it later goes down as deep.
const DEPTH_MAX: usize = 64;

/// An object for the wire.
pub(super) fn to_struct(members: &Map<String, Value>) -> Struct {
    let fields = members.iter().map(|(name, value)| (name.clone(), to_wire(value)));
    Struct { fields: fields.collect() }
}

pub(super) fn to_wire(value: &Value) -> Wire {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(it) => Kind::BoolValue(*it),
        Value::Number(it) => Kind::NumberValue(it.as_f64().unwrap_or(f64::NAN)),
        Value::String(it) => Kind::StringValue(it.clone()),
        Value::Array(items) => {
            Kind::ListValue(ListValue { values: items.iter().map(to_wire).collect() })
        }
        Value::Object(members) => Kind::StructValue(to_struct(members)),
    };
    Wire { kind: Some(kind) }
}

/// An object from the wire; none is an empty one.
pub(super) fn from_struct(members: Option<Struct>) -> Result<Map<String, Value>, Status> {
    object(members.unwrap_or_default(), 1)
}

pub(super) fn from_wire(value: Wire) -> Result<Value, Status> {
    read(value, 1)
}

fn object(members: Struct, level: usize) -> Result<Map<String, Value>, Status> {
    // A map has no order on the wire; the same one must come out the same way each time.
    let read = |(name, value)| Ok((name, read(value, level + 1)?));
    members.fields.into_iter().map(read).collect()
}

fn read(value: Wire, level: usize) -> Result<Value, Status> {
    if level > DEPTH_MAX {
        let text = format!("values must have at most {DEPTH_MAX} levels");
        return Err(Status::invalid_argument(text));
    }
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(it)) => Value::Bool(it),
        Some(Kind::NumberValue(it)) => Value::Number(number(it)?),
        Some(Kind::StringValue(it)) => Value::String(it),
        Some(Kind::ListValue(list)) => {
            let items = list.values.into_iter().map(|it| read(it, level + 1));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Some(Kind::StructValue(members)) => Value::Object(object(members, level)?),
    })
}

fn number(double: f64) -> Result<Number, Status> {
    Number::from_f64(double)
        .ok_or_else(|| Status::invalid_argument(format!("{double} is not a JSON number")))
}
