//! §16.2 The changes of each resource.

use crate::embedded::{self, Inner};
use crate::side::{INSTANCES, Node};
use crate::value::options::Options;
use crate::value::{
    Action, Class, ClassRules, Comparison, Difference, Evidence, InstanceOf, ListRules, Marks, SameResource,
    Sameness, SchemaOf, Scope, TooMuchWork, Unit, compare, compare_at,
};
use crate::{Compared, Diff, Masks, TooLarge, too_much};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::{Place, UnknownType};
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::pointer::push_key;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

coconut_format::named! {
    /// The change of a resource.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Happened {
        /// Only the new document has it.
        Created = "created", "+";
        /// Only the old document has it.
        Deleted = "deleted", "-";
        /// It differs.
        Changed = "changed", "~";
        /// Replaced by another one: the provider's id differs.
        Replaced = "replaced", "-/+";
        /// It has another key, and may differ otherwise, too.
        Moved = "moved", ">";
        /// It is unchanged, but no longer managed.
        Forgotten = "forgotten", ".";
    }
    /// The word used in reports.
    pub fn name;
    /// The symbol used in texts.
    pub fn sign;
}

/// A difference at one place, with its details.
#[derive(Clone, Debug)]
pub struct Change<'t> {
    /// The place and the values.
    pub difference: Difference<Node<'t>, Node<'t>>,
    /// The differences inside two strings that contain JSON or YAML.
    pub inner: Option<Inner>,
    /// Whether it makes the documents differ. Orders and notes of tools do not. Unknown values do
    /// so only on request.
    pub counts: bool,
    /// Whether the schema declares that the provider fills the value.
    pub is_computed: bool,
    /// Whether the schema declares that a new value here replaces the resource.
    pub forces_replacement: bool,
}

impl<'t> Change<'t> {
    /// Copies the old and the new value, with `mask` for each secret in them. A value that is
    /// secret as a whole, on either side, becomes the mask. Take `masks` from the [`Diff`] once,
    /// before its changes.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if shared values expand to more than all copies together may have.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, Value, compile};
    /// use coconut_diff::{Diff, Options, Side};
    ///
    /// let state = |password: &str| {
    ///     let text = format!(
    ///         r#"{{"version": 4, "resources": [{{
    ///            "mode": "managed", "type": "db", "name": "a", "instances": [{{
    ///            "attributes": {{"size": 1, "password": "{password}"}},
    ///            "sensitive_attributes": [[{{"type": "get_attr", "value": "password"}}]]}}]}}]}}"#
    ///     );
    ///     compile(text.as_bytes(), &CompileOptions::default()).map(|compiled| compiled.bytes)
    /// };
    /// let old = Document::from_data(state("hunter2")?)?;
    /// let new = Document::from_data(state("12345")?)?;
    /// let (old, new) = (Side::read(old.view())?, Side::read(new.view())?);
    /// let mut diff = Diff::of(&old, &new, &Options::default())?;
    /// let (masks, mask) = (diff.masks(), Value::String("[secret]".to_owned()));
    /// let mut texts = Vec::new();
    /// diff.for_each(&mut |resource| {
    ///     for change in &resource.changes {
    ///         texts.push(change.masked(&masks, &mask));
    ///     }
    ///     Ok::<(), coconut_codec::DecodeError>(())
    /// })?;
    /// assert_eq!(texts, [Ok((Some(mask.clone()), Some(mask)))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn masked(&self, masks: &Masks, mask: &Value) -> Result<(Option<Value>, Option<Value>), TooLarge> {
        if self.difference.is_secret {
            // A value that became secret was secret before, and the other way round.
            let one = |is_there: bool| is_there.then(|| mask.clone());
            return Ok((one(self.difference.has_old()), one(self.difference.has_new())));
        }
        let old = self.difference.old.map(|value| masks.old(value, mask)).transpose()?;
        let new = self.difference.new.map(|value| masks.new_value(value, mask)).transpose()?;
        Ok((old, new))
    }

    pub(super) fn of(difference: Difference<Node<'t>, Node<'t>>, options: &Options) -> Change<'t> {
        let mut difference = difference;
        let inner = inner_of(&difference);
        // C15
        if options.is_by_meaning() && inner.as_ref().is_some_and(Inner::is_same) {
            difference.class = Class::Order;
        }
        // Rows W1 to W6 of §16.3, first by meaning.
        let counts = match difference.class {
            Class::Value | Class::Edge | Class::Identity | Class::Front => true,
            Class::Secret => !difference.is_possible || options.strict.secrets,
            Class::Order | Class::Metadata => false,
            Class::Unknown => options.strict.unknowns,
        };
        let is_form = options.strict.forms && difference.class != Class::Order;
        let counts = counts || options.is_exact || is_form;
        Change { inner, counts, ..Change::plain(difference) }
    }

    /// E9: no edge reports this difference. A text may be a reference that leads nowhere, or where
    /// another one leads.
    fn stand_for_itself(&mut self) {
        let Difference { old, new, .. } = &self.difference;
        self.counts = [old, new].into_iter().flatten().any(|(value, _)| has_text(*value));
        self.difference.class = if self.counts { Class::Value } else { Class::Metadata };
    }

    /// The resources below this place have another order.
    pub(super) fn order(pointer: String, options: &Options) -> Change<'t> {
        Change { counts: options.is_exact, ..Change::plain(Change::reorder(pointer)) }
    }

    fn plain(difference: Difference<Node<'t>, Node<'t>>) -> Change<'t> {
        Change { difference, inner: None, counts: false, is_computed: false, forces_replacement: false }
    }

    fn reorder(pointer: String) -> Difference<Node<'t>, Node<'t>> {
        Difference {
            pointer,
            old_pointer: None,
            action: Action::Reorder,
            class: Class::Order,
            item: None,
            old: None,
            new: None,
            is_possible: false,
            is_secret: false,
        }
    }
}

