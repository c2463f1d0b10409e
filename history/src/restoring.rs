//! §23.7 An old version as a new one, and the one place where a text is changed: its serial number.

use crate::entry::{Added, Entry};
use crate::error::{HistoryError, HistoryErrorKind};
use crate::pack::Pack;
use std::ops::Range;

impl Pack {
    /// The text with which [`Pack::restore`] would store a version: that of the version, with a
    /// serial number that follows the newest one.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::text`].
    pub fn restored_text(&self, n: u64) -> Result<Vec<u8>, HistoryError> {
        let text = self.text(n)?;
        let serial = self.newest()?.and_then(|newest| newest.serial);
        let Some(serial) = serial else { return Ok(text) };
        Ok(with_serial(&text, serial + 1).unwrap_or(text))
    }

    /// Stores the text of an old version as the newest one. Nothing is rewound: all versions stay.
    /// Returns the newest version if it has this text already.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::text`] and [`Pack::add`].
    pub fn restore(&mut self, n: u64, entry: &Entry<'_>) -> Result<Added, HistoryError> {
        if let Some(newest) = self.newest()?
            && self
                .in_file(self.version_where("n = ?1", [crate::version::signed(n)]))?
                .is_some_and(|version| version.sha_256 == newest.sha_256)
        {
            return Ok(Added::Same(newest));
        }
        let text = self.restored_text(n)?;
        let added = self.add(&text, &Entry { source: "restore", ..entry.clone() })?;
        let restored = added.version().n;
        self.change(|transaction| -> Result<(), HistoryErrorKind> {
            crate::lock::record(
                transaction,
                "restore",
                Some(restored),
                entry,
                Some(&format!("of version {n}")),
            )
        })?;
        Ok(added)
    }
}

/// The text with another value of the member `serial` of its object. Everything else is kept as it
/// is. `None` if there is no such member with a number.
fn with_serial(text: &[u8], serial: u64) -> Option<Vec<u8>> {
    let place = serial_place(text)?;
    let mut changed = text.get(..place.start)?.to_vec();
    changed.extend(serial.to_string().into_bytes());
    changed.extend(text.get(place.end..)?);
    Some(changed)
}

/// The place of the number of the last member `serial` of the outermost object. The text is JSON
/// that was compiled, so only the ends of strings and the depth have to be followed.
fn serial_place(text: &[u8]) -> Option<Range<usize>> {
    let (mut depth, mut at, mut is_serial, mut found) = (0usize, 0usize, false, None);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let start = at + 1;
                at = start;
                while *text.get(at)? != b'"' {
                    at += if *text.get(at)? == b'\\' { 2 } else { 1 };
                }
                let rest = text.get(at + 1..)?;
                let is_key = rest.trim_ascii_start().first() == Some(&b':');
                if depth == 1 && is_key {
                    is_serial = text.get(start..at)? == b"serial";
                }
            }
            b'0'..=b'9' if depth == 1 && is_serial => {
                let length = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
                found = Some(at..at + length);
                (is_serial, at) = (false, at + length - 1);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_serial_number_of_the_outermost_object_is_changed() {
        let cases = [
            (r#"{"serial": 4, "x": 1}"#, Some(r#"{"serial": 12, "x": 1}"#)),
            (r#"{ "a":{"serial":1},"serial" :7}"#, Some(r#"{ "a":{"serial":1},"serial" :12}"#)),
            (r#"{"a":"\"serial\": 3","serial":3}"#, Some(r#"{"a":"\"serial\": 3","serial":12}"#)),
            (r#"{"a":["serial",3]}"#, None),
            (r#"{"a":"serial","b":3}"#, None),
            (r#"{"serial":"3"}"#, None),
            ("[1]", None),
        ];
        for (text, expected) in cases {
            let changed = with_serial(text.as_bytes(), 12);
            assert_eq!(changed.as_deref(), expected.map(str::as_bytes), "{text}");
        }
    }
}
