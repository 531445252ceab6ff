//! Members, indexes and slices.

use super::{
    Cause,
    operand::{Budget, List, Members, Operand},
    operation::{integer, text},
};

pub(super) fn member<'a>(object: &Operand<'a>, name: &str) -> Result<Operand<'a>, Cause> {
    match object {
        Operand::Map(members) => Ok(member_or_nil(members, name)),
        Operand::Nil
        | Operand::Bool(_)
        | Operand::Number(_)
        | Operand::Text(_)
        | Operand::List(_) => {
            let found = object.type_name();
            Err(Cause::operation(format!("cannot take the member {name} of {found}")))
        }
    }
}

pub(super) fn element<'a>(object: &Operand<'a>, index: &Operand<'a>) -> Result<Operand<'a>, Cause> {
    match object {
        Operand::Map(members) => Ok(member_or_nil(members, text(index, "the key of an object")?)),
        Operand::List(list) => {
            let index = integer(index, "the index of an array")?;
            let length = list.len();
            let found = position(index, length).and_then(|it| list.get(it));
            found.ok_or_else(|| {
                Cause::operation(format!("index {index} is out of range of {length} elements"))
            })
        }
        Operand::Nil | Operand::Bool(_) | Operand::Number(_) | Operand::Text(_) => {
            Err(Cause::operation(format!("cannot take an element of {}", object.type_name())))
        }
    }
}

/// A stretch of an array, or of text by its characters. Ends that are out of range are moved in.
pub(super) fn slice<'a>(
    object: &Operand<'a>,
    (from, to): (Option<Operand<'a>>, Option<Operand<'a>>),
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let length = match object {
        Operand::List(list) => list.len(),
        Operand::Text(text) => text.as_str().chars().count(),
        Operand::Nil | Operand::Bool(_) | Operand::Number(_) | Operand::Map(_) => {
            return Err(Cause::operation(format!("cannot slice {}", object.type_name())));
        }
    };
    budget.charge(length)?;
    let end = |end: Option<Operand<'a>>, missing: usize| match end {
        Some(end) => Ok(clamped(integer(&end, "a slice")?, length)),
        None => Ok(missing),
    };
    let to = end(to, length)?;
    let from = end(from, 0)?.min(to);
    match object {
        Operand::List(List::Borrowed(items)) => {
            Ok(Operand::List(List::Borrowed(items.get(from..to).unwrap_or_default())))
        }
        Operand::List(list) => Operand::list((from..to).filter_map(|it| list.get(it)).collect()),
        Operand::Text(text) => {
            let part: String = text.as_str().chars().skip(from).take(to - from).collect();
            Ok(Operand::text(part))
        }
        Operand::Nil | Operand::Bool(_) | Operand::Number(_) | Operand::Map(_) => Ok(Operand::Nil),
    }
}

/// Where an index points to, counted from the end if it is negative.
pub(super) fn position(index: i128, length: usize) -> Option<usize> {
    if index < 0 {
        return length.checked_sub(usize::try_from(-index).ok()?);
    }
    usize::try_from(index).ok()
}

fn clamped(index: i128, length: usize) -> usize {
    let least = if index < 0 { 0 } else { length };
    position(index, length).unwrap_or(least).min(length)
}

fn member_or_nil<'a>(members: &Members<'a>, name: &str) -> Operand<'a> {
    members.get(name).unwrap_or(Operand::Nil)
}
