//! Recognition of a file by its name and bytes: a compiled document, or a source in JSON or YAML.

use crate::failure::{Failure, LFS_POINTER, WIDE_TEXT};
use coconut_codec::compile::{CompileOptions, compile, compile_enveloped};
use coconut_codec::text::{EnvelopedSource, SourceFormat};
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::error::{DecodeError, ErrorKind};
use std::path::Path;

const MEDIA_TYPE: &[u8] = b"application/vnd.coconut";

/// Whether bytes begin with the media type of Coconut documents.
pub fn begins_with_media_type(bytes: &[u8]) -> bool {
    bytes.get(..MEDIA_TYPE.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(MEDIA_TYPE))
}

/// Whether a file is meant to be a Coconut document rather than a source, by its name or first
/// bytes. An editor may have inserted bytes before the envelope.
pub fn is_document(name: &str, bytes: &[u8]) -> bool {
    let extension = Path::new(name).extension();
    let trimmed = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("coco"))
        || begins_with_media_type(trimmed)
}

/// The format of a source: the given one, or detected from the name or the text. Refuses bytes that
/// cannot be text, and reports their kind.
pub fn source_format(
    name: &str,
    bytes: &[u8],
    named: Option<SourceFormat>,
) -> Result<SourceFormat, DecodeError> {
    if bytes.is_empty() {
        return Err(ErrorKind::Empty.at(0));
    }
    if let Some(error) = stand_in(bytes) {
        return Err(error);
    }
    let named = named.or_else(|| SourceFormat::of_name(name));
    match EnvelopeView::recognise_no_text(bytes, named.is_some()) {
        Some(error) => Err(error),
        None => Ok(named.unwrap_or_else(|| SourceFormat::of_text(bytes))),
    }
}

/// The error for a text that only stands for a file, or that is neither JSON nor YAML.
pub fn stand_in(bytes: &[u8]) -> Option<DecodeError> {
    let known = match bytes {
        _ if bytes.starts_with(b"version https://git-lfs.github.com/spec/") => LFS_POINTER,
        _ if is_wide(bytes) => WIDE_TEXT,
        _ => return None,
    };
    Some(ErrorKind::ForeignMediaType { known }.at(0))
}

/// Whether the bytes are Latin letters in UTF-16 without a byte order mark.
fn is_wide(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 64;
    let (pairs, _) = bytes[..bytes.len().min(LOOKED_AT)].as_chunks();
    pairs.len() > 1
        && [0, 1]
            .iter()
            .any(|&zero| pairs.iter().all(|pair: &[u8; 2]| pair[zero] == 0 && pair[1 - zero] != 0))
}

/// The compiled form of a source in JSON or YAML, with or without an envelope. `None` for bytes
/// that are meant to be a compiled document.
///
/// # Errors
///
/// The failure to compile it, with its name. Its text is shown only if it names no secrets, or with
/// `reveal`.
pub fn compiled(name: &str, text: &[u8], reveal: bool) -> Result<Option<Vec<u8>>, Failure> {
    let in_file = |error: DecodeError| Failure::from(error).in_file(name);
    let compiled = match EnvelopedSource::open(text) {
        Ok(source) if source.envelope().encoding() == Encoding::Json => {
            source.check_digest().map_err(in_file)?;
            compile_enveloped(&source, &CompileOptions::default())
        }
        _ if is_document(name, text) => return Ok(None),
        _ => {
            let format = source_format(name, text, None).map_err(in_file)?;
            compile(text, &CompileOptions::default().format(format))
        }
    };
    match compiled {
        Ok(compiled) => Ok(Some(compiled.bytes)),
        Err(error) => Err(Failure::compiling(name, text, &error, reveal)),
    }
}
