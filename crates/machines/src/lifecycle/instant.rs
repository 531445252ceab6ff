//! RFC 3339 without a calendar library: enough to tell whether two texts mean the same instant.

/// Nanoseconds since 1970-01-01 UTC, if the text is a date and time with an offset.
pub(super) fn nanoseconds(text: &str) -> Option<i128> {
    let (date, rest) = text.split_at_checked(10)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (time, rest) = rest.split_at_checked(8)?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.find(|it: char| !it.is_ascii_digit())?;
            let (digits, zone) = rest.split_at_checked(digits)?;
            (fraction(digits)?, zone)
        }
        None => (0, rest),
    };
    let is_date = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    // A leap second is 60; it means the instant after 59.
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(i128::from(seconds - offset(zone)?) * 1_000_000_000 + i128::from(fraction))
}

fn numbers<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next().filter(|it| it.len() == width)?;
        *number = part.bytes().all(|it| it.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(numbers)
}

fn fraction(digits: &str) -> Option<u32> {
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    (!digits.is_empty()).then(|| nine.parse().ok())?
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (None, Some(rest)) => (-1, rest),
        (None, None) => return None,
    };
    let [hours, minutes] = numbers(rest, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. Years begin in March here, so that the leap day is the last of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn an_instant_is_the_same_in_every_zone() {
        let known = Some(1_780_000_000_000_000_000);
        for text in [
            "2026-05-28T20:26:40Z",
            "2026-05-28T20:26:40.000Z",
            "2026-05-28t22:26:40+02:00",
            "2026-05-28T15:56:40-04:30",
        ] {
            assert_eq!(nanoseconds(text), known, "{text}");
        }
        assert_eq!(nanoseconds("1970-01-01T00:00:00.5Z"), Some(500_000_000));
        assert_eq!(nanoseconds("1969-12-31T23:59:59Z"), Some(-1_000_000_000));
        assert_eq!(nanoseconds("2024-02-29T00:00:00Z"), Some(1_709_164_800_000_000_000));
    }

    #[test]
    fn what_is_no_instant_is_none() {
        for text in [
            "",
            "2026-05-28",
            "2026-05-28T20:26:40",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-05-28T24:00:00Z",
            "2026-05-28T20:26:40.Z",
            "2026-05-28T20:26:40+2:00",
            "2026-5-28T20:26:40Z",
            "+026-05-28T20:26:40Z",
            "2026-05-28T20:26:40Zjunk",
            "2026-05-28T20:26:4\u{e9}",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
