//! The result of `deps` as a tree, a list, a number, a summary, and for machines.

use super::answer::{Answer, Followed, Row};
use super::{Direction, GUESS, NOT_RECORDED, Tree};
use coconut_codec::read::lookup::DanglingReferences;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use coconut_format::truncated::Truncated;
use coconut_report::failure::Failure;
use coconut_report::json::{number, object, optional, text};
use coconut_report::relations::{Relations, unique_short_names};
use coconut_report::select::numbered;
use coconut_report::streamed::Report;
use coconut_shell::console::{Console, DIM, STRONG, visible};
use std::collections::HashMap;

/// The maximum number of resources shown as a tree without `--limit`.
const MOST_ROWS: usize = 200;

/// The maximum number of levels drawn at the start of a line.
const MOST_LEVELS: usize = 32;

/// The maximum number of references to missing resources shown, as text and in JSON.
const MOST_DANGLING: usize = 5;
const MOST_REPORTED: usize = 1000;

/// The maximum number of types of resources in a summary.
const MOST_TYPES: usize = 20;

/// A result and its presentation.
pub(super) struct Shown<'q, 'a> {
    pub(super) answer: &'q Answer,
    pub(super) relations: &'q Relations<'a>,
    pub(super) tree: &'q Tree,
    pub(super) key: &'q str,
    pub(super) direction: Direction,
    pub(super) start: &'q [u32],
}

impl Shown<'_, '_> {
    pub(super) fn print(&self, file: &str, console: &mut Console) -> Result<(), Failure> {
        let most = if console.json { MOST_REPORTED } else { MOST_DANGLING };
        // Any reference may lead to the start. For dependencies, only those of followed resources
        // count.
        let of = (self.direction == Direction::Dependencies).then_some(&self.answer.followed);
        // The result is valid without this number. A limit can be reached by counting alone.
        let dangling = self.relations.dangling(most, of);
        if console.json {
            return self.report(file, dangling.as_ref().ok(), console);
        }
        if self.tree.count {
            console.line(&self.answer.wanted_members().count().to_string())?;
        } else if self.tree.list {
            self.print_list(console)?;
        } else {
            self.print_tree(console)?;
            let mut lines: Vec<String> = self.guess().map(str::to_owned).into_iter().collect();
            self.say_dangling(&dangling, &mut lines);
            lines.extend(
                self.relations
                    .inferred_by()
                    .map(|by| format!("the edges are inferred ({by}); the document does not say them")),
            );
            for line in lines {
                let line = console.paint(DIM, &line);
                console.line(&line)?;
            }
            return Ok(());
        }
        let mut lines: Vec<String> = self.guess().map(str::to_owned).into_iter().collect();
        if self.answer.is_upper_bound() {
            let all = grouped(self.answer.wanted_members().count() as u64);
            lines.push(format!("at most {all}; {NOT_RECORDED}"));
        }
        self.say_dangling(&dangling, &mut lines);
        lines.iter().for_each(|line| console.note(line));
        Ok(())
    }

