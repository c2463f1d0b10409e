//! The names of versions.

use crate::time;

/// A name of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revision {
    /// `12`: its number.
    Number(u64),
    /// `~2`: so many versions before the newest.
    Back(u64),
    /// `@2026-11-01`: the newest with this time or an earlier one, in milliseconds since 1970.
    Time(i64),
    /// `serial:47`: the newest with this serial number.
    Serial(u64),
    /// Its label, or the first six or more digits of its SHA-256 or its chain digest.
    Name(String),
}

impl Revision {
    /// Reads a name. The `@` before a date may be omitted.
    pub fn parse(text: &str) -> Option<Revision> {
        if let Some(serial) = text.strip_prefix("serial:") {
            return digits(serial).map(Revision::Serial);
        }
        if let Some(back) = text.strip_prefix('~') {
            return digits(back).map(Revision::Back);
        }
        if let Some(time) = text.strip_prefix('@') {
            return time::end_of(time).map(Revision::Time);
        }
        if let Some(time) = time::end_of(text) {
            return Some(Revision::Time(time));
        }
        match digits(text) {
            Some(number) => Some(Revision::Number(number)),
            None => is_name(text).then(|| Revision::Name(text.to_owned())),
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Whether a label or a digest can have this form.
fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    !text.is_empty() && text.len() <= crate::limits::LABEL && text.bytes().all(allowed)
}

/// Whether a label may have this text: it begins with a letter, and is not a number, a date or the
/// beginning of a digest.
pub fn is_label(text: &str) -> bool {
    let is_digest = text.len() >= 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name(text) && text.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_name_is_recognised() {
        let parsed = |text| Revision::parse(text);
        assert_eq!(parsed("12"), Some(Revision::Number(12)));
        assert_eq!(parsed("~0"), Some(Revision::Back(0)));
        assert_eq!(parsed("serial:47"), Some(Revision::Serial(47)));
        assert_eq!(parsed("@1970-01-01"), Some(Revision::Time(time::DAY - 1)));
        assert_eq!(parsed("1970-01-01"), Some(Revision::Time(time::DAY - 1)));
        assert_eq!(parsed("before-upgrade"), Some(Revision::Name("before-upgrade".to_owned())));
        for wrong in ["", "~", "~x", "serial:", "@yesterday", "a b", "é", "99999999999999999999"] {
            assert!(!matches!(parsed(wrong), Some(Revision::Number(_))), "{wrong}");
        }
        assert_eq!(["", "~x", "serial:-1", "@yesterday", "a b"].map(parsed), [None, None, None, None, None]);
    }

    #[test]
    fn a_label_is_never_another_name() {
        for wrong in ["12", "deadbeef", "2026-11-01", "~1", "-x", "", "a b"] {
            assert!(!is_label(wrong), "{wrong}");
        }
        assert!(is_label("before-upgrade") && is_label("v1.2") && is_label("bad"));
    }
}
