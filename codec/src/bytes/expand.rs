//! §17.3 Compressed sources: gzip and zstd, recognised by their first bytes.

use crate::limits;
use std::borrow::Cow;
use std::io;
#[cfg(feature = "compressed")]
use std::io::Read;
#[cfg(feature = "compressed")]
use zstd::unzstd;

#[cfg(feature = "compressed")]
mod zstd;

coconut_format::named! {
    /// A compressed format that sources may have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Compression {
        /// RFC 1952.
        Gzip = "gzip";
        /// RFC 8878.
        Zstd = "zstd";
    }
    fn name;
}

impl Compression {
    /// The format of data that begins like this. Needs the first four bytes.
    pub fn of(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            _ if !cfg!(feature = "compressed") => None,
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }
}

/// The text of a source: decompressed if it is compressed, otherwise the same bytes.
///
/// # Errors
///
/// [`InvalidData`](io::ErrorKind::InvalidData) for damaged data, and
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge) for text beyond [`limits::max_expanded`]. Never
/// uses more memory than that.
pub fn expanded(bytes: &[u8]) -> io::Result<Cow<'_, [u8]>> {
    match Compression::of(bytes) {
        None => Ok(Cow::Borrowed(bytes)),
        Some(compression) => expand(compression, bytes).map(Cow::Owned),
    }
}

/// Bytes of stack for a decoder.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 1 << 20;

fn expand(compression: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let limit = limits::max_expanded(bytes.len());
    let mut text = Vec::new();
    let decode = || match compression {
        Compression::Gzip => gunzip(bytes, limit, &mut text),
        Compression::Zstd => unzstd(bytes, limit, &mut text),
    };
    let result = on_stack(decode);
    let name = compression.name();
    match result {
        Err(error) => {
            let text = format!("the {name} data are damaged: {error}");
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        }
        Ok(Extent::Longer) => {
            let text = format!("the {name} data expand to more than {limit} bytes, the limit for their size");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
        }
        Ok(Extent::Whole) => Ok(text),
    }
}

/// Decodes with enough stack. The decoders take more than the rest of a reader, which needs only
/// 128 KiB.
#[cfg(not(target_family = "wasm"))]
fn on_stack(decode: impl FnOnce() -> io::Result<Extent> + Send) -> io::Result<Extent> {
    std::thread::scope(|scope| {
        let decoder = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, decode)?;
        decoder.join().unwrap_or_else(|_| Err(io::Error::other("the decoder failed")))
    })
}

/// There are no threads, and the stack is that of the linked module: a mebibyte or more.
#[cfg(target_family = "wasm")]
fn on_stack(decode: impl FnOnce() -> io::Result<Extent>) -> io::Result<Extent> {
    decode()
}

/// The part of a text that was decoded.
#[cfg_attr(not(feature = "compressed"), expect(dead_code, reason = "nothing is decoded"))]
enum Extent {
    Whole,
    /// It is longer than the limit.
    Longer,
}

/// Reads at most one byte more than `limit`.
#[cfg(feature = "compressed")]
fn gunzip(bytes: &[u8], limit: u64, text: &mut Vec<u8>) -> io::Result<Extent> {
    let reader = flate2::read::MultiGzDecoder::new(bytes);
    reader.take(limit.saturating_add(1)).read_to_end(text)?;
    Ok(if text.len() as u64 > limit { Extent::Longer } else { Extent::Whole })
}

#[cfg(not(feature = "compressed"))]
fn gunzip(_: &[u8], _: u64, _: &mut Vec<u8>) -> io::Result<Extent> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(feature = "compressed"))]
fn unzstd(_: &[u8], _: u64, _: &mut Vec<u8>) -> io::Result<Extent> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(feature = "compressed")]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn all_members_are_one_text() {
        for compress in [gzip, zstd] {
            let one = compress(b"{\"a\": 1}\n");
            assert_eq!(expanded(&one).unwrap(), &b"{\"a\": 1}\n"[..]);
            let two = [one, compress(b"{\"a\": 2}\n")].concat();
            assert_eq!(expanded(&two).unwrap(), &b"{\"a\": 1}\n{\"a\": 2}\n"[..]);
        }
        assert_eq!(expanded(b"{}").unwrap(), &b"{}"[..]);
    }

    #[test]
    fn damage_is_an_error() {
        for compress in [gzip, zstd] {
            let whole = compress(&b"some text ".repeat(100));
            for length in [4, 5, whole.len() / 2, whole.len() - 1] {
                let error = expanded(&whole[..length]).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
            }
        }
    }

    #[test]
    fn a_text_that_is_too_long_for_its_size_is_refused() {
        for compress in [gzip, zstd] {
            let bomb = compress(&vec![b' '; 80 << 20]);
            assert!(limits::max_expanded(bomb.len()) < 80 << 20, "{}", bomb.len());
            let error = expanded(&bomb).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
    }
}
