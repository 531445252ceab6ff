//! What a value shows about the schema it came from. Numbers are told apart by their digits, and
//! a hostile exponent costs no more than its letters.

use waypost_documents::document::{Number, Sign, Value};

use super::{
    schema::Schema,
    types::{Type, Types},
};

/// Digits behind the point of a [`Type::BigDecimal`].
const DECIMAL_SCALE: i64 = 18;

/// Letters of the longest whole number that has 128 bits.
const WHOLE_DIGITS_MAX: i64 = 39;

/// The schema of `value` alone, whatever its size.
pub(super) fn infer(value: &Value) -> Schema {
    match value {
        Value::Null => Schema::Leaf(Types::of(Type::Null)),
        Value::Bool(_) => Schema::Leaf(Types::of(Type::Boolean)),
        Value::Number(number) => Schema::Leaf(Types::of(classify(number))),
        Value::Text(_) => Schema::Leaf(Types::of(Type::String)),
        Value::List(elements) => elements.iter().map(infer).reduce(Schema::merged).map_or_else(
            Schema::empty_array,
            |element| Schema::Array { element: Box::new(element), types: Types::default() },
        ),
        Value::Object(members) => {
            Schema::Object(members.iter().map(|(name, it)| (name.clone(), infer(it))).collect())
        }
    }
}

/// The narrowest type that holds `number`. Whole is what has no fraction, however it is spelled.
pub(super) fn classify(number: &Number) -> Type {
    // Most numbers are short and plain, and need not be taken apart.
    if let Ok(whole) = number.as_str().parse() {
        return whole_type(whole);
    }
    let (digits, power) = (number.digits(), number.power());
    if power >= 0 {
        shifted(number, &digits, power).map_or(Type::UnboundInteger, whole_type)
    } else {
        decimal_type(number, &digits, power.saturating_neg())
    }
}

fn whole_type(whole: i128) -> Type {
    match (i32::try_from(whole), i64::try_from(whole)) {
        (Ok(_), _) => Type::Integer,
        (Err(_), Ok(_)) => Type::Long,
        (Err(_), Err(_)) => Type::BigInteger,
    }
}

fn decimal_type(number: &Number, digits: &str, scale: i64) -> Type {
    let precision = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let n_before_point = precision.saturating_sub(scale);
    let is_short = precision <= 38 && n_before_point <= 20;
    // One digit more is possible, but not for every digit.
    let is_just_short_enough = || {
        precision <= 39
            && n_before_point <= 21
            && shifted(number, digits, DECIMAL_SCALE.saturating_sub(scale)).is_some()
    };
    if precision <= 15 && scale <= 292 {
        Type::Double
    } else if scale <= DECIMAL_SCALE && (is_short || is_just_short_enough()) {
        Type::BigDecimal
    } else {
        Type::UnboundDecimal
    }
}

/// The whole number of `digits` and `n_zeros` zeros with the sign of `number`, if 128 bits hold it.
fn shifted(number: &Number, digits: &str, n_zeros: i64) -> Option<i128> {
    let n_digits = i64::try_from(digits.len()).ok()?;
    if n_digits.saturating_add(n_zeros) > WHOLE_DIGITS_MAX {
        return None;
    }
    let sign = match number.sign() {
        Sign::Minus => "-",
        Sign::Zero => return Some(0),
        Sign::Plus => "",
    };
    let zeros = "0".repeat(usize::try_from(n_zeros).ok()?);
    format!("{sign}{digits}{zeros}").parse().ok()
}
