//! What a value is compared with, made ready once when a condition is read.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use super::{
    like::Like,
    moment::{self, Nanoseconds},
    operator::Operator,
    pattern::translated,
    text::folded,
};
use crate::document::{Number, Value};

/// How long a pattern may be, of `LIKE` as well as of `MATCHES_PATTERN`, and there also with its
/// repetitions written out: matching a regular expression takes at most the length of the text times
/// that.
pub const PATTERN_LENGTH_MAX: usize = 1_024;

/// What a regular expression may take in memory. A dozen bytes can ask for gigabytes, but fifty
/// letters of any script already take more than two mebibytes.
const PATTERN_MEMORY_MAX: usize = 4 * 1024 * 1024;

/// What a value is compared with. The operator says which of these it is.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Nothing: whether something is null needs no other value.
    Nothing,
    /// One value, for equality and order.
    One(Scalar),
    /// Two bounds.
    Range(Scalar, Scalar),
    /// A piece of text, without its case if the operator ignores that.
    Text(String),
    /// A shape.
    Like(Like),
    /// A regular expression, as RE2 has them, for the whole of a text.
    Pattern(Regex),
}

/// A value to compare with. What is stored decides how it is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Equal to nothing, not even to null.
    Null,
    /// Text, a number or a boolean. `5` and `"5"` are the same.
    Written {
        /// As it is written.
        text: String,
        /// The number it is, if it is one.
        number: Option<Number>,
    },
    /// Nanoseconds since 1970-01-01 UTC.
    Time(Nanoseconds),
}

/// Why a value is nothing to compare with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperandError {
    /// It has no order and no text.
    #[error("{operator} compares with text, a number or a boolean, not with {found}")]
    Kind {
        /// What was to be done with it.
        operator: Operator,
        /// What it is instead.
        found: &'static str,
    },
    /// There are not two bounds.
    #[error("{0} needs two bounds: [low, high] or \"low,high\"")]
    Range(Operator),
    /// A time is needed.
    #[error("not a point in time: expected a year, a month, a date or RFC 3339")]
    Time,
    /// The pattern is too long.
    #[error("a pattern has at most {PATTERN_LENGTH_MAX} bytes, its repetitions written out")]
    Length,
    /// The regular expression is wrong, or asks for too much memory.
    #[error("not a pattern: {0}")]
    Pattern(String),
}

/// How values are to be compared.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    /// As what is stored wants it.
    Plain,
    /// As points in time.
    Time,
}

impl Operand {
    pub(super) fn new(
        operator: Operator,
        value: &Value,
        measure: Measure,
    ) -> Result<Self, OperandError> {
        match operator {
            Operator::IsNull | Operator::NotNull => Ok(Self::Nothing),
            Operator::Equals | Operator::NotEqual if value.is_null() => Ok(Self::One(Scalar::Null)),
            Operator::Equals
            | Operator::NotEqual
            | Operator::GreaterThan
            | Operator::LessThan
            | Operator::GreaterOrEqual
            | Operator::LessOrEqual => Scalar::new(text(operator, value)?, measure).map(Self::One),
            Operator::Between | Operator::BetweenInclusive => range(operator, value, measure),
            Operator::Contains
            | Operator::NotContains
            | Operator::StartsWith
            | Operator::NotStartsWith
            | Operator::EndsWith
            | Operator::NotEndsWith => text(operator, value).map(Self::Text),
            Operator::IEquals
            | Operator::INotEqual
            | Operator::IContains
            | Operator::INotContains
            | Operator::IStartsWith
            | Operator::INotStartsWith
            | Operator::IEndsWith
            | Operator::INotEndsWith => Ok(Self::Text(folded(&text(operator, value)?))),
            Operator::Like => Ok(Self::Like(Like::new(&pattern(operator, value)?))),
            Operator::MatchesPattern => expression(&pattern(operator, value)?).map(Self::Pattern),
        }
    }
}

impl Scalar {
    fn new(text: String, measure: Measure) -> Result<Self, OperandError> {
        match measure {
            Measure::Plain => {
                let number = Number::parse(&text);
                Ok(Self::Written { text, number })
            }
            Measure::Time => moment::parse(&text).map(Self::Time).ok_or(OperandError::Time),
        }
    }
}

fn range(operator: Operator, value: &Value, measure: Measure) -> Result<Operand, OperandError> {
    let (low, high) = match value {
        Value::List(bounds) => match bounds.as_slice() {
            [low, high] => (text(operator, low)?, text(operator, high)?),
            _ => return Err(OperandError::Range(operator)),
        },
        Value::Text(bounds) => match bounds.split_once(',') {
            Some((low, high)) if !high.contains(',') => {
                (low.trim().to_owned(), high.trim().to_owned())
            }
            None | Some(_) => return Err(OperandError::Range(operator)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            return Err(OperandError::Range(operator));
        }
    };
    Ok(Operand::Range(Scalar::new(low, measure)?, Scalar::new(high, measure)?))
}

fn text(operator: Operator, value: &Value) -> Result<String, OperandError> {
    let found = match value {
        Value::Text(text) => return Ok(text.clone()),
        Value::Number(number) => return Ok(number.as_str().to_owned()),
        Value::Bool(yes) => return Ok(yes.to_string()),
        Value::Null => "null",
        Value::List(_) => "a list",
        Value::Object(_) => "an object",
    };
    Err(OperandError::Kind { operator, found })
}

fn pattern(operator: Operator, value: &Value) -> Result<String, OperandError> {
    let pattern = text(operator, value)?;
    if pattern.len() > PATTERN_LENGTH_MAX { Err(OperandError::Length) } else { Ok(pattern) }
}

fn expression(pattern: &str) -> Result<Regex, OperandError> {
    let pattern = translated(pattern).map_err(|it| OperandError::Pattern(it.to_owned()))?;
    // By itself first: `a)(b` must not become an expression by what is put around it.
    let parsed = regex_syntax::parse(&pattern).map_err(|it| not_a_pattern(&it))?;
    if length(&parsed) > PATTERN_LENGTH_MAX {
        return Err(OperandError::Length);
    }
    compile(&format!(r"\A(?:{pattern})\z"))
}

/// How long an expression is with its repetitions written out.
fn length(expression: &Hir) -> usize {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(capture) => length(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(length).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            length(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, OperandError> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(PATTERN_MEMORY_MAX).dfa_size_limit(PATTERN_MEMORY_MAX);
    builder.build().map_err(|it| not_a_pattern(&it))
}

/// The last line says what is wrong; those before it draw a picture.
fn not_a_pattern(error: &dyn std::error::Error) -> OperandError {
    let told = error.to_string();
    let last = told.lines().last().unwrap_or_default();
    OperandError::Pattern(last.strip_prefix("error: ").unwrap_or(last).to_owned())
}
