//! What a definition assigns to a variable: a value as it stands, the time, or an expression.

use serde_json::{Map, Value};

use super::{Coercion, Compiled, ExpressionError, Limits};

#[derive(Clone, Debug)]
pub enum Assignment {
    Literal(Value),
    /// `${now()}`: whatever time it is when the step is entered.
    Now,
    Expression(Compiled),
    /// Written as an expression, but not one. It fails when it is evaluated and not before, so
    /// that a definition may hold it on a path that is never taken.
    Malformed(ExpressionError),
}

impl Assignment {
    /// A text from `${` to `}` is an expression, and everything else is itself.
    #[must_use]
    pub fn parse(value: &Value, limits: Limits) -> Self {
        let source = match value {
            Value::String(text) if text.starts_with("${") && text.ends_with('}') => text,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => return Self::Literal(value.clone()),
        };
        if is_now(source) {
            return Self::Now;
        }
        match Compiled::parse(source, limits) {
            Ok(compiled) => Self::Expression(compiled),
            Err(error) => Self::Malformed(error),
        }
    }

    /// The value to assign. `now` is the time as it is to be written.
    pub fn evaluate(
        &self,
        variables: &Map<String, Value>,
        coercion: Coercion,
        now: &str,
    ) -> Result<Value, ExpressionError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Now => Ok(Value::String(now.to_owned())),
            Self::Expression(compiled) => compiled.evaluate(variables, coercion),
            Self::Malformed(error) => Err(error.clone()),
        }
    }
}

/// Whether a source asks for the time: `${now()}`, with blanks inside of the braces at most.
#[must_use]
pub fn is_now(source: &str) -> bool {
    let inner = source.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    inner.is_some_and(|it| it.trim_matches([' ', '\t']) == "now()")
}
