//! §4.7 Canonical value stream and document digest.

use super::plain::PlainEmitter;
use super::spine::Spine;
use crate::dag::Dag;
use sha2::{Digest, Sha256};

/// Bytes that are hashed at once, while they are in the processor's cache.
const PIECE: usize = 1 << 17;

/// The SHA-256 of the canonical value stream: equal for equal documents, whatever they were read from.
///
/// Costs a pass over the *expanded* document; memory of a piece of it, and 16 bytes for each distinct container.
pub fn document_digest(dag: &Dag) -> [u8; 32] {
    let spine = Spine::empty();
    let mut hasher = Sha256::new();
    // A copy makes a piece twice as long at most.
    let mut emitter = PlainEmitter::new(dag, &spine, Vec::with_capacity(2 * PIECE));
    emitter.begin();
    while emitter.write_until(PIECE) {
        hasher.update(&emitter.out);
        emitter.drop_written();
    }
    hasher.update(&emitter.out);
    hasher.finalize().into()
}

/// Writes the canonical value stream behind what stands in `out`, with landmarks in place. Returns the bytes, where
/// the landmarks lie in them, and the digest.
pub(super) fn write_canonical(dag: &Dag, spine: &Spine, out: Vec<u8>) -> (Vec<u8>, Vec<u64>, [u8; 32]) {
    let mut hashed = out.len();
    let mut hasher = Sha256::new();
    let mut emitter = PlainEmitter::new(dag, spine, out);
    emitter.begin();
    while emitter.write_until(hashed + PIECE) {
        hasher.update(&emitter.out[hashed..]);
        hashed = emitter.out.len();
    }
    let PlainEmitter { out, landmarks, .. } = emitter;
    hasher.update(&out[hashed..]);
    (out, landmarks, hasher.finalize().into())
}

/// How many values the document has when nothing is shared, the root included.
pub(super) fn expanded_values(dag: &Dag) -> u64 {
    let mut values = vec![0u64; dag.container_count()];
    for index in dag.containers() {
        let below = dag.children(index).iter().map(|child| match child.container() {
            Some(inner) => values[inner.0 as usize],
            None => 1,
        });
        values[index.0 as usize] = below.fold(1, u64::saturating_add);
    }
    dag.root().container().map_or(1, |root| values[root.0 as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::Builder;
    use crate::event::EventSink;

    /// A list of 40 equal lists of two strings of 10,000 bytes: more than three pieces.
    fn repetitive() -> Dag {
        let text = "x".repeat(10_000);
        let mut builder = Builder::new();
        builder.begin_list().unwrap();
        for _ in 0..40 {
            builder.begin_list().unwrap();
            builder.string(&text).unwrap();
            builder.string(&text).unwrap();
            builder.end_list().unwrap();
        }
        builder.end_list().unwrap();
        builder.finish()
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
        let dag = repetitive();
        let (bytes, landmarks, digest) = write_canonical(&dag, &Spine::empty(), b"before".to_vec());
        assert_eq!(bytes.strip_prefix(b"before"), Some(&expanded()[..]));
        assert_eq!((landmarks, digest), (vec![], document_digest(&dag)));
    }

    #[test]
    fn copies_of_copies_do_not_pile_up_behind_a_full_piece() {
        let dag = repetitive();
        let spine = Spine::empty();
        let mut emitter = PlainEmitter::new(&dag, &spine, Vec::new());
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