/// The differences inside two strings at one place, if they contain structured values.
fn inner_of(difference: &Difference<Node<'_>, Node<'_>>) -> Option<Inner> {
    if difference.action != Action::Update || !matches!(difference.class, Class::Value | Class::Front) {
        return None;
    }
    let ((old, old_place), (new, new_place)) = (difference.old?, difference.new?);
    if difference.is_secret || old_place == Place::Inside || new_place == Place::Inside {
        return None;
    }
    let name = difference.pointer.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_yaml = name.contains("yaml") || name.ends_with(".yml");
    let (old, new) = (old.as_str()?, new.as_str()?);
    let has_form = |text: &str| text.trim().contains('\n') || text.trim_start().starts_with(['{', '[']);
    let inner = embedded::within(old, new, is_yaml || has_form(old) || has_form(new))?;
    // Without a name that states it, a text may be something else that only looks like YAML.
    let is_certain = is_yaml || inner.notation != "yaml" || !inner.is_same() || has_same_letters(old, new);
    is_certain.then_some(inner)
}

/// Whether two texts have the same letters and digits, in any order.
fn has_same_letters(old: &str, new: &str) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.sort_unstable();
        letters
    };
    letters(old) == letters(new)
}

/// The facts about a resource that is one of several instances in one value of the document.
///
/// The places of its differences begin at that value, and so do rules for places.
#[derive(Clone, Debug)]
pub struct Instance<'t> {
    /// The key of the resource to which the instance belongs.
    pub resource: Cow<'t, str>,
    /// The place of that resource: in the new document, or in the old one if only that has it.
    pub place: String,
    /// If only one document has the instance, the position of another instance of the same resource
    /// in the other document.
    pub beside: Option<usize>,
}

/// An edge: its kind, and the key at its other end.
pub type EdgeName<'t> = (&'t str, &'t str);

/// The plan's information about a resource, other than its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Planned {
    /// It is updated, and the plan does not show the changes.
    UpdateUnseen,
    /// It is updated, and the result is known only later.
    UpdateUnknown,
    /// The new one is created before the old one is deleted.
    CreateThenDelete,
    /// The old one is deleted first.
    DeleteThenCreate,
    /// The old one is kept, and no longer managed.
    CreateThenForget,
    /// It is replaced by a new one, in an unspecified order.
    Replace,
}

impl Planned {
    /// The word used in plans and reports.
    pub fn name(self) -> &'static str {
        match self {
            Planned::UpdateUnseen | Planned::UpdateUnknown => "update",
            Planned::CreateThenDelete => "create-then-delete",
            Planned::DeleteThenCreate => "delete-then-create",
            Planned::CreateThenForget => "create-then-forget",
            Planned::Replace => "replace",
        }
    }

    /// Whether it is updated without any change shown in the plan.
    pub fn is_update(self) -> bool {
        matches!(self, Planned::UpdateUnseen | Planned::UpdateUnknown)
    }

    fn of(node: Node<'_>) -> Option<Planned> {
        let word = FormatNode::get(node, PLANNED)?.as_str()?;
        let all = [
            Planned::UpdateUnseen,
            Planned::CreateThenDelete,
            Planned::DeleteThenCreate,
            Planned::CreateThenForget,
            Planned::Replace,
        ];
        all.into_iter().find(|planned| planned.name() == word)
    }
}

