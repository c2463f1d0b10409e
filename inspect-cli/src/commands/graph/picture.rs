//! A picture of a graph: boxes with names and groups, and arrows between them.

use super::selection::Chosen;
use crate::commands::deps::Direction;
use crate::commands::deps::relations::unique_short_names;
use crate::redact::SECRET;
use crate::resources::ResourceGraph;
use clap::ValueEnum;
use coconut_format::error::DecodeError;
use coconut_format::graph::address::Address;
use coconut_format::urn::Urn;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which resources are one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Collapse {
    /// Each resource is a box
    None,
    /// Those of one type
    Type,
    /// Those of one module: of an address, or of the type in a URN
    Module,
}

/// What a box says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Names {
    /// The shortest end of the key that no other box has
    Short,
    /// The same, and the type
    Type,
    /// The key
    Full,
}

/// The boxes in document order, and the arrows by the boxes that they start at.
pub(super) struct Picture {
    pub(super) vertices: Vec<Vertex>,
    pub(super) links: Vec<Link>,
}

/// A box.
pub(super) struct Vertex {
    /// `n` and digits of a hash of the key: the same in every version of the document.
    pub(super) id: String,
    /// The key of the resource, or the name of the type or module.
    pub(super) key: String,
    pub(super) name: String,
    /// The type of the resource; empty for a collapsed module.
    pub(super) type_name: String,
    /// The module; may be empty.
    pub(super) group: String,
    /// How many resources it stands for.
    pub(super) count: u32,
    pub(super) is_focus: bool,
}

/// An arrow from a box to one that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The kinds of its edges, with the number of edges of each.
    pub(super) kinds: Vec<(String, u32)>,
}

/// How an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    Dashed,
    Dotted,
    Bold,
}

impl Link {
    /// Dependencies are drawn before all others, and a parent before a provider.
    pub(super) fn stroke(&self) -> Stroke {
        let has = |wanted: &str| self.kinds.iter().any(|(kind, _)| kind == wanted);
        let is_other = |(kind, _): &(String, u32)| !matches!(&**kind, "parent" | "provider");
        match () {
            () if has("replace_with") || has("replaceWith") => Stroke::Bold,
            () if self.kinds.iter().any(is_other) => Stroke::Solid,
            () if has("parent") => Stroke::Dashed,
            () => Stroke::Dotted,
        }
    }

    /// The number of edges, if it stands for several of a kind.
    pub(super) fn count(&self) -> Option<u32> {
        self.kinds.iter().map(|(_, count)| *count).max().filter(|&count| count > 1)
    }
}

impl Picture {
    /// The picture of these resources.
    pub(super) fn of(
        graph: &ResourceGraph<'_>,
        chosen: &[Chosen],
        collapse: Collapse,
        names: Names,
    ) -> Result<Picture, DecodeError> {
        let mut picture = Picture { vertices: Vec::new(), links: Vec::new() };
        let mut box_of: HashMap<u32, usize> = HashMap::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut keys = Vec::new();
        for one in chosen {
            let (key, type_name) = (graph.name(one.vertex)?, graph.resource_type(one.vertex)?);
            let group = module_of(&key, &type_name);
            let (key, type_name, group, collapsed) = match collapse {
                Collapse::None => (key, type_name, group, None),
                Collapse::Type => (type_name.clone(), type_name.clone(), String::new(), Some(type_name)),
                Collapse::Module => (group.clone(), String::new(), String::new(), Some(group)),
            };
            let new = picture.vertices.len();
            let at = match collapsed {
                Some(name) => *known.entry(name).or_insert(new),
                None => new,
            };
            if at == new {
                let own =
                    graph.relations.number(graph.node(one.vertex))?.filter(|_| collapse == Collapse::None);
                keys.push((
                    if own.is_some() { graph.relations.key(graph.node(one.vertex))? } else { key.clone() },
                    own,
                ));
                let (id, name) = (String::new(), String::new());
                picture.vertices.push(Vertex { id, key, name, type_name, group, count: 0, is_focus: false });
            }
            let vertex = &mut picture.vertices[at];
            vertex.count += 1;
            vertex.is_focus |= one.is_focus;
            box_of.insert(one.vertex, at);
        }
        picture.add_ids();
        picture.add_names(&keys, names);
        picture.add_links(graph, chosen, &box_of);
        Ok(picture)
    }

