//! §2.1 Grammar. Finds the end of an envelope's text, and walks over its parameters.

use super::{ENVELOPE_LIMIT, Encoding, ParameterView, is_token_byte, is_visible};
use crate::error::{DecodeError, ErrorKind};

/// The end of an envelope.
pub(super) struct Extent<'a> {
    /// Up to the line end before the blank line.
    pub(super) text: &'a str,
    /// Up to the end of the blank line.
    pub(super) length: usize,
}

/// Finds the blank line, `\r`? `\n` `\r`? `\n`, and checks every byte before it.
pub(super) fn extent(bytes: &[u8]) -> Result<Extent<'_>, DecodeError> {
    let window = bytes.get(..ENVELOPE_LIMIT).unwrap_or(bytes);
    let is_in_line = |byte: &&u8| is_visible(**byte) || matches!(byte, b' ' | b'\t');
    let mut at = 0;
    loop {
        at += window.get(at..).unwrap_or_default().iter().take_while(is_in_line).count();
        let line_end = match window.get(at..).unwrap_or_default() {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [] | [b'\r'] => return Err(no_end(window)),
            [b'\r', b'\r', ..] => return Err(ErrorKind::NoBlankLine.at(at as u64)),
            [byte, ..] => return Err(ErrorKind::BadCharacter { byte: *byte }.at(at as u64)),
        };
        let next_line = at + line_end;
        let length = match window.get(next_line..).unwrap_or_default() {
            [b'\n', ..] => next_line + 1,
            [b'\r', b'\n', ..] => next_line + 2,
            [b' ' | b'\t' | b';', ..] => {
                at = next_line;
                continue;
            }
            [] | [b'\r'] => return Err(no_end(window)),
            // A line that neither continues nor ends the envelope.
            _ => return Err(ErrorKind::NoBlankLine.at(next_line as u64)),
        };
        let text = window.get(..at).and_then(|text| str::from_utf8(text).ok());
        return Ok(Extent { text: text.expect("every byte was seen to be ASCII"), length });
    }
}

fn no_end(window: &[u8]) -> DecodeError {
    let offset = window.len() as u64;
    if window.len() == ENVELOPE_LIMIT {
        return ErrorKind::EnvelopeLimit { what: "bytes of its envelope", limit: ENVELOPE_LIMIT as u64 }
            .at(offset);
    }
    ErrorKind::NoBlankLine.at(offset)
}

/// Walks the text of an envelope. As an iterator, it visits parameters known to be well formed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    /// `encoding`, which directly follows the media type.
    pub(super) fn encoding(&mut self) -> Result<Encoding, DecodeError> {
        let unknown = ErrorKind::UnknownEncoding.at(self.at as u64);
        let encoding = self.take_while(is_token_byte);
        encoding.strip_prefix('+').and_then(Encoding::from_suffix).ok_or(unknown)
    }

    /// Skips the encoding, whatever it is.
    pub(super) fn any_encoding(&mut self) {
        self.take_while(is_token_byte);
    }

    /// `sep name '=' value`, or `None` at the end.
    pub(super) fn parameter(&mut self) -> Result<Option<ParameterView<'a>>, DecodeError> {
        self.skip_blank();
        if self.at == self.text.len() {
            return Ok(None);
        }
        self.expect(b';', ErrorKind::ParameterSyntax)?;
        self.skip_blank();
        let name_at = self.at;
        let name = self.take_while(is_token_byte);
        if name.is_empty() {
            return Err(ErrorKind::ParameterSyntax.at(name_at as u64));
        }
        self.expect(b'=', ErrorKind::ParameterSyntax)?;
        let quoted = self.peek() == Some(b'"');
        let raw_at = if quoted { self.at + 1 } else { self.at };
        let raw = if quoted { self.quoted()? } else { self.take_while(is_token_byte) };
        if raw.is_empty() && !quoted {
            return Err(ErrorKind::ParameterSyntax.at(raw_at as u64));
        }
        Ok(Some(ParameterView { name, name_at, raw, raw_at, quoted }))
    }

    /// `quoted`: the text between its quotes.
    fn quoted(&mut self) -> Result<&'a str, DecodeError> {
        let open = self.at;
        self.at += 1;
        let mut escaped = false;
        let inner = self.take_while(|byte| {
            let ends = !escaped && byte == b'"' || matches!(byte, b'\r' | b'\n');
            escaped = !escaped && byte == b'\\';
            !ends
        });
        match self.peek() {
            Some(b'"') => self.at += 1,
            _ => return Err(ErrorKind::ParameterSyntax.at(open as u64)),
        }
        Ok(inner)
    }

    fn skip_blank(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn take_while(&mut self, mut belongs: impl FnMut(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn expect(&mut self, wanted: u8, otherwise: ErrorKind) -> Result<(), DecodeError> {
        if self.peek() != Some(wanted) {
            return Err(otherwise.at(self.at as u64));
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = ParameterView<'a>;

    fn next(&mut self) -> Option<ParameterView<'a>> {
        self.parameter().ok().flatten()
    }
}
