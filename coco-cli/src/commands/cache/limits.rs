//! Parses ages and sizes.

use std::time::Duration;

/// `90s`, `15m`, `12h`, `30d`.
pub(super) fn parse_age(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 4] = [("s", 1), ("m", 60), ("h", 60 * 60), ("d", 24 * 60 * 60)];
    parse(text, &UNITS, "a number with s, m, h or d, as in `30d`").map(Duration::from_secs)
}

/// `500`, `500kB`, `2GiB`.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 8] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
        ("", 1),
    ];
    parse(text, &UNITS, "a number of bytes, or one with kB, MB, GB, KiB, MiB or GiB, as in `500MB`")
}

/// Parses a number and a unit; the first unit that fits counts.
fn parse(text: &str, units: &[(&str, u64)], expected: &str) -> Result<u64, String> {
    let found = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let product = found.and_then(|(number, factor)| number.parse::<u64>().ok()?.checked_mul(factor));
    product.ok_or_else(|| format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_need_a_unit() {
        assert_eq!(parse_age("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_age("30d"), Ok(Duration::from_secs(2_592_000)));
        for wrong in ["30", "d", "-1d", "1.5h", "1 d", "1w", "99999999999999999999s", "9999999999999999999d"]
        {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        let sizes = ["500", "500B", "1kB", "1KiB", "2GB", "2GiB"].map(|text| parse_size(text).unwrap());
        assert_eq!(sizes, [500, 500, 1000, 1024, 2_000_000_000, 2 << 30]);
        for wrong in ["", "MB", "1mb", "1e3", "-1"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
