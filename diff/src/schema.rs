//! §16.3 The declarations of schemas for resources that differ.

use crate::resources::Change;
use crate::side::{Node, Side, Units};
use crate::value::{Schema, Unit};
use crate::{Compared, Diff, too_much};
use coconut_codec::limits;
use coconut_format::error::DecodeError;
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::pointer::Pointer;
use std::borrow::Cow;
use std::rc::Rc;

/// The maximum number of steps from a resource to its properties.
const MOST_STEPS_TO_PROPERTIES: usize = 3;

/// The number of steps from a resource to one of its instances.
const STEPS_TO_INSTANCES: usize = 2;

impl<'t> Diff<'t> {
    /// Uses these schemas: they declare which lists are sets, and which values are secret, computed
    /// or force a replacement. Must be called before any result is requested.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Work`](coconut_format::error::ErrorKind::Work) if the search for secrets takes
    /// too long.
    pub fn describe(&mut self, schema: &'t dyn Schema) -> Result<(), DecodeError> {
        self.schema = Some(schema);
        // The compared value can be a part of a resource, and can contain resources.
        let resources = [&self.old, &self.new].map(|compared| match compared.has_resources() {
            true => None,
            false => Some(compared.side.units()),
        });
        self.around = [(&self.new, &resources[1]), (&self.old, &resources[0])]
            .into_iter()
            .find_map(|(compared, resources)| compared.around(resources.as_ref()?));
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
        let [of_old, of_new] = &resources;
        let marked = self
            .old
            .mark_secrets(schema, &old, of_old.as_ref(), &mut left)
            .and_then(|()| self.new.mark_secrets(schema, &new, of_new.as_ref(), &mut left));
        marked.ok_or_else(|| too_much(self.limit, self.new.side))
    }

    /// The type of a resource in schemas, or of the one that contains a value, and the place in it.
    pub(super) fn described(&self, unit: &Unit<'t, Node<'t>>) -> Option<(Cow<'t, str>, String)> {
        match &self.around {
            Some(around) => Some(around.clone()),
            None => Some((token_of(unit)?, String::new())),
        }
    }

    /// Whether the schemas define the type of a resource; `None` without schemas, or for a resource
    /// without a type.
    pub(super) fn is_described(&self, unit: &Unit<'t, Node<'t>>) -> Option<bool> {
        Some(self.schema?.has_type(&self.described(unit)?.0))
    }

    /// Adds the information of schemas to the changes of a resource.
    pub(super) fn describe_changes(&self, new: usize, changes: &mut [Change<'t>]) {
        let Some(schema) = self.schema else { return };
        let Some((token, start)) = self.described(&self.new.units.units[new]) else { return };
        for change in changes {
            if let Some(facts) = schema.at(&token, &format!("{start}{}", change.difference.pointer)) {
                change.is_computed = facts.is_computed;
                change.forces_replacement = facts.replaces && change.counts;
            }
        }
    }
}

impl<'t> Side<'t> {
    /// The paths to all values that schemas declare secret.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Work`](coconut_format::error::ErrorKind::Work) if the search takes too long.
    pub fn secrets_by(&'t self, schema: &dyn Schema) -> Result<Vec<Vec<Trail<'t>>>, DecodeError> {
        let limit = limits::search_budget(self.document.bytes().len());
        let (units, mut found, mut left) = (self.units(), Vec::new(), limit);
        let all = (0..units.units.len()).filter(|_| schema.has_secrets());
        units.secrets_by(schema, all, &mut found, &mut left).ok_or_else(|| too_much(limit, self))?;
        Ok(found)
    }
}

/// The type of a resource in schemas. Data sources of Terraform have separate types there.
fn token_of<'t>(unit: &Unit<'t, Node<'t>>) -> Option<Cow<'t, str>> {
    let token = unit.resource_type()?;
    let around = unit.instance_of.as_ref().map_or(unit.node, |of| of.node);
    match FormatNode::get(around, "mode").and_then(FormatNode::as_str) {
        Some("data") => Some(Cow::Owned(format!("data.{token}"))),
        _ => Some(Cow::Borrowed(token)),
    }
}

impl<'t> Compared<'t> {
    /// Whether this is the resources of the document, rather than one value.
    fn has_resources(&self) -> bool {
        !self.units.is_one_value && !self.units.is_empty()
    }

    /// The type of the innermost resource that contains the one value, and the place in it.
    fn around(&self, resources: &Units<'t>) -> Option<(Cow<'t, str>, String)> {
        if !self.units.is_one_value || self.units.is_empty() {
            return None;
        }
        let way = self.way_of_value();
        let ways = (0..resources.units.len()).map(|n| (n, resources.way_of_resource(n)));
        let (n, around) =
            ways.filter(|(_, around)| way.starts_with(around)).max_by_key(|(_, way)| way.len())?;
        let mut place = Pointer::root();
        way[around.len()..].iter().for_each(|trail| trail.push_to(&mut place));
        Some((token_of(&resources.units[n])?, place.to_string()))
    }

    /// The path to the one value, or to the whole document.
    fn way_of_value(&self) -> Vec<Trail<'t>> {
        let way = (!self.units.is_empty()).then(|| self.units.way(0));
        way.into_iter().flatten().filter(|trail| *trail != Trail::Root).collect()
    }

    /// Marks the values that schemas declare secret: in some resources, or around and inside one
    /// value. `None` if that takes more steps than remain.
    fn mark_secrets(
        &mut self,
        schema: &dyn Schema,
        units: &[usize],
        resources: Option<&Units<'t>>,
        left: &mut u64,
    ) -> Option<()> {
        let mut found = Vec::new();
        self.units.secrets_by(schema, units.iter().copied(), &mut found, left)?;
        if let Some(resources) = resources {
            let value = self.way_of_value();
            let is_near = |n: &usize| {
                let way = resources.way_of_resource(*n);
                way.starts_with(&value) || value.starts_with(&way)
            };
            let near = (0..resources.units.len()).filter(is_near);
            resources.secrets_by(schema, near, &mut found, left)?;
        }
        if !found.is_empty() {
            let secrets = Rc::make_mut(&mut self.secrets);
            found.into_iter().for_each(|way| secrets.insert(way));
        }
        Some(())
    }
}

impl<'t> Units<'t> {
    /// The path to a resource, or to the resource of an instance.
    fn way_of_resource(&self, unit: usize) -> Vec<Trail<'t>> {
        let mut way: Vec<Trail<'t>> = self.way(unit).filter(|trail| *trail != Trail::Root).collect();
        if self.units[unit].instance_of.is_some() {
            way.truncate(way.len().saturating_sub(STEPS_TO_INSTANCES));
        }
        way
    }

    /// The paths to the values in these resources that schemas declare secret.
    fn secrets_by(
        &self,
        schema: &dyn Schema,
        units: impl Iterator<Item = usize>,
        found: &mut Vec<Vec<Trail<'t>>>,
        left: &mut u64,
    ) -> Option<()> {
        for n in units {
            let unit = &self.units[n];
            let Some(token) = token_of(unit).filter(|token| schema.has_type(token)) else { continue };
            let way: Vec<Trail<'t>> = self.way(n).collect();
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
                        Some(facts) if facts.hides(below) => {
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
        Some(())
    }
}
