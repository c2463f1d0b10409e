//! The order in which resources can be created (§15.6), from the edge tables alone.

use super::ResourceView;
use crate::bounded_debug::bounded_debug;
use crate::read::file::DocumentView;
use crate::wire::edges::CheckedEdges;
use crate::wire::ids::Ordinal;
use coconut_format::error::DecodeError;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Iterates over all resources of a graph, each after all of its dependencies.
///
/// A depth-first walk without recursion. It takes four bytes per resource for its progress, and at
/// most as many for the current path.
#[derive(Clone)]
pub struct DependencyOrder<'a> {
    document: DocumentView<'a>,
    edges: Cow<'a, CheckedEdges<'a>>,
    is_nested: bool,
    /// For each resource, the next edge to follow or one of the marks below.
    next_edge: Vec<u32>,
    /// The current path: resources begun but not finished. Each is needed by the previous one.
    way: Vec<Ordinal>,
    /// The next resource to begin if the path is empty.
    start: Ordinal,
    has_failed: bool,
}

bounded_debug!(DependencyOrder<'_>, |order| next: order.start.0, depth: order.way.len());

/// The resource has not been visited.
const UNSEEN: u32 = u32::MAX;
/// The resource has been returned.
const DONE: u32 = u32::MAX - 1;
/// All edges have been followed, and the instances are being visited. Edge numbers stay below this:
/// `limits` allows 2^27 edges.
const INSTANCES: u32 = 1 << 31;

/// The reason why iteration ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OrderError {
    /// Resources depend on one another in a circle. Holds their ordinals; each depends on the next,
    /// and the last on the first.
    Cycle(Vec<u32>),
    /// The file could not be read.
    Decode(DecodeError),
}

impl OrderError {
    /// Returns the stable code, for machines: that of the cycle rule, or of the damage.
    pub fn code(&self) -> &'static str {
        match self {
            OrderError::Cycle(_) => "GRF-CYCLE",
            OrderError::Decode(error) => error.code(),
        }
    }
}

coconut_format::explained!(OrderError);

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Cycle(cycle) => {
                write!(f, "{} resources depend on one another in a circle", cycle.len())
            }
            OrderError::Decode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OrderError {}

impl From<DecodeError> for OrderError {
    fn from(error: DecodeError) -> Self {
        OrderError::Decode(error)
    }
}

impl<'a> DependencyOrder<'a> {
    pub(super) fn of(document: DocumentView<'a>) -> Result<DependencyOrder<'a>, DecodeError> {
        let count = document.landmark_count()? as usize;
        Ok(DependencyOrder {
            edges: document.checked_edges()?,
            is_nested: document.has_nested_landmarks()?,
            next_edge: vec![UNSEEN; count],
            way: Vec::new(),
            start: Ordinal(0),
            has_failed: false,
            document,
        })
    }

    /// Iterates over the ordinals alone, in the same order.
    pub fn ordinals(mut self) -> impl Iterator<Item = Result<u32, OrderError>> {
        std::iter::from_fn(move || Some(self.next_ordinal().transpose()?.map(|ordinal| ordinal.0)))
    }

    fn next_ordinal(&mut self) -> Result<Option<Ordinal>, OrderError> {
        let next = match self.has_failed {
            false => self.step(),
            true => Ok(None),
        };
        self.has_failed |= next.is_err();
        next
    }

    fn step(&mut self) -> Result<Option<Ordinal>, OrderError> {
        loop {
            let Some(&vertex) = self.way.last() else {
                let Some(mark) = self.next_edge.get(self.start.index()) else { return Ok(None) };
                if *mark == UNSEEN {
                    self.begin(self.start);
                } else {
                    self.start = self.start.next();
                }
                continue;
            };
            match self.next_needed(vertex)? {
                Some(needed) if self.next_edge[needed.index()] == UNSEEN => self.begin(needed),
                Some(needed) => {
                    let from = self.way.iter().rposition(|&other| other == needed);
                    let cycle = self.way.split_off(from.unwrap_or(0));
                    return Err(OrderError::Cycle(cycle.into_iter().map(|vertex| vertex.0).collect()));
                }
                None => {
                    self.next_edge[vertex.index()] = DONE;
                    self.way.pop();
                    return Ok(Some(vertex));
                }
            }
        }
    }

    fn begin(&mut self, vertex: Ordinal) {
        self.next_edge[vertex.index()] = self.edges.range(vertex).start;
        self.way.push(vertex);
    }

    /// Returns the next dependency of `vertex` that has not been returned yet. It is unvisited or
    /// on the current path.
    fn next_needed(&mut self, vertex: Ordinal) -> Result<Option<Ordinal>, DecodeError> {
        let Range { end, .. } = self.edges.range(vertex);
        let mut edge = self.next_edge[vertex.index()];
        while edge < end {
            let target = self.edges.target(edge);
            edge += 1;
            if let Some(target) = target
                && self.next_edge[target.index()] != DONE
                && !self.is_within(vertex, target)?
            {
                self.next_edge[vertex.index()] = edge;
                return Ok(Some(target));
            }
        }
        self.next_instance(vertex, edge)
    }

    /// Returns the next landmark directly inside `vertex` that has not been returned yet. The first
    /// one follows `vertex` directly. Each other one begins at the end of the previous one. If a
    /// wrong table claims a landmark for several parents, the parent in its own entry counts.
    fn next_instance(&mut self, vertex: Ordinal, edge: u32) -> Result<Option<Ordinal>, DecodeError> {
        if !self.is_nested {
            return Ok(None);
        }
        let count = self.next_edge.len() as u64;
        let mut next = match edge.saturating_sub(INSTANCES) {
            0 => vertex.next(),
            seen => self.document.end_of(Ordinal(vertex.0.saturating_add(seen)))?,
        };
        while u64::from(next) < count && self.document.parent_of(next)? == Some(vertex) {
            if self.next_edge[next.index()] != DONE {
                self.next_edge[vertex.index()] = INSTANCES + (next.0 - vertex.0);
                return Ok(Some(next));
            }
            next = self.document.end_of(next)?;
        }
        Ok(None)
    }

    /// Returns whether `vertex` is `outer` or inside it.
    fn is_within(&self, vertex: Ordinal, outer: Ordinal) -> Result<bool, DecodeError> {
        match self.is_nested {
            true => self.document.is_within(vertex, outer),
            false => Ok(vertex == outer),
        }
    }
}

impl<'a> Iterator for DependencyOrder<'a> {
    type Item = Result<ResourceView<'a>, OrderError>;

    fn next(&mut self) -> Option<Self::Item> {
        let ordinal = self.next_ordinal().transpose()?;
        ordinal.and_then(|ordinal| Ok(self.document.landmark(ordinal.0)?.map(ResourceView::of))).transpose()
    }
}