/// A resource that differs.
#[derive(Debug)]
pub struct ResourceChange<'t> {
    /// The kind of its change.
    pub happened: Happened,
    /// Its key: the new one if there is one.
    pub key: Cow<'t, str>,
    /// The old key, if it differs.
    pub old_key: Option<Cow<'t, str>>,
    /// Its type.
    pub resource_type: Option<&'t str>,
    /// Its positions among the resources of the documents.
    pub positions: (Option<usize>, Option<usize>),
    /// The provider's ids, unless one of them is secret.
    pub ids: (Option<&'t str>, Option<&'t str>),
    /// Whether one of the ids is secret.
    pub has_secret_id: bool,
    /// Flags for ids that are not known yet.
    pub has_unknown_ids: (bool, bool),
    /// Whether a schema defines its type; `None` without schemas, or if it has no type.
    pub is_described: Option<bool>,
    /// The plan's information about it.
    pub planned: Option<Planned>,
    /// If it is an instance, the facts about its resource.
    pub instance: Option<Instance<'t>>,
    /// The reason why the old and the new one are paired.
    pub why: Option<Evidence>,
    /// The outermost moved resource around it, by its new key.
    pub moved_with: Option<Cow<'t, str>>,
    /// A key that it declares as its own, but that another resource still has.
    pub alias_in_use: Option<Cow<'t, str>>,
    /// Whether it could match one of several resources in the other document.
    pub is_ambiguous: bool,
    /// Whether the old one is still waiting to be deleted.
    pub is_retired_later: bool,
    /// Whether only one document has it, and it is only waiting to be deleted there.
    pub is_condemned: bool,
    /// Added edges.
    pub edges_added: Vec<EdgeName<'t>>,
    /// Removed edges.
    pub edges_removed: Vec<EdgeName<'t>>,
    /// Differences. Places begin at the resource.
    pub changes: Vec<Change<'t>>,
}

impl ResourceChange<'_> {
    /// Whether it makes the documents differ.
    pub fn counts(&self) -> bool {
        self.happened != Happened::Changed
            || !self.edges_added.is_empty()
            || !self.edges_removed.is_empty()
            || self.planned.is_some_and(Planned::is_update)
            || self.changes.iter().any(|change| change.counts)
    }
}

/// The number of resources of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named like `Happened`")]
pub struct Summary {
    pub created: usize,
    pub deleted: usize,
    pub changed: usize,
    pub replaced: usize,
    pub moved: usize,
    pub forgotten: usize,
    /// Created resources that may be deleted ones with another key.
    pub ambiguous: usize,
    /// Unchanged resources.
    pub unchanged: usize,
    /// Resources that differ only in parts that do not count.
    pub metadata_only: usize,
}

impl Summary {
    /// Counts a resource that differs.
    pub fn add(&mut self, resource: &ResourceChange<'_>) {
        let count = match resource.happened {
            _ if !resource.counts() => &mut self.metadata_only,
            Happened::Created => &mut self.created,
            Happened::Deleted => &mut self.deleted,
            Happened::Changed => &mut self.changed,
            Happened::Replaced => &mut self.replaced,
            Happened::Moved => &mut self.moved,
            Happened::Forgotten => &mut self.forgotten,
        };
        *count += 1;
        self.ambiguous += usize::from(resource.is_ambiguous);
    }
}

/// The rules for each type of resource.
#[derive(Debug, Default)]
pub(super) struct Rules(HashMap<String, Rc<(ClassRules, ListRules)>>);

impl Rules {
    fn of_type(
        &mut self,
        dialect: Option<&str>,
        token: Option<&str>,
        options: &Options,
    ) -> Rc<(ClassRules, ListRules)> {
        let name = token.unwrap_or_default();
        if let Some(known) = self.0.get(name) {
            return Rc::clone(known);
        }
        let scope = Scope { dialect, resource_type: token, is_front: false };
        let rules = Rc::new((ClassRules::of(&scope), ListRules::of(&scope, &options.lists)));
        self.0.insert(name.to_owned(), Rc::clone(&rules));
        rules
    }
}

/// The entry of a resource that a plan keeps but no longer manages.
const FORGOTTEN: &str = "forgotten";

/// The entry of a resource for the plan's action, stored next to the changes.
const PLANNED: &str = "planned";

/// The place of the mask that marks the sensitive values of a resource.
const SENSITIVE: &str = "/sensitive_values";

/// Whether the text after a place leads to the place or into it.
fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Whether a value has a text that is not empty.
fn has_text(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::List => FormatNode::items(value).any(has_text),
        Kind::Object => FormatNode::entries(value).any(|(_, below)| has_text(below)),
        _ => value.as_str().is_some_and(|text| !text.is_empty()),
    }
}

/// Whether a mask marks anything.
fn has_mark(mask: Node<'_>) -> bool {
    match mask.kind() {
        Kind::List => FormatNode::items(mask).any(has_mark),
        Kind::Object => FormatNode::entries(mask).any(|(_, below)| has_mark(below)),
        _ => mask.as_bool() == Some(true),
    }
}

