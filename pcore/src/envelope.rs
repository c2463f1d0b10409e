//! §24.7 The envelope of XPP files.
//!
//! `application/vnd.puppet.pcore+msgpack; document-type=xpp; version=1`, a blank line, the stream.
//! The RFC allows no white space in it, but its own example has some and is folded. So white space
//! around parameters is accepted, and so are lines that begin with it.

use crate::error::{PcoreError, PcoreErrorKind};
use coconut_format::limits::{ENVELOPE_LIMIT, PARAMETER_LIMIT};

const MEDIA_TYPE: &str = "application/vnd.puppet.pcore";

coconut_format::named! {
    /// The lower level of a stream.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Encoding {
        /// Extensions of msgpack.
        Msgpack = "msgpack";
        /// Lists of JSON that begin with a number.
        Json = "json";
    }
    /// The name in envelopes.
    pub fn name;
}

/// The envelope of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    encoding: Encoding,
    parameters: Vec<(&'a str, &'a str)>,
    length: usize,
}

impl<'a> Envelope<'a> {
    /// Whether a file begins with the media type of Pcore, in any case.
    pub fn begins(file: &[u8]) -> bool {
        let start = file.get(..MEDIA_TYPE.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(MEDIA_TYPE.as_bytes()))
            && file.get(MEDIA_TYPE.len()).is_none_or(|&byte| !is_word(byte) && byte != b'.')
    }

    /// Reads the envelope of a file. `None` if the file does not begin with the media type.
    ///
    /// # Errors
    ///
    /// [`PcoreErrorKind::Envelope`] at the first byte that is not allowed.
    pub fn read(file: &'a [u8]) -> Result<Option<Envelope<'a>>, PcoreError> {
        if !Envelope::begins(file) {
            return Ok(None);
        }
        let window = file.get(..ENVELOPE_LIMIT).unwrap_or(file);
        let fault = |fault, at| PcoreErrorKind::Envelope { fault }.at(at);
        let (end, length) =
            blank_line(window).ok_or_else(|| fault("there is no blank line after it", window.len()))?;
        let head = window.get(..end).unwrap_or_default();
        let head = str::from_utf8(head).map_err(|error| fault("it is not ASCII", error.valid_up_to()))?;
        let mut parts = head.split(';');
        let first = parts.next().unwrap_or_default();
        let mut at = first.len();
        let encoding = match first.get(MEDIA_TYPE.len()..).map(str::trim) {
            Some(name) if name.eq_ignore_ascii_case("+msgpack") => Encoding::Msgpack,
            Some(name) if name.eq_ignore_ascii_case("+json") => Encoding::Json,
            _ => return Err(fault("the encoding is neither msgpack nor json", MEDIA_TYPE.len())),
        };
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        for part in parts {
            let here = at + 1;
            at = here + part.len();
            let (name, value) =
                part.split_once('=').ok_or_else(|| fault("a parameter has no value", here))?;
            let (name, value) = (name.trim(), value.trim());
            let is_word = |text: &str| !text.is_empty() && text.bytes().all(is_word);
            if !is_word(name) || !is_word(value) {
                return Err(fault("parameters have letters, digits, `_` and `-` only", here));
            }
            if parameters.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(fault("a parameter is repeated", here));
            }
            if parameters.len() == PARAMETER_LIMIT {
                return Err(fault("it has too many parameters", here));
            }
            parameters.push((name, value));
        }
        Ok(Some(Envelope { encoding, parameters, length }))
    }

    /// The lower level of the stream.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The parameters in their order.
    pub fn parameters(&self) -> &[(&'a str, &'a str)] {
        &self.parameters
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
    }

    /// The bytes before the stream.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The envelope that the RFC gives to XPP files.
    pub fn of_xpp(encoding: Encoding) -> String {
        format!("{MEDIA_TYPE}+{}; document-type=xpp; version=1\n\n", encoding.name())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The ends of the head and of the blank line: `\r? \n \r? \n`.
fn blank_line(window: &[u8]) -> Option<(usize, usize)> {
    let mut lines = 0;
    while let Some(feed) = window.get(lines..)?.iter().position(|&byte| byte == b'\n') {
        let feed = lines + feed;
        let rest = window.get(feed + 1..).unwrap_or_default();
        let blank = match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => 0,
        };
        if blank > 0 {
            let has_return = feed > 0 && window.get(feed - 1) == Some(&b'\r');
            return Some((feed - usize::from(has_return), feed + 1 + blank));
        }
        lines = feed + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Envelope<'_>>, (String, u64)> {
        Envelope::read(text.as_bytes()).map_err(|error| (error.kind().to_string(), error.offset()))
    }

    #[test]
    fn the_example_of_the_rfc_is_read() {
        let text = "application/vnd.puppet.pcore+msgpack\n; document-type=xpp\n; version=1\n\n\x01";
        let envelope = read(text).unwrap().unwrap();
        assert_eq!(envelope.parameters(), [("document-type", "xpp"), ("version", "1")]);
        assert_eq!((envelope.encoding(), envelope.length()), (Encoding::Msgpack, text.len() - 1));
    }

    #[test]
    fn every_blank_line_of_the_grammar_is_one() {
        for blank in ["\n\n", "\r\n\r\n", "\r\n\n", "\n\r\n"] {
            let text = format!("application/vnd.puppet.pcore+json;version=1{blank}[1]");
            let envelope = read(&text).unwrap().unwrap();
            assert_eq!(&text[envelope.length()..], "[1]", "{blank:?}");
        }
    }

    #[test]
    fn the_stream_may_begin_with_a_line_feed() {
        let envelope = read("application/vnd.puppet.pcore+msgpack\n\n\n\n").unwrap().unwrap();
        assert_eq!(envelope.length(), 38);
    }

    #[test]
    fn faults_have_a_place() {
        let refused = |text: &str| read(text).unwrap_err();
        let prefix = "not an envelope of Pcore: ";
        let cases = [
            ("application/vnd.puppet.pcore+msgpack", "there is no blank line after it", 36),
            ("application/vnd.puppet.pcore+yaml\n\n", "the encoding is neither msgpack nor json", 28),
            ("application/vnd.puppet.pcore+json;x\n\n", "a parameter has no value", 34),
            ("application/vnd.puppet.pcore+json;a=1;A=2\n\n", "a parameter is repeated", 38),
            (
                "application/vnd.puppet.pcore+json;version=1.0\n\n",
                "parameters have letters, digits, `_` and `-` only",
                34,
            ),
        ];
        for (text, fault, at) in cases {
            assert_eq!(refused(text), (format!("{prefix}{fault}"), at), "{text}");
        }
    }

    #[test]
    fn other_media_types_are_none() {
        assert_eq!(read("application/vnd.puppet.pcore2+json\n\n"), Ok(None));
        assert_eq!(read("application/vnd.puppet.rich+json\n\n"), Ok(None));
    }
}
