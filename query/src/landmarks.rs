//! Functions about landmarks and the edges between them.
//!
//! A landmark is given by its value or by a key, as in `deps`. Results are keys, each of which
//! leads back to its landmark.

use super::operators::{Error, error};
use super::program::{Data, Function, Scope};
use super::steps::{self, Fault};
use super::value::Val;
use super::view::Source;
use coconut_codec::secrets::HiddenKeys;
use coconut_format::graph::{Edges, Place};
use coconut_report::failure::Failure;
use coconut_report::place::for_each_landmark;
use coconut_report::relations::Direction;
use coconut_report::resources::ResourceGraph;
use coconut_report::select::{Classes, KeyNumbers, Need, numbered, select_all, select_shown, shown_name};
use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::native::{bome, run, v};
use jaq_core::{Cv, Exn, ValX};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// The functions here. A filter that uses one may see more of a document than its input.
pub(super) const NAMES: &[&str] =
    &["landmark", "deps", "ancestors", "dependents", "paths_between", "edge_kinds", "key"];

/// The tables for questions about landmarks, built for the first of them.
pub(crate) struct Table {
    landmarks: Vec<Landmark>,
    /// The landmarks whose keys are hidden.
    hidden: HiddenKeys,
    /// By the offset of the value.
    by_offset: HashMap<u64, u32>,
    graph: OnceCell<Graph>,
}

struct Landmark {
    /// The key in the form that can be shown, with its number if it is not unique.
    key: Rc<str>,
    place: Place,
}

/// The resources and their edges, independent of the document.
struct Graph {
    names: Vec<Val>,
    by_name: HashMap<Rc<str>, u32>,
    dependencies: Edges,
    dependents: Edges,
    /// The kind of each number of an edge.
    kinds: Vec<Rc<str>>,
    /// The resource of each landmark. Empty if resources are not landmarks.
    resource_of: Vec<Option<u32>>,
    /// Short forms of requested keys.
    known: RefCell<HashMap<String, Vec<u32>>>,
}

pub(super) fn functions() -> impl Iterator<Item = Function> {
    let all: Box<[jaq_core::native::Filter<jaq_core::RunPtr<Data>>]> = Box::new([
        ("file", v(0), |cv| {
            let name = cv.0.data().source.as_ref().map(|source| Val::text(source.name()));
            bome(Ok(name.unwrap_or_default()))
        }),
        ("reveal", v(0), |cv| match cv.0.data().reveal {
            true => bome(Ok(cv.1)),
            false => bome(Err(error("secrets are hidden; use `--reveal` to see them"))),
        }),
        ("key", v(0), |cv| bome(key_of(cv.0.data(), &cv.1))),
        ("landmarks", v(0), |cv| results(all(cv.0.data()))),
        ("landmark", v(1), |mut cv| {
            let key = cv.0.pop_var();
            results(named(cv.0.data(), &key))
        }),
        ("edge_kinds", v(0), |cv| {
            bome(graph_of(cv.0.data()).map(|(_, graph)| Val::list(graph.kind_names())))
        }),
        ("deps", v(0), |cv| neighbours(cv, Direction::Dependencies, Some(1), None)),
        ("rdeps", v(0), |cv| neighbours(cv, Direction::Dependents, Some(1), None)),
        ("deps", v(1), |mut cv| {
            let kind = cv.0.pop_var();
            neighbours(cv, Direction::Dependencies, Some(1), Some(kind))
        }),
        ("rdeps", v(1), |mut cv| {
            let kind = cv.0.pop_var();
            neighbours(cv, Direction::Dependents, Some(1), Some(kind))
        }),
        ("ancestors", v(1), |mut cv| {
            let depth = depth_of(&cv.0.pop_var());
            neighbours(cv, Direction::Dependencies, depth, None)
        }),
        ("dependents", v(1), |mut cv| {
            let depth = depth_of(&cv.0.pop_var());
            neighbours(cv, Direction::Dependents, depth, None)
        }),
        ("paths_between", v(2), |mut cv| {
            let to = cv.0.pop_var();
            let from = cv.0.pop_var();
            results(ways(cv.0.data(), &from, &to))
        }),
    ]);
    all.into_vec().into_iter().map(|function| run::<Data>(function))
}

/// A stream of values, or one error.
fn results<'a>(results: Result<BoxIter<'static, Val>, Error>) -> BoxIter<'a, ValX<'a, Val>> {
    match results {
        Ok(values) => Box::new(values.map(Ok)),
        Err(error) => box_once(Err(Exn::from(error))),
    }
}