impl<'t> Diff<'t> {
    /// Calls `each` for every resource that differs: those of the new document in its order, then
    /// the deleted ones. Returns the number of each kind.
    pub fn for_each<E: From<DecodeError>>(
        &mut self,
        each: &mut dyn FnMut(ResourceChange<'t>) -> Result<(), E>,
    ) -> Result<Summary, E> {
        let mut summary = Summary::default();
        let identical = self.pairing.same.len() - self.differing.len();
        let (mut created, mut differing) = (self.pairing.created.clone().into_iter().peekable(), 0);
        for new in 0..self.new.units.units.len() {
            let found = match self.differing.get(differing) {
                Some(&same) if same.new == new => {
                    differing += 1;
                    self.changed(same)?
                }
                _ if created.next_if_eq(&new).is_some() => self.alone(None, Some(new))?,
                _ => continue,
            };
            summary.add(&found);
            if found.happened != Happened::Changed || !found.changes.is_empty() || found.counts() {
                each(found)?;
            }
        }
        for old in self.pairing.deleted.clone() {
            let found = self.alone(Some(old), None)?;
            summary.add(&found);
            each(found)?;
        }
        summary.unchanged = identical;
        Ok(summary)
    }

    fn changed(&mut self, same: SameResource) -> Result<ResourceChange<'t>, DecodeError> {
        let (old, new) = (self.old.units.units[same.old].clone(), self.new.units.units[same.new].clone());
        let ids = (old.id(), new.id());
        let mut changes = self.changes((Some(same.old), Some(same.new)))?;
        self.pass_over_marks(&mut changes);
        let planned = self.planned(new.node, &mut changes);
        let is_known = |id: &str| UnknownType::of_sentinel(id).is_none();
        let is_other_id = matches!(ids, (Some(a), Some(b)) if a != b && is_known(a) && is_known(b))
            || changes.iter().any(|change| change.difference.pointer == "/id" && is_other_secret(change));
        let is_planned = planned.is_some_and(|planned| !planned.is_update());
        // H4, H5 and H6
        let is_replaced = same.is_made_anew || is_planned || (is_other_id && same.why != Evidence::Package);
        let has_secret_id = self.has_secret_id((Some(same.old), Some(same.new)));
        let (ids, has_unknown_ids) = shown_ids(ids, has_secret_id);
        let is_of_plan = self.new.side.dialect_name() == Some("terraform-show");
        let is_forgotten =
            is_of_plan && FormatNode::get(new.node, FORGOTTEN).and_then(FormatNode::as_bool) == Some(true);
        // Rows H3 to H9 of §16.2. Pairs of H10 are not visited.
        let happened = match same.why {
            _ if is_forgotten => Happened::Forgotten,
            _ if is_replaced => Happened::Replaced,
            Evidence::Key => Happened::Changed,
            _ => Happened::Moved,
        };
        let (mut gone, mut come) =
            (self.old.side.edges(&self.old.units, same.old), self.new.side.edges(&self.new.units, same.new));
        // E1 and E2: an edge to a resource that moved is the same edge.
        let moved = |&(kind, key): &EdgeName<'t>| (kind, self.moved.get(key).map_or(key, |new| &**new));
        let of_old: HashSet<(&str, &str)> = gone.iter().map(moved).collect();
        let of_new: HashSet<EdgeName<'t>> = come.iter().copied().collect();
        come.retain(|edge| !of_old.contains(edge));
        gone.retain(|edge| !of_new.contains(&moved(edge)));
        let has_other_edges = !gone.is_empty() || !come.is_empty();
        // With whether a text differs.
        let mut dependencies = HashMap::new();
        for change in changes.iter_mut().filter(|change| change.difference.class == Class::Edge) {
            if !self.options.is_exact {
                change.stand_for_itself();
                dependencies.insert(change.difference.pointer.clone(), change.counts);
            }
        }
        self.describe_changes(same.new, &mut changes);
        self.follow_moves(&mut changes);
        changes.retain(|change| match dependencies.get(&change.difference.pointer) {
            None => true,
            // E8
            Some(_) if has_other_edges => false,
            // E9 to E11
            Some(has_text) => change.counts || !has_text,
        });
        // C3
        let is_id_of_engine = |change: &&mut Change<'t>| {
            same.why == Evidence::Package && !self.options.is_exact && change.difference.pointer == "/id"
        };
        for change in changes.iter_mut().filter(is_id_of_engine) {
            (change.difference.class, change.counts) = (Class::Metadata, false);
        }
        let is_retired = |n: &usize| self.new.units.units[*n].key == old.key;
        let is_retired_later = is_replaced && self.pairing.retired.iter().any(is_retired);
        let moved_with = self.note_move(&new).filter(|_| happened == Happened::Moved);
        Ok(ResourceChange {
            happened,
            old_key: (old.key != new.key).then_some(old.key),
            resource_type: new.resource_type(),
            positions: (Some(same.old), Some(same.new)),
            instance: instance_of(&new, None),
            ids,
            has_secret_id,
            has_unknown_ids,
            is_described: self.is_described(&new),
            planned,
            why: Some(same.why),
            is_ambiguous: false,
            is_retired_later,
            is_condemned: false,
            moved_with,
            alias_in_use: None,
            edges_added: come,
            edges_removed: gone,
            changes,
            key: new.key,
        })
    }

    /// The plan's information about a resource. It is not a difference by itself, and an update is
    /// reported only if no other change counts.
    fn planned(&self, new: Node<'t>, changes: &mut Vec<Change<'t>>) -> Option<Planned> {
        let is_of_plan = matches!(self.new.side.dialect_name(), Some("terraform-show" | "pulumi-deployment"));
        let planned = Planned::of(new).filter(|_| is_of_plan)?;
        changes.retain(|change| change.difference.pointer.strip_prefix('/') != Some(PLANNED));
        let is_seen = |change: &Change<'t>| matches!(change.difference.class, Class::Unknown | Class::Secret);
        match planned {
            Planned::UpdateUnseen if changes.iter().any(|change| change.counts) => None,
            Planned::UpdateUnseen if changes.iter().any(is_seen) => Some(Planned::UpdateUnknown),
            planned => Some(planned),
        }
    }

    /// Row C4: masks that mark nothing have many equivalent forms.
    fn pass_over_marks(&self, changes: &mut [Change<'t>]) {
        if self.options.is_exact || self.new.side.dialect_name() != Some("terraform-show") {
            return;
        }
        let is_bare = |value: Option<(Node<'t>, Place)>| value.is_none_or(|(mask, _)| !has_mark(mask));
        for change in changes {
            let difference = &mut change.difference;
            let is_mask = difference.pointer.strip_prefix(SENSITIVE).is_some_and(is_below);
            if is_mask && is_bare(difference.old) && is_bare(difference.new) {
                (difference.class, change.counts) = (Class::Metadata, false);
            }
        }
    }

    /// Whether an id of these resources must not be shown.
    fn has_secret_id(&self, units: (Option<usize>, Option<usize>)) -> bool {
        is_id_secret(at(&self.old, units.0)) || is_id_secret(at(&self.new, units.1))
    }

    /// The resource whose move explains this one, if its parent moved. Parents come before their
    /// children.
    fn note_move(&mut self, new: &Unit<'t, Node<'t>>) -> Option<Cow<'t, str>> {
        if self.moved.is_empty() {
            return None;
        }
        let parent = FormatNode::get(new.node, "parent").and_then(FormatNode::as_str);
        let outermost = parent.and_then(|parent| self.outermost.get(parent)).cloned();
        if self.moved_to.contains(&new.key) {
            let around = outermost.clone().unwrap_or_else(|| new.key.clone());
            self.outermost.insert(new.key.clone(), around);
        }
        outermost
    }

    /// The alias of a created resource that is the key of another new resource.
    fn alias_in_use(&mut self, new: usize) -> Option<Cow<'t, str>> {
        let aliases = self.new.units.units[new].aliases();
        if aliases.is_empty() {
            return None;
        }
        let units = &self.new.units.units;
        let keys = self.keys.get_or_insert_with(|| units.iter().map(|unit| unit.key.clone()).collect());
        aliases.into_iter().find(|alias| keys.contains(alias) && *alias != units[new].key)
    }

    /// The position of the first instance of the same resource in the other document.
    fn beside(&mut self, unit: &Unit<'t, Node<'t>>, is_created: bool) -> Option<usize> {
        let of = unit.instance_of.as_ref()?;
        let first = |compared: &Compared<'t>| {
            let units = compared.units.units.iter().enumerate();
            let instances = units.filter_map(|(n, unit)| Some((unit.instance_of.as_ref()?, n)));
            instances.filter(|(of, _)| of.number == 0).map(|(of, n)| (of.key.clone(), n)).collect()
        };
        let found = self.beside.get_or_insert_with(|| [first(&self.old), first(&self.new)]);
        found[usize::from(!is_created)].get(&of.key).copied()
    }

    /// A resource in only one document.
    fn alone(&mut self, old: Option<usize>, new: Option<usize>) -> Result<ResourceChange<'t>, DecodeError> {
        let mut changes = if self.options.is_full { self.changes((old, new))? } else { Vec::new() };
        if self.options.moves.as_planned {
            changes.retain(|change| change.difference.pointer.strip_prefix('/') != Some(PLANNED));
        }
        let of_old = old.map(|n| self.old.units.units[n].clone());
        let of_new = new.map(|n| self.new.units.units[n].clone());
        let is_ambiguous = new.is_some_and(|new| self.pairing.ambiguous.contains(&new));
        // H1 or H2
        let happened = if new.is_some() { Happened::Created } else { Happened::Deleted };
        let has_secret_id = self.has_secret_id((old, new));
        let id = |unit: &Option<Unit<'t, Node<'t>>>| unit.as_ref()?.id();
        let (ids, has_unknown_ids) = shown_ids((id(&of_old), id(&of_new)), has_secret_id);
        let unit = of_new.or(of_old);
        let beside = unit.as_ref().and_then(|unit| self.beside(unit, new.is_some()));
        let instance = unit.as_ref().and_then(|unit| instance_of(unit, beside));
        let is_condemned = unit.as_ref().is_some_and(Unit::is_condemned);
        Ok(ResourceChange {
            happened,
            resource_type: unit.as_ref().and_then(Unit::resource_type),
            old_key: None,
            positions: (old, new),
            instance,
            ids,
            has_secret_id,
            has_unknown_ids,
            is_described: unit.as_ref().and_then(|unit| self.is_described(unit)),
            planned: None,
            key: unit.map_or(Cow::Borrowed(""), |unit| unit.key),
            why: None,
            is_ambiguous,
            moved_with: None,
            alias_in_use: new.and_then(|new| self.alias_in_use(new)),
            is_retired_later: false,
            is_condemned,
            edges_added: Vec::new(),
            edges_removed: Vec::new(),
            changes,
        })
    }

    /// The differences of a resource, or all entries of one in only one document: rows V1 to V5 of
    /// §16.2.
    fn changes(&mut self, units: (Option<usize>, Option<usize>)) -> Result<Vec<Change<'t>>, DecodeError> {
        let one_form = self.has_one_form();
        let (nulls, has_blocks) = (self.nulls(), self.has_blocks());
        let unit = self.unit(units).cloned();
        let described = unit.as_ref().and_then(|unit| self.described(unit)).zip(self.schema);
        let token = unit.as_ref().and_then(Unit::type_in_tables);
        let Diff { old: before, new: after, options, sameness, rules, limit, .. } = self;
        let rules = rules.of_type(after.side.dialect_name(), token.as_deref(), options);
        let comparison = Comparison {
            classes: &rules.0,
            usual: Class::Value,
            lists: &rules.1,
            nulls,
            has_blocks,
            schema: described.as_ref().map(|((token, start), schema)| SchemaOf {
                schema: *schema,
                token,
                start,
            }),
            without: None,
        };
        let instances = (instance(before, units.0), instance(after, units.1));
        let mut work = Work { sides: (before, after), options, comparison: &comparison, sameness };
        let mut found = Vec::new();
        let compared = match (units, one_form) {
            // V3
            ((Some(old), Some(new)), true) if instances.0.is_some() == instances.1.is_some() => {
                work.of_one_form((old, new), instances.0.zip(instances.1), &mut found)
            }
            // V4: in an exact comparison, a resource with instances also differs in its form from
            // one without.
            ((Some(old), Some(new)), true) if options.is_exact => work.of_wholes((old, new), &mut found),
            // V1, V2 and V5
            _ => work.of_parts(units, instances.0.or(instances.1), &mut found),
        };
        compared.map_err(|TooMuchWork| too_much(*limit, after.side))?;
        Ok(found)
    }

    /// The new resource, or the old one if there is no new one.
    fn unit(&self, (old, new): (Option<usize>, Option<usize>)) -> Option<&Unit<'t, Node<'t>>> {
        match new {
            Some(new) => self.new.units.units.get(new),
            None => self.old.units.units.get(old?),
        }
    }
}

