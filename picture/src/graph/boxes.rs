//! The boxes and arrows of a picture, from the resources of a graph.

use super::selection::Chosen;
use crate::{Link, Picture, Vertex};
use coconut_codec::secrets::SECRET;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::graph::address::Address;
use coconut_format::numerals::hex;
use coconut_format::urn::Urn;
use coconut_report::relations::{Direction, unique_short_names};
use coconut_report::resources::ResourceGraph;
use sha2::{Digest as _, Sha256};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

coconut_format::named! {
    /// The resources that share a box.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Collapse, ALL {
        /// One box for each resource.
        #[default]
        None = "none", "One box for each resource";
        /// One box for each type.
        Type = "type", "One box for each type";
        /// One box for each module of the address or the type.
        Module = "module", "One box for each module of the address or the type";
        /// One box for each package: the first word of the type, such as `aws`.
        Package = "package", "One box for each package: the first word of the type, such as `aws`";
        /// One box for each Kubernetes namespace.
        Namespace = "namespace", "One box for each Kubernetes namespace";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help.
    pub fn meaning;
}

impl Collapse {
    /// The key that joins resources with this key and type; `None` if they are not joined.
    fn group_of(self, key: &str, type_name: &str) -> Option<String> {
        match self {
            Collapse::None => None,
            Collapse::Type => Some(type_name.to_owned()),
            Collapse::Module => Some(module_of(key, type_name)),
            Collapse::Package => Some(package_of(type_name).to_owned()),
            Collapse::Namespace => Some(namespace_of(key, type_name).unwrap_or_default().to_owned()),
        }
    }
}

coconut_format::named! {
    /// The text of a box.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Names, ALL {
        /// The shortest end of the key that is unique.
        #[default]
        Short = "short", "The shortest end of the key that is unique";
        /// The same with the type.
        Type = "type", "The same with the type";
        /// The whole key.
        Full = "full", "The whole key";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help.
    pub fn meaning;
}

/// The resources of a document in a picture.
pub struct Layer<'g, 'a> {
    /// The graph of the document.
    pub graph: &'g ResourceGraph<'a>,
    /// The resources to draw.
    pub chosen: Vec<Chosen>,
}

/// Builds the picture of these resources. A second layer has the deleted ones of an older document,
/// whose other resources are those of the first layer with the same keys.
pub(super) fn of(layers: &[Layer<'_, '_>], collapse: Collapse, names: Names) -> Result<Picture, DecodeError> {
    let mut making = Making { collapse, is_alone: layers.len() < 2, ..Making::default() };
    let mut boxes = Vec::with_capacity(layers.len());
    for layer in layers {
        let of_layer = layer.chosen.iter().map(|one| making.add_box(layer.graph, one));
        boxes.push(of_layer.collect::<Result<Vec<usize>, DecodeError>>()?);
    }
    for (layer, boxes) in layers.iter().zip(&boxes) {
        making.add_links(layer, boxes)?;
    }
    let link = |((from, to), kinds)| Link { from, to, kinds };
    let links = making.links.into_iter().map(link).collect();
    let mut picture = Picture { vertices: making.vertices, links, boxes };
    add_ids(&mut picture.vertices);
    let nameless = if collapse == Collapse::Namespace { "(no namespace)" } else { "(root)" };
    add_names(&mut picture.vertices, &making.numbered, names, nameless);
    Ok(picture)
}

/// Creates ids from the keys. A secret key is not hashed, because a hash could be guessed.
fn add_ids(vertices: &mut [Vertex]) {
    let mut used: HashSet<String> = HashSet::with_capacity(vertices.len());
    for (at, vertex) in vertices.iter_mut().enumerate() {
        let hashed = match vertex.key == SECRET {
            true => format!("{SECRET} {at}"),
            false => vertex.key.clone(),
        };
        let digits = hex(&Sha256::digest(hashed.as_bytes()));
        // Two keys with the same 12 digits get longer ids.
        let length = (12..digits.len()).find(|&length| !used.contains(&digits[..length]));
        let digits = &digits[..length.unwrap_or(digits.len())];
        used.insert(digits.to_owned());
        vertex.id = format!("n{digits}");
    }
}

fn add_names(vertices: &mut [Vertex], numbered: &[Option<(String, u32)>], names: Names, nameless: &str) {
    let short = match names {
        Names::Full => vertices.iter().map(|vertex| vertex.key.clone()).collect(),
        Names::Short | Names::Type => {
            let keys = vertices.iter().zip(numbered).map(|(vertex, numbered)| match numbered {
                Some((key, number)) => (&**key, Some(*number)),
                None => (&*vertex.key, None),
            });
            unique_short_names(&keys.collect::<Vec<_>>())
        }
    };
    for (vertex, name) in vertices.iter_mut().zip(short) {
        let name = if name.is_empty() { nameless.to_owned() } else { name };
        vertex.name = match names {
            Names::Type if !vertex.type_name.is_empty() => format!("{name}\n{}", vertex.type_name),
            _ => name,
        };
    }
}

