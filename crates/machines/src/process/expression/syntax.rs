//! The syntax tree. Nodes lie in one list, children before their parents and the root last: a
//! linter can walk it with a plain loop, and no tree is too deep to drop, compare or copy.

use super::{Function, Span};

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) nodes: Vec<Node>,
    pub(super) variables: Vec<Variable>,
}

/// The place of a node in its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(super) usize);

impl NodeId {
    /// Its place in [`Expression::nodes`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub span: Span,
}

/// A variable that an expression needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// Everywhere it is mentioned, in the order of the source.
    pub spans: Vec<Span>,
}

/// What a node is. Parentheses and `${…}` leave no trace of their own.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Nil,
    /// The word `null`: nil, unless there is a variable of that name.
    Null,
    Bool(bool),
    Integer(i64),
    Double(f64),
    Text(String),
    /// A variable, by its place in [`Expression::variables`].
    Variable(usize),
    /// A name given by `let`. The slot counts the `let`s around it from the outside.
    Local {
        slot: usize,
        name: String,
    },
    /// `#`, the element that the innermost predicate looks at.
    Element,
    /// `#index`, the place of that element.
    ElementIndex,
    /// `#acc`, what `reduce` has so far.
    Accumulator,
    List(Vec<NodeId>),
    Map(Vec<(String, NodeId)>),
    Unary {
        operator: UnaryOperator,
        operand: NodeId,
    },
    Binary {
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
    },
    /// `1 < a <= 3`: two or more comparisons, of which each must hold.
    Comparisons {
        first: NodeId,
        rest: Vec<(BinaryOperator, NodeId)>,
    },
    Conditional {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Let {
        name: String,
        value: NodeId,
        body: NodeId,
    },
    /// `object.name`, or `object?.name` if it is optional.
    Member {
        object: NodeId,
        name: String,
        optional: bool,
    },
    /// `object[index]`, or `object?.[index]` if it is optional.
    Index {
        object: NodeId,
        index: NodeId,
        optional: bool,
    },
    /// `object[from:to]`; what is left out means the beginning or the end.
    Slice {
        object: NodeId,
        from: Option<NodeId>,
        to: Option<NodeId>,
        optional: bool,
    },
    /// How far a `?.` inside reaches: all of this is nil if it meets nil.
    OptionalChain(NodeId),
    /// A function; where it takes a predicate, that is the second argument.
    Call {
        function: Function,
        arguments: Vec<NodeId>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Not,
    Minus,
    Plus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Range,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Coalesce,
}

impl Expression {
    /// All nodes, children before their parents.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node that is the whole expression.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len().saturating_sub(1))
    }

    /// The node at a place of this expression.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0).expect("a node id is used with its own expression")
    }

    /// The variables it needs, in the order in which they are first mentioned.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Whether both mean the same tree, wherever it was written.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let names = |it: &Self| it.variables.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        self.nodes.iter().map(|it| &it.kind).eq(other.nodes.iter().map(|it| &it.kind))
            && names(self) == names(other)
    }
}

impl Kind {
    /// The child that is evaluated first, whatever the others are. Long sums, member chains and
    /// pipes nest in it without any parentheses, so nothing may recurse into it.
    pub(super) fn head(&self) -> Option<NodeId> {
        match self {
            Self::Unary { operand: head, .. }
            | Self::Binary { left: head, .. }
            | Self::Comparisons { first: head, .. }
            | Self::Conditional { condition: head, .. }
            | Self::Let { value: head, .. }
            | Self::Member { object: head, .. }
            | Self::Index { object: head, .. }
            | Self::Slice { object: head, .. }
            | Self::OptionalChain(head) => Some(*head),
            Self::Call { arguments, .. } => arguments.first().copied(),
            Self::Nil
            | Self::Null
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Variable(_)
            | Self::Local { .. }
            | Self::Element
            | Self::ElementIndex
            | Self::Accumulator
            | Self::List(_)
            | Self::Map(_) => None,
        }
    }
}

impl UnaryOperator {
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Not => 80,
            Self::Minus | Self::Plus => 100,
        }
    }

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }
}

impl BinaryOperator {
    const ALL: [Self; 21] = [
        Self::Or,
        Self::And,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::In,
        Self::Matches,
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
        Self::Range,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Power,
        Self::Coalesce,
    ];

    /// The operator written so.
    pub(super) fn written(symbol: &str) -> Option<Self> {
        match symbol {
            "or" => Some(Self::Or),
            "and" => Some(Self::And),
            "^" => Some(Self::Power),
            other => Self::ALL.into_iter().find(|it| it.symbol() == other),
        }
    }

    /// How an operator is written in the source.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Matches => "matches",
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Range => "..",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::Coalesce => "??",
        }
    }

    /// How tightly it binds; a larger number binds tighter.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Or => 30,
            Self::And => 40,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::In
            | Self::Matches
            | Self::Contains
            | Self::StartsWith
            | Self::EndsWith => 50,
            Self::Range => 60,
            Self::Add | Self::Subtract => 70,
            Self::Multiply | Self::Divide | Self::Remainder => 90,
            Self::Power => 110,
            Self::Coalesce => 120,
        }
    }

    /// What its right side must bind with at least: powers group to the right.
    pub(super) fn right_precedence(self) -> u8 {
        if self == Self::Power { self.precedence() } else { self.precedence() + 1 }
    }

    /// Whether several of it in a row mean that each holds.
    pub(super) fn is_ordering(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual)
    }

    /// Whether it may be written with a `not` before it.
    pub(super) fn can_be_negated(self) -> bool {
        matches!(
            self,
            Self::In | Self::Matches | Self::Contains | Self::StartsWith | Self::EndsWith
        )
    }
}
