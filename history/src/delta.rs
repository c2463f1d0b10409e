//! §23.3 Texts as patches, and the places of their bases.

use std::io::{self, Read, Write};
use zstd::stream::{read, write};

/// The level of compression. Higher ones save little in a patch.
const LEVEL: i32 = 3;

/// The largest window that a decoder of 32 bits accepts.
const LARGEST_WINDOW: u32 = 30;

/// §23.3 The slot of the text that a patch of this slot refers to: its lowest set bit is cleared.
/// So a text needs at most one patch for each set bit of its slot, and one whole text.
pub(crate) fn base_of(slot: u64) -> Option<u64> {
    (slot != 0).then(|| slot & (slot - 1))
}

/// Compresses a text, as a patch of `base` unless that is empty.
///
/// The base and the text must be in one window, so the memory for both is needed.
pub(crate) fn compress(base: &[u8], text: &[u8]) -> io::Result<Vec<u8>> {
    let out = Vec::new();
    let mut encoder = match base.is_empty() {
        true => write::Encoder::new(out, LEVEL)?,
        false => write::Encoder::with_ref_prefix(out, LEVEL, base)?,
    };
    encoder.window_log(window(base, text.len()))?;
    encoder.long_distance_matching(true)?;
    encoder.include_checksum(false)?;
    encoder.set_pledged_src_size(Some(text.len() as u64))?;
    encoder.write_all(text)?;
    encoder.finish()
}

/// Decompresses a text of `length` bytes. Fails if it has another length.
///
/// A stored length or window is only a claim: no memory is reserved for it.
pub(crate) fn decompress(base: &[u8], stored: &[u8], length: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(length).map_err(|_| invalid("the text is too long"))?;
    let mut text = Vec::new();
    let most = length.saturating_add(1);
    match base.is_empty() {
        true => {
            let mut decoder = read::Decoder::with_buffer(stored)?;
            decoder.window_log_max(window(base, size))?;
            decoder.take(most).read_to_end(&mut text)?;
        }
        false => {
            let mut decoder = read::Decoder::with_ref_prefix(stored, base)?;
            decoder.window_log_max(window(base, size))?;
            decoder.take(most).read_to_end(&mut text)?;
        }
    }
    match text.len() == size {
        true => Ok(text),
        false => Err(invalid("the text has another length than its record")),
    }
}

/// The logarithm of the window that contains both texts.
fn window(base: &[u8], length: usize) -> u32 {
    let both = base.len().saturating_add(length).max(1);
    (usize::BITS - both.leading_zeros()).clamp(10, LARGEST_WINDOW)
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(changed: usize) -> Vec<u8> {
        let line = |n: usize| format!("line {} of a text: {}\n", n, if n == changed { n * 7 } else { n * 3 });
        (0..20_000).flat_map(|n| line(n).into_bytes()).collect()
    }

    #[test]
    fn a_text_needs_one_patch_for_each_set_bit() {
        assert_eq!(
            [0, 1, 2, 3, 6, 7, 8, 12].map(base_of),
            [None, Some(0), Some(0), Some(2), Some(4), Some(6), Some(0), Some(8)]
        );
        for slot in 0..5000u64 {
            let hops = std::iter::successors(Some(slot), |&slot| base_of(slot)).count();
            assert_eq!(hops, slot.count_ones() as usize + 1, "slot {slot}");
        }
    }

    #[test]
    fn a_patch_gives_the_text_again_and_is_small() {
        let (old, new) = (lines(0), lines(777));
        let patch = compress(&old, &new).unwrap();
        assert!(patch.len() < 300, "{}", patch.len());
        assert_eq!(decompress(&old, &patch, new.len() as u64).unwrap(), new);
        let whole = compress(b"", &new).unwrap();
        assert_eq!(decompress(b"", &whole, new.len() as u64).unwrap(), new);
        assert_eq!(decompress(b"", &compress(b"", b"").unwrap(), 0).unwrap(), b"");
    }

    #[test]
    fn the_wrong_base_or_length_is_an_error_or_another_text() {
        let (old, new) = (lines(0), lines(777));
        let patch = compress(&old, &new).unwrap();
        let error = decompress(&old, &patch, new.len() as u64 - 1).unwrap_err();
        assert_eq!(error.to_string(), "the text has another length than its record");
        assert!(decompress(&lines(5), &patch, new.len() as u64).map_or(true, |text| text != new));
    }

    #[test]
    fn a_frame_that_claims_four_gigabytes_reserves_nothing() {
        // A frame of one segment with an eight-byte content size, and one empty raw block.
        let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
        bomb.extend((4u64 << 30).to_le_bytes());
        bomb.extend([1, 0, 0]);
        assert!(decompress(b"", &bomb, 100).is_err());
        // A block that repeats one byte, many times over.
        let mut repeated = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
        for _ in 0..1000 {
            repeated.extend([0x02, 0x00, 0x10, b'x']);
        }
        assert!(decompress(b"", &repeated, 1000).is_err());
    }
}
