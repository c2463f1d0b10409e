//! §16 Differences between two files: created, deleted, moved and changed resources.
//!
//! A [`Side`] is one document, read once. [`Diff::of`] finds the resources that differ. Identical
//! shared values are compared once, however often they occur. The changes of each resource are
//! found on request.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_diff::{Diff, Options, Side};
//! use coconut_codec::read::file::DocumentFile;
//!
//! let old = br#"{"package": "my/net:*", "vertices": {"vpc": {"type": "aws:ec2:VPC", "n": 1}}}"#;
//! let new = br#"{"package": "my/net:*", "vertices": {"vpc": {"type": "aws:ec2:VPC", "n": 2}}}"#;
//! let file = |text: &[u8]| -> Result<_, Box<dyn std::error::Error>> {
//!     Ok(DocumentFile::from_data(compile(text, &CompileOptions::default())?.bytes)?)
//! };
//! let (old, new) = (file(old)?, file(new)?);
//! let (old, new) = (Side::read(old.view())?, Side::read(new.view())?);
//! let mut diff = Diff::of(&old, &new, &Options::default())?;
//! let mut places = Vec::new();
//! diff.for_each(&mut |resource| {
//!     let changes = resource.changes.iter().map(|change| change.difference.pointer.clone());
//!     places.push((resource.key.to_string(), changes.collect::<Vec<_>>()));
//!     Ok::<(), coconut_format::error::DecodeError>(())
//! })?;
//! assert_eq!(places, [("vpc".to_owned(), vec!["/n".to_owned()])]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod embedded;
mod limits;
mod list_places;
mod moves;
mod resources;
mod schema;
mod side;
mod surface;
pub mod value;

pub use coconut_codec::secrets::{Masks, TooLarge};
pub use embedded::Inner;
pub use embedded::within;
pub use resources::{Change, EdgeName, Happened, Instance, Planned, ResourceChange, Summary};
pub use side::Side;
pub use surface::Described;
pub use value::options::{Options, Strict};

use crate::value::{
    Along, Class, ClassRules, Comparison, Evidence, ItemRuns, ListRules, Marks, Moves, NullRule, Pairing,
    SameResource, Sameness, Schema, Scope, TooMuchWork, Unit, Without, compare, pair,
};
use coconut_codec::limits::search_budget;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::Twins;
use coconut_codec::secrets::HiddenValues;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::graph::PathSet;
use coconut_format::landmark::{RuleMatcher, Trail};
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::pointer::Pointer;
use limits::JOINED_KEY_BYTES;
use resources::Rules;
use side::{INSTANCES, Node, Units, at_once};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Whether two documents have the same bytes. Compares the digests in their headers (§4.7) first,
/// so most documents that differ are not read further. Equal digests prove nothing: a damaged file
/// keeps the digest in its header.
pub fn is_same_document(old: DocumentView<'_>, new: DocumentView<'_>) -> bool {
    old.header().digest == new.header().digest && old.bytes() == new.bytes()
}

/// Whether the meaning of lists and numbers in the document is unknown, so that their order and
/// form count ([`Strict::forms`]).
pub fn is_of_unknown_kind(document: DocumentView<'_>) -> bool {
    let header = document.header();
    let dialect = header.dialect.as_deref().unwrap_or_default();
    header.document_type == "document" && (dialect.is_empty() || dialect.starts_with("auto-"))
}

/// The difference of two documents.
#[derive(Debug)]
pub struct Diff<'t> {
    old: Compared<'t>,
    new: Compared<'t>,
    options: Options,
    pairing: Pairing,
    /// The pairs that are not identical.
    differing: Vec<SameResource>,
    /// The new keys of moved resources, by their old ones.
    moved: HashMap<Cow<'t, str>, Cow<'t, str>>,
    moved_to: HashSet<Cow<'t, str>>,
    /// The old keys of moved default providers. A new id of such a provider has no meaning.
    made_anew: HashSet<Cow<'t, str>>,
    /// For each reported move, the outermost moved resource around it.
    outermost: HashMap<Cow<'t, str>, Cow<'t, str>>,
    /// The keys of all new resources; filled when one of them has an alias.
    keys: Option<HashSet<Cow<'t, str>>>,
    /// The position of the first instance of each resource; filled when one was created or deleted.
    beside: Option<[HashMap<Cow<'t, str>, usize>; 2]>,
    /// The remaining number of values to visit when following references.
    left_to_follow: Cell<u64>,
    sameness: Sameness,
    rules: Rules,
    schema: Option<&'t dyn Schema>,
    /// If one value is compared: the type of the resource that contains it, and the place in that
    /// resource.
    around: Option<(Cow<'t, str>, String)>,
    limit: u64,
}

/// One side with its computed data.
#[derive(Debug)]
struct Compared<'t> {
    side: &'t Side<'t>,
    units: Units<'t>,
    /// Places of the differing parts.
    secrets: Rc<PathSet>,
    unknown: PathSet,
}

