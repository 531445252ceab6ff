//! Instants for people: how long ago, how long until.

use waypost_api::Timestamp;
use waypost_engine::SystemClock;
use waypost_kernel::Clock;

/// The time now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_micros(SystemClock.now().as_micros())
}

/// An instant given on the command line, or the beginning of a day.
pub(crate) fn instant(given: &str) -> Result<Timestamp, String> {
    let day = || format!("{given}T00:00:00Z").parse().ok().filter(|_| given.len() == 10);
    given.parse().or_else(|error: String| day().ok_or(error))
}

/// "3s ago", "in 5m", "now".
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
    let seconds = (at.as_micros() - now.as_micros()) / 1_000_000;
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("in {}", span(seconds)),
        ..0 => format!("{} ago", span(-seconds)),
    }
}

/// The two largest units at the most: an operator does not count the seconds of a day.
fn span(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..600 => format!("{minutes}m{:02}s", seconds % 60),
        600..3_600 => format!("{minutes}m"),
        3_600..86_400 => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{days}d{:02}h", hours % 24),
    }
}

/// How long something took, as precise as anybody wants to know.
pub(crate) fn took(from: Timestamp, until: Timestamp) -> String {
    let millis = (until.as_micros() - from.as_micros()).max(0) / 1_000;
    match millis {
        ..1_000 => format!("{millis}ms"),
        1_000..10_000 => format!("{}.{}s", millis / 1_000, millis % 1_000 / 100),
        _ => span(millis / 1_000),
    }
}

/// The time of day in UTC, with milliseconds.
pub(crate) fn time_of_day(at: Timestamp) -> String {
    at.to_string().chars().skip(11).take(12).collect()
}

/// Date and time in UTC, to the second.
pub(crate) fn date_time(at: Timestamp) -> String {
    let text = at.to_string();
    let second: String = text.chars().take(19).collect();
    format!("{second}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_a_time_or_a_day() {
        let micros = |text| instant(text).map(Timestamp::as_micros);
        assert_eq!(micros("1970-01-02"), Ok(86_400_000_000));
        assert_eq!(micros("1970-01-01T00:00:01Z"), Ok(1_000_000));
        for text in ["", "yesterday!", "1970-13-01", "1970-01-01T00:00:01"] {
            assert!(micros(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn times_are_told_as_people_would() {
        let now = Timestamp::from_micros(1_780_000_000_123_456);
        for (seconds, expected) in [
            (0, "now"),
            (-3, "3s ago"),
            (59, "in 59s"),
            (-61, "1m01s ago"),
            (-700, "11m ago"),
            (7_260, "in 2h01m"),
            (-90_000, "1d01h ago"),
        ] {
            let at = Timestamp::from_micros(now.as_micros() + seconds * 1_000_000);
            assert_eq!(relative(at, now), expected);
        }
        for (millis, expected) in
            [(0, "0ms"), (999, "999ms"), (1_250, "1.2s"), (12_000, "12s"), (90_500, "1m30s")]
        {
            let from = Timestamp::from_micros(now.as_micros() - millis * 1_000);
            assert_eq!(took(from, now), expected);
        }
        assert_eq!(time_of_day(now), "20:26:40.123");
        assert_eq!(date_time(now), "2026-05-28T20:26:40Z");
    }
}