/// The maximum number of edges to follow. `None` if the value is not a number of at least 0.
fn depth_of(depth: &Val) -> Option<u32> {
    match depth {
        Val::Number(number) if number.as_float() >= f64::from(u32::MAX) => Some(u32::MAX),
        Val::Number(number) => number.floor().and_then(|depth| u32::try_from(depth).ok()),
        _ => None,
    }
}

fn source_of<'s>(scope: &'s Scope<'_>) -> Result<&'s Rc<Source>, Error> {
    scope.source.as_ref().ok_or_else(|| error("there is no document"))
}

/// Ends the run with a failure that the filter did not cause.
fn fail(failure: Failure) -> Error {
    let message = error(failure.to_line());
    steps::raise(Fault::Failed(failure));
    message
}

impl Source {
    fn table(&self) -> Result<&Table, Error> {
        if self.landmarks.get().is_none() {
            let table = Table::of(self).map_err(fail)?;
            let _ = self.landmarks.set(table);
        }
        self.landmarks.get().ok_or_else(|| error("the landmarks cannot be listed"))
    }

    fn graph(&self, reveal: bool) -> Result<&Graph, Error> {
        let table = self.table()?;
        if table.graph.get().is_none() {
            let graph = Graph::of(self, reveal).map_err(fail)?;
            let _ = table.graph.set(graph);
        }
        table.graph.get().ok_or_else(|| error("the edges cannot be read"))
    }

    /// The landmark whose value this is.
    fn ordinal_of(self: &Rc<Source>, value: &Val) -> Result<Option<u32>, Error> {
        match value {
            Val::View(view) if Rc::ptr_eq(view.source(), self) => {
                Ok(self.table()?.by_offset.get(&view.view().offset()).copied())
            }
            _ => Ok(None),
        }
    }
}

impl Table {
    fn of(source: &Source) -> Result<Table, Failure> {
        let document = source.document();
        let redaction = source.redaction();
        let hidden = HiddenKeys::of(document, redaction)?;
        let (mut numbers, mut along) = (KeyNumbers::default(), redaction.of_landmarks());
        let mut table = Table {
            landmarks: Vec::new(),
            hidden: HiddenKeys::default(),
            by_offset: HashMap::new(),
            graph: OnceCell::new(),
        };
        for_each_landmark::<Failure>(document, |landmark, key, way| {
            let number = match hidden.has(landmark)? {
                true => None,
                false => numbers.of(landmark, key)?,
            };
            let key = numbered(hidden.shown(landmark, key)?, number).into();
            table.by_offset.entry(landmark.value()?.offset()).or_insert(landmark.ordinal()?);
            table.landmarks.push(Landmark { key, place: along.place_of(way) });
            Ok(())
        })?;
        table.hidden = hidden;
        Ok(table)
    }
}

fn key_of(scope: &Scope<'_>, value: &Val) -> Result<Val, Error> {
    let source = source_of(scope)?;
    let ordinal = source.ordinal_of(value)?;
    let table = source.table()?;
    let landmark = ordinal.and_then(|ordinal| table.landmarks.get(ordinal as usize));
    Ok(landmark.map(|landmark| Val::text(&*landmark.key)).unwrap_or_default())
}