impl<'t> Compared<'t> {
    fn of(side: &'t Side<'t>, units: Units<'t>) -> Compared<'t> {
        Compared { side, units, secrets: Rc::default(), unknown: PathSet::default() }
    }

    /// The paths to these resources, and the filter that hides the others.
    fn ways(&self, units: impl Iterator<Item = usize>) -> (PathSet, HiddenValues) {
        let (mut ways, mut hidden) = (PathSet::default(), HiddenValues::default());
        // If instances are units, their resources are on the path.
        let values = |unit: &Unit<'t, Node<'t>>| {
            [Some(unit.node), unit.instance_of.as_ref().map(|of| of.node)].into_iter().flatten()
        };
        self.units.units.iter().flat_map(values).for_each(|value| hidden.insert(value));
        for unit in units {
            ways.insert(self.units.way(unit));
            values(&self.units.units[unit]).for_each(|value| hidden.remove(value));
        }
        (ways, hidden)
    }

    fn mark(&mut self, (secrets, unknown): (PathSet, PathSet)) {
        (self.secrets, self.unknown) = (Rc::new(secrets), unknown);
    }

    /// The marks at the end of a path.
    fn marks(&self, way: impl Iterator<Item = Trail<'t>>) -> Marks<'_> {
        let root = Marks { secret: Along::root(&self.secrets), unknown: Along::root(&self.unknown) };
        way.fold(root, Marks::enter)
    }
}

impl<'t> Diff<'t> {
    /// Finds the resources that differ. Reads both documents once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Work`] if the documents share so many values that comparing them takes too
    /// long, and [`ErrorKind::TooMany`] if the keys of their resources take too much memory.
    pub fn of(old: &'t Side<'t>, new: &'t Side<'t>, options: &Options) -> Result<Diff<'t>, DecodeError> {
        let bytes = old.document.bytes().len().saturating_add(new.document.bytes().len());
        let limit = search_budget(bytes);
        let sameness = Sameness::new(options.strictness(), limit);
        // In an exact comparison, documents of different dialects have only values in common.
        let [a, b] = match options.is_exact && old.dialect_name() != new.dialect_name() {
            true => Default::default(),
            false => at_once([old.document, new.document], || old.units(), || new.units()),
        };
        for (side, units) in [(old, &a), (new, &b)] {
            if units.joined_bytes > JOINED_KEY_BYTES {
                let (what, count, limit) = ("bytes of full keys", units.joined_bytes, JOINED_KEY_BYTES);
                let error = ErrorKind::TooMany { what, count, limit };
                return Err(error.at(side.document.root().offset()));
            }
        }
        Diff::of_units(Compared::of(old, a), Compared::of(new, b), options, sameness, limit)
    }

    /// Compares one value of each document, both of which are named `key`. One of them may be
    /// missing.
    ///
    /// # Errors
    ///
    /// The same as for [`of`](Self::of).
    pub fn of_values(
        (old, old_way): (&'t Side<'t>, Option<&[Trail<'t>]>),
        (new, new_way): (&'t Side<'t>, Option<&[Trail<'t>]>),
        key: &str,
        options: &Options,
    ) -> Result<Diff<'t>, DecodeError> {
        let bytes = old.document.bytes().len().saturating_add(new.document.bytes().len());
        let limit = search_budget(bytes);
        let sameness = Sameness::new(options.strictness(), limit);
        let of = |side: &'t Side<'t>, way| Compared::of(side, side.unit_at(way, key));
        Diff::of_units(of(old, old_way), of(new, new_way), options, sameness, limit)
    }

    fn of_units(
        mut old: Compared<'t>,
        mut new: Compared<'t>,
        options: &Options,
        mut sameness: Sameness,
        limit: u64,
    ) -> Result<Diff<'t>, DecodeError> {
        let found = find(&old, &new, options.moves, limit, &mut sameness);
        let (pairing, differing) = found.map_err(|TooMuchWork| too_much(limit, new.side))?;
        // The id of a resource in only one document is reported, and may be secret.
        let told = |units: &[Unit<'t, Node<'t>>], n: &[usize]| -> Vec<usize> {
            n.iter().copied().filter(|&n| options.is_full || units[n].id().is_some()).collect()
        };
        let deleted = told(&old.units.units, &pairing.deleted);
        let created = told(&new.units.units, &pairing.created);
        let mut a = old.ways(differing.iter().map(|same| same.old).chain(deleted));
        let mut b = new.ways(differing.iter().map(|same| same.new).chain(created));
        // Documents without resources are compared as a whole, and so are their marks.
        if old.units.is_empty() && new.units.is_empty() {
            a.0.insert(std::iter::empty());
            b.0.insert(std::iter::empty());
        }
        let (a_side, b_side) = (old.side, new.side);
        let [a, b] = at_once(
            [a_side.document, b_side.document],
            || a_side.marks((&a.0, &a.1), options.reveals),
            || b_side.marks((&b.0, &b.1), options.reveals),
        );
        old.mark(a?);
        new.mark(b?);
        let moved: HashMap<_, _> = moves(&pairing, &old.units.units, &new.units.units);
        let moved_to = moved.values().cloned().collect();
        let of_package = pairing.same.iter().filter(|same| same.why == Evidence::Package);
        let made_anew = of_package.map(|same| old.units.units[same.old].key.clone()).collect();
        Ok(Diff {
            old,
            new,
            made_anew,
            left_to_follow: Cell::new(limit),
            options: options.clone(),
            pairing,
            differing,
            moved,
            moved_to,
            outermost: HashMap::new(),
            keys: None,
            beside: None,
            sameness,
            rules: Rules::default(),
            schema: None,
            around: None,
            limit,
        })
    }

    /// Whether both documents describe resources in the same form, so that these are compared as a
    /// whole. Otherwise only their types, ids, inputs and outputs are compared. A document without
    /// resources has any form.
    pub fn has_one_form(&self) -> bool {
        self.old.side.form() == self.new.side.form() || self.old.units.is_empty() || self.new.units.is_empty()
    }

    /// The state needed to copy the values of the changes without their secrets.
    pub fn masks(&self) -> Masks {
        Masks::new(Rc::clone(&self.old.secrets), Rc::clone(&self.new.secrets), self.limit)
    }

    /// The places of resources at these positions of the old and the new document, as JSON pointers
    /// from the roots.
    pub fn places(&self, (old, new): (Option<usize>, Option<usize>)) -> [Option<String>; 2] {
        [(&self.old, old), (&self.new, new)].map(|(compared, position)| {
            let position = position.filter(|&position| position < compared.units.units.len())?;
            let mut pointer = Pointer::root();
            compared.units.way(position).for_each(|trail| trail.push_to(&mut pointer));
            Some(pointer.as_str().to_owned())
        })
    }

    /// The differences outside resources. There are none if the documents have different dialects,
    /// and their resources are at different places.
    pub fn front(&mut self) -> Result<Vec<Change<'t>>, DecodeError> {
        let mut found = self.around_resources()?;
        let has_found = !found.is_empty()
            || !self.differing.is_empty()
            || !self.pairing.created.is_empty()
            || !self.pairing.deleted.is_empty();
        // For example, orders on the path to resources.
        if self.options.is_exact && !has_found && !self.new.units.is_one_value {
            found = self.whole()?;
        }
        Ok(found)
    }

    /// All differences of the documents, with places from their roots.
    fn whole(&mut self) -> Result<Vec<Change<'t>>, DecodeError> {
        let scope = Scope { dialect: self.new.side.dialect_name(), resource_type: None, is_front: true };
        let (classes, lists) = (ClassRules::of(&scope), ListRules::of(&scope, &self.options.lists));
        let comparison = Comparison {
            classes: &classes,
            usual: Class::Front,
            lists: &lists,
            nulls: NullRule::IsValue,
            has_blocks: self.has_blocks(),
            schema: None,
            without: None,
        };
        let roots = (Some(self.old.side.root()), Some(self.new.side.root()));
        let marks = (self.old.marks(std::iter::empty()), self.new.marks(std::iter::empty()));
        let (options, mut found) = (&self.options, Vec::new());
        let mut each = |difference| found.push(Change::of(difference, options));
        let compared = compare(roots, marks, &comparison, &mut self.sameness, &mut each);
        compared.map_err(|TooMuchWork| too_much(self.limit, self.new.side))?;
        Ok(found)
    }

    fn around_resources(&mut self) -> Result<Vec<Change<'t>>, DecodeError> {
        let mut found = Vec::new();
        let is_like = self.is_of_one_dialect() || self.old.side.has_places_of(self.new.side);
        if self.new.units.is_one_value || !is_like && self.has_resources() {
            return Ok(found);
        }
        // If the document is a resource, there is nothing outside it.
        let outside = |side: &Compared<'t>| {
            let is_resource = !side.units.units.is_empty() && !side.units.has_ways();
            (!is_resource).then(|| side.side.root())
        };
        let roots = (outside(&self.old), outside(&self.new));
        if roots.0.is_none() && roots.1.is_none() {
            return Ok(found);
        }
        let rule = &self.new.side.rule;
        let matcher = RuleMatcher::new(rule);
        let has_resources = self.has_resources();
        let none = ItemRuns::default();
        let [of_old, of_new] = [&self.old, &self.new].map(|compared| compared.units.items());
        // A resource under the rule of one document may not be one under the rule of the other.
        let of_old = if self.old.side.rule == *rule { &of_old } else { &none };
        let known = (of_old, &of_new);
        let without = has_resources.then_some(Without { rule, matcher: &matcher, known });
        let scope = Scope { dialect: self.new.side.dialect_name(), resource_type: None, is_front: true };
        let (classes, lists) = (ClassRules::of(&scope), ListRules::of(&scope, &self.options.lists));
        let comparison = Comparison {
            classes: &classes,
            usual: if without.is_some() { Class::Front } else { Class::Value },
            lists: &lists,
            nulls: self.nulls(),
            has_blocks: self.has_blocks(),
            schema: None,
            without,
        };
        let options = &self.options;
        for (roots, is_form) in comparable(roots, has_resources) {
            let marks = (self.old.marks(std::iter::empty()), self.new.marks(std::iter::empty()));
            let compared = compare(roots, marks, &comparison, &mut self.sameness, &mut |mut difference| {
                if is_form {
                    difference.class = Class::Metadata;
                }
                found.push(Change::of(difference, options));
            });
            compared.map_err(|TooMuchWork| too_much(self.limit, self.new.side))?;
        }
        self.follow_moves(&mut found);
        let orders = self.orders();
        found.extend(orders.into_iter().map(|pointer| Change::order(pointer, &self.options)));
        Ok(found)
    }

    fn is_of_one_dialect(&self) -> bool {
        self.old.side.dialect_name() == self.new.side.dialect_name()
    }

    /// Whether there are resources in one of the documents.
    fn has_resources(&self) -> bool {
        self.old.units.has_ways() || self.new.units.has_ways()
    }

    /// The pointers of lists and objects whose resources have another order.
    fn orders(&self) -> Vec<String> {
        let by_key = self.pairing.same.iter().filter(|same| same.why == Evidence::Key);
        let (mut found, mut is_around_found) = (Vec::new(), false);
        let mut last: Option<SameResource> = None;
        for same in by_key {
            let before = last.filter(|last| last.old > same.old);
            let Some(before) = before else {
                last = Some(*same);
                continue;
            };
            let is_in_old = self.old.units.list_of_both(before.old, same.old).is_some();
            match self.new.units.list_of_both(before.new, same.new).filter(|_| is_in_old) {
                Some(list) => found.extend((found.last() != Some(&list)).then_some(list)),
                None if !is_around_found => {
                    is_around_found = true;
                    found.push(self.new.units.around());
                    last = Some(*same);
                }
                None => last = Some(*same),
            }
        }
        found
    }

    /// In Coconut 2017 snapshots, a missing entry and `null` are equal (§16.1).
    fn nulls(&self) -> NullRule {
        match self.new.side.dialect_name().filter(|_| !self.options.is_exact) {
            Some("mugl-snapshot" | "coconut-snapshot" | "coconut-environment") => NullRule::IsMissing,
            _ => NullRule::IsValue,
        }
    }

    fn has_blocks(&self) -> bool {
        self.new.side.dialect_name().is_some_and(|name| name.starts_with("terraform-"))
    }
}

