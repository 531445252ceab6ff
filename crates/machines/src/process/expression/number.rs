//! Numbers: 64-bit integers that stay exact, and doubles.

use std::cmp::Ordering;

use serde_json::Value;

use super::Cause;

/// Larger than any integer, and small enough for 128 bits.
const EXACT_MAX: f64 = 1e38;

/// An integer that JSON can hold (from `i64::MIN` to `u64::MAX`), or a double. A double may be NaN
/// or infinite until it is to be a result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Integer(i128),
    Double(f64),
}

impl Number {
    pub(super) fn of(number: &serde_json::Number) -> Self {
        if let Some(integer) = number.as_i64() {
            return Self::Integer(integer.into());
        }
        match number.as_u64() {
            Some(integer) => Self::Integer(integer.into()),
            None => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    pub(super) fn count(length: usize) -> Self {
        Self::integer(i128::try_from(length).ok(), f64::INFINITY)
    }

    /// An integer if there is one of 64 bits, or else the double that stands for it.
    fn integer(exact: Option<i128>, double: f64) -> Self {
        match exact {
            Some(integer) if (i64::MIN.into()..=u64::MAX.into()).contains(&integer) => {
                Self::Integer(integer)
            }
            Some(_) | None => Self::Double(double),
        }
    }

    /// The number a text stands for, if it looks like one: a sign, digits, a fraction, an exponent.
    pub(super) fn shaped(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let power = exponent.map(|it| it.strip_prefix(['+', '-']).unwrap_or(it));
        let is_shaped = [Some(whole), fraction, power].into_iter().flatten().all(is_digits);
        if !is_shaped {
            return None;
        }
        let double = text.parse().ok()?;
        let is_whole = fraction.is_none() && exponent.is_none();
        Some(Self::integer(if is_whole { text.parse().ok() } else { None }, double))
    }

    #[expect(clippy::cast_precision_loss, reason = "this is what a double is")]
    pub(super) fn double(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Double(double) => double,
        }
    }

    /// The integer that this is, also if it is written as a double.
    pub(super) fn whole(self) -> Option<i128> {
        match self {
            Self::Integer(integer) => Some(integer),
            Self::Double(double) => whole(double),
        }
    }

    pub(super) fn is_nan(self) -> bool {
        self.double().is_nan()
    }

    /// Rounds a double; an integer is round already.
    pub(super) fn rounded(self, round: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Integer(_) => self,
            Self::Double(double) => Self::Double(round(double)),
        }
    }

    pub(super) fn value(self) -> Result<Value, Cause> {
        let number = match self {
            Self::Integer(integer) => match i64::try_from(integer) {
                Ok(signed) => Some(signed.into()),
                Err(_) => u64::try_from(integer).ok().map(Into::into),
            },
            Self::Double(double) => match whole(double).and_then(|it| i64::try_from(it).ok()) {
                Some(integer) => Some(integer.into()),
                None => serde_json::Number::from_f64(double),
            },
        };
        number.map(Value::Number).ok_or(Cause::NotANumber)
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => Some(left.cmp(&right)),
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(&right),
            (Self::Integer(left), Self::Double(right)) => compare(left, right),
            (Self::Double(left), Self::Integer(right)) => {
                compare(right, left).map(Ordering::reverse)
            }
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        self.exactly(other, i128::checked_add, |left, right| left + right)
    }

    pub(super) fn subtract(self, other: Self) -> Self {
        self.exactly(other, i128::checked_sub, |left, right| left - right)
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        self.exactly(other, i128::checked_mul, |left, right| left * right)
    }

    pub(super) fn divide(self, other: Self) -> Self {
        Self::Double(self.double() / other.double())
    }

    pub(super) fn power(self, other: Self) -> Self {
        Self::Double(self.double().powf(other.double()))
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Self::Integer(integer) => Self::integer(Some(-integer), -self.double()),
            Self::Double(double) => Self::Double(-double),
        }
    }

    /// The rest of a division of integers, with the sign of the dividend.
    pub(super) fn remainder(self, other: Self) -> Result<Self, Cause> {
        let fractional = || Cause::operation("% needs integers");
        let (dividend, divisor) = (self.whole(), other.whole());
        let (dividend, divisor) =
            (dividend.ok_or_else(fractional)?, divisor.ok_or_else(fractional)?);
        match dividend.checked_rem(divisor) {
            Some(rest) => Ok(Self::Integer(rest)),
            None => Err(Cause::operation("% by zero")),
        }
    }

    fn exactly(
        self,
        other: Self,
        exact: impl Fn(i128, i128) -> Option<i128>,
        rounded: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let double = rounded(self.double(), other.double());
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => {
                Self::integer(exact(left, right), double)
            }
            (Self::Integer(_) | Self::Double(_), Self::Integer(_) | Self::Double(_)) => {
                Self::Double(double)
            }
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// The integer a double is, if it is one that 64 bits can hold.
fn whole(double: f64) -> Option<i128> {
    exact(double).filter(|it| (i64::MIN.into()..=u64::MAX.into()).contains(it))
}

/// The integer a double is, if it is one.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn exact(double: f64) -> Option<i128> {
    (double.fract() == 0.0 && double.abs() < EXACT_MAX).then_some(double as i128)
}

/// Compares exactly, where turning the integer into a double might round it: sorting needs an order
/// in which equal things are equal to the same things.
fn compare(integer: i128, double: f64) -> Option<Ordering> {
    match exact(double.floor()) {
        Some(floor) => {
            let fraction = if double.fract() == 0.0 { Ordering::Equal } else { Ordering::Less };
            Some(integer.cmp(&floor).then(fraction))
        }
        None => 0.0.partial_cmp(&double),
    }
}
