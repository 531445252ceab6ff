//! Writes a syntax tree as a source that parses to the same tree. A list of open pieces stands in
//! for recursion, which a long sum could drive too deep.

use std::fmt;

use super::{BinaryOperator, Expression, Kind, NodeId};

/// What binds tighter than every operator: operands that need no parentheses.
const ATOM: u8 = u8::MAX;

/// Numbers and optional chains, which need parentheses only before a dot or a bracket.
const OPERAND: u8 = 200;

enum Piece<'a> {
    Text(&'a str),
    Quoted(&'a str),
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
                Piece::Node(id, least) => {
                    let kind = &self.node(id).kind;
                    if precedence(kind) < least {
                        open.extend([Piece::Text(")"), Piece::Node(id, 0), Piece::Text("(")]);
                    } else {
                        self.write(f, kind, &mut open)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Expression {
    /// Writes a leaf, or opens the pieces of a node in the order of the source.
    fn write<'a>(
        &'a self,
        f: &mut fmt::Formatter<'_>,
        kind: &'a Kind,
        open: &mut Vec<Piece<'a>>,
    ) -> fmt::Result {
        match kind {
            Kind::Integer(integer) => write!(f, "{integer}"),
            Kind::Double(double) => write!(f, "{double:?}"),
            Kind::Variable(slot) => match self.variables.get(*slot) {
                Some(variable) => f.write_str(&variable.name),
                None => Err(fmt::Error),
            },
            other => {
                let pieces = pieces(other);
                open.extend(pieces.into_iter().rev());
                Ok(())
            }
        }
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

fn pieces(kind: &Kind) -> Vec<Piece<'_>> {
    match kind {
        Kind::Nil => vec![Piece::Text("nil")],
        Kind::Null => vec![Piece::Text("null")],
        Kind::Bool(true) => vec![Piece::Text("true")],
        Kind::Bool(false) => vec![Piece::Text("false")],
        Kind::Text(text) => vec![Piece::Quoted(text)],
        Kind::Local { name, .. } => vec![Piece::Text(name)],
        Kind::Element => vec![Piece::Text("#")],
        Kind::ElementIndex => vec![Piece::Text("#index")],
        Kind::Accumulator => vec![Piece::Text("#acc")],
        Kind::Integer(_) | Kind::Double(_) | Kind::Variable(_) => Vec::new(),
        Kind::List(items) => bracketed("[", items.iter().map(|it| vec![Piece::Node(*it, 0)]), "]"),
        Kind::Map(members) => {
            let member = |(key, id): &'_ (String, NodeId)| (key.as_str().to_owned(), *id);
            let _ = member;
            let members = members.iter();
            let pieces = members
                .map(|(key, id)| vec![Piece::Quoted(key), Piece::Text(": "), Piece::Node(*id, 0)]);
            bracketed("{", pieces, "}")
        }
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
        Kind::Member { .. } | Kind::Index { .. } | Kind::Slice { .. } => postfix(kind),
        Kind::OptionalChain(inner) => vec![Piece::Node(*inner, 0)],
        Kind::Call { function, arguments } => {
            let mut pieces = vec![Piece::Text(function.name())];
            let wrap = |index: usize| function.takes_predicate() && index == 1;
            let arguments = arguments.iter().enumerate().map(|(index, id)| match wrap(index) {
                true => vec![Piece::Text("{"), Piece::Node(*id, 0), Piece::Text("}")],
                false => vec![Piece::Node(*id, 0)],
            });
            pieces.extend(bracketed("(", arguments, ")"));
            pieces
        }
    }
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

fn postfix(kind: &Kind) -> Vec<Piece<'_>> {
    let question = |optional: bool| Piece::Text(if optional { "?." } else { "" });
    let end = |end: &Option<NodeId>| end.map_or(Piece::Text(""), |it| Piece::Node(it, 0));
    match kind {
        Kind::Member { object, name, optional } => vec![
            Piece::Node(*object, ATOM),
            Piece::Text(if *optional { "?." } else { "." }),
            Piece::Text(name),
        ],
        Kind::Index { object, index, optional } => vec![
            Piece::Node(*object, ATOM),
            question(*optional),
            Piece::Text("["),
            Piece::Node(*index, 0),
            Piece::Text("]"),
        ],
        Kind::Slice { object, from, to, optional } => vec![
            Piece::Node(*object, ATOM),
            question(*optional),
            Piece::Text("["),
            end(from),
            Piece::Text(" : "),
            end(to),
            Piece::Text("]"),
        ],
        _ => Vec::new(),
    }
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
