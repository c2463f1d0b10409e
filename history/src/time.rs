//! Times as text: RFC 3339 in UTC.

/// Milliseconds in a day.
pub const DAY: i64 = 86_400_000;

/// The time as `2026-11-01T12:30:45Z`. Milliseconds are left out.
pub fn to_text(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(DAY), milliseconds.rem_euclid(DAY) / 1000);
    let (year, month, day) = date_of(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The last millisecond of a day `2026-11-01`, or of a second `2026-11-01T12:30:45Z`.
pub fn end_of(text: &str) -> Option<i64> {
    let (date, clock) = match text.split_once('T') {
        Some((date, clock)) => (date, Some(clock.strip_suffix('Z')?)),
        None => (text, None),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let days = days_of(year, month, day);
    if date_of(days) != (year, month, day) {
        return None;
    }
    let start = days * DAY;
    match clock {
        None => Some(start + DAY - 1),
        Some(clock) => {
            let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
            (hour < 24 && minute < 60 && second < 60)
                .then(|| start + ((hour * 60 + minute) * 60 + second) * 1000 + 999)
        }
    }
}

fn numbers(text: &str, separator: char, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut found = [0; 3];
    for (number, length) in found.iter_mut().zip(lengths) {
        let part = parts.next()?;
        let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = is_number.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(found)
}

/// Year, month and day of a number of days since 1970. A year begins in March here, so that a leap
/// day is the last of its year.
fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The number of days since 1970.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(to_text(0), "1970-01-01T00:00:00Z");
        assert_eq!(to_text(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(to_text(1_795_872_645_999), "2026-11-28T13:30:45Z");
        assert_eq!(to_text(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn a_day_ends_with_its_last_millisecond() {
        assert_eq!(end_of("1970-01-01"), Some(DAY - 1));
        assert_eq!(end_of("1970-01-02T00:00:01Z"), Some(DAY + 1999));
        for wrong in ["1970-02-30", "1970-1-1", "70-01-01", "1970-01-01T25:00:00Z", "1970-01-01T", "x", ""] {
            assert_eq!(end_of(wrong), None, "{wrong}");
        }
        for days in (-200_000..400_000).step_by(37) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), days);
        }
    }
}
