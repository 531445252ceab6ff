//! What expressions come to, as far as their text tells.

use waypost_machines::process::expression::{
    BinaryOperator, Compiled, Expression, Kind, Node, NodeId, UnaryOperator,
};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Unknown,
    Nil,
    Bool,
    Number,
    /// Text that was written, and never stands for anything else.
    Literal,
    /// Text that may stand for a number if it came from a variable.
    Text,
    List,
    Object,
}

impl Type {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "something",
            Self::Nil => "nothing",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Literal | Self::Text => "text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// Functions whose results are of one type.
const FUNCTIONS: [(Type, &[&str]); 4] = [
    (Type::Bool, &["all", "any", "none", "one", "hasPrefix", "hasSuffix", "contains"]),
    (
        Type::Number,
        &[
            "count",
            "sum",
            "indexOf",
            "lastIndexOf",
            "abs",
            "ceil",
            "floor",
            "round",
            "mean",
            "median",
            "bitand",
            "bitor",
            "bitxor",
            "bitnand",
            "bitnot",
            "bitshl",
            "bitshr",
            "bitushr",
            "len",
            "int",
            "float",
        ],
    ),
    (Type::Text, &["upper", "lower", "trim", "replace", "repeat", "join", "string", "toJSON"]),
    (Type::List, &["filter", "map", "keys", "values", "split", "splitAfter", "uniq", "flatten"]),
];

/// The types of all nodes, in their order: children come before their parents.
fn types(expression: &Expression) -> Vec<Type> {
    let mut types = Vec::with_capacity(expression.nodes().len());
    for Node { kind, .. } in expression.nodes() {
        let found = of(kind, &types);
        types.push(found);
    }
    types
}

fn of(kind: &Kind, types: &[Type]) -> Type {
    let child = |id: &NodeId| types.get(id.index()).copied().unwrap_or(Type::Unknown);
    match kind {
        Kind::Nil => Type::Nil,
        Kind::Bool(_) | Kind::Comparisons { .. } => Type::Bool,
        Kind::Integer(_) | Kind::Double(_) | Kind::ElementIndex => Type::Number,
        Kind::Text(_) => Type::Literal,
        Kind::List(_) => Type::List,
        Kind::Map(_) => Type::Object,
        Kind::Unary { operator: UnaryOperator::Not, .. } => Type::Bool,
        Kind::Unary { operator: UnaryOperator::Minus | UnaryOperator::Plus, .. } => Type::Number,
        Kind::Binary { operator, left, right } => binary(*operator, child(left), child(right)),
        Kind::Conditional { then, otherwise, .. } => match (child(then), child(otherwise)) {
            (then, otherwise) if then == otherwise => then,
            _ => Type::Unknown,
        },
        Kind::Let { body, .. } => child(body),
        Kind::Call { function, .. } => {
            let name = function.name();
            let found = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
            found.map_or(Type::Unknown, |(it, _)| *it)
        }
        Kind::Null
        | Kind::Variable(_)
        | Kind::Local { .. }
        | Kind::Element
        | Kind::Accumulator
        | Kind::Member { .. }
        | Kind::Index { .. }
        | Kind::Slice { .. }
        | Kind::OptionalChain(_) => Type::Unknown,
    }
}

fn binary(operator: BinaryOperator, left: Type, right: Type) -> Type {
    match operator {
        BinaryOperator::Or
        | BinaryOperator::And
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::In
        | BinaryOperator::Matches
        | BinaryOperator::Contains
        | BinaryOperator::StartsWith
        | BinaryOperator::EndsWith => Type::Bool,
        BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Remainder
        | BinaryOperator::Power => Type::Number,
        BinaryOperator::Range => Type::List,
        BinaryOperator::Add => match (left, right) {
            (Type::Number, _) | (_, Type::Number) => Type::Number,
            (Type::Literal, _) | (_, Type::Literal) => Type::Literal,
            _ => Type::Unknown,
        },
        BinaryOperator::Coalesce => {
            if left == right {
                left
            } else {
                Type::Unknown
            }
        }
    }
}

/// What a condition comes to, if that is certain and neither true nor false.
pub(super) fn never_boolean(compiled: &Compiled) -> Option<&'static str> {
    let root = types(compiled.expression()).last().copied()?;
    (!matches!(root, Type::Bool | Type::Unknown)).then(|| root.name())
}

/// A comparison of things that cannot be compared.
pub(super) struct Mismatch {
    pub(super) operator: &'static str,
    pub(super) left: &'static str,
    pub(super) right: &'static str,
    pub(super) span: (usize, usize),
}

/// The first comparison that comes out the same whatever the variables are, or fails.
pub(super) fn mismatch(compiled: &Compiled) -> Option<Mismatch> {
    let expression = compiled.expression();
    let types = types(expression);
    let found = expression.nodes().iter().filter_map(|node| {
        let (operator, left, right) = if let Kind::Binary { operator, left, right } = &node.kind {
            (*operator, *left, *right)
        } else {
            let Kind::Comparisons { first, rest } = &node.kind else { return None };
            let (operator, right) = rest.first()?;
            (*operator, *first, *right)
        };
        let of = |id: NodeId| types.get(id.index()).copied().unwrap_or(Type::Unknown);
        let (left, right) = (of(left), of(right));
        let span = (node.span.start, node.span.end);
        is_mismatch(operator, left, right).then(|| Mismatch {
            operator: operator.symbol(),
            left: left.name(),
            right: right.name(),
            span,
        })
    });
    found.into_iter().next()
}

fn is_mismatch(operator: BinaryOperator, left: Type, right: Type) -> bool {
    let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
    let is_order = matches!(
        operator,
        BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual
    );
    let unordered = |it: Type| matches!(it, Type::Bool | Type::Nil | Type::List | Type::Object);
    match (left, right) {
        (Type::Unknown, other) | (other, Type::Unknown) => is_order && unordered(other),
        (Type::Nil, _) | (_, Type::Nil) => is_order,
        (Type::Number, Type::Text) | (Type::Text, Type::Number) => false,
        (Type::Text | Type::Literal, Type::Text | Type::Literal) => false,
        (left, right) if left == right => is_order && unordered(left),
        _ => is_equality || is_order,
    }
}
