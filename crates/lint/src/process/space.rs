//! Inputs to try conditions on.
//!
//! Conditions that only compare variables with constants fall into few cases: on each constant,
//! between any two of them, and beyond. One input for each case decides what holds for all inputs,
//! and it is the engine's own evaluation that says what holds for it. For other conditions the
//! inputs are examples, and prove only what they show.

mod input;
mod node;
mod term;

use std::collections::BTreeSet;

use serde_json::Value;
use waypost_machines::process::expression::{
    BinaryOperator, Compiled, Expression, Kind, NodeId, UnaryOperator,
};

use self::{
    input::Inputs,
    node::{list, literal, path},
    term::{EXACT_MAX, Term},
};

use crate::limits::EVALUATIONS_MAX;

/// Variables, and members of them, that one table or decision is tried on. The inputs for fewer
/// are more than are tried.
const TERMS_MAX: usize = 50;

/// How many conditions may still be evaluated.
pub(super) struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: EVALUATIONS_MAX }
    }
}

impl Budget {
    /// Whether so many are left. Where they are not, there is no use in looking for inputs.
    pub(super) fn allows(&self, evaluations: usize) -> bool {
        self.left >= evaluations
    }

    /// Takes something away; says whether there was enough.
    pub(super) fn take(&mut self, evaluations: usize) -> bool {
        let enough = self.allows(evaluations);
        self.left = self.left.saturating_sub(evaluations);
        enough
    }
}

/// All that some conditions look at.
pub(super) struct Space {
    terms: Vec<Term>,
    is_complete: bool,
}

/// What is to be expected of one variable.
#[derive(Default)]
pub(super) struct Domain {
    /// Of numbers only whole ones.
    pub(super) is_whole: bool,
    /// The texts that the definition itself sets it to: others are not expected then.
    pub(super) texts: BTreeSet<String>,
    /// Of texts only those it is compared with, if it is compared with several.
    pub(super) offers_all: bool,
}

impl Space {
    pub(super) fn of<'c>(conditions: impl IntoIterator<Item = &'c Compiled>) -> Self {
        let mut space = Self { terms: Vec::new(), is_complete: true };
        for condition in conditions {
            space.look(condition.expression());
        }
        space.separate();
        space
    }

    /// A variable that is looked at as a whole and by its members has no one set of cases.
    fn separate(&mut self) {
        let paths: Vec<Vec<String>> = self.terms.iter().map(|it| it.path.clone()).collect();
        let is_part =
            |one: &Vec<String>, of: &Vec<String>| one.len() > of.len() && one.starts_with(of);
        let nested = |it: &Term| paths.iter().any(|other| is_part(other, &it.path));
        if self.terms.iter().any(nested) {
            self.is_complete = false;
            self.terms.retain(|it| !paths.iter().any(|other| is_part(other, &it.path)));
        }
    }

    fn look(&mut self, expression: &Expression) {
        // A list of open nodes stands in for recursion: long sums nest without parentheses.
        let mut open = vec![expression.root()];
        while let Some(id) = open.pop() {
            let kind = &expression.node(id).kind;
            if let Kind::Binary {
                operator: BinaryOperator::And | BinaryOperator::Or,
                left,
                right,
            } = kind
            {
                open.extend([*left, *right]);
            } else if let Kind::Unary { operator: UnaryOperator::Not, operand } = kind {
                open.push(*operand);
            } else if let Kind::Binary { operator, left, right } = kind {
                self.compare(expression, *operator, (*left, *right));
            } else if let Kind::Comparisons { first, rest } = kind {
                let mut left = *first;
                for (operator, right) in rest {
                    self.compare(expression, *operator, (left, *right));
                    left = *right;
                }
            } else if let Some(path) = path(expression, id) {
                self.term(path).has_bools = true;
            } else if !matches!(kind, Kind::Bool(_)) {
                self.unknown(expression, id);
            }
        }
    }

    fn compare(
        &mut self,
        expression: &Expression,
        operator: BinaryOperator,
        sides: (NodeId, NodeId),
    ) {
        let (left, right) = sides;
        let is_order = matches!(
            operator,
            BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        );
        let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        let constants = match () {
            () if operator == BinaryOperator::In => list(expression, right),
            () if is_order || is_equality => literal(expression, right).map(|it| vec![it]),
            () => None,
        };
        let found = path(expression, left).zip(constants).or_else(|| {
            let constant = literal(expression, left).filter(|_| is_order || is_equality)?;
            Some((path(expression, right)?, vec![constant]))
        });
        match found {
            Some((path, constants)) => {
                for constant in constants {
                    self.constant(path.clone(), constant, is_order);
                }
            }
            None if literal(expression, left).is_some() && literal(expression, right).is_some() => {
            }
            None => {
                self.unknown(expression, left);
                self.unknown(expression, right);
            }
        }
    }

    fn constant(&mut self, path: Vec<String>, constant: Value, is_order: bool) {
        let mut is_exact = true;
        let term = self.term(path);
        match constant {
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                is_exact = number.abs() < EXACT_MAX;
                term.numbers.push(number);
            }
            Value::String(text) => {
                // Between two texts there are always others.
                is_exact = !is_order;
                term.texts.insert(text);
            }
            Value::Bool(_) => term.has_bools = true,
            Value::Null | Value::Array(_) | Value::Object(_) => term.has_null = true,
        }
        self.is_complete &= is_exact;
    }

    /// Takes note of what an expression mentions that is not understood.
    fn unknown(&mut self, expression: &Expression, id: NodeId) {
        self.is_complete = false;
        if let Some(path) = path(expression, id) {
            self.term(path).is_unknown = true;
            return;
        }
        for variable in expression.variables() {
            let name = &variable.name;
            let is_known = self.terms.iter().any(|it| it.path.first() == Some(name));
            if !is_known {
                self.term(vec![name.clone()]).is_unknown = true;
            }
        }
    }

    /// The term of that path. Of more than are looked at, the last stands for all others.
    fn term(&mut self, path: Vec<String>) -> &mut Term {
        let mut index = self.terms.iter().position(|it| it.path == path);
        if index.is_none() && self.terms.len() < TERMS_MAX {
            self.terms.push(Term { path, ..Term::default() });
        } else if index.is_none() {
            self.is_complete = false;
        }
        let index = *index.get_or_insert(self.terms.len() - 1);
        self.terms.get_mut(index).expect("the term was found or made")
    }

    /// Inputs for all cases, or for some if there are too many. `domain` says what is to be
    /// expected of a variable.
    pub(super) fn inputs(self, domain: &dyn Fn(&str) -> Domain) -> Inputs {
        let mut inputs = Inputs::new(self.is_complete);
        for term in self.terms {
            let expected = match term.path.as_slice() {
                [name] => domain(name),
                _ => Domain::default(),
            };
            let natural = term.natural(&expected);
            // As they are written: values have no order, and there may be thousands of them.
            let known: BTreeSet<String> = natural.iter().map(Value::to_string).collect();
            let others: Vec<Value> =
                term.others().into_iter().filter(|it| !known.contains(&it.to_string())).collect();
            inputs.vary(term.path, natural, others);
        }
        inputs
    }
}
