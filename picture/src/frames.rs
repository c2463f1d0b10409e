//! Frames around the boxes of a module, and around the children of a resource, with the places of
//! all boxes and the ways of arrows.
//!
//! 1. A box is in at most one frame, and frames nest. A resource with children is the head of their
//!    frame, and takes the place of its title.
//! 2. The contents of each frame are placed like a picture of their own, inner frames first. An
//!    arrow that leaves a frame is an arrow of the frame.
//! 3. An arrow crosses the rows of each frame that it leaves or enters.
//!
//! A picture without frames has the same layout as before.

use crate::Direction;
use crate::label::{line, lines};
use crate::layout::{Area, GAP, Layout, placed, size_of};
use crate::route::{Crossing, Row, Rows, crossings, sides};
use crate::{Link, Picture, Vertex};
use coconut_format::graph::{Edge, Edges};
use std::collections::BTreeMap;

/// Frames nest at most as deep. Deeper ones would be mostly margins.
const DEEPEST: usize = 8;

/// The space above the title of a frame.
const ABOVE: f64 = GAP / 2.0;

/// The resource that is the parent of a whole deployment. A frame around everything says nothing.
const STACK: &str = "pulumi:pulumi:Stack";

/// The contents of the whole picture; those of frame `f` are `f + 1`.
const WHOLE: usize = 0;

pub(crate) struct Frame {
    /// The last part of the name of the module. `None` for the frame of a resource, whose box is
    /// its head.
    pub(crate) title: Option<String>,
    module: Option<String>,
    pub(crate) area: Area,
    /// The place of the title or of the box.
    pub(crate) head: Area,
    /// The resource that is its head.
    parent: Option<usize>,
    outer: Option<usize>,
    /// Its number among the contents of the frame around it.
    number: usize,
}

/// A box or a frame.
#[derive(Clone, Copy)]
enum Element {
    Box(usize),
    Frame(usize),
}

/// A picture with the places of its boxes and frames.
pub(crate) struct Framed {
    pub(crate) areas: Vec<Area>,
    /// The lines of each box. Those in the frame of a module do not repeat its name.
    pub(crate) labels: Vec<Vec<String>>,
    /// Outer frames come first.
    pub(crate) frames: Vec<Frame>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The frame of each box, and its number among the contents of the frame. A head has no number.
    frame_of: Vec<Option<usize>>,
    numbers: Vec<Option<usize>>,
    /// The rows of the whole picture, and of each frame.
    rows: Vec<Rows>,
    direction: Direction,
}

/// Places the boxes of a picture, with frames around those that belong together.
pub(crate) fn of(picture: &Picture, direction: Direction) -> Framed {
    let (frames, frame_of) = found(picture);
    let framed = picture.vertices.iter().zip(&frame_of);
    let labels: Vec<Vec<String>> = framed
        .map(|(vertex, frame)| match frame.and_then(|at| frames[at].module.as_deref()) {
            Some(module) => lines_in(module, vertex),
            None => lines(vertex),
        })
        .collect();
    let mut framed = Framed {
        areas: labels.iter().map(|lines| size_of(lines)).collect(),
        numbers: vec![None; labels.len()],
        labels,
        frames,
        width: 0.0,
        height: 0.0,
        frame_of,
        rows: Vec::new(),
        direction,
    };
    framed.place(picture);
    framed
}

/// The lines of a box in the frame of this module.
fn lines_in(module: &str, vertex: &Vertex) -> Vec<String> {
    let own = vertex.name.strip_prefix(module).and_then(|rest| rest.strip_prefix('.'));
    match own.filter(|own| !own.is_empty()) {
        Some(own) => lines(&Vertex { name: own.to_owned(), ..vertex.clone() }),
        None => lines(vertex),
    }
}

