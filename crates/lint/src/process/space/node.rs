//! What the nodes of an expression stand for.

use serde_json::{Number, Value};
use waypost_machines::process::expression::{Expression, Kind, NodeId, UnaryOperator};

/// The variable, or the member of one, that a node stands for.
pub(super) fn path(expression: &Expression, mut id: NodeId) -> Option<Vec<String>> {
    let mut path = Vec::new();
    loop {
        let kind = &expression.node(id).kind;
        if let Kind::Variable(index) = kind {
            path.push(expression.variables().get(*index)?.name.clone());
            path.reverse();
            return Some(path);
        }
        if let Kind::OptionalChain(inner) = kind {
            id = *inner;
            continue;
        }
        let Kind::Member { object, name, .. } = kind else { return None };
        path.push(name.clone());
        id = *object;
    }
}

/// The constant that a node is.
pub(super) fn literal(expression: &Expression, id: NodeId) -> Option<Value> {
    let kind = &expression.node(id).kind;
    if let Kind::Unary { operator: UnaryOperator::Minus, operand } = kind {
        return negated(&expression.node(*operand).kind);
    }
    if matches!(kind, Kind::Nil | Kind::Null) {
        return Some(Value::Null);
    }
    if let Kind::Bool(yes) = kind {
        return Some(Value::Bool(*yes));
    }
    if let Kind::Text(text) = kind {
        return Some(Value::String(text.clone()));
    }
    if let Kind::Integer(integer) = kind {
        return Some(Value::from(*integer));
    }
    let Kind::Double(double) = kind else { return None };
    Number::from_f64(*double).map(Value::Number)
}

fn negated(kind: &Kind) -> Option<Value> {
    if let Kind::Integer(integer) = kind {
        return integer.checked_neg().map(Value::from);
    }
    let Kind::Double(double) = kind else { return None };
    Number::from_f64(-double).map(Value::Number)
}

/// The constants of a list.
pub(super) fn list(expression: &Expression, id: NodeId) -> Option<Vec<Value>> {
    let Kind::List(items) = &expression.node(id).kind else { return None };
    items.iter().map(|it| literal(expression, *it)).collect()
}
