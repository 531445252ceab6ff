//! What rules may do to a field: give it a value, or count it up and down.

use std::{
    fmt,
    ops::{Add, Neg},
};

use serde_json::Value;

use super::{
    FieldKind, FieldValue, Mismatch,
    field::{FLOAT_EXACT, SINGLE_EXACT, numbers},
};

/// One thing done to a field.
///
/// ```
/// use serde_json::json;
/// use waypost_machines::lifecycle::{FieldKind, FieldValue, SetOperation};
///
/// let count = SetOperation::parse(&json!({"op": "decrement"}))?;
/// let less = count.apply(&FieldKind::U8, &FieldValue::U8(0))?;
/// assert_eq!(less, FieldValue::U8(0), "it does not go below");
/// assert_eq!(SetOperation::parse(&json!("hall"))?, SetOperation::Literal(json!("hall")));
/// # Ok::<(), waypost_machines::lifecycle::SetError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum SetOperation {
    /// Gives it a value.
    Literal(Value),
    /// Adds one.
    Increment,
    /// Takes one away; an unsigned number stays at zero.
    Decrement,
}

/// Why a field cannot be set.
///
/// ```
/// use serde_json::json;
/// use waypost_machines::lifecycle::{SetError, SetOperation};
///
/// let unknown = SetOperation::parse(&json!({"op": "double"}));
/// assert_eq!(unknown, Err(SetError::UnknownOperation("double".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// The operation has an unknown name.
    UnknownOperation(String),
    /// The field does not take the value.
    Mismatch(Mismatch),
    /// Only numbers can be counted.
    NotANumber(FieldKind),
    /// The number is as large, or as small, as its type has it.
    Overflow(FieldKind),
}

impl SetOperation {
    /// Reads an operation. An object without a textual `op` is a value like any other.
    ///
    /// # Errors
    /// When the name is unknown.
    pub fn parse(json: &Value) -> Result<Self, SetError> {
        match json.get("op").and_then(Value::as_str) {
            None => Ok(Self::Literal(json.clone())),
            Some("set") => Ok(Self::Literal(json.get("value").cloned().unwrap_or(Value::Null))),
            Some("increment") => Ok(Self::Increment),
            Some("decrement") => Ok(Self::Decrement),
            Some(other) => Err(SetError::UnknownOperation(other.to_owned())),
        }
    }

    /// What a field of `kind` that holds `current` holds afterwards.
    ///
    /// # Errors
    /// When the operation and the field do not fit.
    pub fn apply(&self, kind: &FieldKind, current: &FieldValue) -> Result<FieldValue, SetError> {
        match self {
            Self::Literal(json) => kind.of_json(json).map_err(SetError::Mismatch),
            Self::Increment => step(kind, current, Direction::Up),
            Self::Decrement => step(kind, current, Direction::Down),
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

fn step(
    kind: &FieldKind,
    current: &FieldValue,
    direction: Direction,
) -> Result<FieldValue, SetError> {
    macro_rules! step {
        ($($kind:ident $type:ident),*) => {
            match (current, direction) {
                $((FieldValue::$kind(it), Direction::Up) => it.checked_add(1).map(FieldValue::$kind),)*
                // Nothing is below zero for an unsigned number, and it stays there.
                (FieldValue::U8(0) | FieldValue::U16(0) | FieldValue::U32(0) | FieldValue::U64(0),
                    Direction::Down) => Some(current.clone()),
                $((FieldValue::$kind(it), Direction::Down) => {
                    it.checked_sub(1).map(FieldValue::$kind)
                })*
                (FieldValue::F32(it), direction) => {
                    counted(*it, SINGLE_EXACT, direction).map(FieldValue::F32)
                }
                (FieldValue::F64(it), direction) => {
                    counted(*it, FLOAT_EXACT, direction).map(FieldValue::F64)
                }
                (FieldValue::Text(_) | FieldValue::Bool(_) | FieldValue::Timestamp(_)
                    | FieldValue::Nested(_) | FieldValue::Unset, Direction::Up | Direction::Down) => {
                    return Err(SetError::NotANumber(kind.clone()));
                }
            }
        };
    }
    numbers!(step).ok_or_else(|| SetError::Overflow(kind.clone()))
}

/// One more, or one less. Beyond what a float knows to the last digit one more would be as many.
fn counted<F>(number: F, exact: F, direction: Direction) -> Option<F>
where
    F: Copy + PartialOrd + From<i8> + Add<Output = F> + Neg<Output = F>,
{
    let one = match direction {
        Direction::Up => F::from(1),
        Direction::Down => F::from(-1),
    };
    let range = -exact..=exact;
    let next = number + one;
    (next != number && range.contains(&number) && range.contains(&next)).then_some(next)
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOperation(name) => {
                write!(f, "{name:?} is not an operation: set, increment, decrement")
            }
            Self::Mismatch(mismatch) => mismatch.fmt(f),
            Self::NotANumber(kind) => write!(f, "a field that is {kind} cannot be counted"),
            Self::Overflow(kind) => write!(f, "the field is at the end of what {kind} can hold"),
        }
    }
}

impl std::error::Error for SetError {}
