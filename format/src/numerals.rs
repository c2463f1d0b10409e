//! Numbers and bytes as text.

/// A count with a comma after each thousand.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `part` of `whole` in percent, with one decimal below 100 %.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    match percent < 99.95 {
        true => format!("{percent:.1} %"),
        false => format!("{percent:.0} %"),
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 13_591_718].map(grouped), ["0", "999", "1,000", "13,591,718"]);
    }

    #[test]
    fn a_share_of_nothing_is_none() {
        assert_eq!(percent(1, 0), "-");
        assert_eq!(percent(511, 10_000), "5.1 %");
        assert_eq!(percent(9_996, 10_000), "100 %");
        assert_eq!(percent(250, 100), "250 %");
    }
}
