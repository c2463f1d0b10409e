//! The frames of zstd data (RFC 8878).
//!
//! A frame declares a window, which the decoder fills before it returns any output. The declared
//! size may be terabytes, so bytes are counted when they are decoded, not when they are returned.

use super::Extent;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io;

/// Bytes to decode before the text is taken out.
const STEP: u64 = 1 << 20;

/// Decodes the frames one by one until the text is longer than `limit`. Passes over skippable
/// frames.
pub(super) fn unzstd(bytes: &[u8], limit: u64, text: &mut Vec<u8>) -> io::Result<Extent> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(u64::MAX);
        match frame.init(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let after = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = after.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
                continue;
            }
            Err(error) => return Err(damaged(&error)),
        }
        if let Extent::Longer = take(&mut frame, &mut rest, limit, text)? {
            return Ok(Extent::Longer);
        }
    }
    Ok(Extent::Whole)
}

/// Adds the text of a frame. It has the length and the checksum that the frame states.
fn take(frame: &mut FrameDecoder, rest: &mut &[u8], limit: u64, text: &mut Vec<u8>) -> io::Result<Extent> {
    let begin = text.len();
    let mut left = limit.saturating_add(1).saturating_sub(begin as u64);
    while !frame.is_finished() {
        if left == 0 {
            return Ok(Extent::Longer);
        }
        // Decodes at least this much and at most one more block, unless the frame ends.
        let step = left.min(STEP);
        let strategy = BlockDecodingStrategy::UptoBytes(step as usize);
        frame.decode_blocks(&mut *rest, strategy).map_err(|error| damaged(&error))?;
        frame.collect_to_writer(&mut *text)?;
        left -= step;
    }
    if text.len() as u64 > limit {
        return Ok(Extent::Longer);
    }
    let (length, stated) = ((text.len() - begin) as u64, frame.content_size());
    // Zero if the frame states none.
    if stated != 0 && stated != length {
        return Err(io::Error::other(format!("a frame has {length} bytes of text, expected {stated}")));
    }
    match (frame.get_checksum_from_data(), frame.get_calculated_checksum()) {
        (Some(stated), Some(found)) if stated != found => {
            let text = format!("the checksum of a frame is 0x{found:08x}, should be 0x{stated:08x}");
            Err(io::Error::other(text))
        }
        _ => Ok(Extent::Whole),
    }
}

fn damaged(error: &FrameDecoderError) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::expanded;
    use std::io;

    const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
    /// Windows of 8 MiB and of 1 TiB.
    const WINDOWS: [u8; 2] = [13 << 3, 30 << 3];
    const TEXT: &[u8] = b"{\"a\": 1}";

    fn block(kind: u32, size: usize, body: &[u8], is_last: bool) -> Vec<u8> {
        let header = u32::try_from(size).unwrap() << 3 | kind << 1 | u32::from(is_last);
        [&header.to_le_bytes()[..3], body].concat()
    }

    /// A frame without a stated length.
    fn frame(window: u8, blocks: &[u8]) -> Vec<u8> {
        [MAGIC, &[0, window], blocks].concat()
    }

    fn whole() -> Vec<u8> {
        frame(0, &block(0, TEXT.len(), TEXT, true))
    }

    #[test]
    fn what_a_frame_claims_as_its_window_costs_nothing() {
        for window in WINDOWS {
            let small = frame(window, &block(0, TEXT.len(), TEXT, true));
            assert_eq!(expanded(&small).unwrap(), TEXT);
            // 128 MiB of blanks. No more than the limit is decoded.
            let blocks = block(1, 128 << 10, b" ", false).repeat(1_024);
            let error = expanded(&frame(window, &blocks)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        }
    }

    /// 60,000 matches of 131,074 bytes each, in a block of 120 kB.
    #[test]
    fn a_block_that_is_longer_than_any_may_be_is_refused() {
        const MATCHES: u16 = 60_000;
        let count = (MATCHES - 0x7f00).to_le_bytes();
        // One literal; then all codes of literal lengths, offsets and match lengths are the same.
        let head = [&[1 << 3, b' ', 0xff][..], &count, &[0x54, 0, 0, 52]].concat();
        let long = [head, vec![0xff; 2 * usize::from(MATCHES)], vec![1]].concat();
        let blocks = [block(0, 9, &[b' '; 9], false), block(2, long.len(), &long, true)].concat();
        let error = expanded(&frame(13 << 3, &blocks)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
    }

    #[test]
    fn the_checksum_of_a_frame_is_compared() {
        let blocks = block(0, TEXT.len(), TEXT, true);
        let with = |checksum: &[u8]| [MAGIC, &[1 << 2, 0], &blocks[..], checksum].concat();
        // As `zstd` writes it.
        assert_eq!(expanded(&with(&[0x7d, 0x91, 0x9d, 0x79])).unwrap(), TEXT);
        let error = expanded(&with(&[0; 4])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let expected =
            "the zstd data are damaged: the checksum of a frame is 0x799d917d, should be 0x00000000";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_length_of_a_frame_is_compared() {
        let blocks = block(0, TEXT.len(), TEXT, true);
        // The header states the length in one byte, and no window.
        let with = |length: u8| [MAGIC, &[1 << 5, length], &blocks[..]].concat();
        assert_eq!(expanded(&with(8)).unwrap(), TEXT);
        assert_eq!(expanded(&with(7)).unwrap_err().kind(), io::ErrorKind::InvalidData);
        for length in [9, 255] {
            let error = expanded(&with(length)).unwrap_err();
            let text = format!("the zstd data are damaged: a frame has 8 bytes of text, expected {length}");
            assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::InvalidData, text));
        }
    }

    #[test]
    fn frames_that_are_to_be_skipped_are() {
        let skipped = b"\x5f\x2a\x4d\x18\x05\0\0\0index";
        let two = [&whole()[..], skipped, &whole(), skipped].concat();
        assert_eq!(expanded(&two).unwrap(), [TEXT, TEXT].concat());
        for end in 1..skipped.len() {
            let cut = [&whole()[..], &skipped[..end]].concat();
            assert_eq!(expanded(&cut).unwrap_err().kind(), io::ErrorKind::InvalidData, "{end}");
        }
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for after in [&b"x"[..], b"\0\0\0\0", b"more text"] {
            let error = expanded(&[&whole()[..], after].concat()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
        let dictionary = [MAGIC, &[1, 0, 77], &block(0, TEXT.len(), TEXT, true)[..]].concat();
        assert_eq!(expanded(&dictionary).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
