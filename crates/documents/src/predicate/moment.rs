//! Points in time as conditions write them. What is left out begins: `2024` is its first instant.

/// Nanoseconds since 1970-01-01 UTC, finer than what is stored so that nothing is rounded.
pub(super) type Nanoseconds = i128;

const SECOND: i64 = 1_000_000_000;

/// Reads a year, a month, a date, or a date with a time; without an offset it is UTC.
pub(super) fn parse(text: &str) -> Option<Nanoseconds> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |it| digits(it, 2))?;
    let day = parts.next().map_or(Some(1), |it| digits(it, 2))?;
    let is_date = parts.next().is_none() && (1..=days_of(year, month)).contains(&day);
    let is_whole = time.is_none() || date.len() == "2024-09-01".len();
    let since_midnight = time.map_or(Some(0), of_day)?;
    (is_date && is_whole).then_some(())?;
    let midnight = i128::from(days(year, month, day)) * 86_400 * i128::from(SECOND);
    Some(midnight + i128::from(since_midnight))
}

/// Nanoseconds from midnight UTC.
fn of_day(time: &str) -> Option<i64> {
    let (time, offset) = match (time.strip_suffix(['Z', 'z']), time.rfind(['+', '-'])) {
        (Some(time), _) => (time, 0),
        (None, Some(at)) => (time.get(..at)?, offset(time.get(at..)?)?),
        (None, None) => (time, 0),
    };
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, nanoseconds(fraction)?),
        None => (time, 0),
    };
    let mut parts = time.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = match parts.next() {
        Some(second) => digits(second, 2)?,
        None if fraction == 0 => 0,
        None => return None,
    };
    // A leap second counts as the first of the next minute.
    let is_time = parts.next().is_none() && hour < 24 && minute < 60 && second <= 60;
    is_time.then_some((hour * 3_600 + minute * 60 + second - offset) * SECOND + fraction)
}

/// Seconds east of UTC.
fn offset(text: &str) -> Option<i64> {
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    let seconds = (hours < 24 && minutes < 60).then_some(hours * 3_600 + minutes * 60)?;
    Some(if text.starts_with('-') { -seconds } else { seconds })
}

fn nanoseconds(fraction: &str) -> Option<i64> {
    (1..=9).contains(&fraction.len()).then(|| digits(&format!("{fraction:0<9}"), 9)).flatten()
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let is_number = text.len() == length && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Days since 1970-01-01. Years begin in March here, so that leap days come last.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (153 * march + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_is_left_out_begins() {
        for (text, seconds) in [
            ("1970", 0),
            ("2024", 1_704_067_200),
            ("2024-09", 1_725_148_800),
            ("2024-09-05", 1_725_494_400),
            ("2024-09-05T10:30", 1_725_532_200),
            ("2024-09-05T10:30:15", 1_725_532_215),
            ("2024-09-05 10:30:15", 1_725_532_215),
            ("2024-09-05T10:30:15Z", 1_725_532_215),
            ("2024-09-05t10:30:15z", 1_725_532_215),
            ("2024-09-05T12:30:15+02:00", 1_725_532_215),
            ("2024-09-05T01:00:15-09:30", 1_725_532_215),
            ("2000-02-29", 951_782_400),
            ("2100-03-01", 4_107_542_400),
            ("1969-12-31T23:59:59Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0000", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(parse(text), Some(seconds * 1_000_000_000), "{text}");
        }
        assert_eq!(parse("1970-01-01T00:00:00.5Z"), Some(500_000_000));
        assert_eq!(parse("1970-01-01T00:00:00.000000001Z"), Some(1));
    }

    #[test]
    fn what_is_no_point_in_time_is_not_understood() {
        for text in [
            "",
            "now",
            "24",
            "20240905",
            "-2024",
            "+2024",
            "12024",
            "2024-9",
            "2024-13",
            "2024-00",
            "2024-09-31",
            "2023-02-29",
            "2100-02-29",
            "2024-09-05-01",
            "2024-09T10:00Z",
            "2024T10:00Z",
            "2024-09-05T",
            "2024-09-05T10Z",
            "2024-09-05T24:00Z",
            "2024-09-05T10:60Z",
            "2024-09-05T10:00:61Z",
            "2024-09-05T10:00:00.Z",
            "2024-09-05T10:00.5Z",
            "2024-09-05T10:00:00.0000000001Z",
            "2024-09-05T10:00:00+2",
            "2024-09-05T10:00:00+24:00",
            "2024-09-05T10:00:00+0200",
            "2024-09-05T10:00:00Zx",
            "é024",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
