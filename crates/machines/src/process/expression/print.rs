//! Writes a syntax tree as a source that parses to the same tree. A list of open pieces stands in
//! for recursion, which a long sum could drive too deep.

use std::fmt;

use super::{BinaryOperator, Expression, Function, Kind, NodeId, Variable};

/// What binds tighter than every operator: operands that need no parentheses.
const ATOM: u8 = u8::MAX;

/// Numbers and optional chains, which need parentheses only before a dot or a bracket.
const OPERAND: u8 = 200;

enum Piece<'a> {
    Text(&'a str),
    Quoted(&'a str),
    Integer(i64),
    Double(f64),
    /// A node, and how tightly it must bind to stand without parentheses.
    Node(NodeId, u8),
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![Piece::Node(self.root(), 0)];
        while let Some(piece) = open.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Quoted(text) => write_quoted(f, text)?,
                Piece::Integer(integer) => write!(f, "{integer}")?,
                Piece::Double(double) => write!(f, "{double:?}")?,
                Piece::Node(id, least) => {
                    let kind = &self.node(id).kind;
                    if precedence(kind) < least {
                        open.extend([Piece::Text(")"), Piece::Node(id, 0), Piece::Text("(")]);
                    } else {
                        open.extend(pieces(kind, &self.variables).into_iter().rev());
                    }
                }
            }
        }
        Ok(())
    }
}

fn precedence(kind: &Kind) -> u8 {
    match kind {
        Kind::Conditional { .. } | Kind::Let { .. } => 0,
        Kind::Unary { operator, .. } => operator.precedence(),
        Kind::Binary { operator, .. } => operator.precedence(),
        Kind::Comparisons { .. } => BinaryOperator::Less.precedence(),
        Kind::Integer(_) | Kind::Double(_) | Kind::OptionalChain(_) => OPERAND,
        Kind::Nil
        | Kind::Null
        | Kind::Bool(_)
        | Kind::Text(_)
        | Kind::Variable(_)
        | Kind::Local { .. }
        | Kind::Element
        | Kind::ElementIndex
        | Kind::Accumulator
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Member { .. }
        | Kind::Index { .. }
        | Kind::Slice { .. }
        | Kind::Call { .. } => ATOM,
    }
}

/// What a node is written as, in the order of the source.
fn pieces<'a>(kind: &'a Kind, variables: &'a [Variable]) -> Vec<Piece<'a>> {
    match kind {
        Kind::Nil => vec![Piece::Text("nil")],
        Kind::Null => vec![Piece::Text("null")],
        Kind::Bool(bool) => vec![Piece::Text(if *bool { "true" } else { "false" })],
        Kind::Integer(integer) => vec![Piece::Integer(*integer)],
        Kind::Double(double) => vec![Piece::Double(*double)],
        Kind::Text(text) => vec![Piece::Quoted(text)],
        Kind::Variable(slot) => {
            variables.get(*slot).map(|it| Piece::Text(&it.name)).into_iter().collect()
        }
        Kind::Local { name, .. } => vec![Piece::Text(name)],
        Kind::Element => vec![Piece::Text("#")],
        Kind::ElementIndex => vec![Piece::Text("#index")],
        Kind::Accumulator => vec![Piece::Text("#acc")],
        Kind::List(items) => bracketed("[", items.iter().map(|it| vec![Piece::Node(*it, 0)]), "]"),
        Kind::Map(members) => map(members),
        Kind::Unary { operator, operand } => {
            vec![Piece::Text(operator.symbol()), Piece::Node(*operand, operator.precedence())]
        }
        Kind::Binary { operator, left, right } => binary(*operator, *left, *right),
        Kind::Comparisons { first, rest } => comparisons(*first, rest),
        Kind::Conditional { condition, then, otherwise } => vec![
            Piece::Node(*condition, 1),
            Piece::Text(" ? "),
            Piece::Node(*then, 0),
            Piece::Text(" : "),
            Piece::Node(*otherwise, 0),
        ],
        Kind::Let { name, value, body } => vec![
            Piece::Text("let "),
            Piece::Text(name),
            Piece::Text(" = "),
            Piece::Node(*value, 0),
            Piece::Text("; "),
            Piece::Node(*body, 0),
        ],
        Kind::Member { object, name, optional } => {
            let dot = if *optional { "?." } else { "." };
            vec![Piece::Node(*object, ATOM), Piece::Text(dot), Piece::Text(name)]
        }
        Kind::Index { object, index, optional } => {
            let mut pieces = vec![Piece::Node(*object, ATOM), bracket(*optional)];
            pieces.extend([Piece::Node(*index, 0), Piece::Text("]")]);
            pieces
        }
        Kind::Slice { object, from, to, optional } => {
            let mut pieces = vec![Piece::Node(*object, ATOM), bracket(*optional)];
            pieces.extend(from.map(|it| Piece::Node(it, 0)));
            pieces.push(Piece::Text(" : "));
            pieces.extend(to.map(|it| Piece::Node(it, 0)));
            pieces.push(Piece::Text("]"));
            pieces
        }
        Kind::OptionalChain(inner) => vec![Piece::Node(*inner, 0)],
        Kind::Call { function, arguments } => call(*function, arguments),
    }
}

