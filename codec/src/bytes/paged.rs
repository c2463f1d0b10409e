//! Files as storage, read piece by piece on request.
//!
//! One landmark of a file is in some tens of pages. A memory map costs the faults that bring them
//! in, the pages around them, and the page tables. Reading a page from the page cache costs less.
//! Reading one resource took 0.82 of the time of a map in a graph of 20,000, and 0.66 in a graph of
//! a million. These are minima, measured in a virtual machine. It is also safe: bytes in memory
//! cannot change.
//!
//! The first reads are small (at most 16 KiB unless more is requested), so a lookup stays cheap.
//! Later ones grow, so a program that reads all of a file needs a few dozen reads. If you will need
//! everything, use [`read`](crate::bytes::input::read).

use crate::bounded_debug::bounded_debug;
use crate::bytes::input::{Stamp, changed, open_regular};
use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// A file with only its requested parts in memory. They stay there until it is dropped. Then up to
/// 96 KiB of them are kept for the next file that the thread opens.
///
/// Unlike a `MappedFile`, it needs no promise from the caller and no `unsafe`. Unlike
/// [`read`](crate::bytes::input::read), it reads only requested parts. If the file is changed in
/// place while it is open, the checksums detect that, piece by piece, and [`change`](Self::change)
/// distinguishes it from damage.
pub struct PagedFile {
    origin: Origin,
    length: usize,
    /// In the order of reading; the first empty slot is the next. Pieces may overlap, and their
    /// overlap is equal.
    pieces: Box<[OnceLock<Piece>; PIECES]>,
    /// The piece that last held bytes of a page, by the lowest bits of the page's number.
    recent: [AtomicU8; RECENT],
    fault: OnceLock<io::Error>,
}

bounded_debug!(PagedFile, |file| bytes: file.length, pieces: file.pieces.iter().filter(|piece| piece.get().is_some()).count());

/// The place from which pieces are read.
enum Origin {
    /// A file, with its metadata from when it was opened.
    File(File, Stamp),
    /// Bytes elsewhere.
    #[cfg(feature = "tooling")]
    Ranges(Box<dyn Ranges>),
}

/// Bytes elsewhere that are read in ranges: an object of another machine, for example. They never
/// change.
///
/// A lookup requests some tens of ranges of one or a few pages of 4 KiB. To make fewer requests,
/// read more around each range, and keep it.
#[cfg(feature = "tooling")]
pub trait Ranges: Send + Sync {
    /// The number of bytes.
    fn len(&self) -> usize;

    /// The bytes in a range, which is inside of the length. All of them.
    ///
    /// # Errors
    /// An error of any kind is kept: see [`PagedFile::fault`].
    fn read(&self, range: Range<usize>) -> io::Result<Vec<u8>>;

    /// Whether the length is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

struct Piece {
    start: usize,
    bytes: Vec<u8>,
}

impl Piece {
    #[inline]
    fn holds(&self, range: &Range<usize>) -> bool {
        self.start <= range.start && range.end <= self.start.saturating_add(self.bytes.len())
    }
}

/// Small pieces begin and end at multiples of this size, like the blocks of the checksums.
const PAGE: usize = 4096;

/// Bytes read at the end of a file: the trailer, the directory and the root of the checksums. In a
/// file of some megabytes it also holds other parts that each lookup needs: the checksums, and
/// where shared values and shapes begin.
const TAIL: usize = 16 << 10;

/// Files up to this length are read whole.
const SMALL: usize = 16 << 10;

/// The number of first pieces that are no larger than the request. A lookup touches some 15 blocks
/// in a graph of 20,000 resources, 34 in one of a million.
const SMALL_PIECES: usize = 40;

/// After them, each piece is this fraction of the bytes read so far.
const GROWTH: usize = 4;

/// With [`GROWTH`], enough for any size. The last piece is always the whole file.
const PIECES: usize = 64;

/// If the bytes read would exceed this multiple of the file's length, the next piece is the whole
/// file. After that nothing is missing. Pieces hardly overlap, unless an index leads to overlapping
/// strings.
const MOST_READ: usize = 2;

/// A lookup makes some 300 requests to its 15 to 34 pieces. Searching all pieces each time was a
/// twentieth of its instructions in a graph of 200,000 resources.
const RECENT: usize = 64;

impl PagedFile {
    /// Opens the file at `path`, and reads nothing yet. Refuses everything except a regular file,
    /// as [`read`](crate::bytes::input::read) does.
    pub fn open(path: impl AsRef<Path>) -> io::Result<PagedFile> {
        let (file, metadata) = open_regular(path.as_ref())?;
        PagedFile::of(file, &metadata)
    }

