//! Views of a graph: the whole graph, and one box for each module or type. The layout is computed
//! here, including the boxes inside each group.

use super::{Contents, Item};
use crate::Direction;
use crate::layout::{Area, Layout, placed};
use coconut_format::graph::{Adjacency as _, Edge, Edges};
use std::collections::{BTreeMap, HashMap};

/// The maximum number of groups in a view. A view with more would not help.
const MOST_GROUPS: usize = 2000;

/// Widths are multiples of this.
pub(super) const STEP: f64 = 8.0;

/// The sizes of boxes: the margins of a line's text, and the height of two lines.
const CHARACTER: f64 = 7.0;
const MARGIN: f64 = 24.0;
const NARROWEST: f64 = 104.0;
const NARROWEST_GROUP: f64 = 144.0;
const WIDEST: f64 = 240.0;
const HEIGHT: f64 = 42.0;

/// Boxes that each stand for several items.
pub(super) struct Groups {
    /// The common attribute of the items in a group. The script knows the group of each item:
    /// groups are numbered like modules and types, in the order of their first items.
    pub(super) by: &'static str,
    /// The group of each item.
    of: Vec<usize>,
    /// Arrows between groups, each with the number of arrows for which it stands.
    pub(super) links: BTreeMap<(usize, usize), u32>,
    pub(super) areas: Vec<Area>,
    /// The places of the items inside their groups.
    pub(super) inside: Vec<Area>,
}

/// The places of all items.
pub(super) fn of_all(contents: &Contents, direction: Direction) -> Vec<Area> {
    let links = contents.links.iter().map(|link| (link.from, link.to));
    areas(contents.items.iter().map(size_of_item).collect(), links, direction)
}

/// The attribute by which an item is grouped.
type NameOf = fn(&Item) -> &str;

/// The useful views with groups: those with several groups, and fewer groups than items.
pub(super) fn groups(contents: &Contents, direction: Direction) -> Vec<Groups> {
    let by: [(&'static str, NameOf); 2] = [("module", |item| &item.group), ("type", |item| &item.type_name)];
    let views = by.into_iter().map(|(by, name)| grouped(contents, by, name, direction));
    let mut views: Vec<Groups> = views.flatten().collect();
    // If each type has its own module, modules give no further information.
    views.dedup_by(|one, other| one.of == other.of);
    views
}

fn grouped(contents: &Contents, by: &'static str, name: NameOf, direction: Direction) -> Option<Groups> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let (mut labels, mut of) = (Vec::new(), Vec::with_capacity(contents.items.len()));
    for item in &contents.items {
        let name = name(item);
        let next = labels.len();
        of.push(*numbers.entry(name).or_insert_with(|| {
            labels.push(if name.is_empty() { "(root)" } else { name });
            next
        }));
    }
    if !(2..=MOST_GROUPS).contains(&labels.len()) || labels.len() == of.len() {
        return None;
    }
    let group = |item: usize| of.get(item).copied().unwrap_or_default();
    let mut links: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut within: Vec<Vec<(usize, usize)>> = vec![Vec::new(); labels.len()];
    for link in &contents.links {
        let (from, to) = (group(link.from), group(link.to));
        match from == to {
            true => within[from].push((link.from, link.to)),
            false => *links.entry((from, to)).or_default() += 1,
        }
    }
    let sizes = labels.iter().map(|label| size_of(label, 0.0)).map(|area| Area {
        // The number of items takes space, too.
        width: area.width.max(NARROWEST_GROUP),
        ..area
    });
    let areas = areas(sizes.collect(), without_circles(&links, labels.len()).into_iter(), direction);
    let inside = inside(contents, &of, &within, direction);
    Some(Groups { by, of, links, areas, inside })
}

/// The arrows without those that close circles. Groups often depend on one another, and all groups
/// of a circle would be in one row. In a circle, the groups with more dependencies than dependents
/// come first.
fn without_circles(links: &BTreeMap<(usize, usize), u32>, groups: usize) -> Vec<(usize, usize)> {
    let number = |at: usize| u32::try_from(at).expect("a document has fewer resources than 2^24");
    let edges: Vec<Edge> = links
        .keys()
        .map(|&(from, to)| Edge { source: number(from), target: number(to), number: 0 })
        .collect();
    let components = Edges::new(number(groups), &edges).components();
    let is_in_circle = |from: usize, to: usize| components[from] == components[to];
    let mut surplus = vec![0i64; groups];
    for (&(from, to), &count) in links.iter().filter(|((from, to), _)| is_in_circle(*from, *to)) {
        surplus[from] += i64::from(count);
        surplus[to] -= i64::from(count);
    }
    let leads_down = |from: usize, to: usize| (surplus[to], from) < (surplus[from], to);
    let stays = |&(from, to): &(usize, usize)| !is_in_circle(from, to) || leads_down(from, to);
    links.keys().copied().filter(stays).collect()
}

/// The place of each item within its group.
fn inside(
    contents: &Contents,
    of: &[usize],
    within: &[Vec<(usize, usize)>],
    direction: Direction,
) -> Vec<Area> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); within.len()];
    let mut place = vec![0; of.len()];
    for (item, &group) in of.iter().enumerate() {
        place[item] = members[group].len();
        members[group].push(item);
    }
    let mut inside = vec![Area::default(); of.len()];
    for (members, links) in members.iter().zip(within) {
        let sizes = members.iter().filter_map(|&item| contents.items.get(item)).map(size_of_item).collect();
        let links = links.iter().map(|&(from, to)| (place[from], place[to]));
        for (&item, area) in members.iter().zip(areas(sizes, links, direction)) {
            inside[item] = area;
        }
    }
    inside
}

fn areas(sizes: Vec<Area>, links: impl Iterator<Item = (usize, usize)>, direction: Direction) -> Vec<Area> {
    let number = |at: usize| u32::try_from(at).expect("a document has fewer resources than 2^24");
    let edges: Vec<Edge> =
        links.map(|(from, to)| Edge { source: number(from), target: number(to), number: 0 }).collect();
    let edges = Edges::new(number(sizes.len()), &edges);
    let Layout { areas, .. } = placed(sizes, &edges, direction);
    areas
}

fn size_of_item(item: &Item) -> Area {
    // The symbol of a change takes space, too.
    size_of(&item.name, if item.change.is_some() { 2.0 } else { 0.0 })
}

/// The size of a box with this text, preceded by this many characters.
fn size_of(label: &str, more: f64) -> Area {
    let characters = u32::try_from(label.chars().take(100).count()).unwrap_or_default();
    let width = CHARACTER * (f64::from(characters) + more) + MARGIN;
    let width = (width / STEP).ceil() * STEP;
    Area { x: 0.0, y: 0.0, width: width.clamp(NARROWEST, WIDEST), height: HEIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_circle_the_arrows_from_the_most_dependent_boxes_stay() {
        let links = BTreeMap::from([
            ((0, 1), 5),
            ((1, 0), 1),
            ((1, 2), 3),
            ((2, 0), 2),
            ((3, 0), 1),
            ((4, 5), 1),
            ((5, 4), 1),
        ]);
        assert_eq!(without_circles(&links, 6), [(0, 1), (1, 2), (3, 0), (4, 5)]);
    }
}
