//! JSON documents as values: members in the order they were written, numbers in the digits they
//! were written with.

mod number;
mod parse;

use std::fmt::{self, Write as _};

use indexmap::IndexMap;

pub use self::{
    number::{Number, Sign},
    parse::DocumentError,
};

/// Members of an object, in the order they were written.
pub type Members = IndexMap<String, Value>;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was spelled.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Members),
}

impl Value {
    /// How deep a document may be nested: deeper ones are not written by people, and whoever walks
    /// through them needs a stack for it. Conditions of 50 groups, two levels each, have their place
    /// in it, also within a workflow.
    pub const DEPTH_MAX: usize = 120;

    /// Reads one document. Of members with the same name the last one counts.
    ///
    /// # Errors
    /// When `text` is not one JSON document, or is nested deeper than [`Value::DEPTH_MAX`].
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        parse::parse(text)
    }

    /// Reads the document that a text begins with, whatever follows it.
    ///
    /// # Errors
    /// When `text` does not begin with a JSON document, or that is nested deeper than
    /// [`Value::DEPTH_MAX`].
    pub fn parse_first(text: &str) -> Result<Self, DocumentError> {
        parse::parse_first(text)
    }

    /// The member `name`, if this is an object that has it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The element at `index`, if this is an array that has it.
    #[must_use]
    pub fn element(&self, index: usize) -> Option<&Self> {
        match self {
            Self::List(elements) => elements.get(index),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Object(_) => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// Compact JSON.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(yes) => write!(out, "{yes}"),
            Self::Number(number) => out.write_str(number.as_str()),
            Self::Text(text) => quote(text, out),
            Self::List(elements) => {
                out.write_char('[')?;
                for (index, element) in elements.iter().enumerate() {
                    separate(index, out)?;
                    write!(out, "{element}")?;
                }
                out.write_char(']')
            }
            Self::Object(members) => {
                out.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    separate(index, out)?;
                    quote(name, out)?;
                    write!(out, ":{value}")?;
                }
                out.write_char('}')
            }
        }
    }
}

fn separate(index: usize, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    if index == 0 { Ok(()) } else { out.write_char(',') }
}

fn quote(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        if !matches!(character, '"' | '\\' | '\0'..='\x1f') {
            continue;
        }
        out.write_str(text.get(plain..at).unwrap_or_default())?;
        plain = at + character.len_utf8();
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\x08' => out.write_str("\\b")?,
            '\x0c' => out.write_str("\\f")?,
            other => write!(out, "\\u{:04x}", u32::from(other))?,
        }
    }
    out.write_str(text.get(plain..).unwrap_or_default())?;
    out.write_char('"')
}
