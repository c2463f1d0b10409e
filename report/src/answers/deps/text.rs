//! The answer for people: a tree with a summary, or a list.

use super::reached::Row;
use super::{Answer, NOT_RECORDED};
use crate::answers::stopped;
use crate::failure::Failure;
use crate::relations::{Direction, unique_short_names};
use crate::safe::visible;
use crate::select::numbered;
use crate::style::{DIM, STRONG, TextWriter};
use coconut_codec::read::lookup::DanglingReferences;
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use coconut_format::truncated::Truncated;
use std::collections::HashMap;

/// The maximum number of resources shown as a tree without a limit.
const MOST_ROWS: usize = 200;

/// The maximum number of levels drawn at the start of a line.
const MOST_LEVELS: usize = 32;

/// The maximum number of references to missing resources.
const MOST_DANGLING: usize = 5;

/// The maximum number of types of resources in a summary.
const MOST_TYPES: usize = 20;

impl Answer<'_, '_> {
    /// Writes full keys, one on each line, nearest first. Returns a note if some are left out.
    pub fn write_list(&self, out: &mut TextWriter<'_>) -> Result<Option<String>, Failure> {
        let all = self.count();
        let most = self.question.limit.unwrap_or(all);
        for member in self.reached.wanted_members().take(most) {
            out.plain(&self.relations.name(member.node)?)?;
        }
        Ok(stopped(most, all))
    }

    /// Writes a tree with short names or full keys, and remarks below it.
    pub fn write_tree(&self, full: bool, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let mut names = Vec::new();
        for &node in &self.start {
            names.push(out.paint(STRONG, &self.relations.name(node)?));
        }
        out.line(&names.join(", "))?;
        let all = self.reached.wanted_rows().count();
        let most = self.question.limit.unwrap_or(if all > MOST_ROWS { 0 } else { all });
        let shown = self.shown_rows(most);
        let names = self.names(&shown, full)?;
        self.write_rows(&shown, &names, out)?;
        let (head, types) = self.summary(all)?;
        out.styled(DIM, &head)?;
        if all > most {
            types.iter().try_for_each(|line| out.plain(line))?;
            let hint = match most {
                0 => "  = `--list` prints their keys, `--limit N` shows the nearest, `--depth 1` the next ones, `--type TYPE` those of one type".to_owned(),
                most => format!("  = {} of them are shown; `--list` prints the keys of all", grouped(most as u64)),
            };
            out.styled(DIM, &hint)?;
        }
        let mut remarks = self.guess();
        self.add_dangling(&mut remarks);
        remarks.extend(self.relations.inferred_by().map(inferred_note));
        remarks.iter().try_for_each(|line| out.styled(DIM, line))
    }

    /// The first requested rows and the rows on the paths to them, in the order of the tree.
    fn shown_rows(&self, most: usize) -> Vec<usize> {
        let rows = &self.reached.rows;
        let mut is_shown = vec![false; rows.len()];
        let wanted = rows.iter().enumerate().skip(1).filter(|(_, row)| row.is_wanted).take(most);
        for (mut at, _) in wanted {
            while at > 0 && !is_shown[at] {
                is_shown[at] = true;
                at = rows[at].via as usize;
            }
        }
        let mut inside: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate().skip(1).filter(|(at, _)| is_shown[*at]).rev() {
            inside.entry(row.via).or_default().push(at);
        }
        let mut order = Vec::new();
        let mut pending = inside.remove(&0).unwrap_or_default();
        while let Some(at) = pending.pop() {
            order.push(at);
            let row = u32::try_from(at).expect("rows are numbered so");
            pending.extend(inside.remove(&row).unwrap_or_default());
        }
        order
    }

    /// A name for each of these rows: the full one, or the shortest one that is unique.
    fn names(&self, shown: &[usize], full: bool) -> Result<Vec<String>, DecodeError> {
        let mut keys = Vec::new();
        for &at in shown {
            let row = &self.reached.rows[at];
            let node = if row.reached == 1 { row.first } else { row.resource };
            keys.push((self.relations.key(node)?, self.relations.number(node)?));
        }
        Ok(match full {
            true => keys.iter().map(|(key, number)| numbered(key, *number)).collect(),
            false => unique_short_names(&keys),
        })
    }