/// The maximum number of bytes of the keys of boxes. Each instance may repeat the key of its
/// resource.
const KEY_BYTES: u64 = 256 << 20;

/// A picture under construction.
#[derive(Default)]
struct Making {
    collapse: Collapse,
    vertices: Vec<Vertex>,
    /// For each box with a number in its key, the key without it, and the number.
    numbered: Vec<Option<(String, u32)>>,
    key_bytes: u64,
    /// The boxes by the names to which resources collapse.
    collapsed: HashMap<String, usize>,
    /// The boxes by the keys of resources, if another layer can have these keys, too.
    box_of_key: HashMap<String, usize>,
    /// Whether there is only one layer.
    is_alone: bool,
    links: BTreeMap<(usize, usize), Vec<(String, u32)>>,
}

impl Making {
    /// Adds a resource. Returns its box.
    fn add_box(&mut self, graph: &ResourceGraph<'_>, one: &Chosen) -> Result<usize, DecodeError> {
        let node = graph.node(one.vertex);
        let (key, type_name) = (graph.name(one.vertex)?, graph.resource_type(one.vertex)?);
        self.key_bytes = self.key_bytes.saturating_add(key.len() as u64);
        if self.key_bytes > KEY_BYTES {
            let (what, count, limit) = ("bytes of keys in a picture", self.key_bytes, KEY_BYTES);
            let value = graph.relations.value(node)?;
            return Err(ErrorKind::TooMany { what, count, limit }.at(value.offset()));
        }
        let new = self.vertices.len();
        let joined = self.collapse.group_of(&key, &type_name);
        let at = match &joined {
            None => new,
            Some(joined) => *self.collapsed.entry(joined.clone()).or_insert(new),
        };
        if !self.is_alone {
            self.box_of_key.insert(key.clone(), at);
        }
        if at == new {
            let own_number = match joined {
                None => graph.relations.number(node)?,
                Some(_) => None,
            };
            let (key, type_name, group) = match joined {
                None => {
                    let group = module_of(&key, &type_name);
                    (key, type_name, group)
                }
                Some(joined) if self.collapse == Collapse::Type => (joined, type_name, String::new()),
                Some(joined) => (joined, String::new(), String::new()),
            };
            self.numbered.push(match own_number {
                Some(number) => Some((graph.relations.key(node)?, number)),
                None => None,
            });
            self.vertices.push(Vertex { key, type_name, group, ..Vertex::default() });
        }
        if let Some(vertex) = self.vertices.get_mut(at) {
            vertex.count += 1;
            vertex.is_focus |= one.is_focus;
            vertex.changes.extend(one.change);
        }
        Ok(at)
    }

    /// Adds the edges of a layer, given the box of each of its resources.
    fn add_links(&mut self, layer: &Layer<'_, '_>, boxes: &[usize]) -> Result<(), DecodeError> {
        let graph = layer.graph;
        let known = layer.chosen.iter().zip(boxes).map(|(one, &at)| (one.vertex, Some(at)));
        let mut box_of: HashMap<u32, Option<usize>> = known.collect();
        let dependencies = graph.edges(Direction::Dependencies);
        // Several resources of one box may share a row of edges.
        let (mut sources, mut counts) = (Vec::new(), HashMap::new());
        for one in &layer.chosen {
            if let Some(from) = box_of.get(&one.vertex).copied().flatten() {
                let source = (from, dependencies.row(one.vertex));
                let count: &mut u32 = counts.entry(source).or_default();
                *count += 1;
                if *count == 1 {
                    sources.push(source);
                }
            }
        }
        // The boxes to which the edges of a row lead, with the numbers of the edges.
        let mut ends_of: HashMap<u32, Vec<(usize, u8, u32)>> = HashMap::new();
        let mut met = 0;
        for &(_, row) in &sources {
            if let Entry::Vacant(entry) = ends_of.entry(row) {
                let (mut ends, mut places) = (Vec::new(), HashMap::new());
                for edge in dependencies.in_row(row) {
                    let to = match box_of.get(&edge.target) {
                        Some(&known) => known,
                        None if self.is_alone => None,
                        // A deleted resource may depend on an existing one.
                        None => {
                            let to = self.box_of_key.get(&graph.name(edge.target)?).copied();
                            box_of.insert(edge.target, to);
                            to
                        }
                    };
                    let Some(to) = to else { continue };
                    let place = *places.entry((to, edge.number)).or_insert(ends.len());
                    match ends.get_mut(place) {
                        Some((_, _, count)) => *count += 1,
                        None => ends.push((to, edge.number, 1)),
                    }
                }
                entry.insert(ends);
            }
            met += ends_of.get(&row).map_or(0, Vec::len);
            graph.relations.check_edges_met(met)?;
        }
        for (from, row) in sources {
            let sources = counts.get(&(from, row)).copied().unwrap_or_default();
            for &(to, number, count) in ends_of.get(&row).into_iter().flatten() {
                // A resource that leads to itself is in the box from which the edge starts.
                if to != from {
                    let count = count.saturating_mul(sources);
                    self.add_links_of((from, to), graph.relations.kind(number), count);
                }
            }
        }
        Ok(())
    }

