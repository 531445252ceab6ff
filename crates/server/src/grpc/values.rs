//! JSON as protocol buffers carry it, and back.

use prost_types::{ListValue, Struct, Value as Wire, value::Kind};
use serde_json::{Map, Number, Value};
use tonic::Status;

/// Up to here every integer is a double of its own.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

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
    object(members.unwrap_or_default())
}

/// A value from the wire. The decoder goes no deeper than a hundred messages, so neither does this.
pub(super) fn from_wire(value: Wire) -> Result<Value, Status> {
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(it)) => Value::Bool(it),
        Some(Kind::NumberValue(it)) => Value::Number(number(it)?),
        Some(Kind::StringValue(it)) => Value::String(it),
        Some(Kind::ListValue(list)) => {
            let items = list.values.into_iter().map(from_wire);
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Some(Kind::StructValue(members)) => Value::Object(object(members)?),
    })
}

fn object(members: Struct) -> Result<Map<String, Value>, Status> {
    let read = |(name, value)| Ok((name, from_wire(value)?));
    members.fields.into_iter().map(read).collect()
}

/// The protocol knows nothing but doubles. One that is whole was meant as an integer.
fn number(double: f64) -> Result<Number, Status> {
    if double.fract() == 0.0
        && double.abs() <= WHOLE_MAX
        && let Ok(whole) = format!("{double:.0}").parse::<i64>()
    {
        return Ok(whole.into());
    }
    Number::from_f64(double).ok_or_else(|| {
        Status::invalid_argument(format!("invalid JSON value: {double}; numbers must be finite"))
    })
}
