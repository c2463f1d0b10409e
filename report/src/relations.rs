//! The resources of a document and the edges between them, as `deps` follows and names them.
//!
//! A node is the ordinal of a landmark. If the edges are inferred, it is the number of a resource
//! of the inference.

mod inferred;
mod instances;

use crate::code;
use crate::failure::Failure;
use crate::select::{Classes, KeyNumbers, landmarks_named, numbered, type_of};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::{DanglingReferences, LandmarkView, SearchMeter};
use coconut_codec::read::tree::TreeOnDemand;
use coconut_codec::read::view::ValueView;
use coconut_codec::secrets::{HiddenKeys, Redaction, SECRET};
use coconut_format::error::DecodeError;
use coconut_format::graph::{given_names, may_be_given};
use coconut_format::landmark::{Dialect, EdgePattern, LandmarkRule};
use coconut_format::truncated::Truncated;
use coconut_format::urn::Urn;
use inferred::Inferred;
pub use instances::Follow;
use instances::Unrecorded;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// The direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the landmarks to which a landmark refers.
    Dependencies,
    /// To the landmarks that refer to it.
    Dependents,
}

/// The resources of a document, by number.
pub struct Relations<'a> {
    document: DocumentView<'a>,
    tree: TreeOnDemand<'a>,
    inferred: Option<Inferred>,
    /// The numbers of inferred resources that share their key.
    inferred_numbers: HashMap<u32, u32>,
    redaction: Redaction,
    hidden: HiddenKeys,
    numbers: RefCell<KeyNumbers>,
    /// Ends of edges that only seem to be there: names that a template gives values of their own.
    given: HashSet<(u32, u32)>,
    /// The class of sections.
    section: Option<u8>,
    /// By resource.
    unrecorded: RefCell<HashMap<u32, Unrecorded>>,
    /// By the rows in which the edges of a resource are stored.
    unrecorded_of_rows: RefCell<HashMap<Vec<u64>, Unrecorded>>,
    /// A key can be as long as the file, and very many edges can lead to it.
    meter: SearchMeter,
}

impl<'a> Relations<'a> {
    /// Keys and references from secrets are hidden, unless `reveal`.
    pub fn of(document: DocumentView<'a>, reveal: bool) -> Result<Relations<'a>, Failure> {
        let tree = TreeOnDemand::new(document);
        let inferred = Inferred::of(&tree)?;
        let inferred_numbers = inferred.as_ref().map(Inferred::numbers_of_keys).unwrap_or_default();
        let redaction = Redaction::on_demand(&tree, reveal)?;
        let hidden = HiddenKeys::of(document, &redaction)?;
        let meter = SearchMeter::of(document);
        Ok(Relations {
            document,
            given: if inferred.is_none() { given_in(&tree)? } else { HashSet::new() },
            tree,
            section: if inferred.is_none() { section_of(document) } else { None },
            inferred,
            inferred_numbers,
            redaction,
            hidden,
            numbers: RefCell::default(),
            unrecorded: RefCell::default(),
            unrecorded_of_rows: RefCell::default(),
            meter,
        })
    }

    /// The edges of the rule. An unreadable rule was refused before.
    fn edges_of_rule(&self) -> &'a [EdgePattern] {
        self.document.header().rule().map_or(&[], LandmarkRule::edges)
    }

    /// Whether there can be edges.
    pub fn has_edges(&self) -> bool {
        self.inferred.is_some() || !self.edges_of_rule().is_empty()
    }

    /// The failure of a request for edges of a document that cannot have any.
    pub fn no_edges(&self) -> Failure {
        let dialect = match self.document.header().dialect.as_deref() {
            Some(dialect) => format!("a document of the dialect {dialect}"),
            None => "a document of no known dialect".to_owned(),
        };
        Failure::negative(code::NO_EDGES, format!("{dialect} has no edges"))
    }

    /// The number of nodes.
    pub fn count(&self) -> Result<u32, DecodeError> {
        match &self.inferred {
            Some(inferred) => Ok(inferred.count()),
            None => self.document.landmark_count(),
        }
    }

