//! Edges between landmarks (§8.6), from the tables of a file or from a walk.

use super::LandmarkView;
use crate::bounded_debug::bounded_debug;
use crate::index::Index;
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::index::Extent;
use crate::wire::edges::{CheckedEdges, EdgeTables, Rows};
use crate::wire::ids::Ordinal;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::EdgePattern;
use std::borrow::Cow;

/// An edge between two landmarks.
#[derive(Clone, Copy)]
pub struct EdgeView<'a> {
    /// The landmark at the other end.
    pub landmark: LandmarkView<'a>,
    /// The number of the edge pattern in the header's rule.
    pub number: u8,
    /// The meaning of the edge, for instance `parent`.
    pub kind: &'a str,
}

bounded_debug!(EdgeView<'_>, |edge| number: edge.number, landmark: edge.landmark);

impl<'a> LandmarkView<'a> {
    /// Returns the edges that start at it, by target and kind.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"version": 4, "resources": [
    ///     {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
    ///     {"mode": "managed", "type": "t", "name": "web",
    ///      "instances": [{"attributes": {"id": "w-1"}, "dependencies": ["t.net"]}]}]}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let edges = file.require("t.web")?.dependencies()?;
    /// assert_eq!(edges[0].landmark.key()?, "t.net");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dependencies(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let tables = self.document.edge_tables().map(|[dependencies, _]| dependencies);
        self.edges(tables, |[dependencies, _]| dependencies)
    }

    /// Returns the edges that lead to it, by source and kind.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"version": 4, "resources": [
    ///     {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
    ///     {"mode": "managed", "type": "t", "name": "web",
    ///      "instances": [{"attributes": {"id": "w-1"}, "dependencies": ["t.net"]}]}]}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let edges = file.require("t.net")?.dependents()?;
    /// assert_eq!(edges[0].landmark.key()?, "t.web");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dependents(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let tables = self.document.edge_tables().map(|[_, dependents]| dependents);
        self.edges(tables, |[_, dependents]| dependents)
    }

    /// Returns a number that landmarks have in common only if their dependencies are equal. `None`
    /// if the document does not store equal dependencies once.
    #[doc(hidden)]
    pub fn dependency_row(&self) -> Result<Option<u64>, DecodeError> {
        match (self.document.edge_tables(), self.document.landmark_tables()) {
            (Some([dependencies, _]), Some(_)) if dependencies.is_shared => {
                let row = dependencies.of(self.ordinal)?;
                Ok(Some((row.start as u64) << 32 | row.end as u64))
            }
            (_, Some(_)) => Ok(None),
            (_, None) => {
                let edges = self.document.made_graph()?.edges.as_ref();
                let row = edges.and_then(|[rows, _]| rows.row_of.get(self.ordinal.index()));
                Ok(row.map(|&row| u64::from(row)))
            }
        }
    }

    fn edges(
        &self,
        tables: Option<EdgeTables<'a>>,
        of: impl Fn(&'a [Rows; 2]) -> &'a Rows,
    ) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let document = self.document;
        let ordinal = self.ordinal;
        let rule = document.header().rule()?;
        let view_of = |landmark: LandmarkView<'a>, number: u8| {
            let kind = rule.edges().get(usize::from(number)).map(EdgePattern::kind);
            kind.map(|kind| EdgeView { landmark, number, kind })
        };
        match (tables, document.landmark_tables()) {
            (Some(tables), Some(landmarks)) => {
                let own = tables.of(ordinal)?;
                let mut edges = Vec::with_capacity(own.len());
                for edge in tables.edges(own, landmarks.count(), rule.edges().len())? {
                    let (target, number) = edge?;
                    edges.extend(view_of(document.indexed_landmark(&landmarks, target)?, number));
                }
                Ok(edges)
            }
            (None, Some(_)) => Ok(Vec::new()),
            (_, None) => {
                let all = document.made_graph()?.edges.as_ref().map(of);
                let mut edges = Vec::new();
                for &(target, number) in all.map_or(&[][..], |all| all.of(ordinal)) {
                    let landmark = document.landmark(target.0)?;
                    edges.extend(landmark.and_then(|landmark| view_of(landmark, number)));
                }
                Ok(edges)
            }
        }
    }
}

impl<'a> DocumentView<'a> {
    /// Returns all edges by the landmark that they start at, checked. Refuses more than a document
    /// may have (§9.9), because its callers visit all of them, also those in shared rows.
    pub(crate) fn checked_edges(&self) -> Result<Cow<'a, CheckedEdges<'a>>, DecodeError> {
        let (edges, landmarks) = match (self.landmark_tables(), self.edge_tables()) {
            (Some(landmarks), Some([edges, _])) => {
                (Cow::Owned(edges.checked(landmarks.count())?), landmarks.count())
            }
            (Some(landmarks), None) => {
                let none = Rows::none(landmarks.count() as usize);
                (Cow::Owned(CheckedEdges::of(&none)), landmarks.count())
            }
            (None, _) => {
                let index = self.made_graph()?;
                let landmarks = u32::try_from(index.len()).unwrap_or(u32::MAX);
                (Cow::Borrowed(index.checked_edges()), landmarks)
            }
        };
        let ranges = (0..landmarks).map(|ordinal| edges.range(Ordinal(ordinal)));
        let (count, limit) = (ranges.map(|range| range.len() as u64).sum(), limits::EDGES as u64);
        match count > limit {
            true => {
                let kind = ErrorKind::TooMany { what: "edges", count, limit };
                Err(kind.at(self.frame.root.start as u64))
            }
            false => Ok(edges),
        }
    }

    /// Refuses a document in which a caller found more edges than a reader may find. `met` counts
    /// the edges of distinct landmarks.
    ///
    /// Landmarks may share rows, so a file of 900 kB can have 200 million edges. Where each
    /// landmark has a row of its own, there are more than in the tables only if these are wrong.
    pub fn check_edges_met(&self, met: usize) -> Result<(), DecodeError> {
        if let (Some(landmarks), Some(tables)) = (self.landmark_tables(), self.edge_tables())
            && tables.iter().any(|tables| !tables.is_shared && met > tables.count())
        {
            tables.iter().try_for_each(|tables| tables.checked(landmarks.count()).map(drop))?;
        }
        let limit = limits::max_edges(self.data.len());
        match met > limit {
            true => {
                let (count, limit) = (met as u64, limit as u64);
                Err(ErrorKind::TooMany { what: "edges", count, limit }.at(self.frame.root.start as u64))
            }
            false => Ok(()),
        }
    }

    /// Returns the landmarks and edges found by walking the document.
    fn made_graph(&self) -> Result<&'a Index, DecodeError> {
        if self.header().rule()?.edges().is_empty() {
            return self.made_index();
        }
        let place = &self.frame.made_graph;
        if let Some(index) = place.get() {
            return Ok(index);
        }
        let length = self.data.len();
        let extent = Extent::WithEdges { most_edges: limits::max_edges(length) };
        let index = Index::of_document(*self, extent, limits::search_budget(length))?;
        Ok(place.get_or_init(|| index))
    }
}
