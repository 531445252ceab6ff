//! Durations as ISO 8601 writes them, as far as their length is always the same.

use std::time::Duration;

/// Reads `P1DT12H` and the like: weeks, days, hours, minutes and seconds, in this order, with
/// decimals. Years and months have no fixed length and are not understood.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('P')?;
    let mut units = UNITS.as_slice();
    let (mut seconds, mut is_time) = (0.0, false);
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix('T') {
            // Only once, before hours, minutes and seconds, and one of them must follow.
            if is_time || time.is_empty() || units.len() < TIMES.len() {
                return None;
            }
            (rest, units, is_time) = (time, &TIMES, true);
            continue;
        }
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, tail) = rest.split_at_checked(end)?;
        let unit = tail.chars().next()?;
        let index = units.iter().position(|(name, _)| *name == unit)?;
        let (_, length) = units.get(index)?;
        seconds += amount(number)? * length;
        units = units.get(index + 1..)?;
        rest = tail.get(1..)?;
    }
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (!duration.is_zero() && duration <= LONGEST).then_some(duration)
}

/// Longest first; what was read must not come again.
const UNITS: [(char, f64); 5] =
    [('W', 604_800.0), ('D', 86_400.0), ('H', 3_600.0), ('M', 60.0), ('S', 1.0)];

/// What may follow a `T`.
const TIMES: [(char, f64); 3] = [('H', 3_600.0), ('M', 60.0), ('S', 1.0)];

/// A hundred years: more is a mistake, and must not run out of the calendar.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

fn amount(number: &str) -> Option<f64> {
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    (digits > 0 && !number.starts_with('.') && !number.ends_with('.')).then_some(())?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Duration, parse};

    #[test]
    fn lengths_are_added_up() {
        for (text, seconds) in [
            ("PT30S", 30.0),
            ("PT1H30M15S", 5_415.0),
            ("P7D", 604_800.0),
            ("P1DT12H", 129_600.0),
            ("P2DT30M", 174_600.0),
            ("P1H", 3_600.0),
            ("PT0.5S", 0.5),
            ("P2W", 1_209_600.0),
            ("PT24H", 86_400.0),
        ] {
            assert_eq!(parse(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in [
            "",
            "P",
            "PT",
            "30S",
            "PT0S",
            "P0D",
            "PT5",
            "P1Y",
            "P1M2D",
            "PT1S1S",
            "PTS",
            "PT.5S",
            "PT5.S",
            "P-1D",
            "pt5s",
            "P1DT",
            "PT1H ",
            " PT1H",
            "PTT1H",
            "P99999999D",
            "PT1e3S",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
