//! §4.7 Canonical value stream and document digest.

use super::plain::PlainEmitter;
use super::spine::Spine;
use crate::dag::Dag;
use sha2::{Digest, Sha256};

/// Bytes that are hashed at once, while they are in the processor's cache.
const PIECE: usize = 1 << 18;

/// The SHA-256 of the canonical value stream: equal for equal documents, whatever they were read from.
///
/// Costs a pass over the *expanded* document; memory of a piece of it, and 16 bytes for each distinct container.
pub fn document_digest(dag: &Dag) -> [u8; 32] {
    let spine = Spine::empty();
    let mut hasher = Sha256::new();
    let mut emitter = PlainEmitter::new(dag, &spine, Vec::new());
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
