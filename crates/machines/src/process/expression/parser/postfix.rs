//! What is attached to the end of an operand: members, indexes and slices.

use super::Parser;
use crate::process::expression::{Kind, NodeId, Span, error::Fault, lexer::Shape};

impl Parser<'_> {
    pub(super) fn postfix(&mut self, operand: NodeId, start: Span) -> Result<NodeId, Fault> {
        let (mut object, mut has_optional) = (operand, false);
        loop {
            let optional = self.skip("?.");
            has_optional |= optional;
            if self.skip("[") {
                object = self.indexed(object, start, optional)?;
            } else if optional || self.skip(".") {
                object = self.member(object, start, optional)?;
            } else {
                break;
            }
        }
        if has_optional {
            let span = self.span_of(object);
            object = self.add(Kind::OptionalChain(object), span)?;
        }
        Ok(object)
    }

    /// Any word is good as the name of a member, even a reserved one.
    fn member(&mut self, object: NodeId, start: Span, optional: bool) -> Result<NodeId, Fault> {
        let Shape::Word(name) = *self.shape() else { return Err(self.unexpected("a member")) };
        let span = start.to(self.advance().span);
        if self.is(&Shape::Symbol("(")) {
            return Err(Fault::syntax(span, format!("the member {name} cannot be called")));
        }
        self.add(Kind::Member { object, name: name.to_owned(), optional }, span)
    }

    /// `[index]`, `[from:to]`, `[from:]` or `[:to]`, behind the bracket.
    fn indexed(&mut self, object: NodeId, start: Span, optional: bool) -> Result<NodeId, Fault> {
        let first = if self.is(&Shape::Symbol(":")) { None } else { Some(self.expression()?) };
        let kind = match first {
            Some(index) if !self.is(&Shape::Symbol(":")) => Kind::Index { object, index, optional },
            from => {
                self.expect(":")?;
                let has_end = !self.is(&Shape::Symbol("]"));
                let to = if has_end { Some(self.expression()?) } else { None };
                Kind::Slice { object, from, to, optional }
            }
        };
        self.expect("]")?;
        let span = start.to(self.previous());
        self.add(kind, span)
    }
}
