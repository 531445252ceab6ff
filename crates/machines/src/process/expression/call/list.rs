//! Functions that take or make lists and objects.

use std::cmp::Ordering;

use indexmap::IndexMap;

use super::{Arguments, list_of};
use crate::process::expression::{
    Cause, ListFunction,
    operand::{Budget, List, Members, Operand},
    operation,
};

pub(super) fn call<'a>(
    function: ListFunction,
    arguments: &Arguments<'a>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    match function {
        ListFunction::First => Ok(arguments.list(0)?.get(0).unwrap_or(Operand::Nil)),
        ListFunction::Last => Ok(arguments.list(0)?.iter().next_back().unwrap_or(Operand::Nil)),
        ListFunction::Take => collect(arguments.list(0)?.iter().take(arguments.count(1)?), budget),
        ListFunction::Keys => {
            let pairs = members(arguments)?;
            budget.charge_bytes(pairs.iter().map(|(key, _)| key.len()).sum())?;
            collect(pairs.iter().map(|(key, _)| Operand::text(key)), budget)
        }
        ListFunction::Values => {
            let members = members(arguments)?;
            collect(members.iter().map(|(_, member)| member), budget)
        }
        ListFunction::ToPairs => to_pairs(&members(arguments)?, budget),
        ListFunction::FromPairs => from_pairs(&arguments.list(0)?, budget),
        ListFunction::Reverse => collect(arguments.list(0)?.iter().rev(), budget),
        ListFunction::Uniq => unique(&arguments.list(0)?, budget),
        ListFunction::Concat => {
            let lists = arguments.items.iter().map(|it| list_of(it, "concat"));
            let lists = lists.collect::<Result<Vec<_>, _>>()?;
            collect(lists.iter().flat_map(List::iter), budget)
        }
        ListFunction::Flatten => flatten(arguments.list(0)?, budget),
        ListFunction::Sort => {
            let list = arguments.list(0)?;
            let keys = list.iter().collect();
            let order = arguments.has(1).then(|| arguments.get(1));
            sorted(&list, keys, (order.as_ref(), budget))
        }
        ListFunction::Join => join(arguments, budget),
    }
}

/// The list in the order of the keys, which are numbers or texts.
pub(super) fn sorted<'a>(
    list: &List<'a>,
    keys: Vec<Operand<'a>>,
    (order, budget): (Option<&Operand<'a>>, &mut Budget),
) -> Result<Operand<'a>, Cause> {
    let descends = match order.map(|it| operation::text(it, "the order")).transpose()? {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(other) => return Err(Cause::operation(format!("{other:?} is not asc or desc"))),
    };
    let length = list.len();
    budget.charge(length.saturating_mul(length.checked_ilog2().unwrap_or(0) as usize + 1))?;
    check_sortable(&keys)?;
    let mut pairs: Vec<_> = keys.into_iter().zip(list.iter()).collect();
    pairs.sort_by(|(left, _), (right, _)| {
        let order = compare(left, right);
        if descends { order.reverse() } else { order }
    });
    Operand::list(pairs.into_iter().map(|(_, item)| item).collect())
}

/// Only what has one order can be sorted: numbers without NaN, or texts.
fn check_sortable(keys: &[Operand<'_>]) -> Result<(), Cause> {
    let is_number = |it: &Operand<'_>| matches!(it, Operand::Number(number) if !number.is_nan());
    let is_text = |it: &Operand<'_>| matches!(it, Operand::Text(_));
    if keys.iter().all(is_number) || keys.iter().all(is_text) {
        return Ok(());
    }
    Err(Cause::operation("only numbers or only texts can be sorted"))
}

fn compare(left: &Operand<'_>, right: &Operand<'_>) -> Ordering {
    match (left, right) {
        (Operand::Number(left), Operand::Number(right)) => {
            left.compare(*right).unwrap_or(Ordering::Equal)
        }
        (Operand::Text(left), Operand::Text(right)) => left.as_str().cmp(right.as_str()),
        (
            Operand::Nil
            | Operand::Bool(_)
            | Operand::Number(_)
            | Operand::Text(_)
            | Operand::List(_)
            | Operand::Map(_),
            _,
        ) => Ordering::Equal,
    }
}

fn collect<'a>(
    items: impl Iterator<Item = Operand<'a>>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let mut list = Vec::new();
    for item in items {
        budget.charge(1)?;
        list.push(item);
    }
    Operand::list(list)
}

fn members<'a>(arguments: &Arguments<'a>) -> Result<Members<'a>, Cause> {
    match arguments.get(0) {
        Operand::Map(members) => Ok(members),
        other @ (Operand::Nil
        | Operand::Bool(_)
        | Operand::Number(_)
        | Operand::Text(_)
        | Operand::List(_)) => {
            let (function, found) = (arguments.function, other.type_name());
            Err(Cause::operation(format!("{function} needs an object, found {found}")))
        }
    }
}

fn to_pairs<'a>(members: &Members<'a>, budget: &mut Budget) -> Result<Operand<'a>, Cause> {
    let mut pairs = Vec::new();
    for (key, member) in members.iter() {
        budget.charge(3)?;
        budget.charge_bytes(key.len())?;
        pairs.push(Operand::list(vec![Operand::text(key), member])?);
    }
    Operand::list(pairs)
}

fn from_pairs<'a>(pairs: &List<'a>, budget: &mut Budget) -> Result<Operand<'a>, Cause> {
    let mut members = IndexMap::new();
    for pair in pairs.iter() {
        budget.charge(1)?;
        let pair = list_of(&pair, "fromPairs")?;
        let (Some(key), Some(member), 2) = (pair.get(0), pair.get(1), pair.len()) else {
            return Err(Cause::operation("a pair has a key and a value"));
        };
        budget.charge_text(&key)?;
        members.insert(operation::text(&key, "the key of a pair")?.to_owned(), member);
    }
    Operand::map(members)
}

fn unique<'a>(list: &List<'a>, budget: &mut Budget) -> Result<Operand<'a>, Cause> {
    let mut kept: Vec<Operand<'a>> = Vec::new();
    'items: for item in list.iter() {
        for other in &kept {
            if item.equals(other, budget)? {
                continue 'items;
            }
        }
        kept.push(item);
    }
    Operand::list(kept)
}

/// All elements of lists in lists, however deep.
fn flatten<'a>(list: List<'a>, budget: &mut Budget) -> Result<Operand<'a>, Cause> {
    let (mut flat, mut open) = (Vec::new(), vec![(list, 0)]);
    while let Some((list, index)) = open.pop() {
        budget.charge(1)?;
        let Some(item) = list.get(index) else { continue };
        open.push((list, index + 1));
        match item {
            Operand::List(inner) => open.push((inner, 0)),
            other @ (Operand::Nil
            | Operand::Bool(_)
            | Operand::Number(_)
            | Operand::Text(_)
            | Operand::Map(_)) => flat.push(other),
        }
    }
    Operand::list(flat)
}

fn join<'a>(arguments: &Arguments<'a>, budget: &mut Budget) -> Result<Operand<'a>, Cause> {
    let glue = if arguments.has(1) { arguments.text(1)? } else { "" };
    let mut text = String::new();
    for (index, item) in arguments.list(0)?.iter().enumerate() {
        let item = operation::text(&item, "join")?;
        budget.charge(1)?;
        budget.charge_bytes(glue.len() + item.len())?;
        if index > 0 {
            text.push_str(glue);
        }
        text.push_str(item);
    }
    Ok(Operand::text(text))
}
