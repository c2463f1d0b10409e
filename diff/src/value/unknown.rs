//! §16.3 Unknown items of lists, and the items they may match.

use crate::value::list::{Alignment, ListMode, ListStep};
use crate::value::same::{Sameness, TooMuchWork};
use coconut_format::graph::UnknownType;
use coconut_format::node::{Kind, Node};

/// Whether a string represents a value that is not known yet.
pub(super) fn is_sentinel<'a, N: Node<'a>>(value: N) -> bool {
    value.as_str().is_some_and(|text| UnknownType::of_sentinel(text).is_some())
}

/// Whether it is an object with an unknown entry.
fn has_sentinel<'a, N: Node<'a>>(value: N) -> bool {
    value.kind() == Kind::Object && value.entries().any(|(_, entry)| is_sentinel(entry))
}

/// The maximum number of pairs visited in one list.
const MOST_LOOKED_AT: usize = 1 << 16;

/// Pairs items in only one list with unknown items in only the other, which may be the same.
/// `marked` returns whether an external mark makes an item unknown. If a rule makes the order
/// count, only items in the same gap are paired.
pub(super) fn pair_unknown<'a, N: Node<'a>, M: Node<'a>>(
    found: &mut Alignment,
    (old, new): (&[N], &[M]),
    marked: (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool),
    has_rule: bool,
    sameness: &mut Sameness,
) -> Result<(), TooMuchWork> {
    let (removed, added) = one_sided(&found.steps);
    if removed.is_empty() || added.is_empty() {
        return Ok(());
    }
    let of_old = |n: usize| is_sentinel(old[n]) || marked.0(n);
    let of_new = |n: usize| is_sentinel(new[n]) || marked.1(n);
    // Most lists have no unknown items.
    let has_unknown = removed.iter().any(|at| of_old(at.position) || has_sentinel(old[at.position]))
        || added.iter().any(|at| of_new(at.position) || has_sentinel(new[at.position]));
    if !has_unknown {
        return Ok(());
    }
    let may_be = |a: usize, b: usize, sameness: &mut Sameness| match of_old(a) || of_new(b) {
        true => Ok(true),
        false => has_unknown_entries(old[a], new[b], sameness),
    };
    let in_gaps = has_rule && matches!(found.mode, ListMode::Ordered | ListMode::OrderedKey(_));
    let mut partners: Vec<Option<&Alone>> = vec![None; added.len()];
    let mut is_taken = vec![false; removed.len()];
    let mut left = MOST_LOOKED_AT;
    // Y1, Y2, Y3 and Y4. A partly known item is better evidence than a completely unknown one.
    for (is_whole, is_near) in [(false, true), (false, false), (true, true), (true, false)] {
        if in_gaps && !is_near {
            continue;
        }
        for (come, partner) in added.iter().zip(&mut partners) {
            for (gone, is_taken) in removed.iter().zip(&mut is_taken) {
                if partner.is_some() || left == 0 {
                    break;
                }
                left -= 1;
                sameness.spend(1)?;
                if *is_taken || (gone.gap == come.gap) != is_near {
                    continue;
                }
                if is_whole != (of_old(gone.position) || of_new(come.position)) {
                    continue;
                }
                if may_be(gone.position, come.position, sameness)? {
                    (*partner, *is_taken) = (Some(gone), true);
                }
            }
        }
    }
    let mut is_gone = vec![false; found.steps.len()];
    for (come, gone) in added.iter().zip(&partners) {
        if let Some(gone) = gone {
            is_gone[gone.step] = true;
            found.steps[come.step] =
                ListStep::Pair { old: gone.position, new: come.position, is_same: false };
        }
    }
    let mut is_gone = is_gone.into_iter();
    found.steps.retain(|_| is_gone.next() != Some(true));
    Ok(())
}

/// An item in only one list.
struct Alone {
    /// Its position among the steps.
    step: usize,
    /// Its position in its list.
    position: usize,
    /// The number of pairs before it.
    gap: usize,
}

fn one_sided(steps: &[ListStep]) -> (Vec<Alone>, Vec<Alone>) {
    let (mut removed, mut added, mut gap) = (Vec::new(), Vec::new(), 0);
    for (step, found) in steps.iter().enumerate() {
        match *found {
            ListStep::Pair { .. } => gap += 1,
            ListStep::Removed(position) => removed.push(Alone { step, position, gap }),
            ListStep::Added(position) => added.push(Alone { step, position, gap }),
        }
    }
    (removed, added)
}

/// Whether two objects differ only in unknown entries.
fn has_unknown_entries<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    if old.kind() != Kind::Object || new.kind() != Kind::Object || old.width() != new.width() {
        return Ok(false);
    }
    let mut has_unknown = false;
    for (key, value) in old.entries() {
        sameness.spend(1)?;
        let Some(other) = new.get(key) else { return Ok(false) };
        match is_sentinel(value) || is_sentinel(other) {
            true => has_unknown = true,
            false if sameness.is_same(value, other)? => {}
            false => return Ok(false),
        }
    }
    Ok(has_unknown)
}
