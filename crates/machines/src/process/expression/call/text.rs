//! Functions on text. Places in it are counted in characters.

use super::Arguments;
use crate::process::expression::{
    Cause, TextFunction,
    number::Number,
    operand::{Budget, Operand},
};

pub(super) fn call<'a>(
    function: TextFunction,
    arguments: &Arguments<'a>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let text = arguments.text(0)?;
    match function {
        TextFunction::Trim if arguments.has(1) => {
            let unwanted = arguments.text(1)?;
            Ok(Operand::text(text.trim_matches(|it| unwanted.contains(it))))
        }
        TextFunction::Trim => Ok(Operand::text(text.trim())),
        TextFunction::TrimPrefix => {
            Ok(Operand::text(text.strip_prefix(arguments.text(1)?).unwrap_or(text)))
        }
        TextFunction::TrimSuffix => {
            Ok(Operand::text(text.strip_suffix(arguments.text(1)?).unwrap_or(text)))
        }
        TextFunction::Upper => Ok(Operand::text(text.to_uppercase())),
        TextFunction::Lower => Ok(Operand::text(text.to_lowercase())),
        TextFunction::Split => {
            let (separator, pieces) = (arguments.text(1)?, pieces(arguments)?);
            if separator.is_empty() {
                return split_after(text, arguments, budget);
            }
            list(text.splitn(pieces, separator), budget)
        }
        TextFunction::SplitAfter => split_after(text, arguments, budget),
        TextFunction::Replace => replace(text, arguments, budget),
        TextFunction::Repeat => {
            let count = arguments.count(1)?;
            budget.charge(count)?;
            budget.charge_bytes(text.len().saturating_mul(count))?;
            Ok(Operand::text(text.repeat(count)))
        }
        TextFunction::IndexOf => Ok(place(text, text.find(arguments.text(1)?))),
        TextFunction::LastIndexOf => Ok(place(text, text.rfind(arguments.text(1)?))),
        TextFunction::HasPrefix => Ok(Operand::Bool(text.starts_with(arguments.text(1)?))),
        TextFunction::HasSuffix => Ok(Operand::Bool(text.ends_with(arguments.text(1)?))),
    }
}

/// How many pieces to make at most; a negative number means all.
fn pieces(arguments: &Arguments<'_>) -> Result<usize, Cause> {
    if !arguments.has(2) {
        return Ok(usize::MAX);
    }
    Ok(usize::try_from(arguments.integer(2)?).unwrap_or(usize::MAX))
}

fn list<'a, 't>(
    pieces: impl Iterator<Item = &'t str>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let mut list = Vec::new();
    for piece in pieces {
        budget.charge(1)?;
        budget.charge_bytes(piece.len())?;
        list.push(Operand::text(piece));
    }
    Operand::list(list)
}

/// Like `split`, with the separators kept at the end of each piece but the last. Nothing separates
/// each character from the next.
fn split_after<'a>(
    text: &str,
    arguments: &Arguments<'a>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let (separator, pieces) = (arguments.text(1)?, pieces(arguments)?);
    let mut rest = text;
    let mut list = Vec::new();
    while list.len() + 1 < pieces {
        let found = match separator {
            "" => rest.chars().next().map(char::len_utf8).filter(|it| *it < rest.len()),
            _ => rest.find(separator).map(|it| it + separator.len()),
        };
        let Some((piece, behind)) = found.and_then(|it| rest.split_at_checked(it)) else { break };
        budget.charge(1)?;
        budget.charge_bytes(piece.len())?;
        list.push(Operand::text(piece));
        rest = behind;
    }
    if pieces > 0 {
        list.push(Operand::text(rest));
    }
    Operand::list(list)
}

fn replace<'a>(
    text: &str,
    arguments: &Arguments<'a>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let (old, new) = (arguments.text(1)?, arguments.text(2)?);
    let most = if arguments.has(3) {
        usize::try_from(arguments.integer(3)?).unwrap_or(usize::MAX)
    } else {
        usize::MAX
    };
    let found = text.matches(old).count().min(most);
    budget.charge(found)?;
    budget.charge_bytes(found.saturating_mul(new.len()))?;
    Ok(Operand::text(text.replacen(old, new, most)))
}

/// The place of a byte in characters, or -1.
fn place<'a>(text: &str, byte: Option<usize>) -> Operand<'a> {
    match byte.and_then(|it| text.get(..it)) {
        Some(before) => Operand::count(before.chars().count()),
        None => Operand::Number(Number::Integer(-1)),
    }
}
