//! §5.10 Trailer. The last bytes of a file, found from its end.
//!
//! ```text
//!  0  u64  length of the file          16  u16  number of directory entries    20  "COCO"
//!  8  u64  where its checksum begins   18  u8   flags, u8 size of blocks       24  u32 checksum
//! ```
//!
//! The size of blocks is stored as its binary logarithm, or as 0 in a file without a block table.

use crate::bytes::Bytes;
use crate::bytes::checksum::BlockSize;
use coconut_format::error::{DecodeError, ErrorKind, FileEnd};

/// Bytes of the trailer.
pub(crate) const TRAILER: usize = 28;

const MAGIC: [u8; 4] = *b"COCO";
const FLAG_WIDE: u8 = 1;
/// A reader of this version cannot follow the frame.
const FLAG_NEWER: u8 = 2;

/// The checksum does not begin at the root table, or at 0 if there is none.
pub(crate) const WRONG_COVER: ErrorKind =
    ErrorKind::TrailerField { fault: "its checksum begins at a wrong offset" };
/// The size of blocks is not an allowed one, or it is present without a block table, or absent with
/// one.
pub(crate) const WRONG_BLOCKS: ErrorKind =
    ErrorKind::TrailerField { fault: "the size of blocks does not fit the block table" };
/// The number of entries does not match the bytes before the trailer.
pub(crate) const WRONG_DIRECTORY: ErrorKind =
    ErrorKind::TrailerField { fault: "the directory does not fit into the file" };

/// The content of the trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trailer {
    /// Start of the checksummed bytes: the root table, or 0 for the whole file.
    pub(crate) covered_from: u64,
    pub(crate) directory_entries: u16,
    /// Whether offsets take eight bytes.
    pub(crate) wide: bool,
    /// The size of the blocks that have checksums. `None` in a file without a block table.
    pub(crate) blocks: Option<BlockSize>,
}

impl Trailer {
    /// Reads and checks the trailer of a file, including its checksum. `content` is the start of
    /// the payload.
    pub(crate) fn read(file: Bytes<'_>, content: usize) -> Result<Trailer, DecodeError> {
        let start = file.len().saturating_sub(TRAILER);
        let bytes: Option<&[u8; TRAILER]> = file.array(start);
        let (Some(bytes), true) = (bytes, start >= content) else {
            return Err(ErrorKind::Trailer { end: FileEnd::Cut }.at(file.len() as u64));
        };
        let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3, c4, c5, c6, c7, rest @ ..] = bytes;
        let [n0, n1, flags, blocks, m0, m1, m2, m3, s0, s1, s2, s3] = rest;
        if [*m0, *m1, *m2, *m3] != MAGIC {
            return Err(missing(file, content));
        }
        let declared = u64::from_le_bytes([*l0, *l1, *l2, *l3, *l4, *l5, *l6, *l7]);
        if declared != file.len() as u64 {
            return Err(ErrorKind::Length { declared, actual: file.len() as u64 }.at(start as u64));
        }
        let covered_from = u64::from_le_bytes([*c0, *c1, *c2, *c3, *c4, *c5, *c6, *c7]);
        let expected = u32::from_le_bytes([*s0, *s1, *s2, *s3]);
        let stop = file.len().saturating_sub(4);
        let from = usize::try_from(covered_from).ok().filter(|&from| from <= start);
        let covered = from.and_then(|from| file.get(from..stop));
        let Some(covered) = covered else {
            return Err(WRONG_COVER.at(start as u64));
        };
        let found = crc32fast::hash(covered);
        if found != expected {
            return Err(ErrorKind::Checksum { expected, found }.at(covered_from));
        }
        // Checked before any other field: a newer frame may give them other meanings.
        if *flags & FLAG_NEWER != 0 {
            return Err(ErrorKind::NewerFrame.at(start as u64));
        }
        if *flags & !FLAG_WIDE != 0 {
            return Err(ErrorKind::TrailerField { fault: "unknown flags" }.at(start as u64));
        }
        let blocks = match *blocks {
            0 => None,
            bits => Some(BlockSize::of_bits(bits).ok_or_else(|| WRONG_BLOCKS.at(start as u64))?),
        };
        let directory_entries = u16::from_le_bytes([*n0, *n1]);
        Ok(Trailer { covered_from, directory_entries, wide: *flags == FLAG_WIDE, blocks })
    }

    /// Appends the trailer to `out`, which contains the file from byte `from` on. The covered bytes
    /// begin there or later.
    pub(crate) fn write(&self, from: usize, out: &mut Vec<u8>) {
        let length = from.saturating_add(out.len()).saturating_add(TRAILER) as u64;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&self.covered_from.to_le_bytes());
        out.extend_from_slice(&self.directory_entries.to_le_bytes());
        out.extend_from_slice(&[u8::from(self.wide), self.blocks.map_or(0, BlockSize::bits)]);
        out.extend_from_slice(&MAGIC);
        let covered = usize::try_from(self.covered_from).ok().and_then(|start| start.checked_sub(from));
        let covered = covered.and_then(|start| out.get(start..));
        let checksum = crc32fast::hash(covered.expect("the root table was written to `out`"));
        out.extend_from_slice(&checksum.to_le_bytes());
    }
}

