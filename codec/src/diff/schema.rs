//! §16.3 What schemas say of the resources that differ.

use super::side::Node;
use super::{Change, Compared, Diff, too_much};
use coconut_format::diff::{Schema, Unit};
use coconut_format::error::DecodeError;
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::pointer::Pointer;
use std::borrow::Cow;
use std::rc::Rc;

/// Steps from a resource to its properties, at most.
const MOST_STEPS_TO_PROPERTIES: usize = 3;

impl<'t> Diff<'t> {
    /// Takes what these schemas say into account: which lists are sets, what is secret, computed or
    /// makes a new resource. To be called before anything is asked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Work`](coconut_format::error::ErrorKind::Work) if looking for secrets takes too
    /// long.
    #[cfg_attr(not(feature = "tooling"), doc(hidden))]
    pub fn describe(&mut self, schema: &'t dyn Schema) -> Result<(), DecodeError> {
        self.schema = Some(schema);
        if self.options.reveals || !schema.has_secrets() {
            return Ok(());
        }
        let is_full = self.options.is_full;
        let told = |compared: &Compared<'t>, alone: &[usize]| -> Vec<usize> {
            let units = &compared.units.units;
            alone.iter().copied().filter(|&n| is_full || units[n].id().is_some()).collect()
        };
        let old = self.differing.iter().map(|same| same.old).chain(told(&self.old, &self.pairing.deleted));
        let new = self.differing.iter().map(|same| same.new).chain(told(&self.new, &self.pairing.created));
        let (old, new): (Vec<usize>, Vec<usize>) = (old.collect(), new.collect());
        let mut left = self.limit;
        let marked = self
            .old
            .mark_secrets(schema, &old, &mut left)
            .and_then(|()| self.new.mark_secrets(schema, &new, &mut left));
        marked.ok_or_else(|| too_much(self.limit, self.new.side))
    }

    /// Whether schemas have the type of a resource; `None` without schemas, or for one of no type.
    pub(super) fn is_described(&self, unit: &Unit<'t, Node<'t>>) -> Option<bool> {
        Some(self.schema?.has_type(&token_of(unit)?))
    }

    /// Adds what schemas say to the changes of a resource.
    pub(super) fn describe_changes(&self, new: usize, changes: &mut [Change<'t>]) {
        let Some(schema) = self.schema else { return };
        let Some(token) = token_of(&self.new.units.units[new]) else { return };
        for change in changes {
            if let Some(facts) = schema.at(&token, &change.difference.pointer) {
                change.is_computed = facts.is_computed;
                change.forces_replacement = facts.replaces && change.counts;
            }
        }
    }
}

/// The type of a resource in schemas. What Terraform only reads is a type of its own there.
pub(super) fn token_of<'t>(unit: &Unit<'t, Node<'t>>) -> Option<Cow<'t, str>> {
    let token = unit.resource_type()?;
    let around = unit.instance_of.as_ref().map_or(unit.node, |of| of.node);
    match FormatNode::get(around, "mode").and_then(FormatNode::as_str) {
        Some("data") => Some(Cow::Owned(format!("data.{token}"))),
        _ => Some(Cow::Borrowed(token)),
    }
}

impl<'t> Compared<'t> {
    /// Marks what schemas call secret. `None` if that takes more steps than are left.
    fn mark_secrets(&mut self, schema: &dyn Schema, units: &[usize], left: &mut u64) -> Option<()> {
        let mut found: Vec<Vec<Trail<'t>>> = Vec::new();
        for &n in units {
            let unit = &self.units.units[n];
            let Some(token) = token_of(unit).filter(|token| schema.has_type(token)) else { continue };
            let way: Vec<Trail<'t>> = self.units.way(n).collect();
            let mut pending = vec![(unit.node, Pointer::root(), Vec::new())];
            while let Some((node, pointer, trails)) = pending.pop() {
                let entries = node.entries().map(|(key, below)| (Trail::Entry(key), below));
                let items = node.items().enumerate().map(|(n, below)| (Trail::Item(n), below));
                for (trail, below) in entries.chain(items) {
                    *left = left.checked_sub(1)?;
                    let (mut place, mut way_there) = (pointer.clone(), trails.clone());
                    trail.push_to(&mut place);
                    way_there.push(trail);
                    match schema.at(&token, place.as_str()) {
                        Some(facts) if facts.is_secret => {
                            found.push(way.iter().copied().chain(way_there).collect());
                        }
                        facts => {
                            let leads_on = facts.is_some() || way_there.len() < MOST_STEPS_TO_PROPERTIES;
                            if leads_on && matches!(below.kind(), Kind::List | Kind::Object) {
                                pending.push((below, place, way_there));
                            }
                        }
                    }
                }
            }
        }
        if !found.is_empty() {
            let secrets = Rc::make_mut(&mut self.secrets);
            found.into_iter().for_each(|way| secrets.insert(way));
        }
        Some(())
    }
}
