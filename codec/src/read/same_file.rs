//! Checks whether two files are the same document, without keeping their bytes.

use crate::bytes::Bytes;
use crate::bytes::checksum::Blocks;
use crate::bytes::paged::PagedFile;
use crate::read::file::DocumentFile;
use std::ops::Range;
use std::thread;

/// Bytes of each file compared at once. They fit in the processor cache.
const PIECE: usize = 256 << 10;

/// Fewer bytes do not justify a second thread.
const WORTH_A_THREAD: usize = 4 << 20;

/// Whether two files have the same bytes, and all their checksums are correct. Reads each once, and
/// keeps only the checksums and some pieces. Stops at once if the digests in the headers (§4.7)
/// differ.
///
/// Also `false` if a file is damaged, cannot be read, or changes meanwhile. To find out which, read
/// all of it.
pub fn is_same_file(old: &DocumentFile<PagedFile>, new: &DocumentFile<PagedFile>) -> bool {
    let (a, b) = (old.data(), new.data());
    if a.len() != b.len() || old.header().digest != new.header().digest {
        return false;
    }
    let is_same = match &old.view().frame.blocks {
        Some(blocks) => is_same_content(old, new, blocks),
        // Such files were read whole when they were opened, and their checksums were compared.
        None => old.view().bytes().len() == a.len() && old.view().bytes() == new.view().bytes(),
    };
    is_same && a.change().is_none() && b.change().is_none()
}

fn is_same_content(old: &DocumentFile<PagedFile>, new: &DocumentFile<PagedFile>, blocks: &Blocks) -> bool {
    let (a, b, data, content) = (old.data(), new.data(), old.view().data, blocks.content());
    let files = Files { old: a, new: b, is_one: a.is_same_file(b), blocks, data };
    let tail = [a, b].map(|file| file.get(content..file.len()));
    tail[0].is_some() && tail[0] == tail[1] && files.is_same_until(content)
}

struct Files<'f> {
    old: &'f PagedFile,
    new: &'f PagedFile,
    /// Whether they are the same file, with one or two names.
    is_one: bool,
    blocks: &'f Blocks,
    /// The old one.
    data: Bytes<'f>,
}

impl Files<'_> {
    fn is_same_until(&self, content: usize) -> bool {
        let piece = PIECE.max(self.blocks.size().bytes());
        let is_large = content >= WORTH_A_THREAD && PagedFile::READS_AT_ONCE;
        let half = if is_large { content / piece / 2 * piece } else { 0 };
        if half == 0 {
            return self.is_same_part(0..content, piece);
        }
        thread::scope(|scope| {
            let first = thread::Builder::new().spawn_scoped(scope, || self.is_same_part(0..half, piece));
            let second = self.is_same_part(half..content, piece);
            match first {
                Ok(first) => first.join().unwrap_or(false) && second,
                Err(_) => second && self.is_same_part(0..half, piece),
            }
        })
    }

    /// Compares a part that begins with a block.
    fn is_same_part(&self, part: Range<usize>, piece: usize) -> bool {
        let buffer = || vec![0; piece.min(part.len())];
        let (mut old, mut new) = (buffer(), buffer());
        part.clone().step_by(piece).all(|start| {
            let length = piece.min(part.end.saturating_sub(start));
            let (Some(old), Some(new)) = (old.get_mut(..length), new.get_mut(..length)) else {
                return false;
            };
            let is_same = match self.is_one {
                true => self.old.copy_to(start, old).is_ok(),
                false => {
                    self.old.copy_to(start, old).is_ok() && self.new.copy_to(start, new).is_ok() && old == new
                }
            };
            is_same && self.blocks.check_content(&self.data, start, old).is_ok()
        })
    }
}

#[cfg(test)]
mod tests;
