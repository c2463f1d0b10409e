//! §19.10 The removal of resources that a program no longer has, by the marks of a snapshot.

use super::{Operation, StepReason};
use crate::snapshot::OldResource;
use std::collections::{HashMap, HashSet};

/// The step that removes a resource. `is_carried` tells that another deletion takes it along.
pub(super) fn step(
    resource: &OldResource,
    is_replaced: bool,
    is_carried: bool,
) -> (Operation, Option<StepReason>) {
    let marks = &resource.marks;
    let is_superseded = is_replaced || marks.is_condemned;
    let by = |plain, superseded| if is_superseded { superseded } else { plain };
    if marks.is_gone {
        return (Operation::RemovePendingReplace, Some(StepReason::PendingReplacement));
    }
    if marks.is_external {
        return (by(Operation::Discard, Operation::DiscardReplaced), Some(StepReason::External));
    }
    let reason = if is_refused(resource, is_replaced) {
        Some(StepReason::Protected)
    } else if marks.is_retained {
        Some(StepReason::Retained)
    } else if marks.is_component {
        Some(StepReason::Component)
    } else if is_carried {
        Some(StepReason::DeletedWith)
    } else {
        marks.is_condemned.then_some(StepReason::PendingDeletion)
    };
    (by(Operation::Delete, Operation::DeleteReplaced), reason)
}

/// Protection refuses a deletion, and a replacement before it begins. So the old resource of a
/// replacement may be deleted.
fn is_refused(resource: &OldResource, is_replaced: bool) -> bool {
    resource.marks.protect == Some(true) && !is_replaced && !resource.marks.is_condemned
}

/// Whether each resource goes with another one, because its `deletedWith` is deleted for certain.
/// In a circle of such resources, each is deleted by itself.
pub(super) fn carried(
    all: &[OldResource],
    is_left: &dyn Fn(usize) -> bool,
    replaced: &HashSet<usize>,
) -> Vec<bool> {
    let mut carried = vec![false; all.len()];
    if all.iter().all(|resource| resource.marks.deleted_with.is_none()) {
        return carried;
    }
    let ends = |at: usize| {
        let (resource, marks) = (&all[at], &all[at].marks);
        let is_kept = marks.is_external || marks.is_retained || marks.is_component;
        is_left(at) && (marks.is_gone || (!is_kept && !is_refused(resource, replaced.contains(&at))))
    };
    // A URN may have several entries. All of them must end, because nothing tells in which one a
    // resource is.
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut lasting: HashSet<&str> = HashSet::new();
    let mut inside: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, resource) in all.iter().enumerate() {
        *open.entry(&resource.urn).or_default() += 1;
        if !ends(at) {
            lasting.insert(&resource.urn);
        }
        if let Some(around) = resource.marks.deleted_with.as_deref().filter(|_| ends(at)) {
            inside.entry(around).or_default().push(at);
        }
    }
    let has_place = |at: usize| {
        let around = all[at].marks.deleted_with.as_deref();
        around.is_some_and(|around| open.contains_key(around) && !lasting.contains(around))
    };
    let mut ended: Vec<usize> = (0..all.len()).filter(|&at| ends(at) && !has_place(at)).collect();
    while let Some(at) = ended.pop() {
        let urn = all[at].urn.as_str();
        let left = open.entry(urn).or_default();
        *left = left.saturating_sub(1);
        if *left == 0 {
            for at in inside.remove(urn).unwrap_or_default() {
                carried[at] = true;
                ended.push(at);
            }
        }
    }
    carried
}
