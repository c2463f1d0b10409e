//! The intermediate graph between two systems, with the parts that both have.
//!
//! Each reader fills it, and each writer writes it. A part that a reader does not keep is reported
//! as lost.

use super::finding::Findings;
use coconut_format::graph::PathSet;
use coconut_format::node::{Kind, Node};
use std::collections::HashMap;

/// A graph of any system.
pub(super) struct Model<'a, N> {
    /// The environment: Pulumi's stack.
    pub(super) stack: Option<&'a str>,
    /// The program that created the resources: Pulumi's project.
    pub(super) project: Option<&'a str>,
    pub(super) outputs: Vec<Output<'a, N>>,
    pub(super) resources: Vec<Resource<'a, N>>,
    /// The secret places in the source.
    pub(super) secrets: PathSet,
}

/// An output of the whole graph.
pub(super) struct Output<'a, N> {
    pub(super) name: &'a str,
    pub(super) value: N,
    pub(super) is_secret: bool,
    pub(super) pointer: String,
}

/// The kind of a resource in its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A resource created and deleted by a provider.
    Managed,
    /// A resource that is only read.
    Data,
    /// A group of other resources.
    Component,
    /// The configuration of a provider.
    Provider,
}

/// The key that tells apart the instances of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index<'a> {
    Number(u64),
    Text(&'a str),
}

/// A resource, or an instance of one.
pub(super) struct Resource<'a, N> {
    pub(super) pointer: String,
    /// The name in findings: a URN, an address.
    pub(super) key: String,
    pub(super) sort: Sort,
    pub(super) resource_type: &'a str,
    /// The name without module names.
    pub(super) name: String,
    /// The modules that contain it, from the root, each with its key.
    pub(super) modules: Vec<String>,
    pub(super) index: Option<Index<'a>>,
    pub(super) id: Option<&'a str>,
    pub(super) inputs: Option<Values<N>>,
    pub(super) state: Option<Values<N>>,
    /// Whether it is only waiting to be deleted.
    pub(super) waits: bool,
    pub(super) is_tainted: bool,
    /// The reference to its provider, in the notation of its system.
    pub(super) provider: Option<&'a str>,
    pub(super) parent: Option<u32>,
    pub(super) dependencies: Vec<u32>,
}

/// Values with their place.
#[derive(Clone)]
pub(super) struct Values<N> {
    pub(super) node: N,
    pub(super) pointer: String,
}

impl<'a, N: Node<'a>> Values<N> {
    /// The object under a key.
    pub(super) fn under(node: N, key: &str, pointer: &str) -> Option<Values<N>> {
        let node = node.get(key).filter(|value| value.kind() == Kind::Object)?;
        Some(Values { node, pointer: format!("{pointer}/{key}") })
    }
}

/// Reports the unread fields of an object as lost. Empty, false and null fields carry no
/// information.
pub(super) fn lose_others<'a, N: Node<'a>>(
    object: N,
    taken: &[&str],
    subject: &str,
    pointer: &str,
    findings: &mut Findings,
) {
    for (field, value) in object.entries() {
        let says_nothing = match value.kind() {
            Kind::Null => true,
            Kind::Bool => value.as_bool() == Some(false),
            Kind::String => value.as_str() == Some(""),
            Kind::List | Kind::Object => value.width() == 0,
            Kind::Integer | Kind::Float => false,
        };
        if !says_nothing && !taken.contains(&field) {
            let mut pointer = pointer.to_owned();
            coconut_format::pointer::push_key(&mut pointer, field);
            findings.lost(format!("`{field}`"), subject, pointer);
        }
    }
}

impl<N> Resource<'_, N> {
    /// Whether the source marks the id as secret.
    pub(super) fn is_id_secret(&self, secrets: &PathSet) -> bool {
        let attribute = self.state.as_ref().map(|state| format!("{}/id", state.pointer));
        secrets.contains(&format!("{}/id", self.pointer))
            || attribute.is_some_and(|pointer| secrets.contains(&pointer))
    }

    /// The resources that must exist before this one.
    pub(super) fn earlier(&self) -> impl Iterator<Item = u32> {
        self.parent.into_iter().chain(self.dependencies.iter().copied())
    }
}

/// The numbers below `count`, ordered so that each one follows those that `earlier` returns for it,
/// if such an order exists.
pub(super) fn in_order<I: Iterator<Item = u32>>(count: u32, earlier: impl Fn(u32) -> I) -> Vec<u32> {
    let mut order = Vec::with_capacity(count as usize);
    let mut reached = vec![false; count as usize];
    for start in 0..count {
        if std::mem::replace(&mut reached[start as usize], true) {
            continue;
        }
        let mut open = vec![(start, earlier(start))];
        while let Some((at, rest)) = open.last_mut() {
            match rest.next() {
                Some(target) if !std::mem::replace(&mut reached[target as usize], true) => {
                    open.push((target, earlier(target)));
                }
                Some(_) => {}
                None => {
                    order.push(*at);
                    open.pop();
                }
            }
        }
    }
    order
}

/// Makes texts unique: a repeated text gets a number.
#[derive(Default)]
pub(super) struct Distinct {
    counts: HashMap<String, u64>,
}

impl Distinct {
    pub(super) fn take(&mut self, wanted: String, separator: &str) -> String {
        if !self.counts.contains_key(&wanted) {
            self.counts.insert(wanted.clone(), 1);
            return wanted;
        }
        loop {
            let count = self.counts.get_mut(&wanted).map_or(2, |count| {
                *count += 1;
                *count
            });
            let text = format!("{wanted}{separator}{count}");
            if !self.counts.contains_key(&text) {
                self.counts.insert(text.clone(), 1);
                return text;
            }
        }
    }
}