    /// The regular file that is open, with its metadata from when it was opened.
    pub(crate) fn of(file: File, metadata: &Metadata) -> io::Result<PagedFile> {
        let length = usize::try_from(metadata.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        Ok(PagedFile::new(Origin::File(file, Stamp::of(metadata)), length))
    }

    /// Bytes elsewhere. Reads nothing yet.
    #[cfg(feature = "tooling")]
    pub fn of_ranges(ranges: Box<dyn Ranges>) -> PagedFile {
        let length = ranges.len();
        PagedFile::new(Origin::Ranges(ranges), length)
    }

    fn new(origin: Origin, length: usize) -> PagedFile {
        PagedFile {
            origin,
            length,
            pieces: Box::new([const { OnceLock::new() }; PIECES]),
            recent: [const { AtomicU8::new(0) }; RECENT],
            fault: OnceLock::new(),
        }
    }

    /// Length of the file when it was opened.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Number of bytes in memory.
    pub fn read_bytes(&self) -> usize {
        self.pieces().map(|piece| piece.bytes.len()).sum()
    }

    /// The first error of reading. A decoder sees such bytes as missing.
    pub fn fault(&self) -> Option<&io::Error> {
        self.fault.get()
    }

    /// The error `IO-CHANGED`, if something has written to the file since it was opened.
    ///
    /// Check it after an error. Pieces from before and after a change do not fit together, so the
    /// checksums report damage although the file has none.
    pub fn change(&self) -> Option<io::Error> {
        let is_same = match &self.origin {
            Origin::File(file, stamp) => file.metadata().is_ok_and(|now| Stamp::of(&now) == *stamp),
            #[cfg(feature = "tooling")]
            Origin::Ranges(_) => true,
        };
        (!is_same).then(changed)
    }

    /// Whether several threads may [copy](Self::copy_to) at once.
    #[cfg(feature = "tooling")]
    pub(crate) const READS_AT_ONCE: bool = cfg!(unix);

    /// Fills the buffer with the bytes from `start` on, and keeps none of them.
    #[cfg(feature = "tooling")]
    pub(crate) fn copy_to(&self, start: usize, buffer: &mut [u8]) -> io::Result<()> {
        match &self.origin {
            Origin::File(file, _) => read_exact_at(file, start as u64, buffer),
            Origin::Ranges(ranges) => {
                let bytes = ranges.read(start..start.saturating_add(buffer.len()))?;
                if bytes.len() != buffer.len() {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                buffer.copy_from_slice(&bytes);
                Ok(())
            }
        }
    }

    /// Whether both are the same file, as far as the file system reports it.
    #[cfg(feature = "tooling")]
    pub(crate) fn is_same_file(&self, other: &PagedFile) -> bool {
        let numbers = |file: &PagedFile| match &file.origin {
            Origin::File(file, _) => file.metadata().ok().as_ref().and_then(file_number),
            Origin::Ranges(_) => None,
        };
        matches!((numbers(self), numbers(other)), (Some(a), Some(b)) if a == b)
    }

    /// Like [`fault`](Self::fault), for a caller that cannot use the file afterwards.
    pub(crate) fn into_fault(self) -> Option<io::Error> {
        self.fault.into_inner()
    }

    /// The whole file. Bytes that were read before are as they were then.
    #[cfg(feature = "cache")]
    pub(crate) fn into_bytes(mut self) -> io::Result<Vec<u8>> {
        if self.get(0..self.length).is_none() {
            return Err(self.fault.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()));
        }
        let length = self.length;
        let mut pieces = self.pieces.iter_mut().map_while(OnceLock::take);
        let whole = pieces.find(|piece| piece.start == 0 && piece.bytes.len() == length);
        Ok(whole.map(|piece| piece.bytes).unwrap_or_default())
    }

    fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().map_while(OnceLock::get)
    }

