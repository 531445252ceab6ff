//! The types of fields, and how text and JSON become values of them. Widths of numbers stay apart,
//! so that a match can be strict.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::instant::nanoseconds;

/// What a field holds.
///
/// ```
/// use serde_json::json;
/// use waypost_machines::lifecycle::{FieldKind, FieldValue};
///
/// let kind: FieldKind = "u8?".parse()?;
/// assert_eq!(kind, FieldKind::Optional(Box::new(FieldKind::U8)));
/// assert_eq!(kind.zero(), FieldValue::Unset);
/// assert_eq!(kind.of_text("7"), Ok(FieldValue::U8(7)));
/// assert_eq!(kind.of_json(&json!(7.0)), Ok(FieldValue::U8(7)));
/// assert!(kind.of_json(&json!(300)).is_err());
/// assert!(kind.accepts(&FieldValue::U8(1)) && !kind.accepts(&FieldValue::U16(1)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum FieldKind {
    /// Text, or an enum that is written as text.
    Text,
    /// True or false.
    Bool,
    /// A signed integer.
    I8,
    /// A signed integer.
    I16,
    /// A signed integer.
    I32,
    /// A signed integer.
    I64,
    /// An unsigned integer.
    U8,
    /// An unsigned integer.
    U16,
    /// An unsigned integer.
    U32,
    /// An unsigned integer.
    U64,
    /// A number with a fraction.
    F32,
    /// A number with a fraction.
    F64,
    /// An instant, written as RFC 3339 has it.
    Timestamp,
    /// A list, a map, or anything else with an inside.
    Nested,
    /// Something that may be unset.
    Optional(Box<FieldKind>),
}

/// A value of a field.
///
/// ```
/// use serde_json::json;
/// use waypost_machines::lifecycle::{FieldKind, FieldValue};
///
/// assert_ne!(FieldValue::from(3_u32), FieldValue::from(3_i64), "widths stay apart");
/// assert_eq!(FieldValue::from("hall").kind(), Some(FieldKind::Text));
/// assert_eq!(FieldValue::from(true).to_json(), json!(true));
/// let noon = |text: &str| FieldValue::Timestamp(text.to_owned());
/// assert_eq!(noon("2026-01-31T12:00:00Z"), noon("2026-01-31T13:00:00+01:00"));
/// ```
#[derive(Clone, Debug)]
pub enum FieldValue {
    /// Text.
    Text(String),
    /// True or false.
    Bool(bool),
    /// A signed integer.
    I8(i8),
    /// A signed integer.
    I16(i16),
    /// A signed integer.
    I32(i32),
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U8(u8),
    /// An unsigned integer.
    U16(u16),
    /// An unsigned integer.
    U32(u32),
    /// An unsigned integer.
    U64(u64),
    /// A number with a fraction.
    F32(f32),
    /// A number with a fraction.
    F64(f64),
    /// An instant as RFC 3339 writes it.
    Timestamp(String),
    /// Anything with an inside.
    Nested(Value),
    /// Nothing, in a field that may be unset.
    Unset,
}

/// A value that a field cannot take.
///
/// ```
/// use waypost_machines::lifecycle::{FieldKind, Mismatch};
///
/// let refused = FieldKind::U8.of_text("many");
/// let found = "\"many\"".to_owned();
/// assert_eq!(refused, Err(Mismatch { expected: FieldKind::U8, found }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What the field holds.
    pub expected: FieldKind,
    /// What came instead.
    pub found: String,
}

/// Applies to the kinds and values that are numbers, by the names they share.
macro_rules! numbers {
    ($apply:ident) => {
        $apply! { I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64 }
    };
}
pub(super) use numbers;

impl FieldKind {
    /// What a field of this kind holds before anybody has set it.
    #[must_use]
    pub fn zero(&self) -> FieldValue {
        macro_rules! zero {
            ($($kind:ident $type:ident),*) => {
                match self {
                    $(Self::$kind => FieldValue::$kind(0),)*
                    Self::Text => FieldValue::Text(String::new()),
                    Self::Bool => FieldValue::Bool(false),
                    Self::F32 => FieldValue::F32(0.0),
                    Self::F64 => FieldValue::F64(0.0),
                    Self::Timestamp | Self::Optional(_) => FieldValue::Unset,
                    Self::Nested => FieldValue::Nested(Value::Null),
                }
            };
        }
        numbers!(zero)
    }