    fn add_links_of(&mut self, ends: (usize, usize), kind: &str, more: u32) {
        let kinds = self.links.entry(ends).or_default();
        match kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += more,
            None => kinds.push((kind.to_owned(), more)),
        }
    }
}

/// The module of a resource: from its address, or the package and module from its type.
pub(super) fn module_of(key: &str, type_name: &str) -> String {
    if let Ok(address) = Address::parse(key) {
        return address.module().unwrap_or_default().to_owned();
    }
    let module = type_name.rfind(':').map_or("", |end| &type_name[..end]);
    // `aws:ec2/subnet` is the file of `aws:ec2`. A Kubernetes type contains the version of its API.
    match module.rsplit_once('/') {
        Some((before, _)) if !module.starts_with(KUBERNETES) => before.to_owned(),
        _ => module.to_owned(),
    }
}

/// The package of a type: `aws` of `aws:ec2/subnet:Subnet`, of `pulumi:providers:aws` and of
/// `aws_subnet`.
fn package_of(type_name: &str) -> &str {
    let name = type_name.strip_prefix("pulumi:providers:").unwrap_or(type_name);
    match name.find(':').or_else(|| name.find('_')) {
        Some(end) => &name[..end],
        None => name,
    }
}

/// Whether one of these resources is in a namespace.
pub(super) fn has_namespaces(layers: &[Layer<'_, '_>]) -> Result<bool, DecodeError> {
    for Layer { graph, chosen } in layers {
        for one in chosen {
            let type_name = graph.resource_type(one.vertex)?;
            if namespace_of(&graph.name(one.vertex)?, &type_name).is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The prefix of keys made by `coco import`. The name of the graph and the namespace follow; the
/// second one is used for resources without a namespace.
const IMPORTED: &str = "urn:coconut:";
const CLUSTER: &str = "_cluster";

/// The prefix of Kubernetes types.
const KUBERNETES: &str = "kubernetes:";

/// The namespace of a Kubernetes object; `None` if it has none.
fn namespace_of<'k>(key: &'k str, type_name: &str) -> Option<&'k str> {
    if !type_name.starts_with(KUBERNETES) {
        return None;
    }
    if let Some(rest) = key.strip_prefix(IMPORTED) {
        return rest.split("::").nth(1).filter(|&namespace| namespace != CLUSTER);
    }
    if let Ok(urn) = Urn::parse(key) {
        let start = key.len() - urn.name().len();
        return key[start..].split_once('/').map(|(namespace, _)| namespace);
    }
    let (_, rest) = key.split_once('/')?;
    rest.split_once('/').map(|(namespace, _)| namespace)
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
        assert_eq!(module_of("Deployment/shop/web", "kubernetes:apps/v1:Deployment"), "kubernetes:apps/v1");
    }

    #[test]
    fn a_package_is_the_first_word_of_a_type_and_a_namespace_is_in_the_key() {
        assert_eq!(package_of("aws:ec2/subnet:Subnet"), "aws");
        assert_eq!(package_of("pulumi:providers:aws"), "aws");
        assert_eq!(package_of("aws_subnet"), "aws");
        assert_eq!(package_of("net"), "net");
        let deployment = "kubernetes:apps/v1:Deployment";
        assert_eq!(namespace_of("Deployment/shop/web", deployment), Some("shop"));
        assert_eq!(namespace_of("Deployment/web", deployment), None);
        let urn = "urn:pulumi:s::p::kubernetes:apps/v1:Deployment::shop/web";
        assert_eq!(namespace_of(urn, deployment), Some("shop"));
        assert_eq!(namespace_of("a/b/c", "compose:service"), None);
        let imported = "urn:coconut:import::shop::kubernetes:apps/v1:Deployment::web";
        assert_eq!(namespace_of(imported, deployment), Some("shop"));
        let node = "urn:coconut:import::_cluster::kubernetes:core/v1:Node::a";
        assert_eq!(namespace_of(node, "kubernetes:core/v1:Node"), None);
    }
}
