//! The built-in functions: their names, what they take, and in which group they are.

use std::ops::RangeInclusive;

/// A built-in function, by what it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Each(Each),
    List(ListFunction),
    Text(TextFunction),
    Number(NumberFunction),
    Bits(BitFunction),
    Value(ValueFunction),
}

/// Functions that try a predicate on each element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    All,
    Any,
    None,
    One,
    Filter,
    Map,
    Find,
    FindIndex,
    FindLast,
    FindLastIndex,
    Count,
    Sum,
    GroupBy,
    SortBy,
    Reduce,
}

/// Functions that take or make lists and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFunction {
    First,
    Last,
    Take,
    Keys,
    Values,
    ToPairs,
    FromPairs,
    Reverse,
    Uniq,
    Concat,
    Flatten,
    Sort,
    Join,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFunction {
    Trim,
    TrimPrefix,
    TrimSuffix,
    Upper,
    Lower,
    Split,
    SplitAfter,
    Replace,
    Repeat,
    IndexOf,
    LastIndexOf,
    HasPrefix,
    HasSuffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFunction {
    Abs,
    Ceil,
    Floor,
    Round,
    Max,
    Min,
    Mean,
    Median,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitFunction {
    And,
    Or,
    Xor,
    AndNot,
    Not,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

/// Functions that take values of several types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFunction {
    Contains,
    Len,
    Get,
    Int,
    Float,
    String,
    Type,
    ToJson,
}

/// How many arguments a function can take that takes any number.
const MANY: usize = usize::MAX;

/// Name, function, fewest and most arguments.
type Signature = (&'static str, Function, usize, usize);

const SIGNATURES: [Signature; 65] = [
    ("all", Function::Each(Each::All), 2, 2),
    ("any", Function::Each(Each::Any), 2, 2),
    ("none", Function::Each(Each::None), 2, 2),
    ("one", Function::Each(Each::One), 2, 2),
    ("filter", Function::Each(Each::Filter), 2, 2),
    ("map", Function::Each(Each::Map), 2, 2),
    ("find", Function::Each(Each::Find), 2, 2),
    ("findIndex", Function::Each(Each::FindIndex), 2, 2),
    ("findLast", Function::Each(Each::FindLast), 2, 2),
    ("findLastIndex", Function::Each(Each::FindLastIndex), 2, 2),
    ("count", Function::Each(Each::Count), 1, 2),
    ("sum", Function::Each(Each::Sum), 1, 2),
    ("groupBy", Function::Each(Each::GroupBy), 2, 2),
    ("sortBy", Function::Each(Each::SortBy), 2, 3),
    ("reduce", Function::Each(Each::Reduce), 2, 3),
    ("first", Function::List(ListFunction::First), 1, 1),
    ("last", Function::List(ListFunction::Last), 1, 1),
    ("take", Function::List(ListFunction::Take), 2, 2),
    ("keys", Function::List(ListFunction::Keys), 1, 1),
    ("values", Function::List(ListFunction::Values), 1, 1),
    ("toPairs", Function::List(ListFunction::ToPairs), 1, 1),
    ("fromPairs", Function::List(ListFunction::FromPairs), 1, 1),
    ("reverse", Function::List(ListFunction::Reverse), 1, 1),
    ("uniq", Function::List(ListFunction::Uniq), 1, 1),
    ("concat", Function::List(ListFunction::Concat), 1, MANY),
    ("flatten", Function::List(ListFunction::Flatten), 1, 1),
    ("sort", Function::List(ListFunction::Sort), 1, 2),
    ("join", Function::List(ListFunction::Join), 1, 2),
    ("trim", Function::Text(TextFunction::Trim), 1, 2),
    ("trimPrefix", Function::Text(TextFunction::TrimPrefix), 2, 2),
    ("trimSuffix", Function::Text(TextFunction::TrimSuffix), 2, 2),
    ("upper", Function::Text(TextFunction::Upper), 1, 1),
    ("lower", Function::Text(TextFunction::Lower), 1, 1),
    ("split", Function::Text(TextFunction::Split), 2, 3),
    ("splitAfter", Function::Text(TextFunction::SplitAfter), 2, 3),
    ("replace", Function::Text(TextFunction::Replace), 3, 4),
    ("repeat", Function::Text(TextFunction::Repeat), 2, 2),
    ("indexOf", Function::Text(TextFunction::IndexOf), 2, 2),
    ("lastIndexOf", Function::Text(TextFunction::LastIndexOf), 2, 2),
    ("hasPrefix", Function::Text(TextFunction::HasPrefix), 2, 2),
    ("hasSuffix", Function::Text(TextFunction::HasSuffix), 2, 2),
    ("abs", Function::Number(NumberFunction::Abs), 1, 1),
    ("ceil", Function::Number(NumberFunction::Ceil), 1, 1),
    ("floor", Function::Number(NumberFunction::Floor), 1, 1),
    ("round", Function::Number(NumberFunction::Round), 1, 1),
    ("max", Function::Number(NumberFunction::Max), 1, MANY),
    ("min", Function::Number(NumberFunction::Min), 1, MANY),
    ("mean", Function::Number(NumberFunction::Mean), 1, MANY),
    ("median", Function::Number(NumberFunction::Median), 1, MANY),
    ("bitand", Function::Bits(BitFunction::And), 2, 2),
    ("bitor", Function::Bits(BitFunction::Or), 2, 2),
    ("bitxor", Function::Bits(BitFunction::Xor), 2, 2),
    ("bitnand", Function::Bits(BitFunction::AndNot), 2, 2),
    ("bitnot", Function::Bits(BitFunction::Not), 1, 1),
    ("bitshl", Function::Bits(BitFunction::ShiftLeft), 2, 2),
    ("bitshr", Function::Bits(BitFunction::ShiftRight), 2, 2),
    ("bitushr", Function::Bits(BitFunction::ShiftRightUnsigned), 2, 2),
    ("contains", Function::Value(ValueFunction::Contains), 2, 2),
    ("len", Function::Value(ValueFunction::Len), 1, 1),
    ("get", Function::Value(ValueFunction::Get), 2, 2),
    ("int", Function::Value(ValueFunction::Int), 1, 1),
    ("float", Function::Value(ValueFunction::Float), 1, 1),
    ("string", Function::Value(ValueFunction::String), 1, 1),
    ("type", Function::Value(ValueFunction::Type), 1, 1),
    ("toJSON", Function::Value(ValueFunction::ToJson), 1, 1),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        SIGNATURES.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// How it is called in expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.signature().0
    }

    /// How many arguments it takes.
    #[must_use]
    pub fn arity(self) -> RangeInclusive<usize> {
        let (_, _, fewest, most) = *self.signature();
        fewest..=most
    }

    /// Whether its second argument is tried on each element of the first.
    #[must_use]
    pub fn takes_predicate(self) -> bool {
        matches!(self, Self::Each(_))
    }

    fn signature(self) -> &'static Signature {
        SIGNATURES.iter().find(|it| it.1 == self).expect("every function has a signature")
    }
}
