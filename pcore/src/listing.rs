//! §24.4 The tokens of a stream, each with the slots that it takes.

use crate::code::Code;
use crate::dialect::Dialect;
use crate::error::{PcoreError, PcoreErrorKind, Table};
use crate::read::{Observed, Observer, Parts, Source};
use crate::tape::{Entry, Stream, Tag, has_text, place, text_of};
use std::ops::Range;

/// A token of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedToken {
    /// The bytes of the token. In JSON, from its first character to that of its last item.
    pub span: Range<u64>,
    /// The number of containers around it.
    pub level: u32,
    /// The number of the value in the stream, from 0.
    pub value: u32,
    /// The code of its extension. `None` for a value without one.
    pub code: Option<Code>,
    /// The kind of value, and the count of a container or the type of an object.
    pub meaning: String,
    /// The text, the bytes or the number of a scalar. It may be secret.
    pub content: Option<String>,
    /// The slots of the inner table that it takes: of the segments of its name, and its own.
    pub inner: Range<u64>,
    /// The slot of the outer table that it takes. An object whose type follows takes the first
    /// slot after those of its type, which is not listed.
    pub outer: Option<u64>,
    /// The slot that it refers to.
    pub reference: Option<(Table, u64)>,
}

/// Calls `each` for every token of a file, up to the first fault. With `None`, the dialect is
/// detected. If that is not possible, `ruby-5.4` is used.
///
/// ```
/// use coconut_pcore::{Code, Table, list_tokens};
///
/// let mut tokens = Vec::new();
/// let bytes = b"\xd4\x10\x02\xa1x\xd4\x00\x00";
/// let fault = list_tokens(bytes, None, &mut |token| tokens.push(token));
/// assert_eq!(fault, None);
/// assert_eq!((tokens[1].inner.clone(), tokens[1].outer), (0..1, None));
/// assert_eq!(tokens[2].reference, Some((Table::Inner, 0)));
/// ```
///
/// Returns the first fault. The tokens before it were listed.
pub fn list_tokens(
    file: &[u8],
    dialect: Option<Dialect>,
    each: &mut dyn FnMut(ListedToken),
) -> Option<PcoreError> {
    let source = match Source::of(file) {
        Ok(source) => source,
        Err(error) => return Some(error),
    };
    let (dialect, ambiguity) = match dialect {
        Some(dialect) => (dialect, None),
        None => match Stream::read(file, None) {
            Ok(stream) => (stream.dialect(), None),
            Err(error) => {
                let is_ambiguous = matches!(error.kind(), PcoreErrorKind::Ambiguous { .. });
                (Dialect::Ruby54, Some(error).filter(|_| is_ambiguous))
            }
        },
    };
    let mut lister = Lister { each, value: 0 };
    source.read(dialect, &mut lister).err().or(ambiguity)
}

struct Lister<'e> {
    each: &'e mut dyn FnMut(ListedToken),
    value: u32,
}

impl Observer for Lister<'_> {
    fn token(&mut self, token: Observed, parts: &Parts, data: &[u8]) {
        let value = self.value;
        self.value += 1;
        let code = match token.reference {
            Some((Table::Inner, _)) => Some(Code::InnerTabulation),
            Some((Table::Outer, _)) => Some(Code::Tabulation),
            None => code_of(token.entry),
        };
        (self.each)(ListedToken {
            span: token.span.start as u64..token.span.end as u64,
            level: place(token.level),
            value,
            code,
            meaning: meaning_of(token.entry, token.reference, parts),
            content: content_of(token.entry, parts, data),
            inner: token.inner,
            outer: token.outer,
            reference: token.reference,
        });
    }
}

/// The code of the extension of an entry.
fn code_of(entry: Entry) -> Option<Code> {
    match entry.tag() {
        Tag::Array => Some(Code::ArrayStart),
        Tag::Map => Some(Code::MapStart),
        Tag::Object => Some(Code::PcoreObjectStart),
        Tag::TypedObject => Some(Code::ObjectStart),
        Tag::Sensitive => Some(Code::SensitiveStart),
        Tag::SensitivePayload => Some(Code::Binary),
        _ => entry.code(),
    }
}

fn meaning_of(entry: Entry, reference: Option<(Table, u64)>, parts: &Parts) -> String {
    let kind = match entry.tag() {
        Tag::Nil => "undef".to_owned(),
        Tag::False | Tag::True => "boolean".to_owned(),
        Tag::Integer | Tag::Wide => "integer".to_owned(),
        Tag::Float => "float".to_owned(),
        Tag::Float32 => "float of 32 bits".to_owned(),
        Tag::Str => "string".to_owned(),
        Tag::Bin => "bytes".to_owned(),
        Tag::Array => format!("array of {}", entry.count()),
        Tag::Map => format!("hash of {}", entry.count()),
        Tag::PlainArray => format!("array of msgpack of {}", entry.count()),
        Tag::PlainMap => format!("map of msgpack of {}", entry.count()),
        Tag::Object => {
            let header = parts.headers[entry.index()];
            format!("object {} of {}", parts.names[header.name as usize], header.count)
        }
        Tag::TypedObject => format!("object of {}, its type first", entry.number()),
        Tag::SensitivePayload => "sensitive".to_owned(),
        Tag::Reference => format!("value {}", entry.number()),
        _ => code_of(entry).map_or("value", Code::name).to_owned(),
    };
    match reference {
        Some((Table::Inner, slot)) => format!("inner slot {slot}: {kind}"),
        Some((Table::Outer, slot)) => format!("outer slot {slot}: {kind}"),
        None => kind,
    }
}

fn content_of(entry: Entry, parts: &Parts, data: &[u8]) -> Option<String> {
    /// Bytes of a text that are shown.
    const SHOWN: usize = 64;
    Some(match entry.tag() {
        Tag::False => "false".to_owned(),
        Tag::True => "true".to_owned(),
        Tag::Integer => entry.small_integer().to_string(),
        Tag::Wide => i128::from(parts.wide[entry.index()]).to_string(),
        Tag::Float => parts.floats[entry.index()].to_string(),
        Tag::Float32 => f32::from_bits(entry.low_bits()).to_string(),
        Tag::Timestamp | Tag::Timespan => {
            let time = parts.times[entry.index()];
            format!("{} s {} ns", time.seconds, time.nanoseconds)
        }
        tag if has_text(tag) => {
            let bytes = text_of(entry, data);
            let shown = bytes.get(..SHOWN).unwrap_or(bytes);
            let text = String::from_utf8_lossy(shown);
            let rest = if shown.len() < bytes.len() { "…" } else { "" };
            format!("{text:?}{rest}")
        }
        _ => return None,
    })
}
