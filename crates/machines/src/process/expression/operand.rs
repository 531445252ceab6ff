//! Values during an evaluation. What comes from variables is borrowed, however large it is, and
//! text remembers where it comes from, because only text from variables may stand for a number.

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{
    Cause,
    limits::{BYTES_PER_STEP, VALUE_DEPTH_MAX},
    number::Number,
};

#[derive(Clone, Debug)]
pub(super) enum Operand<'a> {
    Nil,
    Bool(bool),
    Number(Number),
    Text(Text<'a>),
    List(List<'a>),
    Map(Members<'a>),
}

#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    content: Content<'a>,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug)]
enum Content<'a> {
    Borrowed(&'a str),
    Made(Rc<str>),
}

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A variable, or a function.
    Variable,
    /// Quotes in the expression, or a concatenation.
    Written,
}

#[derive(Clone, Debug)]
pub(super) enum List<'a> {
    Borrowed(&'a [Value]),
    Made(Rc<Made<Vec<Operand<'a>>>>),
}

#[derive(Clone, Debug)]
pub(super) enum Members<'a> {
    Borrowed(&'a Map<String, Value>),
    Made(Rc<Made<IndexMap<String, Operand<'a>>>>),
}

/// A collection made during the evaluation, and how many of those nest in it.
#[derive(Debug)]
pub(super) struct Made<T> {
    content: T,
    depth: usize,
}

/// What is left of the steps an evaluation may take.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    limit: usize,
}

/// What a value is called in messages: nil, bool, number, string, array or object.
#[must_use]
pub fn type_of(value: &Value) -> &'static str {
    Operand::of(value).type_name()
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { left: limit, limit }
    }

    pub(super) fn charge(&mut self, steps: usize) -> Result<(), Cause> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Cause::Limit { what: "steps of evaluation", limit: self.limit }),
        }
    }

    pub(super) fn charge_bytes(&mut self, bytes: usize) -> Result<(), Cause> {
        self.charge(bytes / BYTES_PER_STEP)
    }

    /// Pays for reading an operand once, which only text makes expensive.
    pub(super) fn charge_text(&mut self, operand: &Operand<'_>) -> Result<(), Cause> {
        match operand {
            Operand::Text(text) => self.charge_bytes(text.as_str().len()),
            Operand::Nil
            | Operand::Bool(_)
            | Operand::Number(_)
            | Operand::List(_)
            | Operand::Map(_) => Ok(()),
        }
    }
}