    fn write_rows(&self, shown: &[usize], names: &[String], out: &mut TextWriter<'_>) -> Result<(), Failure> {
        // For each row, whether more rows of its level follow below the row above.
        let mut last: HashMap<u32, usize> = HashMap::new();
        for &at in shown {
            last.insert(self.reached.rows[at].via, at);
        }
        let has_kinds = self.relations.has_kinds();
        let mut goes_on: Vec<bool> = Vec::new();
        for (&at, name) in shown.iter().zip(names) {
            let row = &self.reached.rows[at];
            let is_last = last.get(&row.via) == Some(&at);
            goes_on.truncate(row.depth as usize - 1);
            // A chain of a million edges must not produce a line of a million columns.
            let left_out = goes_on.len().saturating_sub(MOST_LEVELS);
            let mut line = match left_out {
                0 => String::new(),
                1 => out.paint(DIM, "(1 level) "),
                levels => out.paint(DIM, &format!("({levels} levels) ")),
            };
            line.extend(goes_on.iter().skip(left_out).map(|&goes_on| if goes_on { "│   " } else { "    " }));
            line.push_str(if is_last { "└── " } else { "├── " });
            match row.is_wanted {
                true => line.push_str(&visible(name)),
                false => line.push_str(&out.paint(DIM, name)),
            }
            if row.reached > 1 {
                line.push_str(&out.paint(DIM, &format!(" ({} instances)", grouped(row.reached.into()))));
            }
            if has_kinds {
                line.push_str(&out.paint(DIM, &format!(" ({})", self.kinds(row).join(", "))));
            }
            if row.is_wanted && self.reached.unsure.contains(&row.first) {
                line.push_str(&out.paint(DIM, " (instance not known)"));
            }
            out.line(&line)?;
            goes_on.push(!is_last);
        }
        Ok(())
    }

    /// The kinds of the edges between a row and the one above it.
    fn kinds(&self, row: &Row) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for number in (0..32).filter(|number| row.kinds >> number & 1 == 1) {
            let kind = self.relations.kind(number);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// The total number of resources, and lines with the number of each type.
    fn summary(&self, all: usize) -> Result<(String, Vec<String>), DecodeError> {
        let direct = self.reached.wanted_rows().filter(|row| row.depth == 1).count();
        let farthest = self.reached.wanted_rows().map(|row| row.depth).max().unwrap_or_default();
        let of_type = if self.question.types.is_empty() { "" } else { " of this type" };
        let resources = match all {
            1 => format!("1 resource{of_type}"),
            all => format!("{} resources{of_type}", grouped(all as u64)),
        };
        let is_bound = self.reached.is_upper_bound();
        let resources = if is_bound { format!("at most {resources}") } else { resources };
        let head = match (self.question.direction, all) {
            (Direction::Dependencies, 0) if of_type.is_empty() => "it depends on nothing".to_owned(),
            (Direction::Dependents, 0) if of_type.is_empty() => "nothing depends on it".to_owned(),
            (Direction::Dependencies, _) => format!("it depends on {resources}"),
            (Direction::Dependents, 1) => format!("{resources} depends on it"),
            (Direction::Dependents, _) => format!("{resources} depend on it"),
        };
        let head = match farthest > 1 && direct < all {
            true => {
                format!("{head}, {} directly, the farthest {farthest} edges away", grouped(direct as u64))
            }
            false => head,
        };
        let head = if is_bound { format!("{head}; {NOT_RECORDED}") } else { head };
        let mut lines = Vec::new();
        if all > MOST_ROWS || self.question.limit.is_some_and(|limit| limit < all) {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for row in self.reached.wanted_rows() {
                *counts.entry(self.relations.resource_type(row.resource)?).or_default() += 1;
            }
            let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
            counts.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
            let more = counts.len().saturating_sub(MOST_TYPES);
            let line = |(name, count): &(String, usize)| {
                format!("{:>9} {}", grouped(*count as u64), Truncated(name))
            };
            lines.extend(counts.iter().take(MOST_TYPES).map(line));
            if more > 0 {
                lines.push(format!("{:>9} of {more} more types", ""));
            }
        }
        Ok((head, lines))
    }

    /// References to missing resources, which may hide a part of the answer. The answer is valid
    /// without their number, and a limit can be reached by counting alone.
    pub(super) fn dangling(&self, most: usize) -> Result<DanglingReferences, DecodeError> {
        // Any reference may lead to the start. For dependencies, only those of followed resources
        // count.
        let is_of_followed = self.question.direction == Direction::Dependencies;
        self.relations.dangling(most, is_of_followed.then_some(&self.reached.followed))
    }

    /// Adds the lines about references to missing resources.
    pub(super) fn add_dangling(&self, lines: &mut Vec<String>) {
        let dangling = match self.dangling(MOST_DANGLING) {
            Ok(dangling) => dangling,
            Err(error) => {
                let code = error.kind().code();
                lines.push(format!("references that lead nowhere were not counted: {}", error.kind()));
                lines.push(format!("  = `explain {code}` says more"));
                return;
            }
        };
        if dangling.wanted == 0 {
            return;
        }
        let count = match dangling.wanted {
            1 => "1 reference leads nowhere".to_owned(),
            count => format!("{} references lead nowhere", grouped(count)),
        };
        lines.push(match self.question.direction {
            Direction::Dependencies => format!("{count}, so the answer may lack something:"),
            Direction::Dependents => {
                format!("{count} in this document, so the answer may lack something:")
            }
        });
        for reference in &dangling.first {
            let (target, pointer) = (Truncated(&reference.target), Truncated(&reference.pointer));
            lines.push(format!("    {target}, at {pointer}"));
        }
        let more = dangling.wanted - dangling.first.len() as u64;
        if more > 0 {
            lines.push(format!("    ... {} more; `--json` lists them", grouped(more)));
        }
    }
}

/// The remark about edges that are inferred by this procedure.
pub fn inferred_note(by: &str) -> String {
    format!("the edges are inferred ({by}); the document does not say them")
}