    /// For the number of each edge, whether it has one of these kinds; all are selected if there is
    /// none. Refuses a kind that no edge has.
    pub fn wanted_kinds(&self, wanted: &[String]) -> Result<Vec<bool>, Failure> {
        let kinds = self.kinds();
        if let Some(unknown) = wanted.iter().find(|kind| !kinds.contains(&kind.as_str())) {
            let mut known = kinds;
            known.sort_unstable();
            known.dedup();
            let failure = Failure::usage(format!("no edge of this document is of kind `{unknown}`"));
            return Err(failure.with_hint(format!("the kinds are {}", known.join(", "))));
        }
        Ok(kinds.iter().map(|kind| wanted.is_empty() || wanted.iter().any(|one| one == kind)).collect())
    }

    /// The name of the procedure that inferred the edges, if the document does not record them.
    pub fn inferred_by(&self) -> Option<&'static str> {
        self.inferred.as_ref().map(|inferred| inferred.by)
    }

    /// The nodes to which `key` refers.
    pub fn start(&self, key: &str, class: Option<&str>) -> Result<Vec<u32>, Failure> {
        let classes = Classes::named(self.document, class)?;
        if let Some(inferred) = &self.inferred {
            if class.is_none()
                && let only @ [_] = &inferred.named(key)[..]
            {
                return Ok(only.to_vec());
            }
            let landmarks = landmarks_named(self.document, key, classes)?;
            let found = inferred.at(self.document, &landmarks)?;
            return match found.is_empty() {
                false => Ok(found),
                true => {
                    let message = format!("`{}` is not a resource", Truncated(key));
                    Err(Failure::negative(code::KEY_MISSING, message).with_hint("`ls` lists all keys"))
                }
            };
        }
        let mut nodes = Vec::new();
        for landmark in landmarks_named(self.document, key, classes)? {
            // A section has no edges. The question is about the landmarks in it.
            let found = if self.is_section(landmark)? { landmark.children()? } else { vec![landmark] };
            for landmark in found {
                nodes.push(landmark.ordinal()?);
            }
        }
        Ok(nodes)
    }

    /// Whether this landmark only contains others: see [`Dialect::section`].
    pub(crate) fn is_section(&self, landmark: LandmarkView<'a>) -> Result<bool, DecodeError> {
        Ok(self.section.is_some() && self.section == Some(landmark.class()?))
    }

    /// The same for a node.
    pub(crate) fn is_section_node(&self, node: u32) -> Result<bool, DecodeError> {
        Ok(self.section.is_some() && self.is_section(self.landmark(node)?)?)
    }

    fn landmark(&self, node: u32) -> Result<LandmarkView<'a>, DecodeError> {
        Ok(self.document.landmark(node)?.expect("the edges of a document lead to its landmarks"))
    }

    /// The landmarks that are one resource with this one, and itself.
    pub fn joined(&self, node: u32) -> Result<Vec<u32>, DecodeError> {
        if self.inferred.is_some() {
            return Ok(vec![node]);
        }
        self.landmark(node)?.joined()?.iter().map(LandmarkView::ordinal).collect()
    }

    /// The outermost of the landmarks that are one resource with this one.
    pub fn resource(&self, node: u32) -> Result<u32, DecodeError> {
        match self.inferred {
            Some(_) => Ok(node),
            None => self.landmark(node)?.resource()?.ordinal(),
        }
    }

    /// The ends of the edges of this landmark, with the numbers of the edges.
    pub fn edges(&self, node: u32, direction: Direction) -> Result<Vec<(u32, u8)>, DecodeError> {
        if let Some(inferred) = &self.inferred {
            return Ok(inferred.edges(node, direction).to_vec());
        }
        let landmark = self.landmark(node)?;
        let found = match direction {
            Direction::Dependencies => landmark.dependencies()?,
            Direction::Dependents => landmark.dependents()?,
        };
        let mut edges = Vec::with_capacity(found.len());
        for edge in found {
            // A reference to a resource also leads to a section with its key.
            if !self.is_section(edge.landmark)? {
                edges.push((edge.landmark.ordinal()?, edge.number));
            }
        }
        if !self.given.is_empty() {
            let dialect = self.document.header().dialect.as_deref();
            edges.retain(|&(other, number)| {
                let ends = match direction {
                    Direction::Dependencies => (node, other),
                    Direction::Dependents => (other, node),
                };
                !self.given.contains(&ends) || !may_be_given(dialect, self.kind(number))
            });
        }
        Ok(edges)
    }

    /// A number that nodes have in common only if their dependencies are equal, if these are stored
    /// once.
    pub(crate) fn dependency_row(&self, node: u32) -> Result<Option<u64>, DecodeError> {
        // Dependencies without names that a template gives values differ from those in the file.
        match self.inferred.is_some() || !self.given.is_empty() {
            true => Ok(None),
            false => self.landmark(node)?.dependency_row(),
        }
    }

    /// Refuses a file that claims more edges than it has.
    pub fn check_edges_met(&self, met: usize) -> Result<(), DecodeError> {
        match self.inferred {
            Some(_) => Ok(()),
            None => self.document.check_edges_met(met),
        }
    }

    /// The kind of the edges with this number.
    pub fn kind(&self, number: u8) -> &'a str {
        match self.inferred {
            Some(_) => Inferred::kind(number),
            None => self.edges_of_rule().get(usize::from(number)).map_or("", EdgePattern::kind),
        }
    }

    /// The kinds of edges, by number.
    pub fn kinds(&self) -> Vec<&'a str> {
        match self.inferred {
            Some(_) => (0..32).map(Inferred::kind).take_while(|kind| !kind.is_empty()).collect(),
            None => self.edges_of_rule().iter().map(EdgePattern::kind).collect(),
        }
    }

    /// Whether edges differ in their kinds.
    pub fn has_kinds(&self) -> bool {
        self.kinds().windows(2).any(|kinds| kinds[0] != kinds[1])
    }

    /// The key in the form that may be shown.
    pub fn key(&self, node: u32) -> Result<String, DecodeError> {
        if let Some(inferred) = &self.inferred {
            let is_secret = self.redaction.hides(inferred.pointer(node));
            return Ok(if is_secret { SECRET } else { inferred.key(node) }.to_owned());
        }
        let landmark = self.landmark(node)?;
        let key = landmark.key_within(&self.meter)?;
        Ok(self.hidden.shown(landmark, &key)?.to_owned())
    }

    /// Its number among the landmarks with its key; `None` if the key is unique.
    pub fn number(&self, node: u32) -> Result<Option<u32>, DecodeError> {
        if self.inferred.is_some() {
            return Ok(self.inferred_numbers.get(&node).copied());
        }
        let landmark = self.landmark(node)?;
        match self.hidden.has(landmark)? {
            true => Ok(None),
            false => self.numbers.borrow_mut().get_or(landmark, || landmark.key_within(&self.meter)),
        }
    }

    /// The key that leads only to this landmark.
    pub fn name(&self, node: u32) -> Result<String, DecodeError> {
        Ok(numbered(&self.key(node)?, self.number(node)?))
    }

    /// The value of a resource.
    pub fn value(&self, node: u32) -> Result<ValueView<'a>, DecodeError> {
        let Some(inferred) = &self.inferred else { return self.landmark(node)?.value() };
        let root = self.document.root();
        Ok(root.pointer(inferred.pointer(node))?.unwrap_or(root))
    }

    /// The type of the resource.
    pub fn resource_type(&self, node: u32) -> Result<String, DecodeError> {
        match &self.inferred {
            Some(inferred) => Ok(inferred.resource_type(node).to_owned()),
            None => type_of(self.landmark(node)?),
        }
    }

    /// The references to missing landmarks: the first ones and the total number, or only of those
    /// from these nodes.
    pub fn dangling(
        &self,
        most: usize,
        of: Option<&HashSet<u32>>,
    ) -> Result<DanglingReferences, DecodeError> {
        /// Beyond this number, one walk over the document is faster than one over each.
        const FEW: usize = 1000;
        let is_wanted = |from: u32| of.is_none_or(|of| of.contains(&from));
        let mut dangling = match (&self.inferred, of) {
            (Some(inferred), _) => inferred.dangling(most, is_wanted),
            (None, Some(of)) if of.len() <= FEW => {
                self.document.dangling_references_of(most, &of.iter().copied().collect())?
            }
            (None, _) => self.tree.dangling_references(most, is_wanted)?,
        };
        for reference in &mut dangling.first {
            if self.redaction.hides(&reference.pointer) {
                SECRET.clone_into(&mut reference.target);
                reference.pointer = self.redaction.cut(&reference.pointer).to_owned();
            }
        }
        Ok(dangling)
    }
}