    /// The bytes in `range`, which are read now unless they are in memory.
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        if range.start == range.end {
            return (range.start <= self.length).then_some(&[]);
        }
        let (bytes, start) = self.around(range.clone())?;
        bytes.get(range.start.checked_sub(start)?..range.end.checked_sub(start)?)
    }

    /// A piece that holds the bytes in `range`, and its start. It is read now unless it is in
    /// memory.
    #[inline]
    pub(crate) fn around(&self, range: Range<usize>) -> Option<(&[u8], usize)> {
        let piece = match self.piece_with(&range) {
            Some(piece) => piece,
            None => self.read(&range)?,
        };
        Some((&piece.bytes, piece.start))
    }

    /// A piece in memory that holds the byte at `position` and the bytes after it, and its start.
    #[inline]
    pub(crate) fn at_hand(&self, position: usize) -> Option<(&[u8], usize)> {
        let piece = self.piece_with(&(position..position.saturating_add(1)))?;
        Some((&piece.bytes, piece.start))
    }

    #[inline]
    fn piece_with(&self, range: &Range<usize>) -> Option<&Piece> {
        // Relaxed: any number is correct and affects only the speed.
        let recent = self.recent.get(range.start / PAGE % RECENT)?;
        let number = usize::from(recent.load(Ordering::Relaxed));
        let piece = self.pieces.get(number).and_then(OnceLock::get);
        piece.filter(|piece| piece.holds(range)).or_else(|| self.search_piece(range, recent))
    }

    #[inline(never)]
    fn search_piece(&self, range: &Range<usize>, recent: &AtomicU8) -> Option<&Piece> {
        let (number, piece) = (0..).zip(self.pieces()).find(|(_, piece)| piece.holds(range))?;
        recent.store(number, Ordering::Relaxed);
        Some(piece)
    }

    #[cold]
    #[inline(never)]
    fn read(&self, range: &Range<usize>) -> Option<&Piece> {
        if range.end > self.length || range.start > range.end {
            return None;
        }
        // No thread waits for another. If another thread fills the free slot first, this read is
        // discarded.
        loop {
            // Another thread may have read it meanwhile. Without this check, each thread could read
            // it once more.
            let (mut next, mut known) = (0usize, 0usize);
            for piece in self.pieces() {
                if piece.holds(range) {
                    return Some(piece);
                }
                next = next.saturating_add(1);
                known = known.saturating_add(piece.bytes.len());
            }
            // There is no slot after the last, which holds everything.
            let slot = self.pieces.get(next)?;
            let extent = self.next_extent(range, next, known);
            let bytes = match self.origin.read(extent.clone()) {
                Ok(bytes) => bytes,
                Err(error) => {
                    // The first is kept.
                    self.fault.get_or_init(|| error);
                    return None;
                }
            };
            let piece = slot.get_or_init(|| self.piece(extent.start, bytes));
            // Another thread may have been faster, with another piece.
            if piece.holds(range) {
                if let Some(recent) = self.recent.get(range.start / PAGE % RECENT) {
                    recent.store(u8::try_from(next).unwrap_or_default(), Ordering::Relaxed);
                }
                return Some(piece);
            }
        }
    }

    /// The range of piece `next`, which must hold `range`. The pieces before it have `known` bytes.
    fn next_extent(&self, range: &Range<usize>, next: usize, known: usize) -> Range<usize> {
        let extent = self.extent(range, next, known);
        let is_last = next.saturating_add(1) == self.pieces.len();
        match is_last || known.saturating_add(extent.len()) > self.length.saturating_mul(MOST_READ) {
            true => 0..self.length,
            false => extent,
        }
    }

    /// The range to read for `range`, if there are `pieces` pieces of `known` bytes in all.
    fn extent(&self, range: &Range<usize>, pieces: usize, known: usize) -> Range<usize> {
        if self.length <= SMALL {
            return 0..self.length;
        }
        let is_tail = range.end == self.length;
        let start = if is_tail { range.start.min(self.length.saturating_sub(TAIL)) } else { range.start };
        let more = if pieces < SMALL_PIECES { 0 } else { known / GROWTH };
        let end = range.end.max(start.saturating_add(more));
        // Blocks of the block table begin anywhere and are requested whole. Rounding each to both
        // of its pages made a lookup in a million resources read a fifth more.
        if !range.is_empty() && range.len().is_multiple_of(PAGE) && more == 0 {
            return start..end;
        }
        start / PAGE * PAGE..end.div_ceil(PAGE).saturating_mul(PAGE).min(self.length)
    }