/// The state needed to compare one resource.
struct Work<'w, 't> {
    sides: (&'w Compared<'t>, &'w Compared<'t>),
    options: &'w Options,
    comparison: &'w Comparison<'w>,
    sameness: &'w mut Sameness,
}

impl<'w, 't> Work<'w, 't> {
    /// Compares two resources, both or neither of which are instances. For instances, the entries
    /// of their resources are compared, too.
    fn of_one_form(
        &mut self,
        (old, new): (usize, usize),
        instances: Option<(&InstanceOf<'t, Node<'t>>, &InstanceOf<'t, Node<'t>>)>,
        found: &mut Vec<Change<'t>>,
    ) -> Result<(), TooMuchWork> {
        let Work { sides: (before, after), options, comparison, .. } = *self;
        let mut each = |difference| found.push(Change::of(difference, options));
        let ((a, marks_a), (b, marks_b)) = (at(before, Some(old)), at(after, Some(new)));
        let Some((of_old, of_new)) = instances else {
            return compare((a, b), (marks_a, marks_b), comparison, self.sameness, &mut each);
        };
        let list = Trail::Entry(INSTANCES);
        let ways = [(list, list), (Trail::Item(of_old.number), Trail::Item(of_new.number))];
        compare_at(&ways, (a, b), (marks_a, marks_b), comparison, self.sameness, &mut each)?;
        let (a, b) = (around(before, Some(old)), around(after, Some(new)));
        if options.is_exact && !has_one_order(of_old.node, of_new.node) {
            each(Change::reorder(String::new()));
        }
        for key in own_keys(of_old.node, of_new.node) {
            let trail = Trail::Entry(key);
            let values = (FormatNode::get(of_old.node, key), FormatNode::get(of_new.node, key));
            let marks = (a.enter(trail), b.enter(trail));
            compare_at(&[(trail, trail)], values, marks, comparison, self.sameness, &mut each)?;
        }
        Ok(())
    }

