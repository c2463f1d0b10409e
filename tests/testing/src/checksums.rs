//! §7 Checksums repaired after a change of bytes, as the author of hostile files would do.
//!
//! Written from the specification alone, so that a fault of the codec's own writer cannot hide one
//! of its reader.

use std::ops::Range;

/// Bytes of the trailer (§5.10).
pub const TRAILER: usize = 28;

/// Bytes covered by one checksum of the block table, unless the trailer gives another size (§7.2).
pub const BLOCK: usize = 4096;

const BLOCK_TABLE: u8 = 64;

/// A decoded entry of the directory (§5.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the part.
    pub part: u8,
    /// Its range in the file.
    pub bytes: Range<usize>,
}

/// The parts of a file. Empty when the file has no directory within its bounds.
pub fn parts(file: &[u8]) -> Vec<Place> {
    let Some((directory, wide)) = directory(file) else { return Vec::new() };
    let (width, number) = if wide { (20, 8) } else { (12, 4) };
    let places = file[directory].chunks_exact(width).filter_map(|entry| {
        let start = little(&entry[4..4 + number])?;
        let end = start.checked_add(little(&entry[4 + number..])?)?;
        Some(Place { part: entry[0], bytes: start..end })
    });
    places.filter(|place| place.bytes.end <= file.len()).collect()
}

/// Computes the length and all checksums of a file again, as far as its trailer can be followed.
pub fn repair(file: &mut [u8]) {
    let Some(trailer) = file.len().checked_sub(TRAILER) else { return };
    let length = (file.len() as u64).to_le_bytes();
    file[trailer..trailer + 8].copy_from_slice(&length);
    let blocks = parts(file).into_iter().find(|place| place.part == BLOCK_TABLE);
    if let Some(Place { bytes: table, .. }) = blocks {
        // A size that no file may have is left as it is, so that a reader refuses it.
        let bits = file[trailer + 19];
        let size = if (12..=20).contains(&bits) { 1 << bits } else { BLOCK };
        let sums = sums_of(&file[..table.start], size);
        put(file, table.start, trailer, &sums);
        let sums = sums_of(&file[table.clone()], size);
        put(file, table.end, trailer, &sums);
    }
    let covered = little(&file[trailer + 8..trailer + 16]).filter(|&from| from < file.len() - 4);
    let end = file.len() - 4;
    let sum = crc32fast::hash(&file[covered.unwrap_or_default()..end]);
    file[end..].copy_from_slice(&sum.to_le_bytes());
}

/// The range of the directory, and whether its numbers take eight bytes.
fn directory(file: &[u8]) -> Option<(Range<usize>, bool)> {
    let trailer = file.len().checked_sub(TRAILER)?;
    let count = little(&file[trailer + 16..trailer + 18])?;
    let wide = file[trailer + 18] & 1 == 1;
    let start = trailer.checked_sub(count * if wide { 20 } else { 12 })?;
    Some((start..trailer, wide))
}

fn sums_of(content: &[u8], size: usize) -> Vec<u8> {
    content.chunks(size).flat_map(|block| crc32fast::hash(block).to_le_bytes()).collect()
}

/// Overwrites bytes from `at`, but none from `limit` on.
fn put(file: &mut [u8], at: usize, limit: usize, bytes: &[u8]) {
    if let Some(room) = file.get_mut(at..limit.min(at + bytes.len())) {
        room.copy_from_slice(&bytes[..room.len()]);
    }
}

fn little(bytes: &[u8]) -> Option<usize> {
    let mut wide = [0; 8];
    let taken = bytes.len().min(8);
    wide[..taken].copy_from_slice(&bytes[..taken]);
    usize::try_from(u64::from_le_bytes(wide)).ok()
}