impl Framed {
    fn place(&mut self, picture: &Picture) {
        let contents = self.contents();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); contents.len()];
        for link in &picture.links {
            let (from, to) = (self.levels(link.from), self.levels(link.to));
            let last = from.iter().zip(&to).take_while(|(one, other)| one.0 == other.0).last();
            if let Some(((level, Some(source)), (_, Some(target)))) = last.filter(|(one, other)| one != other)
            {
                edges[*level].push(Edge { source: number(*source), target: number(*target), number: 0 });
            }
        }
        let mut inside: Vec<Vec<Area>> = vec![Vec::new(); contents.len()];
        for level in (0..contents.len()).rev() {
            let sizes = contents[level].iter().map(|element| self.area(*element)).collect();
            let graph = Edges::new(number(contents[level].len()), &edges[level]);
            let Layout { areas, width, height } = placed(sizes, &graph, self.direction);
            inside[level] = areas;
            match level.checked_sub(1) {
                None => (self.width, self.height) = (width, height),
                Some(at) => self.close(at, width, height),
            }
        }
        // Frames have places as soon as those around them have.
        for (level, elements) in contents.iter().enumerate() {
            let (x, y) = match level.checked_sub(1) {
                None => (0.0, 0.0),
                Some(at) => self.open(at),
            };
            let mut areas = Vec::with_capacity(elements.len() + 1);
            for (element, area) in elements.iter().zip(&inside[level]) {
                let area = Area { x: area.x + x, y: area.y + y, ..*area };
                match *element {
                    Element::Box(at) => self.areas[at] = area,
                    Element::Frame(at) => self.frames[at].area = area,
                }
                areas.push(area);
            }
            areas.extend(level.checked_sub(1).map(|at| self.frames[at].head));
            self.rows.push(Rows::of(&areas, self.direction));
        }
    }

    /// The elements of the whole picture, and of each frame, in document order.
    fn contents(&mut self) -> Vec<Vec<Element>> {
        let mut contents: Vec<Vec<Element>> = vec![Vec::new(); self.frames.len() + 1];
        let mut is_placed = vec![false; self.frames.len()];
        for vertex in 0..self.areas.len() {
            let frame = self.frame_of[vertex];
            let mut around = frame;
            while let Some(at) = around.filter(|&at| !is_placed[at]) {
                is_placed[at] = true;
                around = self.frames[at].outer;
                let outer = &mut contents[around.map_or(WHOLE, |outer| outer + 1)];
                self.frames[at].number = outer.len();
                outer.push(Element::Frame(at));
            }
            if !self.is_head(vertex) {
                let inner = &mut contents[frame.map_or(WHOLE, |frame| frame + 1)];
                self.numbers[vertex] = Some(inner.len());
                inner.push(Element::Box(vertex));
            }
        }
        contents
    }

    fn area(&self, element: Element) -> Area {
        match element {
            Element::Box(at) => self.areas[at],
            Element::Frame(at) => self.frames[at].area,
        }
    }

    fn is_head(&self, vertex: usize) -> bool {
        self.frame_of[vertex].is_some_and(|frame| self.frames[frame].parent == Some(vertex))
    }

    /// Sets the size of a frame around contents of this size.
    fn close(&mut self, at: usize, width: f64, height: f64) {
        let frame = &mut self.frames[at];
        frame.head = match (frame.parent, &frame.title) {
            (Some(parent), _) => self.areas[parent],
            (None, title) => size_of(title.as_slice()),
        };
        frame.area.width = width.max(frame.head.width + 2.0 * GAP);
        frame.area.height = height + ABOVE + frame.head.height;
    }

    /// Sets the place of the head of a frame that has a place. Returns the place of its contents.
    fn open(&mut self, at: usize) -> (f64, f64) {
        let Frame { area, head, parent, .. } = &mut self.frames[at];
        (head.x, head.y) = (area.x + GAP, area.y + ABOVE);
        if let Some(parent) = *parent {
            self.areas[parent] = *head;
        }
        (area.x, area.y + ABOVE + head.height)
    }

    /// The contents that a box is in, from the outermost, and the number of its element in each.
    fn levels(&self, vertex: usize) -> Vec<(usize, Option<usize>)> {
        let mut around = self.frame_of[vertex];
        let mut levels = vec![(around.map_or(WHOLE, |frame| frame + 1), self.numbers[vertex])];
        while let Some(at) = around {
            around = self.frames[at].outer;
            levels.push((around.map_or(WHOLE, |frame| frame + 1), Some(self.frames[at].number)));
        }
        levels.reverse();
        levels
    }

    /// Whether an arrow only says what a frame shows: that its head is the parent of its contents.
    pub(crate) fn shows(&self, link: &Link) -> bool {
        let is_around = self.is_head(link.to) && {
            let mut around = self.frame_of[link.from];
            if self.is_head(link.from) {
                around = around.and_then(|at| self.frames[at].outer);
            }
            around == self.frame_of[link.to]
        };
        is_around && link.kinds.iter().all(|(kind, _)| kind == "parent")
    }

    /// The rows that an arrow between two boxes crosses, in its order. There are none for an arrow
    /// against the direction of the picture.
    pub(crate) fn way(&self, from: usize, to: usize) -> Vec<Crossing> {
        let is_down = self.direction == Direction::Tb;
        let (source, target) = (self.levels(from), self.levels(to));
        let common = source.iter().zip(&target).take_while(|(one, other)| one == other).count();
        // The frame of each of the contents, which are those inside of the common one.
        let frame_at = |level: usize| sides(&self.frames[level - 1].area, is_down).0;
        let (leaves, along_from) = sides(&self.areas[from], is_down);
        let (arrives, along_to) = sides(&self.areas[to], is_down);
        let mut rows: Vec<&Row> = Vec::new();
        let mut here = leaves.1;
        for &(level, _) in source.iter().skip(common + 1).rev() {
            let end = frame_at(level).1;
            rows.extend(self.rows[level].between(here, end));
            here = end;
        }
        let inner: Vec<usize> = target.iter().skip(common + 1).map(|&(level, _)| level).collect();
        let level = source.get(common).or(source.last()).map_or(WHOLE, |&(level, _)| level);
        for (at, level) in std::iter::once(level).chain(inner.iter().copied()).enumerate() {
            let end = inner.get(at).map_or(arrives.0, |&level| frame_at(level).0);
            if end < here {
                return Vec::new();
            }
            rows.extend(self.rows[level].between(here, end));
            here = end;
        }
        let middle = |(start, end)| f64::midpoint(start, end);
        crossings(&rows, (middle(along_from), leaves.1), (middle(along_to), arrives.0))
    }
}

