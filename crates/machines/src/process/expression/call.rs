//! Calls of built-in functions: the arguments, and which file a function is in.

mod each;
mod list;
mod number;
mod text;
mod value;

use super::{
    Cause, Function, Node, NodeId,
    error::Fault,
    evaluate::Evaluation,
    number::Number,
    operand::{List, Operand},
    operation,
};

/// What a predicate looks at.
pub(super) struct Frame<'a> {
    pub(super) element: Operand<'a>,
    pub(super) index: usize,
    pub(super) accumulator: Operand<'a>,
}

/// The evaluated arguments of a function. What is missing is nil.
struct Arguments<'a> {
    function: &'static str,
    items: Vec<Operand<'a>>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn call(
        &mut self,
        node: &Node,
        function: Function,
        (first, rest): (Operand<'a>, &[NodeId]),
    ) -> Result<Operand<'a>, Fault> {
        let operands = (first, rest);
        let name = function.name();
        let result = match function {
            Function::Each(each) => return self.each(node, each, operands),
            Function::List(function) => {
                list::call(function, &self.arguments(node, name, operands)?, &mut self.budget)
            }
            Function::Text(function) => {
                text::call(function, &self.arguments(node, name, operands)?, &mut self.budget)
            }
            Function::Number(function) => {
                number::call(function, &self.arguments(node, name, operands)?, &mut self.budget)
            }
            Function::Bits(function) => {
                number::bits(function, &self.arguments(node, name, operands)?)
            }
            Function::Value(function) => {
                value::call(function, &self.arguments(node, name, operands)?, self.rules())
            }
        };
        result.map_err(|it| it.at(node.span))
    }

    /// Evaluates all arguments, and pays for reading them.
    fn arguments(
        &mut self,
        node: &Node,
        function: &'static str,
        (first, rest): (Operand<'a>, &[NodeId]),
    ) -> Result<Arguments<'a>, Fault> {
        let mut items = vec![first];
        for id in rest {
            items.push(self.evaluate(*id)?);
        }
        for item in &items {
            self.budget.charge_text(item).map_err(|it| it.at(node.span))?;
        }
        Ok(Arguments { function, items })
    }
}

impl<'a> Arguments<'a> {
    fn get(&self, index: usize) -> Operand<'a> {
        self.items.get(index).cloned().unwrap_or(Operand::Nil)
    }

    fn has(&self, index: usize) -> bool {
        index < self.items.len()
    }

    fn text(&self, index: usize) -> Result<&str, Cause> {
        operation::text(self.items.get(index).unwrap_or(&Operand::Nil), self.function)
    }

    fn number(&self, index: usize) -> Result<Number, Cause> {
        operation::number(&self.get(index), self.function)
    }

    fn integer(&self, index: usize) -> Result<i128, Cause> {
        operation::integer(&self.get(index), self.function)
    }

    /// A count; a negative one is an error.
    fn count(&self, index: usize) -> Result<usize, Cause> {
        let count = self.integer(index)?;
        usize::try_from(count)
            .map_err(|_| Cause::operation(format!("{} cannot take {count}", self.function)))
    }

    fn list(&self, index: usize) -> Result<List<'a>, Cause> {
        list_of(&self.get(index), self.function)
    }
}

fn list_of<'a>(operand: &Operand<'a>, function: &str) -> Result<List<'a>, Cause> {
    match operand {
        Operand::List(list) => Ok(list.clone()),
        Operand::Nil
        | Operand::Bool(_)
        | Operand::Number(_)
        | Operand::Text(_)
        | Operand::Map(_) => {
            let found = operand.type_name();
            Err(Cause::operation(format!("{function} needs an array, found {found}")))
        }
    }
}
