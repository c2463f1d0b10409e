//! Landmarks by their full keys without instance keys (§8.1), for edges that name what a
//! configuration says and not its instances.

use super::{ByKey, FullKeys, KeyPart};
use crate::wire::ids::Ordinal;
use coconut_format::landmark::{OwnKeys, without_instances};

/// The outermost landmarks that a text names: those whose full key is the text, with or without
/// instance keys, and whose parents are none of them.
#[derive(Debug)]
pub(super) struct Instances {
    by_configuration: ByKey,
    /// By the number of the key without instance keys.
    configured: Groups,
    /// By the number of the key. For texts that are no key without instance keys.
    with_key: Groups,
}

impl Instances {
    pub(super) fn of(keys: &FullKeys, by_key: &ByKey, parents: &[Option<Ordinal>]) -> Instances {
        let by_configuration = ByKey::of_parts(keys, KeyPart::Configured);
        let parent = |ordinal: Ordinal| parents.get(ordinal.index()).copied().flatten();
        let configured = Groups::of((0..by_configuration.count()).map(|number| {
            let mut named = by_configuration.ordinals_of(number).to_vec();
            let text = without_instances(&keys.whole_key(named[0].0)).into_owned();
            // A text with instance keys can be what is left of a key, and also a key itself.
            let as_key = match without_instances(&text).len() == text.len() {
                true => None,
                false => by_key.number(keys, &text),
            };
            if let Some(number) = as_key {
                named.extend(by_key.ordinals_of(number));
                named.sort_unstable();
                named.dedup();
            }
            let is_named = |ordinal: Ordinal| {
                by_configuration.number_of(ordinal) as usize == number
                    || as_key.is_some_and(|number| by_key.number_of(ordinal) as usize == number)
            };
            named.retain(|&ordinal| !parent(ordinal).is_some_and(is_named));
            named
        }));
        let with_key = Groups::of((0..by_key.count()).map(|number| {
            let mut named = by_key.ordinals_of(number).to_vec();
            let is_named = |ordinal: Ordinal| by_key.number_of(ordinal) as usize == number;
            named.retain(|&ordinal| !parent(ordinal).is_some_and(is_named));
            named
        }));
        Instances { by_configuration, configured, with_key }
    }

    /// The number of the landmarks that have `text` as their key without instance keys.
    pub(super) fn number(&self, keys: &FullKeys, text: &str) -> Option<u32> {
        let number = self.by_configuration.number(keys, text)?;
        Some(u32::try_from(number).expect("an index has fewer keys than landmarks"))
    }

    /// The landmarks that the text of this number names.
    pub(super) fn configured(&self, number: u32) -> &[Ordinal] {
        self.configured.group(number)
    }

    /// The landmarks that a text names if it is the key with this number.
    pub(super) fn with_key(&self, number: u32) -> &[Ordinal] {
        self.with_key.group(number)
    }
}

/// Lists of landmarks, one after the other.
#[derive(Debug)]
struct Groups {
    ordinals: Vec<Ordinal>,
    /// The start of each list, and the end of the last.
    starts: Vec<usize>,
}

impl Groups {
    fn of(groups: impl Iterator<Item = Vec<Ordinal>>) -> Groups {
        let (mut ordinals, mut starts) = (Vec::new(), vec![0]);
        for group in groups {
            ordinals.extend(group);
            starts.push(ordinals.len());
        }
        Groups { ordinals, starts }
    }

    fn group(&self, number: u32) -> &[Ordinal] {
        let number = number as usize;
        &self.ordinals[self.starts[number]..self.starts[number + 1]]
    }
}
