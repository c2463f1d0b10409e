//! Text that is safe for a terminal.

use coconut_format::visible::is_deceptive;
pub use coconut_format::visible::visible;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes JSON text for a terminal. Characters that are deceptive become escapes. In JSON text they
/// can only be in strings, where the escapes are equivalent.
pub struct SafeJson<W> {
    out: W,
    /// The start of a character that is not complete yet.
    rest: Vec<u8>,
}

impl<W: Write> SafeJson<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> SafeJson<W> {
        SafeJson { out, rest: Vec::new() }
    }
}

impl<W: Write> Write for SafeJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The case of nearly all text.
        if self.rest.is_empty() && bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let mut safe = String::with_capacity(whole);
        for c in String::from_utf8_lossy(&self.rest[..whole]).chars() {
            match c {
                // They occur only between tokens.
                '\n' | '\t' => safe.push(c),
                c if is_deceptive(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(safe, "\\u{unit:04x}");
                    }
                }
                c => safe.push(c),
            }
        }
        self.rest.drain(..whole);
        self.out.write_all(safe.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}\u{202e}b\nc"), "a\\u{1b}[31m\\u{9b}\\u{202e}b\\nc");
    }

    #[test]
    fn json_on_a_terminal_means_the_same_and_is_safe_however_it_is_cut() {
        let text = "{\n \"\u{e9}\u{9b}\u{7f}\": \"\u{1f965}\u{202e}\u{e0041}\"}\n";
        for length in 1..=text.len() {
            let mut safe = SafeJson::new(Vec::new());
            text.as_bytes().chunks(length).for_each(|piece| safe.write_all(piece).unwrap());
            assert_eq!(safe.rest, [0; 0]);
            let expected = "{\n \"\u{e9}\\u009b\\u007f\": \"\u{1f965}\\u202e\\udb40\\udc41\"}\n";
            assert_eq!(String::from_utf8(safe.out).unwrap(), expected, "pieces of {length} bytes");
        }
    }
}