fn map(members: &[(String, NodeId)]) -> Vec<Piece<'_>> {
    let members = members
        .iter()
        .map(|(key, id)| vec![Piece::Quoted(key), Piece::Text(": "), Piece::Node(*id, 0)]);
    bracketed("{", members, "}")
}

/// Predicates are written in braces, where nothing they begin with can be misread.
fn call<'a>(function: Function, arguments: &[NodeId]) -> Vec<Piece<'a>> {
    let arguments = arguments.iter().enumerate().map(|(index, id)| {
        if index == 1 && function.takes_predicate() {
            vec![Piece::Text("{"), Piece::Node(*id, 0), Piece::Text("}")]
        } else {
            vec![Piece::Node(*id, 0)]
        }
    });
    let mut pieces = vec![Piece::Text(function.name())];
    pieces.extend(bracketed("(", arguments, ")"));
    pieces
}

fn bracket<'a>(optional: bool) -> Piece<'a> {
    Piece::Text(if optional { "?.[" } else { "[" })
}

fn binary<'a>(operator: BinaryOperator, left: NodeId, right: NodeId) -> Vec<Piece<'a>> {
    let precedence = operator.precedence();
    // A power on the left of a power, and an ordering on the left of an ordering, would read as
    // something else.
    let groups_left = operator != BinaryOperator::Power && !operator.is_ordering();
    let least = if groups_left { precedence } else { precedence + 1 };
    vec![
        Piece::Node(left, least),
        Piece::Text(" "),
        Piece::Text(operator.symbol()),
        Piece::Text(" "),
        Piece::Node(right, operator.right_precedence()),
    ]
}

fn comparisons<'a>(first: NodeId, rest: &[(BinaryOperator, NodeId)]) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece::Node(first, BinaryOperator::Less.right_precedence())];
    for (operator, operand) in rest {
        pieces.extend([
            Piece::Text(" "),
            Piece::Text(operator.symbol()),
            Piece::Text(" "),
            Piece::Node(*operand, operator.right_precedence()),
        ]);
    }
    pieces
}

fn bracketed<'a>(
    begin: &'a str,
    items: impl Iterator<Item = Vec<Piece<'a>>>,
    end: &'a str,
) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece::Text(begin)];
    for (index, item) in items.enumerate() {
        if index > 0 {
            pieces.push(Piece::Text(", "));
        }
        pieces.extend(item);
    }
    pieces.push(Piece::Text(end));
    pieces
}

/// Text in quotes, with the escapes that the lexer knows.
fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            plain => write!(f, "{plain}")?,
        }
    }
    f.write_str("\"")
}
