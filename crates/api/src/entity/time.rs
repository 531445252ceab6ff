//! Instants as this face writes them: RFC 3339 in UTC, without digits that say nothing.

use std::fmt;

use serde::{Serialize, Serializer};

/// An instant: microseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant that many microseconds after the epoch.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The calendar ends in the year 9999; what lies beyond is shown as its end.
        let end = if self.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        write!(f, "{}", jiff::Timestamp::from_microsecond(self.0).unwrap_or(end))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_say_nothing_are_left_out() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_780_000_000_123_456, "2026-05-28T20:26:40.123456Z"),
            (1_780_000_000_120_000, "2026-05-28T20:26:40.12Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(Timestamp::from_micros(micros).to_string(), text);
        }
    }
}