/// The values of all landmarks, in document order.
fn all(scope: &Scope<'_>) -> Result<BoxIter<'static, Val>, Error> {
    let source = Rc::clone(source_of(scope)?);
    let count = source.table()?.landmarks.len();
    Ok(Box::new((0..count).map_while(move |at| {
        let ordinal = u32::try_from(at).ok()?;
        let place = source.landmarks.get()?.landmarks.get(at)?.place;
        let document = source.document();
        let value = document.landmark(ordinal).and_then(|landmark| match landmark {
            Some(landmark) => landmark.value().map(Some),
            None => Ok(None),
        });
        match value {
            Ok(value) => Some(source.value(value?, place)),
            Err(error) => {
                steps::raise(Fault::Document(error));
                None
            }
        }
    })))
}

/// The values named, as in `get`. A path ends at a secret, so the result does not reveal whether a
/// secret contains such a key.
fn named(scope: &Scope<'_>, key: &Val) -> Result<BoxIter<'static, Val>, Error> {
    let source = source_of(scope)?;
    let Val::String(key) = key else { return Err(error("a key is a string")) };
    let found = match source.redaction().is_empty() {
        true => select_all(source.document(), key, Classes::ALL, Need::Way),
        false => select_shown(source.document(), key, &source.table()?.hidden, source.redaction()),
    };
    let found = found.and_then(Iterator::collect::<Result<Vec<_>, Failure>>);
    let found = found.map_err(|failure| error(failure.message()))?;
    let values =
        found.iter().map(|selected| source.value(selected.value, source.redaction().place_of(&selected.way)));
    let values: Vec<Val> = values.collect();
    Ok(Box::new(values.into_iter()))
}

impl Graph {
    fn of(source: &Source, reveal: bool) -> Result<Graph, Failure> {
        let graph = ResourceGraph::of(source.document(), reveal, &[])?;
        let names: Vec<String> =
            (0..graph.vertices()).map(|vertex| graph.name(vertex)).collect::<Result<_, _>>()?;
        let by_name = (0..).zip(&names).map(|(vertex, name)| (Rc::from(name.as_str()), vertex)).collect();
        let is_inferred = graph.relations.inferred_by().is_some();
        Ok(Graph {
            names: names.into_iter().map(Val::text).collect(),
            by_name,
            dependencies: graph.edges(Direction::Dependencies).clone(),
            dependents: graph.edges(Direction::Dependents).clone(),
            kinds: graph.relations.kinds().into_iter().map(Rc::from).collect(),
            resource_of: match is_inferred {
                true => Vec::new(),
                false => (0..graph.count_nodes()).map(|node| graph.vertex(node)).collect(),
            },
            known: RefCell::default(),
        })
    }

    fn kind_names(&self) -> Vec<Val> {
        let mut kinds: Vec<&Rc<str>> = self.kinds.iter().collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.into_iter().map(|kind| Val::text(&**kind)).collect()
    }

    fn edges(&self, direction: Direction) -> &Edges {
        match direction {
            Direction::Dependencies => &self.dependencies,
            Direction::Dependents => &self.dependents,
        }
    }

    fn name(&self, vertex: u32) -> Val {
        self.names.get(vertex as usize).cloned().unwrap_or_default()
    }

    /// The resources to which a value refers: the value of a landmark, or a key.
    fn start(&self, source: &Rc<Source>, reveal: bool, value: &Val) -> Result<Vec<u32>, Error> {
        if let Val::String(key) = value {
            return self.with_key(source, reveal, key);
        }
        let Some(ordinal) = source.ordinal_of(value)? else {
            return Err(error(format_args!("{} is no landmark and no key", value.described())));
        };
        if let Some(Some(vertex)) = self.resource_of.get(ordinal as usize) {
            return Ok(vec![*vertex]);
        }
        let key = source.table()?.landmarks.get(ordinal as usize).map(|landmark| Rc::clone(&landmark.key));
        self.with_key(source, reveal, &key.unwrap_or_default())
    }

    fn with_key(&self, source: &Rc<Source>, reveal: bool, key: &str) -> Result<Vec<u32>, Error> {
        if let Some(vertex) = self.by_name.get(key) {
            return Ok(vec![*vertex]);
        }
        if let Some(known) = self.known.borrow().get(key) {
            return Ok(known.clone());
        }
        let (document, secrets) = (source.document(), source.redaction());
        let name = match secrets.is_empty() {
            true => Ok(key),
            false => shown_name(document, key, &source.table()?.hidden, secrets),
        };
        let found = name.and_then(|name| ResourceGraph::of(document, reveal, &[])?.start(name));
        let found = found.map_err(|failure| error(failure.message()))?;
        self.known.borrow_mut().insert(key.to_owned(), found.clone());
        Ok(found)
    }

    /// The resources at most `depth` edges away, nearest first.
    fn reached(&self, start: &[u32], direction: Direction, depth: u32, kinds: Option<&str>) -> Vec<u32> {
        let edges = self.edges(direction);
        let is_wanted = |number: u8| match kinds {
            None => true,
            Some(kind) => self.kinds.get(usize::from(number)).is_some_and(|known| **known == *kind),
        };
        let mut is_met = vec![false; self.names.len()];
        // Edges that vertices share are followed once.
        let mut is_visited = vec![false; if edges.is_shared() { self.names.len() } else { 0 }];
        let mut queue: VecDeque<(u32, u32)> = VecDeque::new();
        for &vertex in start {
            is_met[vertex as usize] = true;
            queue.push_back((vertex, 0));
        }
        let mut reached = Vec::new();
        while let Some((vertex, distance)) = queue.pop_front() {
            if distance >= depth {
                continue;
            }
            if let Some(is_visited) = is_visited.get_mut(edges.row(vertex) as usize)
                && std::mem::replace(is_visited, true)
            {
                continue;
            }
            for edge in edges.of(vertex).filter(|edge| is_wanted(edge.number)) {
                let is_met = &mut is_met[edge.target as usize];
                if !std::mem::replace(is_met, true) {
                    reached.push(edge.target);
                    queue.push_back((edge.target, distance + 1));
                }
            }
        }
        steps::are_exceeded(reached.len() as u64);
        reached
    }
}

/// The document and its graph.
fn graph_of<'s>(scope: &'s Scope<'_>) -> Result<(&'s Rc<Source>, &'s Graph), Error> {
    let source = source_of(scope)?;
    Ok((source, source.graph(scope.reveal)?))
}

fn neighbours<'a>(
    cv: Cv<'a, Data>,
    direction: Direction,
    depth: Option<u32>,
    kind: Option<Val>,
) -> BoxIter<'a, ValX<'a, Val>> {
    let scope = *cv.0.data();
    let reached = || {
        let depth = depth.ok_or_else(|| error("a depth is a number that is at least 0"))?;
        let (source, graph) = graph_of(scope)?;
        let kind = match &kind {
            None => None,
            Some(Val::String(kind)) if graph.kinds.iter().any(|known| **known == **kind) => {
                Some(kind.as_str())
            }
            Some(other) => {
                let known = Val::list(graph.kind_names());
                return Err(error(format_args!("no edge is of kind {other}; the kinds are {known}")));
            }
        };
        let start = graph.start(source, scope.reveal, &cv.1)?;
        let reached = graph.reached(&start, direction, depth, kind);
        let names: Vec<Val> = reached.into_iter().map(|vertex| graph.name(vertex)).collect();
        let names: BoxIter<'static, Val> = Box::new(names.into_iter());
        Ok(names)
    };
    results(reached())
}