/// The old and the new root, unless they are resources.
type Roots<'t> = (Option<Node<'t>>, Option<Node<'t>>);

/// The roots to compare together, and whether they only serve to list resources.
///
/// The same resources can be in an object, in a list, or be the document. In this case the values
/// around them have nothing in common.
fn comparable((old, new): Roots<'_>, has_resources: bool) -> Vec<(Roots<'_>, bool)> {
    let kind = |root: Option<Node<'_>>| root.map(FormatNode::kind);
    if !has_resources || kind(old) == kind(new) {
        return vec![((old, new), false)];
    }
    let is_form = |root| kind(root) == Some(Kind::Object);
    vec![((old, None), is_form(old)), ((None, new), is_form(new))]
}

/// The new keys of moved instances and resources, by the old ones.
fn moves<'t>(
    pairing: &Pairing,
    old: &[Unit<'t, Node<'t>>],
    new: &[Unit<'t, Node<'t>>],
) -> HashMap<Cow<'t, str>, Cow<'t, str>> {
    let mut moved = HashMap::new();
    for same in &pairing.same {
        let (old, new) = (&old[same.old], &new[same.new]);
        if old.key != new.key {
            moved.insert(old.key.clone(), new.key.clone());
            if let (Some(old), Some(new)) = (&old.instance_of, &new.instance_of)
                && old.key != new.key
            {
                moved.insert(old.key.clone(), new.key.clone());
            }
        }
    }
    moved
}