/// The class of the landmarks that only contain others.
fn section_of(document: DocumentView<'_>) -> Option<u8> {
    let header = document.header();
    Dialect::named(header.dialect.as_deref()?)?.section(header.rule().ok()?)
}

/// The edges from `Fn::Sub` of a template of CloudFormation to names that have values there.
fn given_in(tree: &TreeOnDemand<'_>) -> Result<HashSet<(u32, u32)>, DecodeError> {
    let document = tree.document();
    let mut given = HashSet::new();
    let dialect = document.header().dialect.as_deref();
    let has_word = || memchr::memmem::find(document.bytes(), b"Fn::Sub").is_some();
    if !may_be_given(dialect, "sub") || !has_word() {
        return Ok(given);
    }
    for (from, to) in given_names(tree.get()?.root(), dialect) {
        let ordinals = |key| {
            let found = document.get_all(key)?;
            found.iter().map(LandmarkView::ordinal).collect::<Result<Vec<u32>, DecodeError>>()
        };
        let (from, to) = (ordinals(&from)?, ordinals(to)?);
        given.extend(from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to))));
    }
    Ok(given)
}

/// Short names for a key, the shortest first. The last is the key.
pub fn short_names(key: &str) -> Vec<&str> {
    let mut names = Vec::new();
    if key.starts_with("urn:")
        && let Ok(urn) = Urn::parse(key)
        && let Some(name) = key.strip_suffix(urn.name()).map(str::len)
    {
        let token = urn.type_token();
        let start = name - "::".len() - token.len();
        let last = token.rfind([':', '/']).map_or(0, |at| at + 1);
        names.push(&key[start + last..]);
        names.push(&key[start..]);
    }
    names.push(key);
    names
}

