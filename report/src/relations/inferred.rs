//! Edges implied by a document: manifests, plans, Compose files, catalogs, old states.

use super::Direction;
use crate::failure::Failure;
use crate::place::pointer_of;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::{DanglingReference, DanglingReferences, LandmarkView, Ways};
use coconut_codec::read::tree::TreeOnDemand;
use coconut_codec::read::view::WatchedView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::node::Node;
use coconut_interop::{EdgeKind, Import, ImportError, System, infer, system_of};
use std::cell::Cell;
use std::collections::HashMap;

/// The resources and edges that an import finds.
pub(crate) struct Inferred {
    /// The name of the procedure, with its version.
    pub(crate) by: &'static str,
    resources: Vec<Resource>,
    /// Ends of edges by resource, in both directions.
    dependencies: Vec<Vec<(u32, u8)>>,
    dependents: Vec<Vec<(u32, u8)>>,
    /// References to missing resources.
    missing: Vec<DanglingReference>,
}

struct Resource {
    key: String,
    pointer: String,
    resource_type: String,
}

impl Inferred {
    /// The implied edges of the document, unless it records its edges itself.
    pub(crate) fn of(tree: &TreeOnDemand<'_>) -> Result<Option<Inferred>, Failure> {
        let document = tree.document();
        // Names in `depends_on` of old states are relative to their module, which no rule can
        // express.
        let is_recorded = match document.header().dialect.as_deref() {
            Some("terraform-state-3") => false,
            Some("terraform-state-4") => memchr::memmem::find(document.bytes(), b"depends_on").is_none(),
            _ => !document.header().rule()?.edges().is_empty(),
        };
        if is_recorded {
            return Ok(None);
        }
        let fault = Cell::new(None);
        let system = system_of(WatchedView::new(document.root(), &fault));
        if let Some(error) = fault.take() {
            return Err(DecodeError::into(error));
        }
        if system.is_none() {
            return Ok(None);
        }
        match infer(tree.get()?.root()) {
            None => Ok(None),
            Some(Ok(import)) => Ok(Some(Inferred::of_import(&import))),
            Some(Err(ImportError::TooMany { what, limit })) => {
                let limit = limit as u64;
                let kind = ErrorKind::TooMany { what, count: limit.saturating_add(1), limit };
                Err(Failure::from(kind.at(document.root().offset())))
            }
            // The system is that of the document.
            Some(Err(ImportError::OtherSystem { .. })) => Ok(None),
        }
    }

    fn of_import<'a, N: Node<'a>>(import: &Import<'a, N>) -> Inferred {
        let resources = import.resources().iter().map(|resource| Resource {
            key: resource.key.clone(),
            pointer: resource.pointer.clone(),
            resource_type: resource.resource_type.clone(),
        });
        let resources: Vec<Resource> = resources.collect();
        let mut dependencies = vec![Vec::new(); resources.len()];
        let mut dependents = vec![Vec::new(); resources.len()];
        for edge in import.edges() {
            let number = number_of(edge.kind);
            dependencies[edge.from as usize].push((edge.to, number));
            dependents[edge.to as usize].push((edge.from, number));
        }
        let missing = import.missing().iter().filter(|missing| !missing.is_optional);
        let missing = missing.map(|missing| DanglingReference {
            from: missing.from,
            kind: missing.kind.name().to_owned(),
            target: missing.name.clone(),
            pointer: missing.at.clone(),
        });
        let (by, missing) = (System::inference(import.system()), missing.collect());
        Inferred { by, resources, dependencies, dependents, missing }
    }

    /// The resources with this key.
    pub(crate) fn named(&self, key: &str) -> Vec<u32> {
        self.numbers().filter(|(_, resource)| resource.key == key).map(|(number, _)| number).collect()
    }

    /// The resources at these landmarks, or inside them. If there are none, the one around the
    /// first.
    pub(crate) fn at(
        &self,
        document: DocumentView<'_>,
        landmarks: &[LandmarkView<'_>],
    ) -> Result<Vec<u32>, DecodeError> {
        let mut found = Vec::new();
        for &landmark in landmarks {
            let pointer = pointer_of(Ways::from_root(document).next_to(landmark)?);
            let is_in = |(_, resource): &(u32, &Resource)| is_within(&resource.pointer, &pointer);
            let before = found.len();
            found.extend(self.numbers().filter(is_in).map(|(number, _)| number));
            if found.len() == before {
                let around = self.numbers().filter(|(_, resource)| is_within(&pointer, &resource.pointer));
                let innermost = around.max_by_key(|(_, resource)| resource.pointer.len());
                found.extend(innermost.map(|(number, _)| number));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.resources.len()).unwrap_or(u32::MAX)
    }

    fn numbers(&self) -> impl Iterator<Item = (u32, &Resource)> {
        (0..).zip(&self.resources)
    }

    pub(crate) fn edges(&self, node: u32, direction: Direction) -> &[(u32, u8)] {
        let edges = match direction {
            Direction::Dependencies => &self.dependencies,
            Direction::Dependents => &self.dependents,
        };
        edges.get(node as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn kind(number: u8) -> &'static str {
        EdgeKind::ALL.get(usize::from(number)).map_or("", |kind| kind.name())
    }

    pub(crate) fn key(&self, node: u32) -> &str {
        self.resources.get(node as usize).map_or("", |resource| &resource.key)
    }

    pub(crate) fn resource_type(&self, node: u32) -> &str {
        self.resources.get(node as usize).map_or("", |resource| &resource.resource_type)
    }

    pub(crate) fn pointer(&self, node: u32) -> &str {
        self.resources.get(node as usize).map_or("", |resource| &resource.pointer)
    }

    /// For each resource, its number among those with its key, from 1, if there are several.
    pub(crate) fn numbers_of_keys(&self) -> HashMap<u32, u32> {
        let mut same: HashMap<&str, Vec<u32>> = HashMap::new();
        self.numbers().for_each(|(number, resource)| same.entry(&resource.key).or_default().push(number));
        same.into_values().filter(|same| same.len() > 1).flat_map(|same| same.into_iter().zip(1..)).collect()
    }

    pub(crate) fn dangling(&self, most: usize, mut is_wanted: impl FnMut(u32) -> bool) -> DanglingReferences {
        let mut dangling =
            DanglingReferences { count: self.missing.len() as u64, ..DanglingReferences::default() };
        for missing in self.missing.iter().filter(|missing| is_wanted(missing.from)) {
            dangling.wanted += 1;
            if dangling.first.len() < most {
                dangling.first.push(missing.clone());
            }
        }
        dangling
    }
}

fn number_of(kind: EdgeKind) -> u8 {
    let number = EdgeKind::ALL.iter().position(|other| *other == kind).unwrap_or_default();
    u8::try_from(number).unwrap_or_default()
}

/// Whether a pointer refers to a value or to a part of it.
fn is_within(pointer: &str, around: &str) -> bool {
    pointer.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