/// Pairs the resources, and finds the pairs that are not identical.
fn find<'t>(
    old: &Compared<'t>,
    new: &Compared<'t>,
    moves: Moves,
    limit: u64,
    sameness: &mut Sameness,
) -> Result<(Pairing, Vec<SameResource>), TooMuchWork> {
    let mut twins = Twins::new(&old.side.tree, &new.side.tree, limit);
    let (a, b) = (&old.units.units, &new.units.units);
    let mut identical = |old: &Unit<'t, Node<'t>>, new: &Unit<'t, Node<'t>>| {
        let is_same = twins.is_identical(old.node, new.node)?;
        match (is_same, &old.instance_of, &new.instance_of) {
            (false, ..) => Ok(false),
            (true, Some(old), Some(new)) => {
                is_same_but_for_instances(old.node, new.node, &mut |old, new| twins.is_identical(old, new))
            }
            (true, old, new) => Ok(old.is_none() == new.is_none()),
        }
    };
    let pairing = pair(a, b, moves, &mut identical, sameness)?;
    let mut differing = Vec::new();
    for same in pairing.same.iter().filter(|same| !same.is_identical) {
        let (a, b) = (&a[same.old], &b[same.new]);
        if same.is_made_anew || a.key != b.key || !identical(a, b)? {
            differing.push(*same);
        }
    }
    Ok((pairing, differing))
}

/// Whether all entries of two resources except the instances are identical and in the same order.
fn is_same_but_for_instances<'t>(
    old: Node<'t>,
    new: Node<'t>,
    identical: &mut dyn FnMut(Node<'t>, Node<'t>) -> Result<bool, TooMuchWork>,
) -> Result<bool, TooMuchWork> {
    if FormatNode::width(old) != FormatNode::width(new) {
        return Ok(false);
    }
    for ((key, old), (other, new)) in FormatNode::entries(old).zip(FormatNode::entries(new)) {
        if key != other || (key != INSTANCES && !identical(old, new)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn too_much(limit: u64, side: &Side<'_>) -> DecodeError {
    ErrorKind::Work { limit }.at(side.document.root().offset())
}
