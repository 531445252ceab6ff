//! What an operand can begin with: a literal, a name, a call, a bracket, `#` or `${`.

use super::{Parser, RESERVED};
use crate::process::expression::{
    Cause, Each, Function, Kind, NodeId, Span, Variable, error::Fault, lexer::Shape,
};

impl<'s> Parser<'s> {
    /// An operand with everything that is attached to its end.
    pub(super) fn primary(&mut self) -> Result<NodeId, Fault> {
        let start = self.span();
        let operand = match self.shape().clone() {
            Shape::Integer(integer) => self.literal(Kind::Integer(integer)),
            Shape::Double(double) => self.literal(Kind::Double(double)),
            Shape::Text(text) => self.literal(Kind::Text(text)),
            Shape::Word(word) => self.word(word),
            Shape::Symbol("(") => self.parenthesized(),
            Shape::Symbol("${") => self.wrapped(),
            Shape::Symbol("[") => self.list(),
            Shape::Symbol("{") => self.map(),
            Shape::Symbol("#") => self.hash(),
            // The object of a member that has none is the element.
            Shape::Symbol(".") if !self.predicates.is_empty() => {
                self.add(Kind::Element, Span { start: start.start, end: start.start })
            }
            Shape::Symbol(_) | Shape::End => Err(self.unexpected("an operand")),
        }?;
        self.postfix(operand, start)
    }

    fn literal(&mut self, kind: Kind) -> Result<NodeId, Fault> {
        let span = self.advance().span;
        self.add(kind, span)
    }

    fn word(&mut self, word: &'s str) -> Result<NodeId, Fault> {
        let is_called =
            self.lexemes.get(self.at + 1).is_some_and(|it| it.shape == Shape::Symbol("("));
        match word {
            "true" => self.literal(Kind::Bool(true)),
            "false" => self.literal(Kind::Bool(false)),
            "nil" => self.literal(Kind::Nil),
            "contains" if is_called => self.call(None),
            reserved if RESERVED.contains(&reserved) => Err(self.unexpected("an operand")),
            _ if is_called => self.call(None),
            name => self.reference(name),
        }
    }

    /// A name: the innermost `let` that gives it, or else a variable.
    fn reference(&mut self, name: &'s str) -> Result<NodeId, Fault> {
        let span = self.advance().span;
        if let Some(slot) = self.locals.iter().rposition(|it| *it == name) {
            return self.add(Kind::Local { slot, name: name.to_owned() }, span);
        }
        if name == "null" {
            return self.add(Kind::Null, span);
        }
        let slot = match self.variables.iter_mut().position(|it| it.name == name) {
            Some(known) => known,
            None => {
                self.variables.push(Variable { name: name.to_owned(), spans: Vec::new() });
                self.variables.len() - 1
            }
        };
        if let Some(variable) = self.variables.get_mut(slot) {
            variable.spans.push(span);
        }
        self.add(Kind::Variable(slot), span)
    }

    fn parenthesized(&mut self) -> Result<NodeId, Fault> {
        self.advance();
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    /// `${ … }`, which is nothing but parentheses.
    fn wrapped(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        if self.is(&Shape::End) {
            return Err(Cause::Unterminated.at(start));
        }
        let inner = self.expression()?;
        if self.is(&Shape::End) {
            return Err(Cause::Unterminated.at(start));
        }
        self.expect("}")?;
        Ok(inner)
    }

    /// `#name` is the name without the `#`; inside of a predicate, `#` alone is the element.
    fn hash(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        let follows = self.lexeme();
        let is_attached = follows.span.start == start.end;
        let name = match follows.shape {
            Shape::Word(name) if is_attached && !name.starts_with('$') => Some(name),
            // Outside of predicates the `#` has always been dropped before numbers, too.
            Shape::Integer(_) | Shape::Double(_) if is_attached && self.predicates.is_empty() => {
                return self.primary();
            }
            Shape::Word(_)
            | Shape::Integer(_)
            | Shape::Double(_)
            | Shape::Text(_)
            | Shape::Symbol(_)
            | Shape::End => None,
        };
        match (self.predicates.last(), name) {
            (Some(_), Some("index")) => self.literal(Kind::ElementIndex),
            (Some(Each::Reduce), Some("acc")) => self.literal(Kind::Accumulator),
            (Some(_) | None, Some(name)) => self.word(name),
            (Some(_), None) => self.add(Kind::Element, start),
            (None, None) => Err(Fault::syntax(start, "a name must follow `#` at once")),
        }
    }

    fn list(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        let mut items = Vec::new();
        while !self.skip("]") {
            items.push(self.expression()?);
            if !self.is(&Shape::Symbol("]")) {
                self.expect(",")?;
            }
        }
        let span = start.to(self.previous());
        self.add(Kind::List(items), span)
    }

    fn map(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        let mut members = Vec::new();
        while !self.skip("}") {
            let key = match self.shape().clone() {
                Shape::Word(name) => name.to_owned(),
                Shape::Text(text) => text,
                Shape::Integer(_) | Shape::Double(_) | Shape::Symbol(_) | Shape::End => {
                    return Err(self.unexpected("a key"));
                }
            };
            self.advance();
            self.expect(":")?;
            members.push((key, self.expression()?));
            if !self.is(&Shape::Symbol("}")) {
                self.expect(",")?;
            }
        }
        let span = start.to(self.previous());
        self.add(Kind::Map(members), span)
    }

    /// The call behind a pipe: what came before is its first argument.
    pub(super) fn piped(&mut self, first: NodeId) -> Result<NodeId, Fault> {
        let start = self.span_of(first);
        let call = self.call(Some(first))?;
        self.postfix(call, start)
    }

    fn call(&mut self, first: Option<NodeId>) -> Result<NodeId, Fault> {
        let Shape::Word(name) = *self.shape() else { return Err(self.unexpected("a function")) };
        let name_span = self.advance().span;
        let Some(function) = Function::named(name) else {
            return Err(Cause::UndefinedVariable(name.to_owned()).at(name_span));
        };
        self.expect("(")?;
        let start = first.map_or(name_span, |it| self.span_of(it));
        let arguments = self.arguments(function, Vec::from_iter(first))?;
        let span = start.to(self.previous());
        if !function.arity().contains(&arguments.len()) {
            let count = arguments.len();
            return Err(Fault::syntax(span, format!("{name} does not take {count} arguments")));
        }
        self.add(Kind::Call { function, arguments }, span)
    }

    fn arguments(
        &mut self,
        function: Function,
        mut arguments: Vec<NodeId>,
    ) -> Result<Vec<NodeId>, Fault> {
        while !self.skip(")") {
            let argument = match function {
                Function::Each(each) if arguments.len() == 1 => self.predicate(each)?,
                Function::Each(_)
                | Function::List(_)
                | Function::Text(_)
                | Function::Number(_)
                | Function::Bits(_)
                | Function::Value(_) => self.expression()?,
            };
            arguments.push(argument);
            if !self.is(&Shape::Symbol(")")) {
                self.expect(",")?;
            }
        }
        Ok(arguments)
    }

    /// A predicate, with or without braces.
    fn predicate(&mut self, each: Each) -> Result<NodeId, Fault> {
        self.predicates.push(each);
        let parsed = if self.is(&Shape::Symbol("{")) { self.block() } else { self.expression() };
        self.predicates.pop();
        parsed
    }
}
