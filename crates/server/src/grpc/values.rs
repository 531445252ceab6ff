//! JSON as protocol buffers carry it, and back.

use std::fmt::Display;

use prost_types::{ListValue, Struct, Value as Wire, value::Kind};
use serde::Serialize;
use serde_json::{Map, Number, Value};
use tonic::Status;

/// Up to here every integer is a double of its own.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// An object for the wire.
pub(super) fn to_struct(members: &Map<String, Value>) -> Struct {
    let fields = members.iter().map(|(name, value)| (name.clone(), to_wire(value)));
    Struct { fields: fields.collect() }
}

/// What is an object as JSON, for the wire.
pub(super) fn written(value: &impl Serialize) -> Option<Struct> {
    serde_json::to_value(value).ok()?.as_object().map(to_struct)
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

/// Something in a message that has no meaning, and where it stands.
#[derive(Debug)]
pub(super) struct Misfit {
    place: String,
    problem: String,
}

impl Misfit {
    pub(super) const fn new(problem: String) -> Self {
        Self { place: String::new(), problem }
    }

    /// The same, seen from outside: it is in the field, member or item `place`.
    pub(super) fn within(self, place: impl Display) -> Self {
        Self { place: format!("{place}{}", self.place), ..self }
    }
}

impl From<Misfit> for Status {
    fn from(misfit: Misfit) -> Self {
        Self::invalid_argument(format!("{}: {}", misfit.place, misfit.problem))
    }
}

/// An object from the wire, out of the field of that name; none is an empty one.
pub(super) fn from_struct(
    field: &str,
    members: Option<Struct>,
) -> Result<Map<String, Value>, Misfit> {
    object(members.unwrap_or_default()).map_err(|it| it.within(field))
}

/// A value from the wire. The decoder goes no deeper than a hundred messages, so neither does this.
pub(super) fn from_wire(value: Wire) -> Result<Value, Misfit> {
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(it)) => Value::Bool(it),
        Some(Kind::NumberValue(it)) => Value::Number(number(it)?),
        Some(Kind::StringValue(it)) => Value::String(it),
        Some(Kind::ListValue(list)) => Value::Array(items(list.values, from_wire)?),
        Some(Kind::StructValue(members)) => Value::Object(object(members)?),
    })
}

/// Reads one after the other.
pub(super) fn items<T>(
    items: Vec<T>,
    read: impl Fn(T) -> Result<Value, Misfit>,
) -> Result<Vec<Value>, Misfit> {
    let one = |(index, item)| read(item).map_err(|it| it.within(format_args!("[{index}]")));
    items.into_iter().enumerate().map(one).collect()
}

/// Reads one after the other.
pub(super) fn members(
    members: impl IntoIterator<Item = (String, Wire)>,
) -> Result<Map<String, Value>, Misfit> {
    let one = |(name, value)| {
        let value = from_wire(value).map_err(|it| it.within(format_args!(".{name}")))?;
        Ok((name, value))
    };
    members.into_iter().map(one).collect()
}

fn object(object: Struct) -> Result<Map<String, Value>, Misfit> {
    members(object.fields)
}

/// The protocol knows nothing but doubles. One that is whole was meant as an integer.
fn number(double: f64) -> Result<Number, Misfit> {
    if double.fract() == 0.0
        && double.abs() <= WHOLE_MAX
        && let Ok(whole) = format!("{double:.0}").parse::<i64>()
    {
        return Ok(whole.into());
    }
    let misfit = || Misfit::new(format!("invalid JSON value: {double}; numbers must be finite"));
    Number::from_f64(double).ok_or_else(misfit)
}
