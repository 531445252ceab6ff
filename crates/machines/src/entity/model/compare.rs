//! Walks through a document and its model side by side. One reading of "differs" serves strict
//! validation and change levels, so the two cannot disagree.

use std::collections::BTreeMap;

use waypost_documents::document::{Members, Value};

use super::{
    infer::classify,
    problem::{Fault, Kind, Problems},
    schema::Schema,
    state::ChangeLevel,
    types::{Type, Types},
};

/// How a document differs from a schema, as seen from a change level.
#[derive(Default)]
pub(super) struct Comparison {
    /// What the level does not permit.
    pub(super) problems: Problems,
    /// Whether there is a problem no level permits.
    pub(super) is_polymorphic: bool,
    /// Whether there are differences the level permits.
    pub(super) has_permitted: bool,
}

impl Comparison {
    /// Compares, permitting what `level` does. Without one, nothing is.
    pub(super) fn of(schema: &Schema, document: &Value, level: Option<ChangeLevel>) -> Self {
        let mut walk = Walk { level, path: Vec::new(), result: Self::default() };
        walk.visit(schema, document);
        walk.result
    }
}

struct Walk<'a> {
    level: Option<ChangeLevel>,
    path: Vec<Step<'a>>,
    result: Comparison,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

impl<'a> Walk<'a> {
    fn visit(&mut self, schema: &Schema, value: &'a Value) {
        match (schema, value) {
            (Schema::Object(known), Value::Object(members)) => self.members(known, members),
            (Schema::Array { element, .. }, Value::List(elements)) => {
                self.elements(element, elements);
            }
            (Schema::Leaf(types), Value::Null) => self.scalar(*types, Type::Null),
            (Schema::Leaf(types), Value::Bool(_)) => self.scalar(*types, Type::Boolean),
            (Schema::Leaf(types), Value::Number(it)) => self.scalar(*types, classify(it)),
            (Schema::Leaf(types), Value::Text(_)) => self.scalar(*types, Type::String),
            (Schema::Object(_) | Schema::Array { .. }, Value::Null) => {
                self.differ(Fault::Null { expected: kind_of_schema(schema) });
            }
            (Schema::Leaf(_), Value::List(_) | Value::Object(_))
            | (
                Schema::Array { .. },
                Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_),
            )
            | (
                Schema::Object(_),
                Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_),
            ) => self.differ(Fault::Kind {
                expected: kind_of_schema(schema),
                found: kind_of_value(value),
            }),
        }
    }

    fn members(&mut self, known: &BTreeMap<String, Schema>, members: &'a Members) {
        for (name, value) in members {
            self.path.push(Step::Member(name));
            match known.get(name) {
                Some(schema) => self.visit(schema, value),
                None => self.differ(Fault::UnexpectedField),
            }
            self.path.pop();
        }
    }

    fn elements(&mut self, schema: &Schema, elements: &'a [Value]) {
        for (index, element) in elements.iter().enumerate() {
            self.path.push(Step::Element(index));
            self.visit(schema, element);
            self.path.pop();
        }
    }

    fn scalar(&mut self, expected: Types, found: Type) {
        if !expected.admits(found) {
            self.differ(Fault::Type { expected, found });
        }
    }

    fn differ(&mut self, fault: Fault) {
        let needed = match (fault, self.path.last()) {
            (Fault::UnexpectedField, _) => Some(ChangeLevel::Structural),
            (Fault::Type { .. } | Fault::Null { .. }, Some(Step::Element(_))) => {
                Some(ChangeLevel::ArrayElements)
            }
            (Fault::Type { .. } | Fault::Null { .. }, Some(Step::Member(_)) | None) => {
                Some(ChangeLevel::Type)
            }
            (Fault::Kind { .. }, _) => None,
        };
        if needed.is_some_and(|it| self.level.is_some_and(|level| it <= level)) {
            self.result.has_permitted = true;
            return;
        }
        self.result.is_polymorphic |= needed.is_none();
        self.result.problems.add(fault, || written(&self.path));
    }
}

fn written(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Member(name) if text.is_empty() => text.push_str(name),
            Step::Member(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Element(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

const fn kind_of_schema(schema: &Schema) -> Kind {
    match schema {
        Schema::Leaf(_) => Kind::Scalar,
        Schema::Array { .. } => Kind::Array,
        Schema::Object(_) => Kind::Object,
    }
}

const fn kind_of_value(value: &Value) -> Kind {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => Kind::Scalar,
        Value::List(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}