    /// The value that `text` means, as an address has it.
    ///
    /// # Errors
    /// When the text does not mean a value of this kind; things with an inside have no text.
    pub fn of_text(&self, text: &str) -> Result<FieldValue, Mismatch> {
        let value = match self {
            Self::Text => Some(FieldValue::Text(text.to_owned())),
            Self::Bool => text.parse().ok().map(FieldValue::Bool),
            Self::Timestamp => instant(text),
            Self::Nested => None,
            Self::Optional(_) if text.is_empty() => Some(FieldValue::Unset),
            Self::Optional(kind) => return kind.of_text(text).map_err(|it| self.or_unset(it)),
            Self::F32 | Self::F64 => decimal(text).and_then(|it| self.of_number(&it)),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                let number = text.parse::<i64>().ok().map(Number::from);
                number.and_then(|it| self.of_number(&it))
            }
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => {
                let number = text.parse::<u64>().ok().map(Number::from);
                number.and_then(|it| self.of_number(&it))
            }
        };
        value.ok_or_else(|| self.mismatch(format!("{text:?}")))
    }

    /// The value that a JSON value means; null is what the field holds before anybody has set it.
    ///
    /// # Errors
    /// When it does not mean a value of this kind without loss.
    pub fn of_json(&self, json: &Value) -> Result<FieldValue, Mismatch> {
        let value = match (self, json) {
            (Self::Nested, json) => Some(FieldValue::Nested(json.clone())),
            (_, Value::Null) => Some(self.zero()),
            (Self::Optional(kind), json) => {
                return kind.of_json(json).map_err(|it| self.or_unset(it));
            }
            (Self::Text, Value::String(text)) => Some(FieldValue::Text(text.clone())),
            (Self::Timestamp, Value::String(text)) => instant(text),
            (Self::Bool, Value::Bool(it)) => Some(FieldValue::Bool(*it)),
            (_, Value::Number(number)) => self.of_number(number),
            (_, Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_)) => None,
        };
        value.ok_or_else(|| self.mismatch(shortened(json)))
    }

    /// Whether a value of this kind may be `value`.
    #[must_use]
    pub fn accepts(&self, value: &FieldValue) -> bool {
        match (self, value) {
            (Self::Optional(_), FieldValue::Unset) => true,
            (Self::Optional(kind), value) => kind.accepts(value),
            (kind, value) => value.kind().as_ref() == Some(kind),
        }
    }

    fn of_number(&self, number: &Number) -> Option<FieldValue> {
        macro_rules! of_number {
            ($($kind:ident $type:ident),*) => {
                match self {
                    $(Self::$kind => {
                        integer(number).and_then(|it| it.try_into().ok()).map(FieldValue::$kind)
                    })*
                    Self::F32 => single(number).map(FieldValue::F32),
                    Self::F64 => exact(number).map(FieldValue::F64),
                    Self::Optional(kind) => kind.of_number(number),
                    Self::Text | Self::Bool | Self::Timestamp | Self::Nested => None,
                }
            };
        }
        numbers!(of_number)
    }

    fn mismatch(&self, found: String) -> Mismatch {
        Mismatch { expected: self.clone(), found }
    }

    fn or_unset(&self, inner: Mismatch) -> Mismatch {
        Mismatch { expected: self.clone(), ..inner }
    }
}

impl FieldValue {
    /// The kind of this value; nothing, when it is unset.
    #[must_use]
    pub fn kind(&self) -> Option<FieldKind> {
        macro_rules! kind {
            ($($kind:ident $type:ident),*) => {
                Some(match self {
                    $(Self::$kind(_) => FieldKind::$kind,)*
                    Self::Text(_) => FieldKind::Text,
                    Self::Bool(_) => FieldKind::Bool,
                    Self::F32(_) => FieldKind::F32,
                    Self::F64(_) => FieldKind::F64,
                    Self::Timestamp(_) => FieldKind::Timestamp,
                    Self::Nested(_) => FieldKind::Nested,
                    Self::Unset => return None,
                })
            };
        }
        numbers!(kind)
    }

    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        macro_rules! to_json {
            ($($kind:ident $type:ident),*) => {
                match self {
                    $(Self::$kind(it) => Value::from(*it),)*
                    Self::Text(it) | Self::Timestamp(it) => Value::from(it.as_str()),
                    Self::Bool(it) => Value::from(*it),
                    Self::F32(it) => Value::from(*it),
                    Self::F64(it) => Value::from(*it),
                    Self::Nested(it) => it.clone(),
                    Self::Unset => Value::Null,
                }
            };
        }
        numbers!(to_json)
    }
}

