//! An expression that is ready to be evaluated, as often as wanted and from any thread.

use serde_json::{Map, Value};

use super::{
    Coercion, Expression, ExpressionError, Limits, Variable,
    evaluate::Evaluation,
    parser,
    pattern::{self, Patterns},
};

#[derive(Clone, Debug)]
pub struct Compiled {
    source: String,
    expression: Expression,
    patterns: Patterns,
    limits: Limits,
}

impl Compiled {
    /// Parses a source once, for many evaluations.
    pub fn parse(source: &str, limits: Limits) -> Result<Self, ExpressionError> {
        let parsed = parser::parse(source, &limits)
            .and_then(|it| pattern::compile_all(&it, &limits).map(|patterns| (it, patterns)));
        let (expression, patterns) = parsed.map_err(|it| it.within(source))?;
        Ok(Self { source: source.to_owned(), expression, patterns, limits })
    }

    /// The value for these variables. The same variables always give the same value.
    pub fn evaluate(
        &self,
        variables: &Map<String, Value>,
        coercion: Coercion,
    ) -> Result<Value, ExpressionError> {
        let rules = (&self.limits, coercion);
        Evaluation::new(&self.expression, &self.patterns, variables, rules)
            .and_then(Evaluation::result)
            .map_err(|it| it.within(&self.source))
    }

    /// The variables it needs, in the order in which they are first mentioned.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        self.expression.variables()
    }

    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The syntax tree.
    #[must_use]
    pub fn expression(&self) -> &Expression {
        &self.expression
    }
}