/// The paths from one resource to another along dependencies, without repeated resources. Each is
/// found on demand, because there can be very many.
struct Ways {
    source: Rc<Source>,
    is_end: Vec<bool>,
    /// Whether a resource depends on the end. Others are not visited.
    leads: Vec<bool>,
    is_on_way: Vec<bool>,
    way: Vec<u32>,
    /// For each resource of the path, its remaining targets.
    left: Vec<Vec<u32>>,
    starts: Vec<u32>,
}

fn ways(scope: &Scope<'_>, from: &Val, to: &Val) -> Result<BoxIter<'static, Val>, Error> {
    let (source, graph) = graph_of(scope)?;
    let mut starts = graph.start(source, scope.reveal, from)?;
    let ends = graph.start(source, scope.reveal, to)?;
    let (mut is_end, mut leads) = (vec![false; graph.names.len()], vec![false; graph.names.len()]);
    ends.iter().for_each(|&end| is_end[end as usize] = true);
    let before = graph.reached(&ends, Direction::Dependents, u32::MAX, None);
    before.iter().chain(&ends).for_each(|&vertex| leads[vertex as usize] = true);
    starts.reverse();
    let is_on_way = vec![false; graph.names.len()];
    let source = Rc::clone(source);
    Ok(Box::new(Ways { source, is_end, leads, is_on_way, way: Vec::new(), left: Vec::new(), starts }))
}

impl Ways {
    fn enter(&mut self, vertex: u32) {
        let graph = self.source.landmarks.get().and_then(|table| table.graph.get());
        let mut targets: Vec<u32> = match graph {
            Some(graph) if !self.is_end[vertex as usize] => {
                graph.dependencies.of(vertex).map(|edge| edge.target).collect()
            }
            _ => Vec::new(),
        };
        targets.dedup();
        targets.reverse();
        self.is_on_way[vertex as usize] = true;
        self.way.push(vertex);
        self.left.push(targets);
    }
}

impl Iterator for Ways {
    type Item = Val;

    fn next(&mut self) -> Option<Val> {
        loop {
            if steps::are_exceeded(1) {
                return None;
            }
            let target = match self.left.last_mut() {
                Some(left) => left.pop(),
                None => Some(self.starts.pop()?),
            };
            let Some(target) = target else {
                self.left.pop();
                let left = self.way.pop()?;
                self.is_on_way[left as usize] = false;
                continue;
            };
            if !self.leads[target as usize] || self.is_on_way[target as usize] {
                continue;
            }
            self.enter(target);
            if self.is_end[target as usize] {
                let graph = self.source.landmarks.get()?.graph.get()?;
                return Some(Val::list(self.way.iter().map(|&vertex| graph.name(vertex)).collect()));
            }
        }
    }
}
