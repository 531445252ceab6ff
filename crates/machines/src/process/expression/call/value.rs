//! Functions that take values of several types.

use super::Arguments;
use crate::process::expression::{
    Cause, ValueFunction, access,
    number::Number,
    operand::{Budget, Operand},
    operation::{Rules, integer, text},
};

pub(super) fn call<'a>(
    function: ValueFunction,
    arguments: &Arguments<'a>,
    mut rules: Rules<'_>,
) -> Result<Operand<'a>, Cause> {
    let first = arguments.get(0);
    match function {
        ValueFunction::Contains => contains(&first, &arguments.get(1), &mut rules),
        ValueFunction::Len => length(&first),
        ValueFunction::Get => get(&first, &arguments.get(1)),
        ValueFunction::Int => {
            let number = converted(&first, "int")?.rounded(f64::trunc);
            let whole = number.whole().map(|it| Operand::Number(Number::Integer(it)));
            whole.ok_or_else(|| Cause::operation("int needs a number of 64 bits"))
        }
        ValueFunction::Float => {
            Ok(Operand::Number(Number::Double(converted(&first, "float")?.double())))
        }
        ValueFunction::String => text_of(&first, rules.budget).map(Operand::text),
        ValueFunction::Type => Ok(Operand::text(type_name(&first))),
        ValueFunction::ToJson => {
            let json = format!("{:#}", first.into_value(rules.budget)?);
            rules.budget.charge_bytes(json.len())?;
            Ok(Operand::text(json))
        }
    }
}

/// What a value is as text: text is itself, everything else as in JSON.
pub(super) fn text_of(operand: &Operand<'_>, budget: &mut Budget) -> Result<String, Cause> {
    let text = match operand {
        Operand::Text(text) => text.as_str().to_owned(),
        Operand::Nil => "nil".to_owned(),
        Operand::Number(Number::Double(double)) if !double.is_finite() => double.to_string(),
        Operand::Bool(_) | Operand::Number(_) | Operand::List(_) | Operand::Map(_) => {
            operand.clone().into_value(budget)?.to_string()
        }
    };
    budget.charge_bytes(text.len())?;
    Ok(text)
}

/// `element in collection`, and whether a text is part of another.
fn contains<'a>(
    collection: &Operand<'a>,
    element: &Operand<'a>,
    rules: &mut Rules<'_>,
) -> Result<Operand<'a>, Cause> {
    match (collection, element) {
        (Operand::Text(whole), Operand::Text(part)) => {
            Ok(Operand::Bool(whole.as_str().contains(part.as_str())))
        }
        (
            Operand::Nil
            | Operand::Bool(_)
            | Operand::Number(_)
            | Operand::Text(_)
            | Operand::List(_)
            | Operand::Map(_),
            _,
        ) => rules.is_in(element, collection).map(Operand::Bool),
    }
}

fn length<'a>(operand: &Operand<'a>) -> Result<Operand<'a>, Cause> {
    match operand {
        Operand::List(list) => Ok(Operand::count(list.len())),
        Operand::Map(members) => Ok(Operand::count(members.len())),
        Operand::Text(text) => Ok(Operand::count(text.as_str().chars().count())),
        Operand::Nil | Operand::Bool(_) | Operand::Number(_) => {
            Err(Cause::operation(format!("{} has no length", operand.type_name())))
        }
    }
}

/// An element or a member, or nil if there is none.
fn get<'a>(object: &Operand<'a>, key: &Operand<'a>) -> Result<Operand<'a>, Cause> {
    match object {
        Operand::List(list) => {
            let position = access::position(integer(key, "get")?, list.len());
            Ok(position.and_then(|it| list.get(it)).unwrap_or(Operand::Nil))
        }
        Operand::Map(members) => Ok(members.get(text(key, "get")?).unwrap_or(Operand::Nil)),
        Operand::Nil | Operand::Bool(_) | Operand::Number(_) | Operand::Text(_) => Ok(Operand::Nil),
    }
}

/// A number, or text that looks like one. Asking for it by name is not coercion.
fn converted(operand: &Operand<'_>, function: &str) -> Result<Number, Cause> {
    match operand {
        Operand::Number(number) => Ok(*number),
        Operand::Text(text) => Number::shaped(text.as_str())
            .ok_or_else(|| Cause::operation(format!("{function} cannot read {:?}", text.as_str()))),
        Operand::Nil | Operand::Bool(_) | Operand::List(_) | Operand::Map(_) => {
            Err(Cause::operation(format!("{function} cannot take {}", operand.type_name())))
        }
    }
}

fn type_name(operand: &Operand<'_>) -> &'static str {
    match operand {
        Operand::Number(Number::Integer(_)) => "int",
        Operand::Number(Number::Double(_)) => "float",
        Operand::Map(_) => "map",
        Operand::Nil | Operand::Bool(_) | Operand::Text(_) | Operand::List(_) => {
            operand.type_name()
        }
    }
}
