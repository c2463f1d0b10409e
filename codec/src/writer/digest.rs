//! §4.7 Canonical value stream and document digest.

use super::emit::{Emitter, Forms};
use super::spine::Spine;
use crate::dag::Dag;
use sha2::{Digest, Sha256};

/// The SHA-256 of the canonical value stream: equal for equal documents, whatever they were read from.
///
/// Costs a pass over the *expanded* document; memory of a piece of it.
pub fn document_digest(dag: &Dag) -> [u8; 32] {
    const PIECE: usize = 1 << 16;
    let spine = Spine::empty();
    let mut hasher = Sha256::new();
    Emitter::new(dag, &spine, Forms::Plain).root_in_pieces(PIECE, |piece| hasher.update(piece));
    hasher.finalize().into()
}

/// The digest of a canonical value stream that was written already.
pub(super) fn of_stream(stream: &[u8]) -> [u8; 32] {
    Sha256::digest(stream).into()
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
