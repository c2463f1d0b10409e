//! §4.4 Chooses the subtrees that become shared values, and the objects inside the records of their
//! parents.

use super::Tuning;
use super::ancestors::Ancestors;
use crate::msgpack::str_len;
use crate::write::interner::{ContainerIndex, Handle, Interned, KeyListIndex, Kind};

/// Decisions about the place of each container, and the number of times that it is written.
pub(crate) struct Sharing {
    /// Whether a container is an entry of the shared part.
    shared: Vec<bool>,
    /// Number of references to a container, or of copies in place.
    uses: Vec<u32>,
    /// For each key list, whether its objects are small enough to be inside the records of their
    /// parents.
    embedded: Vec<Option<Round>>,
}

/// The round in which a key list was found to be embeddable. An object can only embed those of
/// earlier rounds, so that shapes nest without a cycle.
type Round = u8;

/// Objects in objects in objects: a source location in an identifier in a definition. More rounds
/// find little.
const ROUNDS: Round = 4;

impl Sharing {
    pub(crate) fn choose(document: &Interned, ancestors: &Ancestors, tuning: &Tuning) -> Sharing {
        let references = references(document);
        let string_uses = string_uses(document);
        let embedded = match tuning.nested_slots {
            true => embeddable(document, &references, &string_uses),
            false => vec![None; document.key_lists.len()],
        };
        let count = document.container_count();
        let mut sharing = Sharing { shared: vec![false; count], uses: vec![0; count], embedded };
        sharing.count_from(document, ancestors, &sizes(document, &string_uses, &references), tuning);
        sharing
    }

    pub(crate) fn is_shared(&self, index: ContainerIndex) -> bool {
        self.shared[index.0 as usize]
    }

    /// Number of times that a container's own bytes are written outside the ancestors: once if
    /// shared, otherwise at every use.
    pub(crate) fn emissions(&self, index: ContainerIndex) -> u32 {
        if self.is_shared(index) { 1 } else { self.uses(index) }
    }

    pub(crate) fn uses(&self, index: ContainerIndex) -> u32 {
        self.uses[index.0 as usize]
    }

    /// The round of an embeddable key list.
    pub(crate) fn embedded_round(&self, keys: KeyListIndex) -> Option<u8> {
        self.embedded[keys.position()]
    }

    /// Counts uses from the ancestors down.
    ///
    /// Parents have larger indices than their children, so one backward pass has counted all uses
    /// of a container before it decides about it.
    fn count_from(&mut self, document: &Interned, ancestors: &Ancestors, sizes: &[u32], tuning: &Tuning) {
        match ancestors.root() {
            None => self.count_use(document.root(), 1),
            Some(_) => {
                for place in ancestors.places() {
                    let mut entries = place.entries.iter().filter(|entry| entry.place.is_some()).peekable();
                    for (position, &child) in (0u32..).zip(document.children(place.container)) {
                        match entries.peek() {
                            Some(entry) if entry.child == position => drop(entries.next()),
                            _ => self.count_use(child, 1),
                        }
                    }
                }
            }
        }
        for index in document.containers().rev() {
            let at = index.0 as usize;
            let uses = self.uses[at];
            if uses == 0 {
                continue;
            }
            let is_embedded =
                document.key_list(index).is_some_and(|keys| self.embedded_round(keys).is_some());
            self.shared[at] = !is_embedded && tuning.shared_values && worth_sharing(uses, sizes[at], tuning);
            let emissions = self.emissions(index);
            for &child in document.children(index) {
                self.count_use(child, emissions);
            }
        }
    }

    fn count_use(&mut self, handle: Handle, times: u32) {
        if let Some(child) = handle.container() {
            let uses = &mut self.uses[child.0 as usize];
            *uses = uses.saturating_add(times);
        }
    }
}

/// Whether references and one entry are smaller than `uses` copies. Most references take two bytes.
fn worth_sharing(uses: u32, size: u32, tuning: &Tuning) -> bool {
    let copies = u64::from(uses - 1) * u64::from(size);
    uses >= tuning.shared_min_uses && size >= tuning.shared_min_bytes && copies > 2 * u64::from(uses) + 1
}

