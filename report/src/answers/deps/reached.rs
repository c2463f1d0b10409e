//! The resources reached by following edges, nearest first.

use crate::name_filter::NameFilter;
use crate::relations::{Direction, Follow, Relations};
use coconut_format::error::DecodeError;
use std::collections::{HashMap, HashSet};

/// The edges to follow and the resources to show.
pub(super) struct Wanted {
    /// Whether edges with this number are followed.
    pub(super) kinds: Vec<bool>,
    /// The types of resources to show.
    pub(super) types: NameFilter,
    /// The maximum number of edges to follow.
    pub(super) depth: u32,
    /// Whether the edges are kept.
    pub(super) edges: bool,
    /// The edges to follow among those of which the instance is not recorded.
    pub(super) follow: Follow,
}

impl Wanted {
    fn has_kind(&self, number: u8) -> bool {
        self.kinds.get(usize::from(number)).copied().unwrap_or_default()
    }
}

/// The resources reached from a resource.
pub(super) struct Reached {
    /// The resources, each once, the nearest first. The first row represents the start.
    pub(super) rows: Vec<Row>,
    /// The landmarks of the rows, in the order in which they were reached.
    pub(super) members: Vec<Member>,
    /// The followed edges, if requested.
    pub(super) edges: Vec<Followed>,
    /// The landmarks whose edges were followed.
    pub(super) followed: HashSet<u32>,
    /// The landmarks that may not belong to the answer: each path to them has an edge of which the
    /// instance is not recorded.
    pub(super) unsure: HashSet<u32>,
}

/// A resource.
pub(super) struct Row {
    /// Its outermost landmark.
    pub(super) resource: u32,
    /// The row from which it was reached first.
    pub(super) via: u32,
    /// The number of edges from the start.
    pub(super) depth: u32,
    /// The numbers of the edges between it and the row from which it was reached first, as bits.
    pub(super) kinds: u32,
    /// The number of its landmarks that were reached, and the first of them.
    pub(super) reached: u32,
    pub(super) first: u32,
    /// Whether it has a requested type.
    pub(super) is_wanted: bool,
}

/// A landmark of a row.
pub(super) struct Member {
    pub(super) node: u32,
    pub(super) row: u32,
    pub(super) depth: u32,
}

/// An edge, in the direction in which it was followed.
pub(super) struct Followed {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) number: u8,
    /// The number of edges from the start to its end.
    pub(super) depth: u32,
}

impl Reached {
    /// Follows edges, and then only those of which the instance is recorded.
    pub(super) fn of(
        relations: &Relations<'_>,
        start: &[u32],
        wanted: &Wanted,
        direction: Direction,
    ) -> Result<Reached, DecodeError> {
        let mut reached = Reached::following(relations, start, wanted, direction, wanted.follow)?;
        if relations.has_instances() && !reached.members.is_empty() {
            let follow = wanted.follow.without_unrecorded();
            let sure = Reached::following(relations, start, wanted, direction, follow)?;
            let sure: HashSet<u32> = sure.members.iter().map(|member| member.node).collect();
            let unsure = reached.members.iter().map(|member| member.node).filter(|node| !sure.contains(node));
            reached.unsure = unsure.collect();
        }
        Ok(reached)
    }

    /// Follows the edges of `start`, of the resources joined with it, and of everything reached.
    fn following(
        relations: &Relations<'_>,
        start: &[u32],
        wanted: &Wanted,
        direction: Direction,
        follow: Follow,
    ) -> Result<Reached, DecodeError> {
        let root = Row { resource: 0, via: 0, depth: 0, kinds: 0, reached: 0, first: 0, is_wanted: false };
        let mut reached = Reached {
            rows: vec![root],
            members: Vec::new(),
            edges: Vec::new(),
            followed: HashSet::new(),
            unsure: HashSet::new(),
        };
        let mut known: HashMap<u32, u32> = HashMap::new();
        for &node in start {
            known.extend(relations.joined(node)?.into_iter().map(|node| (node, 0)));
            reached.members.push(Member { node, row: 0, depth: 0 });
        }
        let mut row_of: HashMap<u32, u32> = HashMap::new();
        let (mut next, mut met) = (0, 0);
        while let Some(&Member { node, row: from_row, depth }) = reached.members.get(next) {
            next += 1;
            if depth >= wanted.depth {
                continue;
            }
            // Each landmark is followed once. The edges of its resource are the same for all
            // instances.
            let joined = relations.joined(node)?;
            let joined: Vec<u32> = joined.into_iter().filter(|&node| reached.followed.insert(node)).collect();
            for from in joined {
                let mut edges = relations.edges(from, direction)?;
                met += edges.len();
                relations.check_edges_met(met)?;
                relations.keep(follow, from, direction, &mut edges)?;
                for (to, number) in edges.into_iter().filter(|&(_, number)| wanted.has_kind(number)) {
                    let row = match known.get(&to) {
                        Some(&row) => row,
                        None => {
                            let row =
                                reached.reach(relations, wanted, (to, from_row, depth + 1), &mut row_of)?;
                            known.insert(to, row);
                            row
                        }
                    };
                    if let Some(row) = reached.rows.get_mut(row as usize).filter(|_| row > 0)
                        && row.via == from_row
                    {
                        row.kinds |= 1 << (number & 31);
                    }
                    let is_shown = row == 0 || reached.rows[row as usize].is_wanted;
                    if wanted.edges && is_shown {
                        reached.edges.push(Followed { from, to, number, depth: depth + 1 });
                    }
                }
            }
        }
        // Edges of the start are not part of the reached.
        reached.members.drain(..start.len());
        Ok(reached)
    }

    /// Adds a newly reached landmark, and returns its row.
    fn reach(
        &mut self,
        relations: &Relations<'_>,
        wanted: &Wanted,
        (node, via, depth): (u32, u32, u32),
        row_of: &mut HashMap<u32, u32>,
    ) -> Result<u32, DecodeError> {
        let resource = relations.resource(node)?;
        let row = match row_of.get(&resource) {
            Some(&row) => row,
            None => {
                let is_wanted =
                    wanted.types.is_all() || wanted.types.has(&relations.resource_type(resource)?);
                let row = u32::try_from(self.rows.len()).expect("a document has fewer resources than bytes");
                self.rows.push(Row { resource, via, depth, kinds: 0, reached: 0, first: node, is_wanted });
                row_of.insert(resource, row);
                row
            }
        };
        self.rows[row as usize].reached += 1;
        self.members.push(Member { node, row, depth });
        Ok(row)
    }

    /// The resources of a requested type, without the start.
    pub(super) fn wanted_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().skip(1).filter(|row| row.is_wanted)
    }

    /// Whether the requested resources are an upper bound.
    pub(super) fn is_upper_bound(&self) -> bool {
        !self.unsure.is_empty() && self.wanted_members().any(|member| self.unsure.contains(&member.node))
    }

    /// The landmarks of a requested type.
    pub(super) fn wanted_members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| self.rows[member.row as usize].is_wanted)
    }
}