/// The error for a missing magic. Counts the bytes after the trailer if it is slightly earlier, or
/// before zeros.
#[cold]
fn missing(file: Bytes<'_>, content: usize) -> DecodeError {
    const FROM_END: usize = 8;
    /// A trailer has fewer consecutive zeros.
    const ZEROS: usize = TRAILER;
    let magic_at = file.len().saturating_sub(FROM_END);
    let zeros = zeros_at_end(file, content);
    let is_zero_tail = zeros >= ZEROS;
    // The checksum at the end of the trailer may also end with zeros.
    let stop = if is_zero_tail { file.len().saturating_sub(zeros.saturating_sub(4)) } else { file.len() };
    let start = content.max(stop.saturating_sub(4096)).min(stop);
    let tail = file.get(start..stop).unwrap_or_default();
    let found = tail.windows(MAGIC.len()).rposition(|window| window == MAGIC);
    let behind = found.map(|at| file.len().saturating_sub(start.saturating_add(at).saturating_add(FROM_END)));
    let behind = behind.filter(|&count| count > 0 && ends_a_file(file, count));
    let end = match behind {
        Some(count) if count <= zeros => FileEnd::FollowedByZeros(count as u64),
        Some(count) => FileEnd::Followed(count as u64),
        None if is_zero_tail => FileEnd::Zeros(zeros as u64),
        None => FileEnd::Cut,
    };
    ErrorKind::Trailer { end }.at(magic_at as u64)
}

/// The number of zero bytes at the end of a file, up to 16 MiB.
fn zeros_at_end(file: Bytes<'_>, content: usize) -> usize {
    const PIECE: usize = 1 << 16;
    let (mut zeros, mut end) = (0usize, file.len());
    while end > content && zeros < 1 << 24 {
        let start = content.max(end.saturating_sub(PIECE));
        let piece = file.get(start..end).unwrap_or_default();
        let here = piece.iter().rev().take_while(|&&byte| byte == 0).count();
        zeros = zeros.saturating_add(here);
        if here < piece.len() || piece.is_empty() {
            break;
        }
        end = start;
    }
    zeros
}

