//! §4.7 Canonical value stream and document digest.

use super::ancestors::Ancestors;
use super::plain::PlainEmitter;
use crate::wire::ids::Ordinal;
use crate::wire::keys::LANDMARK_DIGEST;
use crate::write::interner::{Handle, Interned};
use sha2::{Digest, Sha256};

/// Bytes that are hashed at once, while they are in the processor cache.
const PIECE: usize = 1 << 17;

/// The SHA-256 of the canonical value stream: equal for equal documents from any source.
///
/// Costs a pass over the *expanded* document; memory of a piece of it, and 16 bytes for each
/// distinct container.
pub fn document_digest(document: &Interned) -> [u8; 32] {
    let ancestors = Ancestors::empty();
    let mut hasher = Sha256::new();
    // A copy makes a piece at most twice as long.
    let mut emitter = PlainEmitter::new(document, &ancestors, Vec::with_capacity(2 * PIECE));
    emitter.begin();
    while emitter.write_until(PIECE) {
        hasher.update(&emitter.out);
        emitter.drop_written();
    }
    hasher.update(&emitter.out);
    hasher.finalize().into()
}

/// The landmarks of a document, for computing their digests.
#[derive(Clone, Copy)]
pub(super) struct Digests<'d> {
    pub(super) document: &'d Interned,
    /// The value of each landmark, by ordinal.
    pub(super) values: &'d [Handle],
}

impl Digests<'_> {
    /// §8.8 The digests of the landmarks, one for each of `slots`. Each covers the full key, which
    /// `key_of` returns, and the value.
    ///
    /// Costs a pass over the expanded value of each landmark, so nested landmarks are visited once
    /// for each landmark around them.
    pub(super) fn table(self, slots: &[(u32, Ordinal)], key_of: impl Fn(Ordinal) -> String) -> Vec<u8> {
        let ancestors = Ancestors::empty();
        let mut emitter = PlainEmitter::new(self.document, &ancestors, Vec::with_capacity(2 * PIECE));
        let mut out = Vec::with_capacity(slots.len() * LANDMARK_DIGEST);
        for &(_, ordinal) in slots {
            let (mut hasher, key) = (Sha256::new(), key_of(ordinal));
            hasher.update(u32::try_from(key.len()).expect("a full key has 256 MiB at most").to_le_bytes());
            hasher.update(key);
            emitter.begin_value(self.values[ordinal.index()]);
            while emitter.write_until(PIECE) {
                hasher.update(&emitter.out);
                emitter.drop_written();
            }
            hasher.update(&emitter.out);
            emitter.drop_written();
            out.extend_from_slice(&hasher.finalize()[..LANDMARK_DIGEST]);
        }
        out
    }
}

/// Appends the canonical value stream to `out`, with landmarks in place.
///
/// Returns the bytes, the offsets of the landmarks, and the digest.
pub(super) fn write_canonical(
    document: &Interned,
    ancestors: &Ancestors,
    out: Vec<u8>,
) -> (Vec<u8>, Vec<u64>, [u8; 32]) {
    let mut hashed = out.len();
    let mut hasher = Sha256::new();
    let mut emitter = PlainEmitter::new(document, ancestors, out);
    emitter.begin();
    while emitter.write_until(hashed + PIECE) {
        hasher.update(&emitter.out[hashed..]);
        hashed = emitter.out.len();
    }
    let PlainEmitter { out, landmarks, .. } = emitter;
    hasher.update(&out[hashed..]);
    (out, landmarks, hasher.finalize().into())
}

/// Number of values of the document without sharing, the root included.
pub(super) fn expanded_values(document: &Interned) -> u64 {
    let mut values = vec![0u64; document.container_count()];
    for index in document.containers() {
        let below = document.children(index).iter().map(|child| match child.container() {
            Some(inner) => values[inner.0 as usize],
            None => 1,
        });
        values[index.0 as usize] = below.fold(1, u64::saturating_add);
    }
    document.root().container().map_or(1, |root| values[root.0 as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventSink;
    use crate::write::interner::Interner;

    /// A list of 40 equal lists of two strings of 10,000 bytes: more than three pieces.
    fn repetitive() -> Interned {
        let text = "x".repeat(10_000);
        let mut interner = Interner::new();
        interner.begin_list().unwrap();
        for _ in 0..40 {
            interner.begin_list().unwrap();
            interner.string(&text).unwrap();
            interner.string(&text).unwrap();
            interner.end_list().unwrap();
        }
        interner.end_list().unwrap();
        interner.finish().unwrap()
    }

    fn expanded() -> Vec<u8> {
        let string = [&[0xda, 0x27, 0x10][..], &[b'x'; 10_000]].concat();
        let pair = [&[0x92][..], &string, &string].concat();
        [&[0xdc, 0x00, 0x28][..], &pair.repeat(40)].concat()
    }

    #[test]
    fn what_comes_again_is_part_of_the_digest_each_time() {
        assert_eq!(document_digest(&repetitive()), <[u8; 32]>::from(Sha256::digest(expanded())));
    }

    #[test]
    fn a_stream_written_in_place_is_hashed_without_what_is_before_it() {
        let document = repetitive();
        let (bytes, landmarks, digest) = write_canonical(&document, &Ancestors::empty(), b"before".to_vec());
        assert_eq!(bytes.strip_prefix(b"before"), Some(&expanded()[..]));
        assert_eq!((landmarks, digest), (vec![], document_digest(&document)));
    }

    #[test]
    fn copies_of_copies_do_not_pile_up_after_a_full_piece() {
        let document = repetitive();
        let ancestors = Ancestors::empty();
        let mut emitter = PlainEmitter::new(&document, &ancestors, Vec::new());
        emitter.begin();
        let mut pieces = Vec::new();
        while emitter.write_until(50_000) {
            pieces.push(emitter.out.len());
            emitter.drop_written();
        }
        // Three inner lists are more than a piece. The last list is less than one.
        assert_eq!(pieces.len(), 13);
        assert!(pieces.iter().all(|length| (50_000..75_000).contains(length)), "{pieces:?}");
    }
}
