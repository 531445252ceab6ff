//! Functions on numbers and on their bits.

use super::Arguments;
use crate::process::expression::{
    BitFunction, Cause, NumberFunction,
    number::Number,
    operand::{Budget, Operand},
    operation,
};

pub(super) fn call<'a>(
    function: NumberFunction,
    arguments: &Arguments<'a>,
    budget: &mut Budget,
) -> Result<Operand<'a>, Cause> {
    let number = match function {
        NumberFunction::Abs => {
            let number = arguments.number(0)?;
            let is_negative = number.compare(Number::Integer(0)).is_some_and(|it| it.is_lt());
            if is_negative { number.negate() } else { number }
        }
        NumberFunction::Ceil => arguments.number(0)?.rounded(f64::ceil),
        NumberFunction::Floor => arguments.number(0)?.rounded(f64::floor),
        NumberFunction::Round => arguments.number(0)?.rounded(f64::round),
        NumberFunction::Max => {
            best(arguments, budget, |it, than| it.compare(than).is_some_and(|it| it.is_gt()))?
        }
        NumberFunction::Min => {
            best(arguments, budget, |it, than| it.compare(than).is_some_and(|it| it.is_lt()))?
        }
        NumberFunction::Mean => mean(&numbers(arguments, budget)?),
        NumberFunction::Median => median(numbers(arguments, budget)?)?,
    };
    Ok(Operand::Number(number))
}

pub(super) fn bits<'a>(
    function: BitFunction,
    arguments: &Arguments<'a>,
) -> Result<Operand<'a>, Cause> {
    let left = bits_of(arguments, 0)?;
    if function == BitFunction::Not {
        return Ok(Operand::Number(Number::Integer((!left).into())));
    }
    let right = bits_of(arguments, 1)?;
    let result = match function {
        BitFunction::And => left & right,
        BitFunction::Or => left | right,
        BitFunction::Xor => left ^ right,
        BitFunction::AndNot => left & !right,
        BitFunction::Not => !left,
        // A shift by all bits or more leaves nothing, or nothing but the sign.
        BitFunction::ShiftLeft => left.checked_shl(distance(right)?).unwrap_or(0),
        BitFunction::ShiftRight => left >> distance(right)?.min(63),
        BitFunction::ShiftRightUnsigned => {
            let shifted = left.cast_unsigned().checked_shr(distance(right)?);
            shifted.unwrap_or(0).cast_signed()
        }
    };
    Ok(Operand::Number(Number::Integer(result.into())))
}

fn bits_of(arguments: &Arguments<'_>, index: usize) -> Result<i64, Cause> {
    i64::try_from(arguments.integer(index)?)
        .map_err(|_| Cause::operation(format!("{} needs 64-bit integers", arguments.function)))
}

fn distance(bits: i64) -> Result<u32, Cause> {
    u32::try_from(bits).map_err(|_| Cause::operation(format!("cannot shift by {bits} bits")))
}

/// All numbers among the arguments and in lists among them.
fn numbers(arguments: &Arguments<'_>, budget: &mut Budget) -> Result<Vec<Number>, Cause> {
    let mut numbers = Vec::new();
    for item in &arguments.items {
        match item {
            Operand::List(list) => {
                budget.charge(list.len())?;
                for item in list.iter() {
                    numbers.push(operation::number(&item, arguments.function)?);
                }
            }
            Operand::Nil
            | Operand::Bool(_)
            | Operand::Number(_)
            | Operand::Text(_)
            | Operand::Map(_) => numbers.push(operation::number(item, arguments.function)?),
        }
    }
    Ok(numbers)
}

fn best(
    arguments: &Arguments<'_>,
    budget: &mut Budget,
    is_better: impl Fn(Number, Number) -> bool,
) -> Result<Number, Cause> {
    let numbers = numbers(arguments, budget)?;
    let best = numbers.into_iter().reduce(|best, it| if is_better(it, best) { it } else { best });
    best.ok_or_else(|| Cause::operation(format!("{} needs a number", arguments.function)))
}

/// The average; of no numbers it is zero.
fn mean(numbers: &[Number]) -> Number {
    let total = numbers.iter().copied().fold(Number::Integer(0), Number::add);
    if numbers.is_empty() { total } else { total.divide(Number::count(numbers.len())) }
}

/// The middle one, or the average of the two in the middle; of no numbers it is zero.
fn median(mut numbers: Vec<Number>) -> Result<Number, Cause> {
    if numbers.iter().any(|it| it.is_nan()) {
        return Err(Cause::operation("NaN has no place among numbers"));
    }
    numbers.sort_by(|left, right| left.compare(*right).unwrap_or(std::cmp::Ordering::Equal));
    let middle = numbers.len() / 2;
    let from = if numbers.len().is_multiple_of(2) { middle.saturating_sub(1) } else { middle };
    Ok(mean(numbers.get(from..=middle).unwrap_or_default()))
}
