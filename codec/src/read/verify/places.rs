//! Converts JSON pointers to offsets in a file (§14.1).

use super::LocatedFinding;
use crate::pointer_trie::PointerTrie;
use crate::read::view::{Content, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::verify::Finding;

/// Returns the findings with their offsets below `root`. Costs one walk over the containers on the
/// paths to them.
///
/// A finding about a missing value has the offset of the document's beginning.
pub(super) fn located(
    root: ValueView<'_>,
    findings: Vec<Finding>,
) -> Result<Vec<LocatedFinding>, DecodeError> {
    let pointers: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
    let offsets = offsets_of(root, &pointers)?;
    let located = findings
        .into_iter()
        .zip(offsets)
        .map(|(finding, offset)| LocatedFinding { finding, offset: offset.unwrap_or(root.offset()) });
    Ok(located.collect())
}

fn offsets_of(root: ValueView<'_>, pointers: &[&str]) -> Result<Vec<Option<u64>>, DecodeError> {
    let wanted = PointerTrie::new(pointers);
    let mut offsets = vec![None; wanted.count()];
    if pointers.is_empty() {
        return Ok(offsets);
    }
    let mut pending = vec![(root, PointerTrie::ROOT)];
    while let Some((view, place)) = pending.pop() {
        for &pointer in wanted.at(place) {
            offsets[pointer] = Some(view.offset());
        }
        if wanted.is_leaf(place) {
            continue;
        }
        match view.content()? {
            Content::Object(object) => {
                for entry in object.iter() {
                    let (key, value) = entry?;
                    pending.extend(wanted.entry(place, key).map(|place| (value, place)));
                }
            }
            Content::List(list) => {
                for (index, item) in list.items().enumerate() {
                    let item = item?;
                    pending.extend(wanted.item(place, index).map(|place| (item, place)));
                }
            }
            _ => {}
        }
    }
    Ok(offsets)
}
