//! The operators of conditions and their names.

use std::fmt;

/// How a value is compared. The names of those that ignore case begin with an `I`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Of equal value.
    Equals,
    /// A value, and not that one.
    NotEqual,
    /// Above it.
    GreaterThan,
    /// Below it.
    LessThan,
    /// Above it or equal.
    GreaterOrEqual,
    /// Below it or equal.
    LessOrEqual,
    /// Text with that in it.
    Contains,
    /// Text without that in it.
    NotContains,
    /// Text that begins so.
    StartsWith,
    /// Text that begins otherwise.
    NotStartsWith,
    /// Text that ends so.
    EndsWith,
    /// Text that ends otherwise.
    NotEndsWith,
    /// Text of that shape; see [`super::Like`].
    Like,
    /// Nothing there.
    IsNull,
    /// Something there.
    NotNull,
    /// Above the low bound and below the high one.
    Between,
    /// The same, or equal to a bound.
    BetweenInclusive,
    /// Text that is, as a whole, described by a regular expression.
    MatchesPattern,
    /// The same text.
    IEquals,
    /// Another text.
    INotEqual,
    /// Text with that in it.
    IContains,
    /// Text without that in it.
    INotContains,
    /// Text that begins so.
    IStartsWith,
    /// Text that begins otherwise.
    INotStartsWith,
    /// Text that ends so.
    IEndsWith,
    /// Text that ends otherwise.
    INotEndsWith,
}

impl Operator {
    /// The operators and what conditions call them.
    pub const NAMES: [(&'static str, Self); 26] = [
        ("EQUALS", Self::Equals),
        ("NOT_EQUAL", Self::NotEqual),
        ("GREATER_THAN", Self::GreaterThan),
        ("LESS_THAN", Self::LessThan),
        ("GREATER_OR_EQUAL", Self::GreaterOrEqual),
        ("LESS_OR_EQUAL", Self::LessOrEqual),
        ("CONTAINS", Self::Contains),
        ("NOT_CONTAINS", Self::NotContains),
        ("STARTS_WITH", Self::StartsWith),
        ("NOT_STARTS_WITH", Self::NotStartsWith),
        ("ENDS_WITH", Self::EndsWith),
        ("NOT_ENDS_WITH", Self::NotEndsWith),
        ("LIKE", Self::Like),
        ("IS_NULL", Self::IsNull),
        ("NOT_NULL", Self::NotNull),
        ("BETWEEN", Self::Between),
        ("BETWEEN_INCLUSIVE", Self::BetweenInclusive),
        ("MATCHES_PATTERN", Self::MatchesPattern),
        ("IEQUALS", Self::IEquals),
        ("INOT_EQUAL", Self::INotEqual),
        ("ICONTAINS", Self::IContains),
        ("INOT_CONTAINS", Self::INotContains),
        ("ISTARTS_WITH", Self::IStartsWith),
        ("INOT_STARTS_WITH", Self::INotStartsWith),
        ("IENDS_WITH", Self::IEndsWith),
        ("INOT_ENDS_WITH", Self::INotEndsWith),
    ];

    /// The operator of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(it, _)| *it == name).map(|(_, operator)| *operator)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, it)| it == self).map(|(name, _)| *name);
        out.write_str(name.unwrap_or_default())
    }
}
