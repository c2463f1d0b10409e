//! §24.6 Texts of scalars in rich data.

use crate::tape::Time;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Whether a text is strict Base64: padded, without other characters, and with zero bits at the
/// end.
pub(crate) fn is_base64(text: &[u8]) -> bool {
    decoded(text).is_some()
}

/// The bytes of a text in strict Base64.
pub(crate) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let last = text.len().saturating_sub(4);
    for (number, chunk) in text.chunks_exact(4).enumerate() {
        let padding = if number * 4 == last { padding } else { 0 };
        let mut bits = 0_u32;
        for (index, &byte) in chunk.iter().enumerate() {
            let digit = if index >= 4 - padding { 0 } else { digit_of(byte)? };
            bits = bits << 6 | digit;
        }
        let [_, a, b, c] = bits.to_be_bytes();
        let whole = 3 - padding;
        if [a, b, c][whole..].iter().any(|&rest| rest != 0) {
            return None;
        }
        bytes.extend_from_slice(&[a, b, c][..whole]);
    }
    Some(bytes)
}

fn digit_of(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Bytes in strict Base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = (bits >> (18 - 6 * index) & 63) as usize;
            let is_padding = index > chunk.len();
            text.push(if is_padding { '=' } else { char::from(BASE64[digit]) });
        }
    }
    text
}

const DAY: i64 = 86_400;

/// A point in time as `2016-04-07T03:33:20.123456789 UTC`. `None` outside of the years 0 to 9999.
pub(crate) fn timestamp(time: Time) -> Option<String> {
    let (days, seconds) = (time.seconds.div_euclid(DAY), time.seconds.rem_euclid(DAY));
    // Days from 1 March of the year 0, so that a leap day ends a year. From this on, 400 years have
    // 146,097 days.
    let days = days.checked_add(719_468)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era.checked_mul(400)? + i64::from(month <= 2);
    (0..=9999).contains(&year).then(|| {
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let nanoseconds = time.nanoseconds;
        format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09} UTC")
    })
}

/// The point in time of such a text. The fraction may have fewer digits.
pub(crate) fn timestamp_of(text: &str) -> Option<Time> {
    let text = text.strip_suffix(" UTC")?;
    let (date, clock) = text.split_once('T')?;
    let mut date = date.split('-');
    let year = digits(date.next()?, 4)?;
    let (month, day) = (digits(date.next()?, 2)?, digits(date.next()?, 2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let most = *days_of.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if date.next().is_some() || !(1..=most).contains(&day) {
        return None;
    }
    let (seconds, nanoseconds, _) = clock_of(clock, 23)?;
    // Years begin in March here, as in `timestamp`.
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(Time { seconds: days * DAY + seconds, nanoseconds })
}

/// A duration as `1-02:03:04.000000005`, always with nine digits. Puppet itself leaves leading
/// zeros of the fraction out, so that 5 ns and half a second have the same text.
pub(crate) fn timespan(time: Time) -> String {
    let nanoseconds = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let absolute = nanoseconds.unsigned_abs();
    let (seconds, fraction) = (absolute / 1_000_000_000, absolute % 1_000_000_000);
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    format!("{sign}{days}-{hours:02}:{minutes:02}:{seconds:02}.{fraction:09}")
}

/// The duration of such a text, and whether its fraction is complete. An incomplete one is read as
/// a decimal fraction, as Puppet does.
pub(crate) fn timespan_of(text: &str) -> Option<(Time, bool)> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (days, clock) = text.split_once('-')?;
    let is_number = !days.is_empty() && days.bytes().all(|byte| byte.is_ascii_digit());
    let days: i64 = days.parse().ok().filter(|_| is_number)?;
    let (seconds, nanoseconds, is_complete) = clock_of(clock, 23)?;
    let seconds = days.checked_mul(DAY)?.checked_add(seconds)?;
    let time = match (is_negative, nanoseconds) {
        (false, _) => Time { seconds, nanoseconds },
        (true, 0) => Time { seconds: -seconds, nanoseconds },
        (true, _) => Time { seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds },
    };
    Some((time, is_complete))
}

/// Whether the text of a Timespan in rich data has a fraction of fewer than nine digits, other than
/// zero.
///
/// Puppet leaves leading zeros out when it writes, but not when it reads. So such a text may be
/// wrong by a factor of up to 10^8: 5 ns and half a second are both `0-00:00:00.5`.
pub fn is_incomplete_timespan(text: &str) -> bool {
    timespan_of(text).is_some_and(|(_, is_complete)| !is_complete)
}

/// Seconds and nanoseconds of `03:33:20.123456789`, and whether the fraction is zero or has all
/// nine digits.
fn clock_of(text: &str, most_hours: i64) -> Option<(i64, u32, bool)> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':');
    let mut part = |most: i64| digits(parts.next()?, 2).filter(|number| *number <= most);
    let (hours, minutes, seconds) = (part(most_hours)?, part(59)?, part(59)?);
    let is_fraction = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || !is_fraction {
        return None;
    }
    let nanoseconds: u32 = format!("{fraction:0<9}").parse().ok()?;
    Some((hours * 3_600 + minutes * 60 + seconds, nanoseconds, nanoseconds == 0 || fraction.len() == 9))
}