impl PartialEq for FieldValue {
    /// The same kind and the same value. Instants are the same in every zone.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Timestamp(left), Self::Timestamp(right)) => {
                left == right || nanoseconds(left).is_some_and(|it| nanoseconds(right) == Some(it))
            }
            (left, right) => left.kind() == right.kind() && left.to_json() == right.to_json(),
        }
    }
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FieldValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for FieldValue {
    fn from(it: bool) -> Self {
        Self::Bool(it)
    }
}

macro_rules! from_number {
    ($($kind:ident $type:ident),*) => {$(
        impl From<$type> for FieldValue {
            fn from(number: $type) -> Self {
                Self::$kind(number)
            }
        }
    )*};
}
numbers!(from_number);
from_number!(F32 f32, F64 f64);

/// The names that kinds have in tables of types, beside `?` at the end for what may be unset.
const NAMES: [(&str, FieldKind); 14] = [
    ("string", FieldKind::Text),
    ("bool", FieldKind::Bool),
    ("i8", FieldKind::I8),
    ("i16", FieldKind::I16),
    ("i32", FieldKind::I32),
    ("i64", FieldKind::I64),
    ("u8", FieldKind::U8),
    ("u16", FieldKind::U16),
    ("u32", FieldKind::U32),
    ("u64", FieldKind::U64),
    ("f32", FieldKind::F32),
    ("f64", FieldKind::F64),
    ("timestamp", FieldKind::Timestamp),
    ("nested", FieldKind::Nested),
];

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Optional(kind) = self {
            return write!(f, "{kind}?");
        }
        f.write_str(NAMES.iter().find(|(_, it)| it == self).map_or("", |(name, _)| name))
    }
}

/// How often something may be optional. Whoever walks through more needs a stack for it.
const OPTIONAL_MAX: usize = 4;

/// How much of a name that is none is repeated.
const SHOWN_MAX: usize = 100;

impl FromStr for FieldKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = text.trim_end_matches('?');
        let n_optional = text.len() - named.len();
        match NAMES.iter().find(|(name, _)| *name == named) {
            Some((_, kind)) if n_optional <= OPTIONAL_MAX => {
                let optional = |kind, _| Self::Optional(Box::new(kind));
                Ok((0..n_optional).fold(kind.clone(), optional))
            }
            Some(_) | None => {
                let names = NAMES.map(|(name, _)| name).join(", ");
                let given: String = text.chars().take(SHOWN_MAX).collect();
                Err(format!(
                    "{given:?} is not a kind of field: {names}, or one of them with ? at the end"
                ))
            }
        }
    }
}

impl From<FieldKind> for String {
    fn from(kind: FieldKind) -> Self {
        kind.to_string()
    }
}

impl TryFrom<String> for FieldKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot assign {} to a field that is {}", self.found, self.expected)
    }
}

impl std::error::Error for Mismatch {}

fn instant(text: &str) -> Option<FieldValue> {
    nanoseconds(text).map(|_| FieldValue::Timestamp(text.to_owned()))
}

/// JSON's own notation, so that words like `inf` stay words.
fn decimal(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok()
}

/// A number without a fraction, however it is written.
fn integer(number: &Number) -> Option<i128> {
    if let Some(it) = number.as_i64() {
        return Some(it.into());
    }
    if let Some(it) = number.as_u64() {
        return Some(it.into());
    }
    let it = number.as_f64()?;
    // Beyond this a float does not know its last digit.
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
    let whole = (it.fract() == 0.0 && it.abs() <= FLOAT_EXACT).then_some(it as i128);
    whole
}

/// Up to these, floats know all integers.
pub(super) const FLOAT_EXACT: f64 = 9_007_199_254_740_992.0;
pub(super) const SINGLE_EXACT: f32 = 16_777_216.0;

/// A finite number that a float shows without loss.
fn exact(number: &Number) -> Option<f64> {
    let it = number.as_f64().filter(|it| it.is_finite())?;
    match number.is_f64() || it.abs() < FLOAT_EXACT {
        true => Some(it),
        false => None,
    }
}

/// The same for a float of half the width. Of a fraction it holds the nearest one.
fn single(number: &Number) -> Option<f32> {
    let it = exact(number)?;
    #[expect(clippy::cast_possible_truncation, reason = "the nearest one is what the field holds")]
    let narrow = it as f32;
    let is_exact = number.is_f64() || it.abs() <= f64::from(SINGLE_EXACT);
    (is_exact && narrow.is_finite()).then_some(narrow)
}

/// What came, short enough to be read.
fn shortened(json: &Value) -> String {
    const LENGTH_MAX: usize = 60;
    let text = json.to_string();
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
