//! A Pratt parser: operators by how tightly they bind, everything else by its first lexeme.

mod postfix;
mod primary;

use super::{
    BinaryOperator, Cause, Each, Expression, Kind, Limits, Node, NodeId, Span, UnaryOperator,
    Variable,
    error::Fault,
    lexer::{Lexeme, Shape, lexemes},
};

/// Binds more loosely than any binary operator: the pipe.
const PIPE: u8 = 20;

/// Not usable as names of variables.
const RESERVED: [&str; 14] = [
    "in",
    "not",
    "let",
    "and",
    "or",
    "matches",
    "contains",
    "startsWith",
    "endsWith",
    "if",
    "else",
    "true",
    "false",
    "nil",
];

pub(super) fn parse(source: &str, limits: &Limits) -> Result<Expression, Fault> {
    let lexemes = lexemes(source, limits)?;
    let mut parser = Parser {
        lexemes,
        at: 0,
        nodes: Vec::new(),
        variables: Vec::new(),
        locals: Vec::new(),
        predicates: Vec::new(),
        depth: 0,
        limits,
    };
    if parser.is(&Shape::End) {
        return Err(Fault::syntax(parser.span(), "the expression is empty"));
    }
    parser.expression()?;
    if !parser.is(&Shape::End) {
        return Err(parser.unexpected("the end"));
    }
    Ok(Expression { nodes: parser.nodes, variables: parser.variables })
}

struct Parser<'s> {
    lexemes: Vec<Lexeme<'s>>,
    at: usize,
    nodes: Vec<Node>,
    variables: Vec<Variable>,
    /// The names given by the `let`s around the current place, from the outside.
    locals: Vec<&'s str>,
    /// The functions in whose predicates the current place is, from the outside.
    predicates: Vec<Each>,
    depth: usize,
    limits: &'s Limits,
}

impl<'s> Parser<'s> {
    /// Anything: the loosest level there is.
    fn expression(&mut self) -> Result<NodeId, Fault> {
        self.nested(|it| match it.shape() {
            Shape::Word("let") => it.declaration(),
            Shape::Word("if") => it.branches(),
            Shape::Word(_)
            | Shape::Integer(_)
            | Shape::Double(_)
            | Shape::Text(_)
            | Shape::Symbol(_)
            | Shape::End => {
                let condition = it.binary(0)?;
                it.conditional(condition)
            }
        })
    }