    /// Compares two whole resources, one of which is given as an instance.
    fn of_wholes(
        &mut self,
        (old, new): (usize, usize),
        found: &mut Vec<Change<'t>>,
    ) -> Result<(), TooMuchWork> {
        let options = self.options;
        let ((a, marks_a), (b, marks_b)) = (whole(self.sides.0, old), whole(self.sides.1, new));
        let mut each = |difference| found.push(Change::of(difference, options));
        compare((Some(a), Some(b)), (marks_a, marks_b), self.comparison, self.sameness, &mut each)
    }

    /// Compares inputs and outputs, or finds all entries of a resource in only one document.
    /// `instance_of` is its resource if it is an instance.
    fn of_parts(
        &mut self,
        units: (Option<usize>, Option<usize>),
        instance_of: Option<&InstanceOf<'t, Node<'t>>>,
        found: &mut Vec<Change<'t>>,
    ) -> Result<(), TooMuchWork> {
        let options = self.options;
        let is_alone = units.0.is_none() || units.1.is_none();
        let way = instance_of.filter(|_| is_alone).map(|of| place_of(of.number)).unwrap_or_default();
        for (prefix, (a, marks_a), (b, marks_b)) in parts(self.sides.0, self.sides.1, units, is_alone) {
            let mut each = |mut difference: Difference<Node<'t>, Node<'t>>| {
                difference.pointer.insert_str(0, &format!("{way}{prefix}"));
                found.push(Change::of(difference, options));
            };
            compare((a, b), (marks_a, marks_b), self.comparison, self.sameness, &mut each)?;
        }
        Ok(())
    }
}