/// Whether `file` without its last `count` bytes has the length in its trailer.
fn ends_a_file(file: Bytes<'_>, count: usize) -> bool {
    let length = file.len().saturating_sub(count);
    let declared = file.array(length.saturating_sub(TRAILER)).map(|bytes| u64::from_le_bytes(*bytes));
    declared == Some(length as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut file = b"content.".to_vec();
        Trailer { covered_from: 0, directory_entries: 3, wide: true, blocks: None }.write(0, &mut file);
        file
    }

    #[test]
    fn a_trailer_reads_back() {
        let expected = Trailer { covered_from: 0, directory_entries: 3, wide: true, blocks: None };
        assert_eq!(Trailer::read(Bytes::Whole(&file()), 8), Ok(expected));
    }

    #[test]
    fn every_changed_byte_is_detected() {
        for at in 0..file().len() {
            let mut file = file();
            file[at] ^= 0x40;
            assert!(Trailer::read(Bytes::Whole(&file), 8).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_cut_file_has_no_trailer() {
        let file = file();
        let error = Trailer::read(Bytes::Whole(&file[..file.len() - 1]), 0).unwrap_err();
        assert_eq!(error, ErrorKind::Trailer { end: FileEnd::Cut }.at(file.len() as u64 - 9));
    }

    #[test]
    fn refuses_undefined_flags_and_sizes_of_blocks() {
        let unknown = ErrorKind::TrailerField { fault: "unknown flags" };
        let cases = [(18, 4, unknown), (18, 0x81, unknown), (19, 11, WRONG_BLOCKS), (19, 21, WRONG_BLOCKS)];
        for (at, byte, kind) in cases {
            assert_eq!(changed(&[(at, byte)]), Err(kind.at(8)), "{byte}");
        }
        for bits in [12, 20] {
            assert_eq!(changed(&[(19, bits)]).map(|read| read.blocks), Ok(BlockSize::of_bits(bits)));
        }
    }

    #[test]
    fn a_newer_frame_is_said_before_any_other_fault_of_a_field() {
        for flags in [2, 3, 0xff] {
            assert_eq!(changed(&[(18, flags), (19, 1)]), Err(ErrorKind::NewerFrame.at(8)));
        }
    }

    /// The trailer of the file with these bytes changed and its checksum recomputed.
    fn changed(bytes: &[(usize, u8)]) -> Result<Trailer, DecodeError> {
        let mut file = file();
        for &(at, byte) in bytes {
            file[8 + at] = byte;
        }
        let sum = file.len() - 4;
        let checksum = crc32fast::hash(&file[..sum]).to_le_bytes();
        file[sum..].copy_from_slice(&checksum);
        Trailer::read(Bytes::Whole(&file), 8)
    }

    #[test]
    fn zeros_at_the_end_are_counted() {
        let end_of = |file: &[u8]| match Trailer::read(Bytes::Whole(file), 0) {
            Err(error) => match error.kind() {
                ErrorKind::Trailer { end } => end,
                other => panic!("{other}"),
            },
            Ok(_) => panic!("it has no trailer at its end"),
        };
        for count in [TRAILER, 4096, (1 << 16) + 1] {
            let zeros = vec![0; count];
            let counted = FileEnd::FollowedByZeros(count as u64);
            assert_eq!(end_of(&[file(), zeros.clone()].concat()), counted);
            let cut = [&file()[..20], b"x", &zeros].concat();
            assert_eq!(end_of(&cut), FileEnd::Zeros(count as u64));
            assert_eq!(end_of(&[&zeros[..], b"COCO", &zeros].concat()), FileEnd::Zeros(count as u64));
        }
        assert_eq!(end_of(&[file(), vec![0; TRAILER - 1]].concat()), FileEnd::FollowedByZeros(27));
        assert_eq!(end_of(&[file(), vec![0; 40], vec![1]].concat()), FileEnd::Followed(41));
    }

    #[test]
    fn a_magic_without_a_trailer_is_ignored() {
        let cut = |file: &[u8]| {
            let expected = Err(ErrorKind::Trailer { end: FileEnd::Cut }.at(file.len() as u64 - 8));
            assert_eq!(Trailer::read(Bytes::Whole(file), 0), expected);
        };
        cut(&[&[0; 40][..], b"COCO", &[7; 40]].concat());
        // Two bytes too late; everything else in the file is correct.
        let mut late = file();
        let end = late.len();
        late[end - 8..end - 2].copy_from_slice(b"xxCOCO");
        cut(&late);
    }

    #[test]
    fn bytes_after_the_trailer_are_counted() {
        let mut file = file();
        file.extend_from_slice(b"\r\n");
        let error = Trailer::read(Bytes::Whole(&file), 8).unwrap_err();
        assert_eq!(error, ErrorKind::Trailer { end: FileEnd::Followed(2) }.at(file.len() as u64 - 8));
    }
}
