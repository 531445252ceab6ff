//! How an expression fails: what was wrong, where, and in which source.

use std::fmt;

/// How much of a source or a value an error shows, in characters.
const SHOWN_MAX: usize = 200;

/// A stretch of the source, in bytes: from `start` up to, but not including, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub(super) fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }
}

/// An expression that could not be parsed or evaluated. Its text is one line.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    expression: String,
    span: Span,
    cause: Cause,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// It is not an expression.
    Syntax(String),
    /// A `${` without its `}`.
    Unterminated,
    /// A name that is neither a variable nor, where it is called, a function.
    UndefinedVariable(String),
    /// Text from a variable that does not look like what is needed.
    Coercion { value: String, to: &'static str },
    /// An operation that is not defined for these values.
    Operation(String),
    /// A result that JSON has no number for: NaN or an infinity.
    NotANumber,
    /// More than is allowed of `what`.
    Limit { what: &'static str, limit: usize },
}

/// A cause at its place. The source is added on the way out.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) cause: Cause,
}

impl Fault {
    pub(super) fn syntax(span: Span, text: impl Into<String>) -> Self {
        Self { span, cause: Cause::Syntax(text.into()) }
    }

    pub(super) fn within(self, source: &str) -> ExpressionError {
        ExpressionError { expression: source.to_owned(), span: self.span, cause: self.cause }
    }
}

impl Cause {
    pub(super) fn at(self, span: Span) -> Fault {
        Fault { span, cause: self }
    }

    pub(super) fn operation(text: impl Into<String>) -> Self {
        Self::Operation(text.into())
    }
}

impl ExpressionError {
    /// The source of the expression, whole.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Where in the source it happened.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.cause
    }
}

impl std::error::Error for ExpressionError {}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { start, .. } = self.span;
        write!(f, "{} (at {start} in `{}`)", self.cause, one_line(&self.expression))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) | Self::Operation(text) => f.write_str(&one_line(text)),
            Self::Unterminated => f.write_str("unterminated '${' in expression"),
            Self::UndefinedVariable(name) => write!(f, "undefined variable \"{name}\""),
            Self::Coercion { value, to } => {
                write!(f, "cannot coerce value \"{}\" to {to}", one_line(value))
            }
            Self::NotANumber => f.write_str("the result is not a number that JSON can hold"),
            Self::Limit { what, limit } => write!(f, "more {what} than the {limit} allowed"),
        }
    }
}

/// The text without line breaks, and cut if it is long.
fn one_line(text: &str) -> String {
    let mut shown: String =
        text.chars().take(SHOWN_MAX).map(|it| if it.is_control() { ' ' } else { it }).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        shown.push('…');
    }
    shown
}
