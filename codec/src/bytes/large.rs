//! Large files in memory, in large pages where the system has them.
//!
//! The kernel finds, clears and maps each page of memory at its first use. For files of some
//! megabytes this is most of the time of reading them. Pages of 2 MiB take half of it.

use crate::bounded_debug::bounded_debug;
use crate::bytes::input::{read, read_into};
use crate::bytes::pipe::check_length;
#[cfg(doc)]
use crate::limits;
use memmap2::MmapMut;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file.
pub struct LargeBytes(Memory);

bounded_debug!(LargeBytes, |file| bytes: file.as_ref().len());

enum Memory {
    /// An empty buffer for this many bytes.
    Map(MmapMut, usize),
    Heap(Vec<u8>),
}

/// The size of a large page, or a multiple of it.
const PAGE: usize = 2 << 20;

/// For smaller files, the unused part of the last page would be much of the memory. For larger
/// ones, the system may have to search for that many large pages. A virtual machine whose host had
/// reclaimed them took four times as long for 280 MB.
const WORTH_IT: std::ops::Range<u64> = 4 << 20..64 << 20;

/// Reads a file as [`read`] does, unless it is longer than [`limits::FILE_BYTES`]. The caller
/// promises nothing: the map is private memory of this process.
pub fn read_large(path: &Path) -> io::Result<LargeBytes> {
    let metadata = path.metadata()?;
    check_length(&metadata)?;
    match metadata.is_file() && WORTH_IT.contains(&metadata.len()) {
        true => read_into(path, fill),
        false => read(path).map(|bytes| LargeBytes(Memory::Heap(bytes))),
    }
}

/// The rest of a file of at most this many bytes, and one more if there is one.
fn fill(file: &mut File, size: usize) -> io::Result<LargeBytes> {
    let most = size.saturating_add(1);
    let room = most.checked_next_multiple_of(PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
    let mut map = MmapMut::map_anon(room).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // A system without large pages uses small ones.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    let (mut file, mut length) = (file.take(most as u64), 0);
    loop {
        match file.read(map.get_mut(length..).unwrap_or_default()) {
            Ok(0) => return Ok(LargeBytes(Memory::Map(map, length))),
            Ok(count) => length = length.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl AsRef<[u8]> for LargeBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Memory::Map(map, length) => map.get(..*length).unwrap_or_default(),
            Memory::Heap(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_large_file_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..(5 << 20) + 7_u32).map(|number| (number % 251) as u8).collect();
        for length in [0, 1, 4 << 20, 6 << 20, bytes.len()] {
            let bytes = bytes.get(..length).unwrap_or(&bytes);
            fs::write(&path, bytes).unwrap();
            assert!(read_large(&path).unwrap().as_ref() == bytes, "{length}");
        }
    }

    #[test]
    fn what_grows_is_read_to_one_byte_after_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [7; 100]).unwrap();
        for (size, expected) in [(99, 100), (50, 51), (100, 100), (200, 100)] {
            assert_eq!(fill(&mut File::open(&path).unwrap(), size).unwrap().as_ref(), &vec![7; expected]);
        }
    }
}