    /// The id of a box.
    pub(super) fn id(&self, vertex: usize) -> &str {
        self.vertices.get(vertex).map_or("", |vertex| &vertex.id)
    }

    /// Makes ids of the keys. A secret key is not hashed, because a hash can be tried.
    fn add_ids(&mut self) {
        let mut used: HashSet<String> = HashSet::with_capacity(self.vertices.len());
        for (at, vertex) in self.vertices.iter_mut().enumerate() {
            let hashed = match vertex.key == SECRET {
                true => format!("{SECRET} {at}"),
                false => vertex.key.clone(),
            };
            let digits = crate::text::hex(&Sha256::digest(hashed.as_bytes()));
            // Two keys with the same 12 digits have longer ids.
            let length = (12..digits.len()).find(|&length| !used.contains(&digits[..length]));
            let digits = &digits[..length.unwrap_or(digits.len())];
            used.insert(digits.to_owned());
            vertex.id = format!("n{digits}");
        }
    }

    fn add_names(&mut self, keys: &[(String, Option<u32>)], names: Names) {
        let short = match names {
            Names::Full => self.vertices.iter().map(|vertex| vertex.key.clone()).collect(),
            Names::Short | Names::Type => unique_short_names(keys),
        };
        for (vertex, name) in self.vertices.iter_mut().zip(short) {
            let name = if name.is_empty() { "(root)".to_owned() } else { name };
            vertex.name = match names {
                Names::Type if !vertex.type_name.is_empty() => format!("{name}\n{}", vertex.type_name),
                _ => name,
            };
        }
    }

    fn add_links(&mut self, graph: &ResourceGraph<'_>, chosen: &[Chosen], box_of: &HashMap<u32, usize>) {
        let mut links: BTreeMap<(usize, usize), Vec<(String, u32)>> = BTreeMap::new();
        for one in chosen {
            let Some(&from) = box_of.get(&one.vertex) else { continue };
            for edge in graph.edges(Direction::Dependencies).of(one.vertex) {
                let Some(&to) = box_of.get(&edge.target).filter(|&&to| to != from) else { continue };
                let kinds = links.entry((from, to)).or_default();
                let kind = graph.relations.kind(edge.number);
                match kinds.iter_mut().find(|(known, _)| known == kind) {
                    Some((_, count)) => *count += 1,
                    None => kinds.push((kind.to_owned(), 1)),
                }
            }
        }
        let link = |((from, to), kinds)| Link { from, to, kinds };
        self.links = links.into_iter().map(link).collect();
    }
}

/// The module of a resource: that of its address, or the package and module of its type.
fn module_of(key: &str, type_name: &str) -> String {
    if key.starts_with("urn:") && Urn::parse(key).is_ok() {
        let end = type_name.rfind(':').unwrap_or_default();
        let module = &type_name[..end];
        // `aws:ec2/subnet` is the file of `aws:ec2`.
        return module.rsplit_once('/').map_or(module, |(module, _)| module).to_owned();
    }
    Address::parse(key).ok().and_then(Address::module).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_that_of_an_address_or_of_a_type() {
        let urn = "urn:pulumi:s::p::aws:ec2/subnet:Subnet::a";
        assert_eq!(module_of(urn, "aws:ec2/subnet:Subnet"), "aws:ec2");
        assert_eq!(module_of(urn, "pulumi:pulumi:Stack"), "pulumi:pulumi");
        assert_eq!(module_of("module.a.module.b[0].aws_vpc.x", "aws_vpc"), "module.a.module.b[0]");
        assert_eq!(module_of("aws_vpc.x", "aws_vpc"), "");
        assert_eq!(module_of("anything at all", ""), "");
    }

    #[test]
    fn dependencies_are_drawn_before_all_others() {
        let link = |kinds: &[&str]| Link {
            from: 0,
            to: 1,
            kinds: kinds.iter().map(|&kind| (kind.to_owned(), 1)).collect(),
        };
        assert_eq!(link(&["parent"]).stroke(), Stroke::Dashed);
        assert_eq!(link(&["provider"]).stroke(), Stroke::Dotted);
        assert_eq!(link(&["provider", "parent"]).stroke(), Stroke::Dashed);
        assert_eq!(link(&["parent", "property"]).stroke(), Stroke::Solid);
    }
}
