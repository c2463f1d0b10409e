//! §16.2 A reference to a moved resource is not a difference.

use crate::Diff;
use crate::resources::Change;
use crate::side::Node;
use crate::value::Class;
use coconut_format::node::{Kind, Node as FormatNode};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// The maximum number of added items compared with one removed item.
const MOST_CANDIDATES: usize = 64;

impl<'t> Diff<'t> {
    /// Marks changes that only reflect the new keys of moved resources.
    pub(super) fn follow_moves(&self, changes: &mut [Change<'t>]) {
        if self.moved.is_empty() || !self.options.is_by_meaning() {
            return;
        }
        let names = Names { moved: &self.moved, made_anew: &self.made_anew, left: &self.left_to_follow };
        for change in changes.iter_mut().filter(|change| !change.difference.is_secret) {
            if let (Some((old, _)), Some((new, _))) = (change.difference.old, change.difference.new)
                && names.is_same(old, new)
            {
                follow(change);
            }
        }
        // E7: items that were not paired, because their references differ.
        let is_open = |change: &Change<'t>| {
            change.counts && change.difference.item.is_some() && !change.difference.is_secret
        };
        let mut come: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, change) in changes.iter().enumerate().filter(|(_, change)| is_open(change)) {
            if change.difference.old.is_none() {
                come.entry(list_of(change).to_owned()).or_default().push(n);
            }
        }
        for gone in 0..changes.len() {
            let change = &changes[gone];
            let (Some((old, _)), None, true) =
                (change.difference.old, change.difference.new, is_open(change))
            else {
                continue;
            };
            let Some(candidates) = come.get_mut(list_of(change)) else { continue };
            let is_partner =
                |n: &usize| changes[*n].difference.new.is_some_and(|(new, _)| names.is_same(old, new));
            if let Some(at) = candidates.iter().take(MOST_CANDIDATES).position(is_partner) {
                let partner = candidates.remove(at);
                follow(&mut changes[partner]);
                follow(&mut changes[gone]);
            }
        }
    }
}

fn follow(change: &mut Change<'_>) {
    (change.difference.class, change.counts) = (Class::Metadata, false);
}

/// The place of the list that contains an item.
fn list_of<'c>(change: &'c Change<'_>) -> &'c str {
    change.difference.pointer.rsplit_once('/').map_or("", |(list, _)| list)
}

/// The other names of moved resources.
struct Names<'m, 't> {
    moved: &'m HashMap<Cow<'t, str>, Cow<'t, str>>,
    /// Old keys of resources whose ids do not matter.
    made_anew: &'m HashSet<Cow<'t, str>>,
    /// The remaining number of values to visit. At zero, everything that differs is a difference.
    left: &'m Cell<u64>,
}

impl<'t> Names<'_, 't> {
    /// Whether two values differ only in references to moved resources.
    fn is_same(&self, old: Node<'t>, new: Node<'t>) -> bool {
        let mut pending = vec![(old, new)];
        while let Some((old, new)) = pending.pop() {
            let left = self.left.get().saturating_sub(1);
            self.left.set(left);
            let width = FormatNode::width(old);
            if left == 0 || old.kind() != new.kind() || width != FormatNode::width(new) {
                return false;
            }
            match old.kind() {
                Kind::String => {
                    let texts = FormatNode::as_str(old).zip(FormatNode::as_str(new));
                    if !texts.is_some_and(|(old, new)| self.is_same_text(old, new)) {
                        return false;
                    }
                }
                Kind::List => pending.extend(FormatNode::items(old).zip(FormatNode::items(new))),
                Kind::Object => {
                    for (key, below) in FormatNode::entries(old) {
                        let Some(other) = FormatNode::get(new, key) else { return false };
                        pending.push((below, other));
                    }
                }
                _ if old.to_value() == new.to_value() => {}
                _ => return false,
            }
        }
        true
    }

    fn is_same_text(&self, old: &str, new: &str) -> bool {
        // E3
        let leads_to = |old: &str, new: &str| self.moved.get(old).is_some_and(|moved| moved == new);
        if old == new || leads_to(old, new) {
            return true;
        }
        // E4: a provider: its key and its id.
        if let (Some((a, id)), Some((b, other))) = (old.rsplit_once("::"), new.rsplit_once("::"))
            && leads_to(a, b)
            && (id == other || self.made_anew.contains(a))
        {
            return true;
        }
        // E5: a value of a resource: `Name.Value`.
        if let (Some((a, value)), Some((b, other))) = (old.split_once('.'), new.split_once('.'))
            && leads_to(a, b)
            && value == other
        {
            return true;
        }
        // E6
        old.contains("${") && self.with_new_names(old) == new
    }

    /// A text with the new names in its `${…}`.
    fn with_new_names(&self, text: &str) -> String {
        let mut pieces = text.split("${");
        let mut made = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, rest) = piece.split_at(piece.find(['.', '}', '[']).unwrap_or(piece.len()));
            made.push_str("${");
            made.push_str(self.moved.get(name).map_or(name, |new| &**new));
            made.push_str(rest);
        }
        made
    }
}