    /// `condition ? then : otherwise`, if a question mark follows.
    fn conditional(&mut self, condition: NodeId) -> Result<NodeId, Fault> {
        if !self.skip("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.expression()?;
        let span = self.span_of(condition).to(self.span_of(otherwise));
        self.add(Kind::Conditional { condition, then, otherwise }, span)
    }

    /// `if condition { then } else { otherwise }`, or `else if …`.
    fn branches(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        let condition = self.expression()?;
        let then = self.block()?;
        if !self.skip_word("else") {
            return Err(self.unexpected("`else`"));
        }
        let otherwise =
            if self.is(&Shape::Word("if")) { self.nested(Self::branches)? } else { self.block()? };
        let span = start.to(self.previous());
        self.add(Kind::Conditional { condition, then, otherwise }, span)
    }

    fn block(&mut self) -> Result<NodeId, Fault> {
        self.expect("{")?;
        let inner = self.expression()?;
        self.expect("}")?;
        Ok(inner)
    }

    /// `let name = value; body`.
    fn declaration(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance().span;
        let name = self.name()?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect(";")?;
        self.locals.push(name);
        let body = self.expression()?;
        self.locals.pop();
        let span = start.to(self.span_of(body));
        self.add(Kind::Let { name: name.to_owned(), value, body }, span)
    }

    fn name(&mut self) -> Result<&'s str, Fault> {
        match *self.shape() {
            Shape::Word(name) if !RESERVED.contains(&name) => {
                self.advance();
                Ok(name)
            }
            Shape::Word(_)
            | Shape::Integer(_)
            | Shape::Double(_)
            | Shape::Text(_)
            | Shape::Symbol(_)
            | Shape::End => Err(self.unexpected("a name")),
        }
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<NodeId, Fault> {
        let mut left = self.unary()?;
        loop {
            if least <= PIPE && self.skip("|") {
                left = self.piped(left)?;
                continue;
            }
            let (operator, is_negated) = match self.operator() {
                Some(found) if found.0.precedence() >= least => found,
                Some(_) | None => return Ok(left),
            };
            self.at += if is_negated { 2 } else { 1 };
            left = if operator.is_ordering() {
                self.comparisons(left, operator)?
            } else {
                self.joined(operator, left)?
            };
            if is_negated {
                let span = self.span_of(left);
                left =
                    self.add(Kind::Unary { operator: UnaryOperator::Not, operand: left }, span)?;
            }
        }
    }

    /// The operator at the current place, and whether a `not` stands before it.
    fn operator(&self) -> Option<(BinaryOperator, bool)> {
        if *self.shape() == Shape::Word("not") {
            let next = self.lexemes.get(self.at + 1)?;
            let operator = operator_of(&next.shape)?;
            return operator.can_be_negated().then_some((operator, true));
        }
        operator_of(self.shape()).map(|it| (it, false))
    }

    fn joined(&mut self, operator: BinaryOperator, left: NodeId) -> Result<NodeId, Fault> {
        let right = self.nested(|it| it.binary(operator.right_precedence()))?;
        let span = self.span_of(left).to(self.span_of(right));
        self.add(Kind::Binary { operator, left, right }, span)
    }

    /// One comparison, or several in a row.
    fn comparisons(&mut self, first: NodeId, operator: BinaryOperator) -> Result<NodeId, Fault> {
        let (mut rest, mut next) = (Vec::new(), operator);
        loop {
            let operand = self.nested(|it| it.binary(next.right_precedence()))?;
            rest.push((next, operand));
            match operator_of(self.shape()) {
                Some(follows) if follows.is_ordering() => next = follows,
                Some(_) | None => break,
            }
            self.at += 1;
        }
        let span = self.span_of(first).to(self.previous());
        let kind = match *rest.as_slice() {
            [(operator, right)] => Kind::Binary { operator, left: first, right },
            _ => Kind::Comparisons { first, rest },
        };
        self.add(kind, span)
    }

    fn unary(&mut self) -> Result<NodeId, Fault> {
        let operator = match self.shape() {
            Shape::Symbol("!") | Shape::Word("not") => UnaryOperator::Not,
            Shape::Symbol("-") => UnaryOperator::Minus,
            Shape::Symbol("+") => UnaryOperator::Plus,
            Shape::Word(_)
            | Shape::Integer(_)
            | Shape::Double(_)
            | Shape::Text(_)
            | Shape::Symbol(_)
            | Shape::End => return self.primary(),
        };
        let start = self.advance().span;
        let operand = self.nested(|it| it.binary(operator.precedence()))?;
        let span = start.to(self.span_of(operand));
        self.add(Kind::Unary { operator, operand }, span)
    }

    /// Goes one level deeper. Every way to recurse leads through here.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let limit = self.limits.nesting;
        if self.depth >= limit {
            return Err(Cause::Limit { what: "levels of nesting", limit }.at(self.span()));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn add(&mut self, kind: Kind, span: Span) -> Result<NodeId, Fault> {
        let limit = self.limits.nodes;
        if self.nodes.len() >= limit {
            return Err(Cause::Limit { what: "syntax nodes", limit }.at(span));
        }
        self.nodes.push(Node { kind, span });
        Ok(NodeId(self.nodes.len() - 1))
    }

    fn span_of(&self, id: NodeId) -> Span {
        self.nodes.get(id.0).map(|it| it.span).unwrap_or_default()
    }

    fn lexeme(&self) -> &Lexeme<'s> {
        let last = self.lexemes.last().expect("there is always an end");
        self.lexemes.get(self.at).unwrap_or(last)
    }

    fn shape(&self) -> &Shape<'s> {
        &self.lexeme().shape
    }

    fn span(&self) -> Span {
        self.lexeme().span
    }

    /// The span of the lexeme before the current one.
    fn previous(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|it| self.lexemes.get(it));
        before.map(|it| it.span).unwrap_or_default()
    }

    fn advance(&mut self) -> Lexeme<'s> {
        let lexeme = self.lexeme().clone();
        self.at += 1;
        lexeme
    }

    fn is(&self, shape: &Shape<'_>) -> bool {
        self.shape() == shape
    }

    fn skip(&mut self, symbol: &'static str) -> bool {
        let found = self.is(&Shape::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    fn skip_word(&mut self, word: &str) -> bool {
        let found = self.is(&Shape::Word(word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), Fault> {
        if self.skip(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.shape() {
            Shape::Word(word) => format!("`{word}`"),
            Shape::Integer(integer) => integer.to_string(),
            Shape::Double(double) => double.to_string(),
            Shape::Text(text) => format!("{text:?}"),
            Shape::Symbol(symbol) => format!("`{symbol}`"),
            Shape::End => "the end".to_owned(),
        };
        Fault::syntax(self.span(), format!("expected {wanted}, found {found}"))
    }
}

fn operator_of(shape: &Shape<'_>) -> Option<BinaryOperator> {
    match shape {
        Shape::Word(written) => BinaryOperator::written(written),
        Shape::Symbol(written) => BinaryOperator::written(written),
        Shape::Integer(_) | Shape::Double(_) | Shape::Text(_) | Shape::End => None,
    }
}
