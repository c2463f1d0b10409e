//! What changed between two documents: resources that came, went, or have another value.

use crate::failure::Failure;
use crate::resources::ResourceGraph;
use coconut_codec::read::stream::Budget;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::error::ErrorKind;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::io;

/// What happened to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Only the new document has its key.
    Created,
    /// Only the old document has its key.
    Deleted,
    /// The values under its key differ.
    Changed,
}

impl Change {
    pub(super) const ALL: [Change; 3] = [Change::Created, Change::Changed, Change::Deleted];

    pub(super) fn name(self) -> &'static str {
        match self {
            Change::Created => "created",
            Change::Deleted => "deleted",
            Change::Changed => "changed",
        }
    }

    /// The sign before a name.
    pub(super) fn sign(self) -> char {
        match self {
            Change::Created => '+',
            Change::Deleted => '-',
            Change::Changed => '~',
        }
    }

    /// A colour that can be told from the others, on white as on black.
    pub(super) fn colour(self) -> &'static str {
        match self {
            Change::Created => "#1a7f37",
            Change::Deleted => "#cf222e",
            Change::Changed => "#bf8700",
        }
    }
}

/// The changes of the resources of two graphs, by vertex.
pub(super) struct Changes {
    /// Of the new graph.
    pub(super) new: HashMap<u32, Change>,
    /// The vertices of the old graph that are deleted, ascending.
    pub(super) deleted: Vec<u32>,
}

impl Changes {
    /// Compares the values of all resources. The order of entries in an object counts.
    pub(super) fn between(old: &ResourceGraph<'_>, new: &ResourceGraph<'_>) -> Result<Changes, Failure> {
        let (before, after) = (digests(old)?, digests(new)?);
        let mut changes = Changes { new: HashMap::new(), deleted: Vec::new() };
        for (key, (vertex, digest)) in &after {
            let change = match before.get(key) {
                None => Some(Change::Created),
                Some((_, old)) if old != digest => Some(Change::Changed),
                Some(_) => None,
            };
            changes.new.extend(change.map(|change| (*vertex, change)));
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
    // Values can share all that they hold, so each alone may be within the budget.
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

/// A digest of what is written, and the number of bytes.
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