/// The frames of a picture, outer ones first, and the frame of each box.
fn found(picture: &Picture) -> (Vec<Frame>, Vec<Option<usize>>) {
    let (mut frames, mut frame_of) = of_parents(picture);
    of_modules(picture, &mut frames, &mut frame_of);
    (frames, frame_of)
}

fn frame(outer: Option<usize>) -> Frame {
    let (area, head) = (Area::default(), Area::default());
    Frame { title: None, module: None, area, head, parent: None, outer, number: 0 }
}

/// The frames of resources with children. Parents that form a circle have none.
fn of_parents(picture: &Picture) -> (Vec<Frame>, Vec<Option<usize>>) {
    let count = picture.vertices.len();
    let mut parent_of: Vec<Option<usize>> = vec![None; count];
    for link in &picture.links {
        if link.kinds.iter().any(|(kind, _)| kind == "parent") {
            parent_of[link.from].get_or_insert(link.to);
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (vertex, parent) in parent_of.iter().enumerate() {
        if let Some(parent) = *parent {
            children[parent].push(vertex);
        }
    }
    let (mut frames, mut frame_of) = (Vec::new(), vec![None; count]);
    // Each with the frame around it, and the number of frames.
    let mut pending: Vec<(usize, Option<usize>, usize)> =
        (0..count).rev().filter(|&vertex| parent_of[vertex].is_none()).map(|root| (root, None, 0)).collect();
    while let Some((vertex, mut around, mut depth)) = pending.pop() {
        let is_stack = picture.vertices[vertex].type_name == STACK;
        if !children[vertex].is_empty() && !is_stack && depth < DEEPEST {
            frames.push(Frame { parent: Some(vertex), ..frame(around) });
            (around, depth) = (Some(frames.len() - 1), depth + 1);
        }
        frame_of[vertex] = around;
        pending.extend(children[vertex].iter().rev().map(|&child| (child, around, depth)));
    }
    (frames, frame_of)
}

/// The frames of modules, which are in the addresses of resources. The module of a type, such as
/// `aws:ec2`, contains nothing.
fn of_modules(picture: &Picture, frames: &mut Vec<Frame>, frame_of: &mut [Option<usize>]) {
    let is_in_module = |vertex: &Vertex| {
        let rest = vertex.key.strip_prefix(&vertex.group).filter(|_| !vertex.group.is_empty());
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    // Sorted with `.` before all other characters, so that a module is followed by those in it.
    let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, vertex) in picture.vertices.iter().enumerate() {
        if frame_of[at].is_none() && is_in_module(vertex) {
            members.entry(vertex.group.replace('.', "\0")).or_default().push(at);
        }
    }
    let mut around: Vec<(String, usize)> = Vec::new();
    for (name, vertices) in members {
        let is_inside = |outer: &str| name.strip_prefix(outer).is_some_and(|rest| rest.starts_with('\0'));
        while around.last().is_some_and(|(outer, _)| !is_inside(outer)) {
            around.pop();
        }
        let outer = around.last().map(|(outer, at)| (outer.len() + 1, *at));
        let at = match outer {
            Some((_, outer)) if around.len() >= DEEPEST => outer,
            _ => {
                let own = &name[outer.map_or(0, |(start, _)| start)..];
                let title = Some(line(&own.replace('\0', ".")));
                let module = Some(name.replace('\0', "."));
                frames.push(Frame { title, module, ..frame(outer.map(|(_, outer)| outer)) });
                around.push((name.clone(), frames.len() - 1));
                frames.len() - 1
            }
        };
        vertices.into_iter().for_each(|vertex| frame_of[vertex] = Some(at));
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("a document has fewer resources than 2^24")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of resources with these keys. A child is followed by its parent.
    fn picture(keys: &[&str], pairs: &[(usize, usize)], parents: &[(usize, usize)]) -> Picture {
        let vertex = |(at, key): (usize, &&str)| Vertex {
            id: format!("n{at}"),
            key: (*key).to_owned(),
            name: (*key).to_owned(),
            group: key.rsplitn(3, '.').nth(2).unwrap_or_default().to_owned(),
            ..Vertex::default()
        };
        let links = |pairs: &[(usize, usize)], kind: &str| -> Vec<Link> {
            let link = |&(from, to): &(usize, usize)| Link { from, to, kinds: vec![(kind.to_owned(), 1)] };
            pairs.iter().map(link).collect()
        };
        Picture {
            vertices: keys.iter().enumerate().map(vertex).collect(),
            links: [links(pairs, "depends-on"), links(parents, "parent")].concat(),
            boxes: Vec::new(),
        }
    }

    fn contains(outer: &Area, inner: &Area) -> bool {
        outer.x <= inner.x
            && outer.y <= inner.y
            && inner.x + inner.width <= outer.x + outer.width
            && inner.y + inner.height <= outer.y + outer.height
    }

    fn overlap(one: &Area, other: &Area) -> bool {
        one.x < other.x + other.width
            && other.x < one.x + one.width
            && one.y < other.y + other.height
            && other.y < one.y + one.height
    }

    /// No two boxes overlap, and exactly the boxes of a frame are in it.
    fn assert_frames_hold(framed: &Framed) {
        for (at, one) in framed.areas.iter().enumerate() {
            assert!(framed.areas[..at].iter().all(|other| !overlap(one, other)), "box {at}");
            for (frame, around) in framed.frames.iter().enumerate() {
                let mut own = framed.frame_of[at];
                while own.is_some_and(|own| own != frame) {
                    own = own.and_then(|own| framed.frames[own].outer);
                }
                assert_eq!(contains(&around.area, one), own.is_some(), "box {at}, frame {frame}");
                assert_eq!(overlap(&around.area, one), own.is_some(), "box {at}, frame {frame}");
            }
        }
    }

    #[test]
    fn modules_have_frames_that_nest() {
        let keys = ["vpc.x", "module.a.subnet.x", "module.a.module.b[0].vm.x", "module.a-b.vm.x", "dns.x"];
        let picture = picture(&keys, &[(2, 1), (1, 0), (4, 2), (4, 3)], &[]);
        for direction in [Direction::Tb, Direction::Lr] {
            let framed = of(&picture, direction);
            let titles: Vec<_> = framed.frames.iter().filter_map(|frame| frame.title.as_deref()).collect();
            assert_eq!(titles, ["module.a", "module.b[0]", "module.a-b"]);
            assert_eq!(framed.frames[1].outer, Some(0));
            assert_eq!(framed.labels.concat(), ["vpc.x", "subnet.x", "vm.x", "vm.x", "dns.x"]);
            assert_frames_hold(&framed);
            assert!(framed.frames.iter().all(|frame| contains(&frame.area, &frame.head)));
        }
    }

    #[test]
    fn a_parent_is_the_head_of_the_frame_around_its_children() {
        let keys = ["a", "b", "c", "d", "e"];
        // The last two are parents of each other.
        let picture = picture(&keys, &[(1, 2)], &[(1, 0), (2, 0), (3, 4), (4, 3)]);
        let framed = of(&picture, Direction::Tb);
        assert_eq!(framed.frame_of, [Some(0), Some(0), Some(0), None, None]);
        assert_eq!(framed.frames[0].head, framed.areas[0]);
        assert_frames_hold(&framed);
        let shown: Vec<bool> = picture.links.iter().map(|link| framed.shows(link)).collect();
        assert_eq!(shown, [false, true, true, false, false]);
    }

    #[test]
    fn deep_frames_end_at_a_limit() {
        let keys: Vec<String> = (0..3000).map(|at| format!("n{at}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let parents: Vec<(usize, usize)> = (1..keys.len()).map(|at| (at, at - 1)).collect();
        let framed = of(&picture(&keys, &[], &parents), Direction::Tb);
        assert_eq!(framed.frames.len(), DEEPEST);
    }

    #[test]
    fn an_arrow_out_of_a_frame_crosses_the_rows_below_it_in_their_gaps() {
        let keys = ["module.a.vm.x", "module.a.vm.y", "vpc.x"];
        // Both boxes of the module lead out of it, and the second one is below the first.
        let framed = of(&picture(&keys, &[(0, 1), (0, 2), (1, 2)], &[]), Direction::Tb);
        let below = framed.areas[1];
        let crossings = framed.way(0, 2);
        assert_eq!(crossings.len(), 1);
        let along = crossings[0].along;
        assert!(along < below.x || below.x + below.width < along, "{along}: {below:?}");
        assert_eq!((crossings[0].start, crossings[0].end), (below.y, below.y + below.height));
        assert!(framed.way(1, 2).is_empty() && framed.way(2, 0).is_empty());
    }
}