    /// A piece of these bytes, which begin at `start`. Called only while the next piece is made,
    /// when all pieces before it are known.
    fn piece(&self, start: usize, mut bytes: Vec<u8>) -> Piece {
        let end = start.saturating_add(bytes.len());
        // Bytes that were handed out, and perhaps verified, stay the same, even if the file has
        // changed.
        for known in self.pieces() {
            let from = known.start.max(start);
            let to = known.start.saturating_add(known.bytes.len()).min(end);
            if from < to
                && let Some(place) = bytes.get_mut(from - start..to - start)
                && let Some(same) = known.bytes.get(from - known.start..to - known.start)
            {
                place.copy_from_slice(same);
            }
        }
        Piece { start, bytes }
    }
}

impl Origin {
    fn read(&self, extent: Range<usize>) -> io::Result<Vec<u8>> {
        match self {
            Origin::File(file, _) => read_at(file, extent),
            #[cfg(feature = "tooling")]
            Origin::Ranges(ranges) => {
                let bytes = ranges.read(extent.clone())?;
                // Fewer bytes would be sought again and again.
                match bytes.len() == extent.len() {
                    true => Ok(bytes),
                    false => Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
        }
    }
}

/// Reads into uninitialised memory, with a system call that supports it.
#[cfg(unix)]
fn read_at(file: &File, extent: Range<usize>) -> io::Result<Vec<u8>> {
    use rustix::buffer::spare_capacity;
    use rustix::io::{pread, retry_on_intr};
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(extent.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
    while bytes.len() < extent.len() {
        let offset = extent.start.saturating_add(bytes.len()) as u64;
        if retry_on_intr(|| pread(file, spare_capacity(&mut bytes), offset))? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    bytes.truncate(extent.len());
    Ok(bytes)
}

#[cfg(all(unix, feature = "tooling"))]
fn read_exact_at(file: &File, start: u64, buffer: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

/// The caller ensures that no other thread moves the position of the file meanwhile.
#[cfg(all(not(unix), feature = "tooling"))]
fn read_exact_at(mut file: &File, start: u64, buffer: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer)
}

/// The identity of an open file: its file system, and its number there.
#[cfg(all(unix, feature = "tooling"))]
fn file_number(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(all(not(unix), feature = "tooling"))]
fn file_number(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The caller ensures that no other thread moves the position of the file meanwhile.
#[cfg(not(unix))]
fn read_at(mut file: &File, extent: Range<usize>) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(extent.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(extent.len(), 0);
    file.seek(SeekFrom::Start(extent.start as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use crate::read::file::OpenErrorKind;
    use crate::read::lookup::Lookup;
    use coconut_format::error::ErrorKind;
    use std::fs;

    /// A file of this content in a folder of its own.
    fn paged(content: &[u8]) -> (tempfile::TempDir, PagedFile) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, content).unwrap();
        let file = PagedFile::open(&path).unwrap();
        (directory, file)
    }

    fn content(pages: usize) -> Vec<u8> {
        (0..pages * PAGE + 100).map(|at| u8::try_from(at % 251).unwrap()).collect()
    }

    #[test]
    fn nothing_is_read_before_it_is_requested() {
        let content = content(30);
        let (_directory, file) = paged(&content);
        assert_eq!((file.len(), file.read_bytes()), (content.len(), 0));
        assert_eq!(file.get(5000..5010), Some(&content[5000..5010]));
        assert_eq!(file.read_bytes(), PAGE);
        assert_eq!(file.get(8190..8195), Some(&content[8190..8195]));
        assert_eq!(file.read_bytes(), 3 * PAGE, "two pages, of which one was there");
    }

    #[test]
    fn read_bytes_are_at_hand_wherever_they_are() {
        let content = content(200);
        let (_directory, file) = paged(&content);
        for range in [5000..5010, 20 * PAGE..24 * PAGE, 100 * PAGE..103 * PAGE] {
            assert_eq!(file.get(range.clone()), Some(&content[range.clone()]));
            for position in range.clone().step_by(PAGE) {
                let (bytes, start) = file.at_hand(position).expect("it was read");
                assert_eq!(bytes[position - start..][..10], content[position..position + 10]);
            }
        }
        assert_eq!(file.at_hand(50 * PAGE), None);
    }

    /// Otherwise each of many threads that request the last piece could read the whole file once
    /// more.
    #[test]
    fn bytes_that_another_thread_read_meanwhile_are_not_read_again() {
        let content = content(200);
        let (_directory, file) = paged(&content);
        for range in [5000..5010, 90_000..300_000, 0..content.len()] {
            assert!(file.piece_with(&range).is_none(), "it is looked for");
            assert_eq!(file.get(range.clone()), Some(&content[range.clone()]), "another one reads it");
            let read = file.read_bytes();
            assert!(file.read(&range).is_some_and(|piece| piece.holds(&range)));
            assert_eq!(file.read_bytes(), read, "{range:?} is there");
        }
    }

    /// Some threads find a slot taken that was free when they began to read.
    #[test]
    fn threads_that_read_at_once_find_what_one_finds() {
        let content = content(200);
        let (_directory, file) = paged(&content);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (file, content) = (&file, &content);
                scope.spawn(move || {
                    for at in (thread * 64..content.len()).step_by(3 * PAGE / 2) {
                        let to = (at + 200).min(content.len());
                        assert_eq!(file.get(at..to), Some(&content[at..to]), "thread {thread}, byte {at}");
                    }
                });
            }
        });
        assert_eq!(file.get(0..content.len()), Some(&content[..]));
        assert!(file.fault().is_none());
    }

    #[test]
    fn ranges_beyond_the_end_are_missing() {
        let (_directory, file) = paged(&content(30));
        let end = file.len();
        assert_eq!(file.get(end - 1..end + 1), None);
        assert_eq!(file.get(end..end), Some(&[][..]));
        assert_eq!(file.get(end + 1..end + 1), None);
        assert_eq!(file.get(Range { start: 5, end: 3 }), None, "as of a slice");
        assert!(file.fault().is_none());
    }

    #[test]
    fn nothing_is_read_for_empty_ranges() {
        let (_directory, file) = paged(&content(30));
        let end = file.len();
        assert!(file.around(end - 1..end + 1).is_none());
        assert!(file.around(Range { start: 5, end: 3 }).is_none());
        assert_eq!(file.read_bytes(), 0);
        assert!(file.around(5..5).is_some_and(|(bytes, start)| (bytes.len(), start) == (PAGE, 0)));
    }

    #[test]
    fn a_file_is_empty_if_it_has_no_bytes() {
        let lengths = [&b""[..], b"1"].map(|content| {
            let (_directory, file) = paged(content);
            (file.len(), file.is_empty())
        });
        assert_eq!(lengths, [(0, true), (1, false)]);
    }

    #[test]
    fn pages_are_read_except_for_a_block_the_tail_and_a_small_file() {
        let read_for = |pages: usize, range: fn(usize) -> Range<usize>| {
            let (_directory, file) = paged(&content(pages));
            let range = range(file.len());
            assert!(file.get(range).is_some());
            file.pieces().map(|piece| (piece.start, piece.start + piece.bytes.len())).collect::<Vec<_>>()
        };
        assert_eq!(read_for(30, |_| 5000..5010), [(4096, 8192)]);
        assert_eq!(read_for(30, |_| 5000..5000 + 4096), [(5000, 9096)], "a block");
        assert_eq!(read_for(30, |length| length - 1..length), [(26 * 4096, 30 * 4096 + 100)], "the tail");
        assert_eq!(read_for(3, |_| 5000..5010), [(0, 3 * 4096 + 100)], "a small file");
        assert_eq!(read_for(4, |_| 5000..5010), [(4096, 8192)], "one of more than 16 KiB");
    }

    #[test]
    fn pieces_grow_after_the_fortieth() {
        let (_directory, file) = paged(&content(300));
        let read = |number: usize| {
            file.get(2 * number * PAGE..2 * number * PAGE + 1).unwrap();
            file.read_bytes() / PAGE
        };
        assert_eq!((0..40).map(read).last(), Some(40));
        let grown = read(40);
        assert!((42..=80).contains(&grown), "{grown} pages are known");
    }

    /// Like overlapping strings, which a hostile index leads to.
    #[test]
    fn overlapping_pieces_take_at_most_three_times_the_file() {
        let content = content(300);
        let (_directory, file) = paged(&content);
        for start in (0..100 * PAGE).step_by(PAGE).rev() {
            assert_eq!(file.get(start..content.len() - 1), Some(&content[start..content.len() - 1]));
            assert!(file.read_bytes() <= 3 * content.len(), "{} at {start}", file.read_bytes());
        }
        assert_eq!(file.pieces().last().map(|piece| piece.bytes.len()), Some(content.len()));
    }

    #[test]
    fn pieces_that_take_twice_the_file_are_not_yet_too_many() {
        let (_directory, file) = paged(&[7; 8 * PAGE]);
        let end = file.len() - 1;
        let read = [7, 6, 5, 4, 2, 1].map(|page| {
            file.get(page * PAGE..end).unwrap();
            file.read_bytes() / PAGE
        });
        assert_eq!(read[..4], [1, 3, 6, 10]);
        // The last one is the whole file.
        assert!(read[5] <= 3 * 8, "{read:?}");
        assert_eq!(file.pieces().last().map(|piece| piece.start), Some(0));
    }

    #[test]
    fn the_piece_of_a_page_is_remembered_by_the_number_of_the_page() {
        let (_directory, file) = paged(&content(100));
        assert_eq!(file.at_hand(66 * PAGE + 5), None);
        let page = file.get(0..1).and(file.get(66 * PAGE..67 * PAGE)).unwrap();
        let recent = || file.recent.iter().map(|number| number.load(Ordering::Relaxed)).collect::<Vec<_>>();
        let expected = [&[0, 0, 1][..], &[0; 61]].concat();
        assert_eq!(recent(), expected, "as soon as it is read");
        assert_eq!(file.at_hand(66 * PAGE + 5), Some((page, 66 * PAGE)));
        assert_eq!(recent(), expected);
    }

    #[test]
    fn read_bytes_stay_the_same_inside_a_larger_piece() {
        let mut content = content(30);
        let (directory, file) = paged(&content);
        assert_eq!(file.get(5 * PAGE..6 * PAGE), Some(&content[5 * PAGE..6 * PAGE]));
        fs::write(directory.path().join("file"), vec![7; content.len()]).unwrap();
        content[..5 * PAGE].fill(7);
        content[6 * PAGE..].fill(7);
        assert_eq!(file.get(4 * PAGE..7 * PAGE), Some(&content[4 * PAGE..7 * PAGE]));
    }

    #[test]
    fn bytes_of_several_pieces_stay_the_same_inside_a_larger_piece() {
        let mut content = content(30);
        let (directory, file) = paged(&content);
        for page in [5, 9, 7] {
            assert_eq!(file.get(page * PAGE..(page + 1) * PAGE), Some(&content[page * PAGE..][..PAGE]));
        }
        fs::write(directory.path().join("file"), vec![7; content.len()]).unwrap();
        for page in (0..30).filter(|page| ![5, 7, 9].contains(page)) {
            content[page * PAGE..][..PAGE].fill(7);
        }
        assert_eq!(file.get(4 * PAGE..10 * PAGE), Some(&content[4 * PAGE..10 * PAGE]));
    }

    #[cfg(feature = "cache")]
    #[test]
    fn the_whole_file_is_taken_out_with_what_was_read_before() {
        let mut content = content(30);
        let (directory, file) = paged(&content);
        assert_eq!(file.get(0..1), Some(&content[..1]));
        fs::write(directory.path().join("file"), vec![7; content.len()]).unwrap();
        content[PAGE..].fill(7);
        assert_eq!(file.into_bytes().unwrap(), content);
        let (directory, file) = paged(&content);
        fs::write(directory.path().join("file"), b"short").unwrap();
        assert_eq!(file.into_bytes().map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn reading_everything_takes_few_pieces() {
        let content = content(3000);
        let (_directory, file) = paged(&content);
        for at in (0..content.len()).step_by(PAGE) {
            assert_eq!(file.get(at..at + 1), Some(&content[at..at + 1]));
        }
        assert!(file.pieces().count() < PIECES, "{}", file.pieces().count());
        assert_eq!(file.get(0..content.len()), Some(&content[..]));
    }

    #[test]
    fn read_bytes_stay_the_same() {
        let mut content = content(30);
        let (directory, file) = paged(&content);
        assert_eq!(file.get(0..1), Some(&content[..1]));
        fs::write(directory.path().join("file"), vec![7; content.len()]).unwrap();
        content[PAGE..].fill(7);
        assert_eq!(file.get(0..content.len()), Some(&content[..]));
    }

    #[test]
    fn a_file_that_became_shorter_is_a_fault() {
        let content = content(30);
        let (directory, file) = paged(&content);
        fs::write(directory.path().join("file"), b"short").unwrap();
        assert_eq!(file.get(PAGE..PAGE + 1), None);
        assert_eq!(file.fault().map(io::Error::kind), Some(io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn a_file_that_cannot_be_read_on_opening_is_not_reported_as_damaged() {
        let bytes = document();
        let (directory, file) = paged(&bytes);
        fs::write(directory.path().join("file"), &bytes[..bytes.len() - PAGE]).unwrap();
        let Err(OpenErrorKind::Io(error)) = DocumentFile::from_paged(file) else { panic!("it is too short") };
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let (_directory, file) = paged(&bytes[..bytes.len() - PAGE]);
        assert!(matches!(DocumentFile::from_paged(file), Err(OpenErrorKind::Decode(_))));
    }

    #[test]
    fn a_file_that_becomes_shorter_while_it_is_open_lacks_the_unread_bytes() {
        let (directory, _) = paged(&document());
        let path = directory.path().join("file");
        let file = DocumentFile::open_paged(&path).unwrap();
        fs::write(&path, b"short").unwrap();
        assert_eq!(file.header().landmarks, 1000, "what was read stays");
        // Opening had read two blocks, because an envelope can be as long as one.
        let unread = ErrorKind::Length { declared: 3 * PAGE as u64, actual: file.data().len() as u64 };
        assert_eq!(file.view().check_blocks(), Err(unread.at(2 * PAGE as u64)));
        assert_eq!(file.data().fault().map(io::Error::kind), Some(io::ErrorKind::UnexpectedEof));
        assert!(file.view().get_unique("vertex 500").is_err());
    }

    /// A document of a thousand landmarks, and its bytes.
    fn document() -> Vec<u8> {
        let vertices: Vec<String> = (0..1000)
            .map(|n| format!(r#""vertex {n}": {{"type": "aws:ec2/vpc:VPC", "n": "value {}"}}"#, n * 7919))
            .collect();
        let source = format!(r#"{{"package": "my/cluster:*", "vertices": {{{}}}}}"#, vertices.join(","));
        compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
    }

    #[test]
    fn a_lookup_reads_a_part_of_the_file_and_finds_the_same() {
        let bytes = document();
        let (directory, _) = paged(&bytes);
        let file = DocumentFile::open_paged(directory.path().join("file")).unwrap();
        let whole = DocumentFile::from_data(&bytes[..]).unwrap();
        let key = "vertex 500";
        let (Lookup::Found(found), Lookup::Found(expected)) =
            (file.view().get_unique(key).unwrap(), whole.view().get_unique(key).unwrap())
        else {
            panic!("{key}")
        };
        assert_eq!(found.offset(), expected.offset());
        let text = |value: crate::read::view::ValueView<'_>| {
            value.field("n").unwrap().unwrap().text().unwrap().map(str::to_owned)
        };
        assert_eq!(text(found.value().unwrap()), text(expected.value().unwrap()));
        assert!(file.data().read_bytes() < bytes.len(), "{} of {}", file.data().read_bytes(), bytes.len());
        assert_eq!(file.view().check_integrity(), whole.view().check_integrity());
    }

    #[test]
    fn damage_is_found_in_the_piece_that_is_read() {
        let mut bytes = document();
        let whole = DocumentFile::from_data(&bytes[..]).unwrap();
        let Lookup::Found(landmark) = whole.view().get_unique("vertex 500").unwrap() else { panic!() };
        let at = usize::try_from(landmark.offset()).unwrap();
        bytes[at] ^= 1;
        let (directory, _) = paged(&bytes);
        let file = DocumentFile::open_paged(directory.path().join("file")).unwrap();
        let error = file.view().get_unique("vertex 500").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
        assert_eq!(error.offset(), (at / PAGE * PAGE) as u64);
    }
}