/// The resource to which an instance belongs.
fn instance<'c, 't>(compared: &'c Compared<'t>, unit: Option<usize>) -> Option<&'c InstanceOf<'t, Node<'t>>> {
    compared.units.units[unit?].instance_of.as_deref()
}

/// A value of a resource with its marks.
type Marked<'c, 't> = (Option<Node<'t>>, Marks<'c>);

fn at<'c, 't>(compared: &'c Compared<'t>, unit: Option<usize>) -> Marked<'c, 't> {
    match unit {
        None => (None, Marks::NONE),
        Some(unit) => (Some(compared.units.units[unit].node), compared.marks(compared.units.way(unit))),
    }
}

/// Whether the id of a resource is secret, in the resource or in its state.
fn is_id_secret((node, marks): Marked<'_, '_>) -> bool {
    let (node, marks) = match node.is_some_and(|node| node.get("id").is_some()) {
        true => (node, marks),
        false => part((node, marks), OUTPUTS),
    };
    node.is_some() && marks.enter(Trail::Entry("id")).secret.place == Place::Inside
}

/// The marks at the resource to which an instance belongs.
fn around<'c, 't>(compared: &'c Compared<'t>, unit: Option<usize>) -> Marks<'c> {
    let way: Vec<Trail<'t>> = unit.into_iter().flat_map(|unit| compared.units.way(unit)).collect();
    compared.marks(way[..way.len().saturating_sub(2)].iter().copied())
}

/// The keys of two resources, without that of the instances.
fn own_keys<'t>(old: Node<'t>, new: Node<'t>) -> impl Iterator<Item = &'t str> {
    let added = FormatNode::entries(new).map(|(key, _)| key);
    let added = added.filter(move |key| FormatNode::get(old, key).is_none());
    FormatNode::entries(old).map(|(key, _)| key).chain(added).filter(|key| *key != INSTANCES)
}

