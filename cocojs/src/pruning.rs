//! The functions of the library that a program uses. Others are left out of the package.

use crate::il::{Il, Node};
use std::collections::HashSet;

/// Removes the members of the library that neither the modules nor the members that stay name.
/// `prefix` is the token of the library with `:`.
pub(crate) fn prune<'a>(library: &mut Node<'a>, modules: &[&Node<'a>], prefix: &str) {
    let mut used = HashSet::new();
    for module in modules {
        mentioned(module, prefix, &mut used);
    }
    let mut pending: Vec<&'a str> = used.iter().copied().collect();
    while let Some(name) = pending.pop() {
        let mut found = HashSet::new();
        if let Some(Il::Map(members)) = library.field("members")
            && let Some((_, Il::Node(member))) = members.iter().find(|(known, _)| *known == name)
        {
            mentioned(member, prefix, &mut found);
        }
        pending.extend(found.into_iter().filter(|name| used.insert(name)));
    }
    for key in ["members", "exports"] {
        if let Some(Il::Map(entries)) = library.field_mut(key) {
            entries.retain(|(name, _)| name.starts_with('.') || used.contains(name));
        }
    }
}

/// Adds the members of the library that a tree names.
fn mentioned<'a>(node: &Node<'a>, prefix: &str, names: &mut HashSet<&'a str>) {
    for (key, field) in &node.fields {
        match (*key, field) {
            ("tok", Il::Text(token)) => {
                if let Some(member) = token.find(prefix).and_then(|at| token.get(at + prefix.len()..)) {
                    let end = member.find([':', ',', ')', ']']).unwrap_or(member.len());
                    names.extend(member.get(..end));
                }
            }
            (_, field) => mentioned_in(field, prefix, names),
        }
    }
}

fn mentioned_in<'a>(field: &Il<'a>, prefix: &str, names: &mut HashSet<&'a str>) {
    match field {
        Il::Node(node) => mentioned(node, prefix, names),
        Il::List(items) => items.iter().for_each(|item| mentioned_in(item, prefix, names)),
        Il::Map(entries) => entries.iter().for_each(|(_, entry)| mentioned_in(entry, prefix, names)),
        Il::Text(_) | Il::Number(_) | Il::Bool(_) | Il::Place(_) => {}
    }
}
