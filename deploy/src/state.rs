//! §15.5, §25.1 The state: the deployed resources of an environment, and the operations whose
//! outcome is not known.

mod document;
mod order;
mod resource;
mod table;

pub use document::StateError;
pub use resource::ResourceState;

use crate::intent::{Entry, Intent, Operation};
use coconut_format::Value;
use table::Table;

/// The deployed resources of an environment.
///
/// A state is read from a snapshot in the form of a Pulumi export, and written in the same form.
/// Keys that this crate does not know are kept.
#[derive(Clone, Debug)]
pub struct State {
    resources: Table,
    pub(crate) unresolved: Vec<Unresolved>,
    /// Unfinished operations of kinds that have no effect on resources.
    pub(crate) others: Vec<Value>,
    /// Keys of the document other than `deployment` and `journal`.
    pub(crate) around: Vec<(String, Value)>,
    /// Keys of `deployment` other than the resources and the unfinished operations.
    pub(crate) deployment: Vec<(String, Value)>,
    /// The journal that is contained in the snapshot.
    pub(crate) folded: Option<Folded>,
}

/// An operation without a recorded end. Its effect is not known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unresolved {
    /// The intended operation.
    pub intent: Intent,
    /// The failure of the call, if there was one.
    pub message: Option<String>,
}

/// The journal that a snapshot already contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    pub(crate) base: Option<String>,
    pub(crate) records: u64,
}

impl State {
    /// The resources. Each one is after those on which it depends, except while a deployment runs.
    pub fn resources(&self) -> impl Iterator<Item = &ResourceState> {
        self.resources.iter()
    }

    /// The operations whose outcome is not known, in the order in which they began.
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// The resource of this URN that was not replaced. It may have been deleted for a replacement:
    /// see [`ResourceState::is_gone`].
    pub fn live(&self, urn: &str) -> Option<&ResourceState> {
        self.resources.live(urn)
    }

    /// The number of resources of this URN that were replaced.
    pub(crate) fn replaced(&self, urn: &str) -> usize {
        self.resources.replaced(urn)
    }

    /// The entry that an operation changes or removes.
    fn target(&self, intent: &Intent) -> Option<Entry> {
        match intent.operation {
            Operation::DeleteReplaced => {
                Some(Entry { urn: intent.urn.clone(), id: intent.id.clone(), is_condemned: true })
            }
            _ => self.live(&intent.urn).map(ResourceState::entry),
        }
    }

    /// Records the end of an operation: the resource is as in `result`, or does not exist.
    pub(crate) fn end(&mut self, intent: &Intent, result: Option<ResourceState>) {
        match (intent.operation.is_create(), result) {
            (true, Some(created)) => {
                if let Some(old) = self.live(&intent.urn).cloned() {
                    self.resources.remove(&old.entry());
                    // The others have nothing to delete.
                    if !old.is_gone() && !old.is_external() {
                        self.resources.push(old.condemned());
                    }
                }
                self.resources.push(created);
            }
            (true, None) => {}
            (false, Some(changed)) => self.resources.set(changed),
            (false, None) => {
                intent.carried.iter().for_each(|entry| self.resources.remove(entry));
                if let Some(entry) = self.target(intent) {
                    self.resources.remove(&entry);
                }
            }
        }
    }

    /// Changes the live resource of its URN.
    pub(crate) fn set(&mut self, changed: ResourceState) {
        self.resources.set(changed);
    }

    /// Forgets a resource without a call.
    pub(crate) fn forget(&mut self, entry: &Entry) {
        self.resources.remove(entry);
    }

    /// Ends an unresolved operation.
    pub(crate) fn settle(&mut self, intent: &Intent, result: Option<ResourceState>) {
        let is_one = |one: &Unresolved| one.intent.is_of_same(intent);
        if let Some(at) = self.unresolved.iter().position(is_one) {
            let Unresolved { intent, .. } = self.unresolved.remove(at);
            self.end(&intent, result);
        }
    }
}