/// A number of exactly this many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: i64, nanoseconds: u32) -> Time {
        Time { seconds, nanoseconds }
    }

    #[test]
    fn base64_is_strict() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(decoded(text.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
        for text in ["Zg=", "Zg", "Zh==", "Zm9=", "====", "Zg==Zg==", "_-AA", "Zm 9v", "Z===", "=g=="] {
            assert_eq!(decoded(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn timestamps_have_texts_in_both_directions() {
        let cases = [
            (time(0, 0), "1970-01-01T00:00:00.000000000 UTC"),
            (time(-2, 500_000_000), "1969-12-31T23:59:58.500000000 UTC"),
            (time(1_460_000_000, 123_456_789), "2016-04-07T03:33:20.123456789 UTC"),
            (time(951_782_400, 0), "2000-02-29T00:00:00.000000000 UTC"),
            (time(253_402_300_799, 999_999_999), "9999-12-31T23:59:59.999999999 UTC"),
            (time(-62_135_596_800, 0), "0001-01-01T00:00:00.000000000 UTC"),
            (time(-62_167_219_200, 0), "0000-01-01T00:00:00.000000000 UTC"),
        ];
        for (time, text) in cases {
            assert_eq!(timestamp(time).as_deref(), Some(text));
            assert_eq!(timestamp_of(text), Some(time), "{text}");
        }
        for seconds in [i64::MIN, i64::MAX, 253_402_300_800, -62_167_219_201] {
            assert_eq!(timestamp(time(seconds, 0)), None, "{seconds}");
        }
        for text in ["1970-01-01T00:00:00.0", "1970-02-30T00:00:00.0 UTC", "1970-01-01T24:00:00.0 UTC"] {
            assert_eq!(timestamp_of(text), None, "{text}");
        }
    }

    #[test]
    fn timespans_keep_their_leading_zeros() {
        let cases = [
            (time(0, 5), "0-00:00:00.000000005"),
            (time(1, 500_000_000), "0-00:00:01.500000000"),
            (time(-1, 999_999_995), "-0-00:00:00.000000005"),
            (time(-90_001, 500_000_000), "-1-01:00:00.500000000"),
            (time(9_000_000_000, 0), "104166-16:00:00.000000000"),
            (time(i64::MAX, 999_999_999), "106751991167300-15:30:07.999999999"),
        ];
        for (time, text) in cases {
            assert_eq!(timespan(time), text);
            assert_eq!(timespan_of(text), Some((time, true)), "{text}");
        }
        assert_eq!(timespan_of("0-00:00:00.5"), Some((time(0, 500_000_000), false)));
        assert_eq!(timespan_of("0-00:00:01.0"), Some((time(1, 0), true)));
        assert_eq!(timespan_of("+1-00:00:01.0"), None);
    }
}
