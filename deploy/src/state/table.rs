//! The resources of a state, in their order and by their URNs.

use super::ResourceState;
use crate::intent::Entry;
use std::collections::{BTreeMap, HashMap};

/// Resources in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    all: BTreeMap<u64, ResourceState>,
    next: u64,
    /// If a damaged state has two live resources of one URN, the last one counts, as in plans
    /// (§19.10).
    live: HashMap<String, u64>,
    /// Without empty lists.
    replaced: HashMap<String, Vec<u64>>,
}

impl Table {
    pub(super) fn iter(&self) -> impl Iterator<Item = &ResourceState> {
        self.all.values()
    }

    pub(super) fn live(&self, urn: &str) -> Option<&ResourceState> {
        self.all.get(self.live.get(urn)?)
    }

    pub(super) fn replaced(&self, urn: &str) -> usize {
        self.replaced.get(urn).map_or(0, Vec::len)
    }

    pub(super) fn push(&mut self, resource: ResourceState) {
        let (number, urn) = (self.next, resource.urn().to_owned());
        self.next += 1;
        match resource.is_condemned() {
            true => self.replaced.entry(urn).or_default().push(number),
            false => {
                self.live.insert(urn, number);
            }
        }
        self.all.insert(number, resource);
    }

    /// Changes a resource: the live one of its URN, or the replaced one with its id. One that was
    /// not there comes last.
    pub(super) fn set(&mut self, changed: ResourceState) {
        let number = match changed.is_condemned() {
            true => self.number(&changed.entry()),
            false => self.live.get(changed.urn()).copied(),
        };
        match number.and_then(|number| self.all.get_mut(&number)) {
            Some(resource) => *resource = changed,
            None => self.push(changed),
        }
    }

    fn number(&self, Entry { urn, id, is_condemned }: &Entry) -> Option<u64> {
        let is_one = |number: &u64| self.all.get(number).is_some_and(|one| one.id() == id.as_deref());
        match is_condemned {
            true => self.replaced.get(urn).and_then(|all| all.iter().copied().find(is_one)),
            false => self.live.get(urn).copied().filter(is_one),
        }
    }

    /// Removes an entry, if it is there.
    pub(super) fn remove(&mut self, entry: &Entry) {
        let Entry { urn, is_condemned, .. } = entry;
        let number = self.number(entry);
        let Some(number) = number else { return };
        self.all.remove(&number);
        if !is_condemned {
            self.live.remove(urn);
        } else if let Some(all) = self.replaced.get_mut(urn) {
            all.retain(|one| *one != number);
            if all.is_empty() {
                self.replaced.remove(urn);
            }
        }
    }
}

impl FromIterator<ResourceState> for Table {
    fn from_iter<I: IntoIterator<Item = ResourceState>>(resources: I) -> Table {
        let mut table = Table::default();
        resources.into_iter().for_each(|resource| table.push(resource));
        table
    }
}
