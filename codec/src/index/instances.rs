//! Landmarks by their full keys without instance keys (§8.1), for edges that name the declarations
//! of a configuration rather than their instances.

use super::FullKeys;
use super::by_key::{ByKey, KeyPart};
use crate::wire::ids::Ordinal;
use coconut_format::landmark::{OwnKeys, without_instances};

/// The outermost landmarks that a text names. Their full key is the text, with or without instance
/// keys, and no parent of theirs has it.
#[derive(Debug)]
pub(super) struct Instances {
    by_configuration: ByKey,
    /// By the number of the key without instance keys.
    configured: Groups,
    /// By the number of the key. For texts that match no key without instance keys.
    with_key: Groups,
}

impl Instances {
    pub(super) fn of(keys: &FullKeys, by_key: &ByKey, parents: &[Option<Ordinal>]) -> Instances {
        let by_configuration = ByKey::of_parts(keys, KeyPart::Configured);
        let parent = |ordinal: Ordinal| parents.get(ordinal.index()).copied().flatten();
        let mut configured = Groups::default();
        for number in 0..by_configuration.count() {
            let named = by_configuration.ordinals_of(number);
            let is_named = |ordinal: Ordinal| by_configuration.number_of(ordinal) as usize == number;
            match key_of_rest(keys, by_key, named[0]) {
                None => configured.push(named, |ordinal| parent(ordinal).is_some_and(is_named)),
                Some(key) => {
                    let mut named = [named, by_key.ordinals_of(key)].concat();
                    named.sort_unstable();
                    named.dedup();
                    let has_key = |ordinal: Ordinal| by_key.number_of(ordinal) as usize == key;
                    let is_named = |ordinal: Ordinal| is_named(ordinal) || has_key(ordinal);
                    configured.push(&named, |ordinal| parent(ordinal).is_some_and(is_named));
                }
            }
        }
        let mut with_key = Groups::default();
        for number in 0..by_key.count() {
            let is_named = |ordinal: Ordinal| by_key.number_of(ordinal) as usize == number;
            with_key.push(by_key.ordinals_of(number), |ordinal| parent(ordinal).is_some_and(is_named));
        }
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

/// The number of the key of landmark `ordinal` without its instance keys, if the rest again has
/// instance keys and is a key itself. This is very rare.
fn key_of_rest(keys: &FullKeys, by_key: &ByKey, ordinal: Ordinal) -> Option<usize> {
    let key = keys.whole_key(ordinal.0);
    let rest = without_instances(&key);
    match without_instances(&rest).len() == rest.len() {
        true => None,
        false => by_key.number(keys, &rest),
    }
}

/// Lists of landmarks, one after the other.
#[derive(Debug)]
struct Groups {
    ordinals: Vec<Ordinal>,
    /// The start of each list, and the end of the last.
    starts: Vec<usize>,
}

impl Default for Groups {
    fn default() -> Groups {
        Groups { ordinals: Vec::new(), starts: vec![0] }
    }
}

impl Groups {
    /// Adds a list of these landmarks, except those inside others in it.
    fn push(&mut self, named: &[Ordinal], is_inner: impl Fn(Ordinal) -> bool) {
        self.ordinals.extend(named.iter().copied().filter(|&ordinal| !is_inner(ordinal)));
        self.starts.push(self.ordinals.len());
    }

    fn group(&self, number: u32) -> &[Ordinal] {
        let number = number as usize;
        &self.ordinals[self.starts[number]..self.starts[number + 1]]
    }
}