/// Whether the common keys have the same order.
fn has_one_order(old: Node<'_>, new: Node<'_>) -> bool {
    let of_old = FormatNode::entries(old).filter(|(key, _)| FormatNode::get(new, key).is_some());
    let of_new = FormatNode::entries(new).filter(|(key, _)| FormatNode::get(old, key).is_some());
    of_old.map(|(key, _)| key).eq(of_new.map(|(key, _)| key))
}

/// Whether a secret has certainly changed: a value that was encrypted again may be the same.
fn is_other_secret(change: &Change<'_>) -> bool {
    change.difference.class == Class::Secret && !change.difference.is_possible
}

/// Ids of a provider.
type Ids<'t> = (Option<&'t str>, Option<&'t str>);

/// The ids that are known and may be shown, and flags for those not known yet.
fn shown_ids(ids: Ids<'_>, has_secret_id: bool) -> (Ids<'_>, (bool, bool)) {
    let is_unknown = |id: Option<&str>| id.is_some_and(|id| UnknownType::of_sentinel(id).is_some());
    let unknown = (is_unknown(ids.0), is_unknown(ids.1));
    let shown = |id: Option<_>, is_unknown: bool| id.filter(|_| !is_unknown && !has_secret_id);
    ((shown(ids.0, unknown.0), shown(ids.1, unknown.1)), unknown)
}

/// The resource of a unit, which may be an instance, with its marks.
fn whole<'c, 't>(compared: &'c Compared<'t>, unit: usize) -> (Node<'t>, Marks<'c>) {
    match &compared.units.units[unit].instance_of {
        Some(of) => (of.node, around(compared, Some(unit))),
        None => (compared.units.units[unit].node, at(compared, Some(unit)).1),
    }
}

/// The place of an instance inside its resource.
fn place_of(number: usize) -> String {
    format!("/{INSTANCES}/{number}")
}

fn instance_of<'t>(unit: &Unit<'t, Node<'t>>, beside: Option<usize>) -> Option<Instance<'t>> {
    let of = unit.instance_of.as_deref()?;
    Some(Instance { resource: of.key.clone(), place: place_of(of.number), beside })
}

/// The values to compare, each with its pointer. For a resource in only one document: all of its
/// entries. For two in different forms: their inputs and outputs.
fn parts<'c, 't>(
    old: &'c Compared<'t>,
    new: &'c Compared<'t>,
    units: (Option<usize>, Option<usize>),
    is_alone: bool,
) -> Vec<(String, Marked<'c, 't>, Marked<'c, 't>)> {
    let (old, new) = (at(old, units.0), at(new, units.1));
    if !is_alone {
        let both =
            |name: &str, ways: &[&[Trail<'static>]]| (name.to_owned(), part(old, ways), part(new, ways));
        return vec![both("/inputs", INPUTS), both("/outputs", OUTPUTS)];
    }
    let below = |(node, marks): Marked<'c, 't>| {
        let entries = node.into_iter().flat_map(FormatNode::entries);
        entries.map(move |(key, value)| {
            let mut pointer = String::new();
            push_key(&mut pointer, key);
            (pointer, (Some(value), marks.enter(Trail::Entry(key))))
        })
    };
    let gone = below(old).map(|(pointer, value)| (pointer, value, NOTHING));
    let come = below(new).map(|(pointer, value)| (pointer, NOTHING, value));
    gone.chain(come).collect()
}

const NOTHING: Marked<'static, 'static> = (None, Marks::NONE);

/// The places of the inputs from the program; the first that exists is used.
const INPUTS: &[&[Trail<'static>]] =
    &[&[Trail::Entry("inputs")], &[Trail::Entry("properties")], &[Trail::Entry("Properties")]];

/// The places of the state.
const OUTPUTS: &[&[Trail<'static>]] = &[
    &[Trail::Entry("outputs")],
    &[Trail::Entry("values")],
    &[Trail::Entry("attributes")],
    &[Trail::Entry("instances"), Trail::Item(0), Trail::Entry("attributes")],
    &[Trail::Entry("primary"), Trail::Entry("attributes")],
    &[Trail::Entry("change"), Trail::Entry("after")],
];

/// The object at the first of these paths that exists.
fn part<'c, 't>((node, marks): Marked<'c, 't>, ways: &[&[Trail<'static>]]) -> Marked<'c, 't> {
    let follow = |way: &&[Trail<'static>]| {
        way.iter().try_fold((node?, marks), |(node, marks), &trail| {
            let below = match trail {
                Trail::Root => Some(node),
                Trail::Entry(key) => node.get(key),
                Trail::Item(index) => node.items().nth(index),
            };
            Some((below?, marks.enter(trail)))
        })
    };
    let found = ways.iter().find_map(|way| follow(way).filter(|(node, _)| node.kind() == Kind::Object));
    found.map_or(NOTHING, |(node, marks)| (Some(node), marks))
}
