//! Lengths of time as people write them.

use std::{fmt, time::Duration};

use serde::{Deserialize, Deserializer, de::Error as _};

/// A length of time: `90s`, `1h30m`, `48h`, `2d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Length(pub Duration);

/// A hundred years: more is a mistake, and must not run out of the calendar.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

/// Longest first, in milliseconds.
const UNITS: [(&str, u64); 6] = [
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

impl Length {
    /// Reads numbers with their units, one after the other; `0s` is a length as well.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut millis: u64 = 0;
        while !rest.is_empty() {
            let end = rest.find(|it: char| !it.is_ascii_digit())?;
            let (number, tail) = rest.split_at_checked(end)?;
            let end = tail.find(|it: char| it.is_ascii_digit()).unwrap_or(tail.len());
            let (unit, tail) = tail.split_at_checked(end)?;
            let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
            let number: u64 = number.parse().ok()?;
            millis = millis.checked_add(number.checked_mul(*length)?)?;
            rest = tail;
        }
        let length = Duration::from_millis(millis);
        (!text.is_empty() && length <= LONGEST).then_some(Self(length))
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        if millis == 0 {
            return f.write_str("0s");
        }
        // Weeks are for writing; days are what people compare.
        for (unit, length) in UNITS.iter().skip(1) {
            let n_whole = millis / length;
            millis %= length;
            if n_whole > 0 {
                write!(f, "{n_whole}{unit}")?;
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "{text:?} is no length of time; expected one such as 90s, 1h30m, 48h or 2d"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written() {
        for (text, shown) in [
            ("90s", "1m30s"),
            ("48h", "2d"),
            ("1h30m", "1h30m"),
            ("2w", "14d"),
            ("250ms", "250ms"),
            ("0s", "0s"),
            ("1d12h5m1s2ms", "1d12h5m1s2ms"),
        ] {
            assert_eq!(Length::parse(text).map(|it| it.to_string()).as_deref(), Some(shown));
        }
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in ["", "5", "h", "5 h", "1.5h", "-1h", "5y", "999999999999999999999h", "40000d"] {
            assert_eq!(Length::parse(text), None, "{text}");
        }
    }
}
