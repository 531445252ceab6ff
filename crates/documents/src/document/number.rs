//! Numbers that keep their digits. Nothing here ever writes out a power of ten: a hostile exponent
//! costs no more than its letters.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

/// A JSON number, as it was spelled. Equal are numbers of equal value, however they are spelled.
#[derive(Clone)]
pub struct Number(Box<str>);

/// On which side of zero a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Below zero.
    Minus,
    /// Zero, also if spelled with a minus.
    Zero,
    /// Above zero.
    Plus,
}

impl Number {
    /// The number in `text`, if it is spelled as JSON wants it and its exponent can be counted with.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        let is_spelled = is_digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && fraction.is_none_or(is_digits)
            && exponent.is_none_or(|it| is_digits(it.strip_prefix(['+', '-']).unwrap_or(it)));
        let counts = |it: &Self| i32::try_from(it.power()).is_ok();
        (is_spelled && exponent.is_none_or(|it| it.parse::<i32>().is_ok()))
            .then(|| Self(text.into()))
            .filter(counts)
    }

    /// As it was spelled.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// On which side of zero it lies.
    #[must_use]
    pub fn sign(&self) -> Sign {
        let is_zero = !self.mantissa().bytes().any(|it| matches!(it, b'1'..=b'9'));
        match (is_zero, self.0.starts_with('-')) {
            (true, _) => Sign::Zero,
            (false, true) => Sign::Minus,
            (false, false) => Sign::Plus,
        }
    }

    /// Its significant digits, without zeros at either end; none for zero.
    #[must_use]
    pub fn digits(&self) -> String {
        let mantissa = self.mantissa();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    }

    /// The power of ten that the last of its [`Number::digits`] counts: the value is the digits,
    /// read as a whole number, times ten to this. Zero for zero.
    #[must_use]
    pub fn power(&self) -> i64 {
        let mantissa = self.mantissa();
        let exponent = self.0.split_once(['e', 'E']).and_then(|(_, it)| it.parse::<i64>().ok());
        let n_fraction = mantissa.split_once('.').map_or(0, |(_, it)| it.len());
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        let n_zeros = digits.rev().take_while(|it| *it == b'0').count();
        if n_zeros == mantissa.bytes().filter(u8::is_ascii_digit).count() {
            return 0;
        }
        let count = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        exponent.unwrap_or(0).saturating_sub(count(n_fraction)).saturating_add(count(n_zeros))
    }

    /// Whether it is a whole number, however it is spelled.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.power() >= 0
    }

    fn mantissa(&self) -> &str {
        let unsigned = self.0.strip_prefix('-').unwrap_or(&self.0);
        unsigned.split_once(['e', 'E']).map_or(unsigned, |(mantissa, _)| mantissa)
    }

    /// Compares what lies between the number and zero, which neither of them is.
    fn cmp_size(&self, other: &Self) -> Ordering {
        // Digits that begin at the same power of ten compare like words; zeros at their end do
        // not count, so the shorter word goes on with zeros.
        let (mut mine, mut theirs) = (self.significant(), other.significant());
        self.top().cmp(&other.top()).then_with(|| {
            loop {
                match (mine.next(), theirs.next()) {
                    (None, None) => return Ordering::Equal,
                    (one, another) => match one.unwrap_or(b'0').cmp(&another.unwrap_or(b'0')) {
                        Ordering::Equal => {}
                        unequal @ (Ordering::Less | Ordering::Greater) => return unequal,
                    },
                }
            }
        })
    }

    /// Its digits from the first one that is not zero.
    fn significant(&self) -> impl Iterator<Item = u8> {
        self.mantissa().bytes().filter(u8::is_ascii_digit).skip_while(|it| *it == b'0')
    }

    /// The power of ten above its first digit that is not zero.
    fn top(&self) -> i64 {
        let mantissa = self.mantissa();
        let exponent = self.0.split_once(['e', 'E']).and_then(|(_, it)| it.parse::<i64>().ok());
        let n_whole = mantissa.find('.').unwrap_or(mantissa.len());
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        let n_zeros = digits.take_while(|it| *it == b'0').count();
        let count = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        exponent.unwrap_or(0).saturating_add(count(n_whole)).saturating_sub(count(n_zeros))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let (sign, other_sign) = (self.sign(), other.sign());
        sign.cmp(&other_sign).then_with(|| match sign {
            Sign::Minus => other.cmp_size(self),
            Sign::Zero => Ordering::Equal,
            Sign::Plus => self.cmp_size(other),
        })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sign().hash(state);
        self.digits().hash(state);
        self.power().hash(state);
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn order_is_that_of_the_values_and_not_of_the_spellings() {
        let ascending = [
            "-1e400",
            "-2147483649",
            "-12.5",
            "-12.49",
            "-1e-5",
            "0",
            "1e-293",
            "1e-5",
            "0.1",
            "0.12",
            "1",
            "1.0000000000000000000000000000001",
            "9",
            "10",
            "99",
            "100.5",
            "1e3",
            "9007199254740992",
            "9007199254740993",
            "1e400",
        ];
        for (index, low) in ascending.iter().enumerate() {
            for (other, high) in ascending.iter().enumerate() {
                assert_eq!(number(low).cmp(&number(high)), index.cmp(&other), "{low} {high}");
            }
        }
    }

    #[test]
    fn spellings_of_one_value_are_equal() {
        for same in [&["0", "-0", "0.00", "0e7"][..], &["100", "1e2", "1E+2", "100.0", "0.1e3"]] {
            for other in same {
                assert_eq!(number(same[0]), number(other), "{other}");
                assert_eq!(number(same[0]).digits(), number(other).digits(), "{other}");
                assert_eq!(number(same[0]).power(), number(other).power(), "{other}");
            }
        }
        assert_eq!((number("12.50").digits().as_str(), number("12.50").power()), ("125", -1));
        assert_eq!((number("-0.0030").digits().as_str(), number("-0.0030").power()), ("3", -3));
        assert!(number("1.0").is_whole() && number("1e400").is_whole());
        assert!(!number("1.5").is_whole() && !number("1e-1").is_whole());
    }

    #[test]
    fn a_hostile_exponent_costs_nothing_or_is_refused() {
        assert!(number("1e2147483647") > number("9e2147483646"));
        assert!(number("1e-2147483648") > number("0"));
        assert_eq!(Number::parse("1e2147483648"), None);
        assert_eq!(Number::parse("1e99999999999999999999"), None);
        assert_eq!(Number::parse("1.5e-2147483648"), None);
    }
}
