//! §4–§6 The value layer, without envelope, tables and checksums in the way.

use super::agreement;
use super::viewed;
use crate::crafted::Crafted;
use coconut_codec::read::file::DocumentFile;

/// Strings, shapes, shared values and a root with arbitrary bytes, split at three lengths given
/// first. All readers agree.
pub fn elements(data: &[u8]) {
    let Some((lengths, rest)) = data.split_first_chunk::<3>() else { return };
    let mut rest = rest;
    let mut take = |length: u8| {
        let (taken, left) = rest.split_at(rest.len().min(usize::from(length)));
        rest = left;
        if taken.is_empty() { vec![0x90] } else { taken.to_vec() }
    };
    let [strings, shapes, shared] = lengths.map(&mut take);
    let mut crafted = Crafted::full(rest);
    (crafted.strings, crafted.shapes, crafted.shared) = (strings, shapes, shared);
    if crafted.root.is_empty() {
        return;
    }
    let file = DocumentFile::from_data(crafted.to_bytes()).expect("the frame of a crafted file is right");
    if let Some(value) = agreement::agree(&file) {
        assert!(viewed(&file).as_ref() == Ok(&value), "lazy views");
    }
}