/// A name for each of these keys and numbers: the shortest one that is unique.
pub fn unique_short_names<K: AsRef<str>>(keys: &[(K, Option<u32>)]) -> Vec<String> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for (key, number) in keys {
        // If several have one key, each has a number.
        if number.is_none_or(|number| number == 1) {
            let mut names = short_names(key.as_ref());
            names.dedup();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
    }
    let name = |(key, number): &(K, Option<u32>)| {
        let key = key.as_ref();
        let is_one = |name: &&str| counts.get(name).is_none_or(|&count| count < 2);
        let name = short_names(key).into_iter().find(is_one);
        numbered(name.unwrap_or(key), *number)
    };
    keys.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_is_the_end_of_a_urn() {
        let urn = "urn:pulumi:p::s::my:x:C$aws:ec2/subnet:Subnet::a::b";
        assert_eq!(short_names(urn), ["Subnet::a::b", "aws:ec2/subnet:Subnet::a::b", urn]);
        assert_eq!(short_names("urn:pulumi:s::p::t::n"), ["t::n", "t::n", "urn:pulumi:s::p::t::n"]);
        assert_eq!(short_names("aws_vpc.main"), ["aws_vpc.main"]);
        assert_eq!(short_names("urn:x"), ["urn:x"]);
    }
}