/// Number of distinct containers that refer to each container.
fn references(document: &Interned) -> Vec<u32> {
    let mut references = vec![0u32; document.container_count()];
    let mut count = |handle: Handle| {
        if let Some(child) = handle.container() {
            let count = &mut references[child.0 as usize];
            *count = count.saturating_add(1);
        }
    };
    count(document.root());
    for index in document.containers() {
        document.children(index).iter().copied().for_each(&mut count);
    }
    references
}

/// Number of times that each string is a value in the distinct containers.
fn string_uses(document: &Interned) -> Vec<u32> {
    let mut uses = vec![0u32; document.strings.len()];
    for index in document.containers() {
        for string in document.children(index).iter().filter_map(|child| child.string()) {
            uses[string.0 as usize] += 1;
        }
    }
    uses
}

/// Estimated bytes of a scalar.
fn scalar_size(document: &Interned, handle: Handle, string_uses: &[u32]) -> u32 {
    match document.kind(handle) {
        Kind::Null | Kind::Bool(_) => 1,
        Kind::Integer(n) => match n.as_u64() {
            Some(0..=0x7f) => 1,
            Some(0x80..=0xff) => 2,
            Some(0x100..=0xffff) => 3,
            _ => 5,
        },
        Kind::Float(_) => 9,
        Kind::String(index) => {
            let inline = u32::try_from(str_len(document.text_length(index))).unwrap_or(u32::MAX);
            if string_uses[index.0 as usize] > 1 { inline.min(2) } else { inline }
        }
        Kind::Container(_) => 0,
    }
}

/// Estimated bytes of each container if all inner containers worth sharing are shared.
fn sizes(document: &Interned, string_uses: &[u32], references: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0u32; document.container_count()];
    for index in document.containers() {
        let mut size = 2u32;
        for &child in document.children(index) {
            let part = match child.container() {
                Some(inner) if references[inner.0 as usize] > 1 => sizes[inner.0 as usize].min(2),
                Some(inner) => sizes[inner.0 as usize],
                None => scalar_size(document, child, string_uses),
            };
            size = size.saturating_add(part);
        }
        sizes[index.0 as usize] = size;
    }
    sizes
}

/// Finds key lists whose objects take fewer bytes inside their parents' records than as records or
/// references.
fn embeddable(document: &Interned, references: &[u32], string_uses: &[u32]) -> Vec<Option<Round>> {
    let mut rounds: Vec<Option<Round>> = vec![None; document.key_lists.len()];
    for round in 0..ROUNDS {
        let mut tallies = vec![Tally::default(); document.key_lists.len()];
        let mut payloads = vec![0u64; document.container_count()];
        for index in document.containers() {
            let Some(keys) = document.key_list(index) else { continue };
            let known = rounds[keys.position()];
            let tally = &mut tallies[keys.position()];
            let mut payload = 0u64;
            for &child in document.children(index) {
                match child.container() {
                    None => payload += u64::from(scalar_size(document, child, string_uses)),
                    Some(inner) => {
                        let inner_round = document.key_list(inner).and_then(|keys| rounds[keys.position()]);
                        match inner_round {
                            Some(_) => payload += payloads[inner.0 as usize],
                            None => tally.excluded = true,
                        }
                    }
                }
            }
            payloads[index.0 as usize] = payload;
            if known.is_none() {
                tally.add(payload, references[index.0 as usize].into());
            }
        }
        let mut changed = false;
        for (known, tally) in rounds.iter_mut().zip(&tallies) {
            if known.is_none() && tally.prefers_embedding() {
                *known = Some(round);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    rounds
}

/// Both costs of all objects of one key list, in bytes.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// Whether some child is a container that itself cannot be embedded.
    excluded: bool,
    objects: u64,
    embedded: u64,
    apart: u64,
}

impl Tally {
    fn add(&mut self, payload: u64, references: u64) {
        const RECORD_HEADER: u64 = 2;
        const REFERENCE: u64 = 2;
        let once = payload + RECORD_HEADER;
        self.objects += references;
        self.embedded += payload * references;
        self.apart += (once * references).min(once + REFERENCE * references);
    }

    /// A shape costs its keys, so a few objects do not justify one.
    fn prefers_embedding(&self) -> bool {
        !self.excluded && self.objects >= 4 && self.embedded < self.apart
    }
}
