//! The changes of the resources in a picture since another document (§16.2).

use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::Budget;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_diff::{Diff, Happened, Options, ResourceChange, Side};
use coconut_format::error::ErrorKind;
use coconut_report::Failure;
use coconut_report::resources::ResourceGraph;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The maximum number of listed places of one resource.
const MOST_PLACES: usize = 100;

/// The change of a resource, and its places.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pub(super) happened: Happened,
    /// The vertex of the old graph, if the key there differs.
    pub(super) moved_from: Option<u32>,
    /// The action and the JSON pointer of each difference that counts, up to a limit.
    pub(super) places: Vec<(&'static str, String)>,
    /// The number of differences.
    pub(super) count: usize,
}

impl Noted {
    fn of(happened: Happened) -> Noted {
        Noted { happened, moved_from: None, places: Vec::new(), count: 0 }
    }

    fn of_resource(resource: &ResourceChange<'_>) -> Noted {
        let mut noted = Noted::of(resource.happened);
        let edges = [("add", &resource.edges_added), ("remove", &resource.edges_removed)];
        let edges = edges
            .iter()
            .flat_map(|(action, edges)| edges.iter().map(|(kind, key)| (*action, format!("{kind} → {key}"))));
        let places = resource.changes.iter().filter(|change| change.counts);
        let places =
            places.map(|change| (change.difference.action.name(), change.difference.pointer.clone()));
        for place in places.chain(edges) {
            noted.count += 1;
            if noted.places.len() < MOST_PLACES && !noted.places.contains(&place) {
                noted.places.push(place);
            }
        }
        noted
    }
}

/// The changes of the resources of two graphs, by vertex.
#[derive(Debug, Default)]
pub struct Changes {
    /// Of the new graph.
    pub(super) new: BTreeMap<u32, Noted>,
    /// The vertices of the old graph that are deleted, ascending.
    pub(super) deleted: Vec<u32>,
}

impl Changes {
    /// Compares two documents, each with its graph. The differences that count are those of `diff`.
    pub(super) fn between(
        (old_document, old): (DocumentView<'_>, &ResourceGraph<'_>),
        (new_document, new): (DocumentView<'_>, &ResourceGraph<'_>),
        reveal: bool,
    ) -> Result<Changes, Failure> {
        if old.relations.inferred_by().is_some() || new.relations.inferred_by().is_some() {
            return Changes::by_key(old, new);
        }
        let [old_side, new_side] = Side::read_both(old_document, new_document);
        let (old_side, new_side) = (old_side?, new_side?);
        let options = Options { reveals: reveal, ..Options::default() };
        let mut changes = Changes::default();
        let (of_old, of_new) = (old_side.ordinals(), new_side.ordinals());
        Diff::of(&old_side, &new_side, &options)?.for_each(&mut |resource| {
            let vertex = |graph: &ResourceGraph<'_>, ordinals: &[u32], position: Option<usize>| {
                graph.vertex(*ordinals.get(position?)?)
            };
            let (before, after) = resource.positions;
            let beside = resource.instance.as_ref().and_then(|instance| instance.beside);
            let resource_of = match (beside, after) {
                (Some(_), Some(after)) => vertex(new, &of_new, Some(after)),
                (Some(beside), None) => vertex(new, &of_new, Some(beside)),
                (None, _) => None,
            };
            match resource_of {
                Some(vertex) => changes.add_instance(&resource, vertex),
                None => changes.add(&resource, vertex(old, &of_old, before), vertex(new, &of_new, after)),
            }
            Ok::<(), Failure>(())
        })?;
        changes.deleted.sort_unstable();
        changes.deleted.dedup();
        Ok(changes)
    }

    fn add(&mut self, resource: &ResourceChange<'_>, before: Option<u32>, after: Option<u32>) {
        if !resource.counts() {
            return;
        }
        let Some(after) = after else {
            self.deleted.extend(before);
            return;
        };
        let mut noted = Noted::of_resource(resource);
        noted.moved_from = before.filter(|_| resource.old_key.is_some());
        self.note(after, noted);
    }

    /// An instance that was added or removed, while others of the resource were not: a vertex is a
    /// resource.
    fn add_instance(&mut self, resource: &ResourceChange<'_>, vertex: u32) {
        let mut noted = Noted::of_resource(resource);
        noted.happened = Happened::Changed;
        let action = if resource.happened == Happened::Created { "add" } else { "remove" };
        let place = resource.instance.as_ref().map_or("", |instance| &*instance.place);
        noted.places.insert(0, (action, place.to_owned()));
        noted.count += 1;
        self.note(vertex, noted);
    }

    fn note(&mut self, vertex: u32, noted: Noted) {
        let Some(known) = self.new.get_mut(&vertex) else {
            self.new.insert(vertex, noted);
            return;
        };
        known.count += noted.count;
        let room = MOST_PLACES.saturating_sub(known.places.len());
        known.places.extend(noted.places.into_iter().take(room));
        if known.happened != noted.happened {
            let is_replaced = [known.happened, noted.happened].contains(&Happened::Replaced);
            known.happened = if is_replaced { Happened::Replaced } else { Happened::Changed };
        }
        known.moved_from = known.moved_from.or(noted.moved_from);
    }

    /// Compares the values under each key, because the resources of an inference are not landmarks.
    /// The order of entries in an object counts.
    fn by_key(old: &ResourceGraph<'_>, new: &ResourceGraph<'_>) -> Result<Changes, Failure> {
        let (before, after) = (digests(old)?, digests(new)?);
        let mut changes = Changes::default();
        for (key, (vertex, digest)) in &after {
            let happened = match before.get(key) {
                None => Some(Happened::Created),
                Some((_, old)) if old != digest => Some(Happened::Changed),
                Some(_) => None,
            };
            changes.new.extend(happened.map(|happened| (*vertex, Noted::of(happened))));
        }
        let gone = before.iter().filter(|(key, _)| !after.contains_key(*key));
        changes.deleted = gone.map(|(_, (vertex, _))| *vertex).collect();
        changes.deleted.sort_unstable();
        Ok(changes)
    }
}

/// For each key, its vertex and a digest of its value.
fn digests(graph: &ResourceGraph<'_>) -> Result<HashMap<String, (u32, [u8; 32])>, Failure> {
    let mut digests = HashMap::with_capacity(graph.vertices() as usize);
    // Values can share all of their contents, so each alone may be within the budget.
    let mut written = 0;
    for vertex in 0..graph.vertices() {
        let value = graph.relations.value(graph.node(vertex))?;
        let out = Digesting { digest: Sha256::new(), written };
        let mut printer = Printer::new(out, JsonStyle::Minified);
        value.stream(&mut printer, Budget::default())?;
        let out = printer.finish()?;
        written = out.written;
        let limit = Budget::default().bytes;
        if written > limit {
            return Err(ErrorKind::Bytes { count: written, limit }.at(value.offset()).into());
        }
        digests.insert(graph.name(vertex)?, (vertex, out.digest.finalize().into()));
    }
    Ok(digests)
}

/// A digest of the written text, and the number of bytes.
struct Digesting {
    digest: Sha256,
    written: u64,
}

impl io::Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.digest.update(bytes);
        self.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
