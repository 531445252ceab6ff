//! The expression language of process graphs: compiled once, evaluated against variables.
//!
//! Pure, and bounded by [`Limits`]: no text and no value makes it crash, hang or grow without end.

mod access;
mod assignment;
mod call;
mod coercion;
mod compiled;
mod error;
mod evaluate;
mod function;
mod lexer;
mod limits;
mod number;
mod operand;
mod operation;
mod parser;
mod pattern;
mod print;
mod syntax;

pub use assignment::{Assignment, is_now};
pub use compiled::Compiled;
pub use error::{Cause, ExpressionError, Span};
pub use function::{
    BitFunction, Each, Function, ListFunction, NumberFunction, TextFunction, ValueFunction,
};
pub use limits::{Coercion, Limits};
pub use operand::type_of;
pub use syntax::{BinaryOperator, Expression, Kind, Node, NodeId, UnaryOperator, Variable};
