//! Formats sizes and times.

use std::time::Duration;

/// Decimal units, three digits: `999 B`, `1.23 kB`, `45.6 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        // 999.95 would round to 1000.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {unit}")
}

/// Microseconds below 10 ms, then milliseconds, then seconds.
pub(crate) fn time(elapsed: Duration) -> String {
    let micros = elapsed.as_micros();
    match micros {
        0..10_000 => format!("{micros} µs"),
        10_000..10_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{:.1} s", elapsed.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (9_994, "9.99 kB"),
            (9_996, "10.0 kB"),
            (99_960, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (13_590_000, "13.6 MB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        assert_eq!(time(Duration::from_micros(9_999)), "9999 µs");
        assert_eq!(time(Duration::from_millis(10)), "10 ms");
        assert_eq!(time(Duration::from_millis(12_345)), "12.3 s");
    }
}