    /// The line about a guess that the caller requested.
    fn guess(&self) -> Option<&'static str> {
        let is_guess = self.tree.same_instance && self.relations.has_instances();
        is_guess.then_some(GUESS)
    }

    fn print_list(&self, console: &mut Console) -> Result<(), Failure> {
        let all = self.answer.wanted_members().count();
        let most = self.tree.limit.unwrap_or(all);
        for member in self.answer.wanted_members().take(most) {
            console.line(&visible(&self.relations.name(member.node)?))?;
        }
        if most < all {
            console.note(&format!("stopped after {} of {}", grouped(most as u64), grouped(all as u64)));
        }
        Ok(())
    }

    fn print_tree(&self, console: &mut Console) -> Result<(), Failure> {
        let mut names = Vec::new();
        for &node in self.start {
            names.push(console.paint(STRONG, &self.relations.name(node)?));
        }
        console.line(&names.join(", "))?;
        let all = self.answer.wanted_rows().count();
        let most = self.tree.limit.unwrap_or(if all > MOST_ROWS { 0 } else { all });
        let shown = self.shown_rows(most);
        let names = self.short_names(&shown)?;
        self.print_rows(&shown, &names, console)?;
        let summary = self.summary(all)?;
        let (head, types) = summary.split_first().expect("a summary has a first line");
        let head = console.paint(DIM, head);
        console.line(&head)?;
        if all > most {
            for line in types {
                console.line(&visible(line))?;
            }
            let hint = match most {
                0 => "  = `--list` prints their keys, `--limit N` shows the nearest, `--depth 1` the next ones, `--type TYPE` those of one type".to_owned(),
                most => format!("  = {} of them are shown; `--list` prints the keys of all", grouped(most as u64)),
            };
            let hint = console.paint(DIM, &hint);
            console.line(&hint)?;
        }
        Ok(())
    }

    /// The first requested rows and the rows on the paths to them, in the order of the tree.
    fn shown_rows(&self, most: usize) -> Vec<usize> {
        let rows = &self.answer.rows;
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

    /// A name for each of these rows: the shortest one that is unique.
    fn short_names(&self, shown: &[usize]) -> Result<Vec<String>, DecodeError> {
        let mut keys = Vec::new();
        for &at in shown {
            let row = &self.answer.rows[at];
            let node = if row.reached == 1 { row.first } else { row.resource };
            keys.push((self.relations.key(node)?, self.relations.number(node)?));
        }
        Ok(match self.tree.full {
            true => keys.iter().map(|(key, number)| numbered(key, *number)).collect(),
            false => unique_short_names(&keys),
        })
    }

    fn print_rows(&self, shown: &[usize], names: &[String], console: &mut Console) -> Result<(), Failure> {
        // For each row, whether more rows of its level follow below the row above.
        let mut last: HashMap<u32, usize> = HashMap::new();
        for &at in shown {
            last.insert(self.answer.rows[at].via, at);
        }
        let has_kinds = self.relations.has_kinds();
        let mut goes_on: Vec<bool> = Vec::new();
        for (&at, name) in shown.iter().zip(names) {
            let row = &self.answer.rows[at];
            let is_last = last.get(&row.via) == Some(&at);
            goes_on.truncate(row.depth as usize - 1);
            // A chain of a million edges must not produce a line of a million columns.
            let left_out = goes_on.len().saturating_sub(MOST_LEVELS);
            let mut line = match left_out {
                0 => String::new(),
                1 => console.paint(DIM, "(1 level) "),
                levels => console.paint(DIM, &format!("({levels} levels) ")),
            };
            line.extend(goes_on.iter().skip(left_out).map(|&goes_on| if goes_on { "│   " } else { "    " }));
            line.push_str(if is_last { "└── " } else { "├── " });
            match row.is_wanted {
                true => line.push_str(&visible(name)),
                false => line.push_str(&console.paint(DIM, name)),
            }
            if row.reached > 1 {
                line.push_str(&console.paint(DIM, &format!(" ({} instances)", grouped(row.reached.into()))));
            }
            if has_kinds {
                line.push_str(&console.paint(DIM, &format!(" ({})", self.kinds(row).join(", "))));
            }
            if row.is_wanted && self.answer.unsure.contains(&row.first) {
                line.push_str(&console.paint(DIM, " (instance not known)"));
            }
            console.line(&line)?;
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

    /// The total number of resources, followed by the number of each type.
    fn summary(&self, all: usize) -> Result<Vec<String>, DecodeError> {
        let direct = self.answer.wanted_rows().filter(|row| row.depth == 1).count();
        let farthest = self.answer.wanted_rows().map(|row| row.depth).max().unwrap_or_default();
        let of_type = if self.tree.types.is_empty() { "" } else { " of this type" };
        let resources = match all {
            1 => format!("1 resource{of_type}"),
            all => format!("{} resources{of_type}", grouped(all as u64)),
        };
        let is_bound = self.answer.is_upper_bound();
        let resources = if is_bound { format!("at most {resources}") } else { resources };
        let head = match (self.direction, all) {
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
        let mut lines = vec![head];
        if all > MOST_ROWS || self.tree.limit.is_some_and(|limit| limit < all) {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for row in self.answer.wanted_rows() {
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
        Ok(lines)
    }

    /// The lines about references to missing resources.
    fn say_dangling(&self, dangling: &Result<DanglingReferences, DecodeError>, lines: &mut Vec<String>) {
        let dangling = match dangling {
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
        lines.push(match self.direction {
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

    /// The schema is `schemas/deps.json`.
    fn report(
        &self,
        file: &str,
        dangling: Option<&DanglingReferences>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let command = match self.direction {
            Direction::Dependencies => "deps",
            Direction::Dependents => "rdeps",
        };
        let key = match self.start {
            [only] => self.relations.key(*only)?,
            _ => self.key.to_owned(),
        };
        let mut start = Vec::new();
        for &node in self.start {
            start.push(text(self.relations.name(node)?));
        }
        let head = [("file", text(file)), ("key", text(key)), ("start", Value::List(start))];
        let mut report = Report::begin(console, command, head)?;
        let all = self.answer.wanted_members().count();
        let most = self.tree.limit.unwrap_or(all);
        if !self.tree.count {
            report.begin_list("edges")?;
            // Those of one landmark are consecutive, and keys can be long.
            let mut last: Option<(u32, String)> = None;
            for edge in &self.answer.edges {
                let near = match last.take() {
                    Some((node, key)) if node == edge.from => key,
                    _ => self.relations.key(edge.from)?,
                };
                report.item(&self.edge(edge, &near)?)?;
                last = Some((edge.from, near));
            }
            report.end_list()?;
            report.begin_list("resources")?;
            for member in self.answer.wanted_members().take(most) {
                let mut item = vec![
                    ("key".to_owned(), text(self.relations.key(member.node)?)),
                    ("type".to_owned(), text(self.relations.resource_type(member.node)?)),
                    ("depth".to_owned(), number(u64::from(member.depth))),
                ];
                let same = self.relations.number(member.node)?;
                item.extend(same.map(|same| ("number".to_owned(), number(u64::from(same)))));
                if self.answer.unsure.contains(&member.node) {
                    item.push(("instance_known".to_owned(), Value::Bool(false)));
                }
                report.item(&Value::Object(item))?;
            }
            report.end_list()?;
        }
        report.member("count", &number(all as u64))?;
        report.member("at_most", &Value::Bool(self.answer.is_upper_bound()))?;
        report.member("truncated", &Value::Bool(most < all && !self.tree.count))?;
        let dangling = dangling.map(|dangling| {
            let first = dangling.first.iter().map(|reference| {
                object([
                    ("kind", text(&*reference.kind)),
                    ("target", text(&*reference.target)),
                    ("pointer", text(&*reference.pointer)),
                ])
            });
            object([("count", number(dangling.wanted)), ("first", Value::List(first.collect()))])
        });
        report.member("dangling", &dangling.unwrap_or(Value::Null))?;
        report.member("inferred_by", &optional(self.relations.inferred_by()))?;
        report.end()
    }

    /// An edge in its own direction, whichever way it was followed. `near` is the key of the end
    /// from which it was followed.
    fn edge(&self, edge: &Followed, near: &str) -> Result<Value, DecodeError> {
        let far = self.relations.key(edge.to)?;
        let (from, to, keys) = match self.direction {
            Direction::Dependencies => (edge.from, edge.to, [near, &far]),
            Direction::Dependents => (edge.to, edge.from, [&far, near]),
        };
        let mut item = vec![
            ("from".to_owned(), text(keys[0])),
            ("to".to_owned(), text(keys[1])),
            ("kind".to_owned(), text(self.relations.kind(edge.number))),
        ];
        for (name, node) in [("from_number", from), ("to_number", to)] {
            let same = self.relations.number(node)?;
            item.extend(same.map(|same| (name.to_owned(), number(u64::from(same)))));
        }
        item.push(("depth".to_owned(), number(u64::from(edge.depth))));
        Ok(Value::Object(item))
    }
}