impl<'a> Operand<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => Self::Number(Number::of(number)),
            Value::String(text) => Self::Text(Text::borrowed(text, Origin::Variable)),
            Value::Array(items) => Self::List(List::Borrowed(items)),
            Value::Object(members) => Self::Map(Members::Borrowed(members)),
        }
    }

    /// Text made by a function.
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Text::made(text.into(), Origin::Variable))
    }

    pub(super) fn count(length: usize) -> Self {
        Self::Number(Number::count(length))
    }

    pub(super) fn list(items: Vec<Self>) -> Result<Self, Cause> {
        let depth = depth_of(items.iter())?;
        Ok(Self::List(List::Made(Rc::new(Made { content: items, depth }))))
    }

    pub(super) fn map(members: IndexMap<String, Self>) -> Result<Self, Cause> {
        let depth = depth_of(members.values())?;
        Ok(Self::Map(Members::Made(Rc::new(Made { content: members, depth }))))
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "array",
            Self::Map(_) => "object",
        }
    }

    /// The JSON it stands for. Sharing ends here, so everything copied is paid for.
    pub(super) fn into_value(self, budget: &mut Budget) -> Result<Value, Cause> {
        self.value_at(0, budget)
    }

    fn value_at(self, depth: usize, budget: &mut Budget) -> Result<Value, Cause> {
        if depth > VALUE_DEPTH_MAX {
            return Err(too_deep());
        }
        budget.charge(1)?;
        match self {
            Self::Nil => Ok(Value::Null),
            Self::Bool(bool) => Ok(Value::Bool(bool)),
            Self::Number(number) => number.value(),
            Self::Text(text) => {
                budget.charge_bytes(text.as_str().len())?;
                Ok(Value::String(text.as_str().to_owned()))
            }
            Self::List(list) => {
                let items = list.iter().map(|it| it.value_at(depth + 1, budget));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            Self::Map(members) => {
                let mut values = Map::new();
                for (key, member) in members.iter() {
                    budget.charge_bytes(key.len())?;
                    values.insert(key.to_owned(), member.value_at(depth + 1, budget)?);
                }
                Ok(Value::Object(values))
            }
        }
    }

    /// Structural equality, with numbers by what they are worth.
    pub(super) fn equals(&self, other: &Self, budget: &mut Budget) -> Result<bool, Cause> {
        self.equals_at(other, 0, budget)
    }

    fn equals_at(&self, other: &Self, depth: usize, budget: &mut Budget) -> Result<bool, Cause> {
        if depth > VALUE_DEPTH_MAX {
            return Err(too_deep());
        }
        budget.charge(1)?;
        match (self, other) {
            (Self::Nil, Self::Nil) => Ok(true),
            (Self::Bool(left), Self::Bool(right)) => Ok(left == right),
            (Self::Number(left), Self::Number(right)) => {
                Ok(left.compare(*right).is_some_and(std::cmp::Ordering::is_eq))
            }
            (Self::Text(left), Self::Text(right)) => {
                let (left, right) = (left.as_str(), right.as_str());
                if left.len() == right.len() {
                    budget.charge_bytes(left.len())?;
                }
                Ok(left == right)
            }
            (Self::List(left), Self::List(right)) if left.len() == right.len() => {
                all(left.iter().zip(right.iter()), |(left, right)| {
                    left.equals_at(&right, depth + 1, budget)
                })
            }
            (Self::Map(left), Self::Map(right)) if left.len() == right.len() => {
                all(left.iter(), |(key, member)| match right.get(key) {
                    Some(other) => member.equals_at(&other, depth + 1, budget),
                    None => Ok(false),
                })
            }
            (
                Self::Nil
                | Self::Bool(_)
                | Self::Number(_)
                | Self::Text(_)
                | Self::List(_)
                | Self::Map(_),
                _,
            ) => Ok(false),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::List(List::Made(made)) => made.depth,
            Self::Map(Members::Made(made)) => made.depth,
            Self::List(List::Borrowed(_))
            | Self::Map(Members::Borrowed(_))
            | Self::Nil
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Text(_) => 0,
        }
    }
}

impl<'a> Text<'a> {
    pub(super) fn borrowed(text: &'a str, origin: Origin) -> Self {
        Self { content: Content::Borrowed(text), origin }
    }

    pub(super) fn made(text: Rc<str>, origin: Origin) -> Self {
        Self { content: Content::Made(text), origin }
    }

    pub(super) fn as_str(&self) -> &str {
        match &self.content {
            Content::Borrowed(text) => text,
            Content::Made(text) => text,
        }
    }
}

impl<'a> List<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Borrowed(items) => items.len(),
            Self::Made(made) => made.content.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<Operand<'a>> {
        match self {
            Self::Borrowed(items) => items.get(index).map(Operand::of),
            Self::Made(made) => made.content.get(index).cloned(),
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Operand<'a>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> Members<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Borrowed(members) => members.len(),
            Self::Made(made) => made.content.len(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Operand<'a>> {
        match self {
            Self::Borrowed(members) => members.get(key).map(Operand::of),
            Self::Made(made) => made.content.get(key).cloned(),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        match self {
            Self::Borrowed(members) => members.contains_key(key),
            Self::Made(made) => made.content.contains_key(key),
        }
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (&str, Operand<'a>)> + '_> {
        match self {
            Self::Borrowed(members) => {
                Box::new(members.iter().map(|(key, member)| (key.as_str(), Operand::of(member))))
            }
            Self::Made(made) => {
                let members = made.content.iter();
                Box::new(members.map(|(key, member)| (key.as_str(), member.clone())))
            }
        }
    }
}

/// Whether the test holds for all of them; stops at the first error.
fn all<T>(
    items: impl Iterator<Item = T>,
    mut test: impl FnMut(T) -> Result<bool, Cause>,
) -> Result<bool, Cause> {
    for item in items {
        if !test(item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How deep a collection of these nests. Without a limit `reduce(1..9999, [#acc])` would make a
/// value too deep to drop.
fn depth_of<'v, 'a: 'v>(items: impl Iterator<Item = &'v Operand<'a>>) -> Result<usize, Cause> {
    let depth = 1 + items.map(Operand::depth).max().unwrap_or_default();
    if depth > VALUE_DEPTH_MAX { Err(too_deep()) } else { Ok(depth) }
}

fn too_deep() -> Cause {
    Cause::Limit { what: "levels in a value", limit: VALUE_DEPTH_MAX }
}
